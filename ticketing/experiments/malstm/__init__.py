"""Relatedness of sentences: MaLSTM (Mueller and Thyagarajan 2016) as a member of the family.

`pairs` reads rated pairs, `vectors` what words start from, `wordnet` their synonyms, `invention`
makes sentences for a teacher. `network` is the one encoder, `lessons` what it learns from,
`recipe` how a `model` of a few networks is trained. `channels` compare a pair in other ways,
`regression` rates it by all of them, `entailment` judges it. `table` measures, `pictures` draws.
"""
