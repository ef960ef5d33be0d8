"""Relatedness of sentences: MaLSTM (Mueller and Thyagarajan 2016) as a member of the family.

`pairs` reads labelled pairs, `vectors` what words start from, `wordnet` their synonyms; `network`
is the one encoder, `lessons` what it learns from, `model` a few networks and their calibration;
`entailment` puts a support vector machine on their vectors, `table` measures, `pictures` draws.
"""
