"""Relatedness of sentences: MaLSTM (Mueller and Thyagarajan 2016) as a member of the family.

`sick` reads rated pairs, `word_vectors` what words start from, `wordnet` their synonyms;
`augmentation` makes sentences for a teacher. `network` is the one encoder, `datasets` what it
learns from, `ensemble` how a `model` of a few networks is trained. `features` compare a pair in
other ways, `regression` rates it by all of them, `entailment` classifies it. `relatedness`
measures, `plots` draws, `command` prints.
"""
