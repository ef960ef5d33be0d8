"""Find the past ticket whose solution fixes a new problem.

What flows, and the module at each step::

    a desk's export -> importing -> stores -> similarity.recipe (training) -> similarity.bundle
                                      |                                            |
                                      +--> desk.encode: text -> codes, one row a ticket, by bundle
    query -> retrieval.asked (codes of the query) -> stores (codes of tickets) -> retrieval.kernel
          -> retrieval.recommend, explain -> judgments (stores) -> labels -> similarity.recipe

A bundle is vocabulary, network, weights, code layout and calibration; `similarity.model` is a
loaded one. `channels` turn a text component into vectors or terms, `similarity.metric` compares
them (equation 1), `evaluation` measures what comes of it.

`desk.Desk` wires these together; the command line, the page and the worker call nothing else.
`siamese` holds what all Siamese networks share: those of `similarity`, of `categories` (a category
for a subject, by its characters) and of `sentences` (MaLSTM). Modules import downwards only:
cli -> desk -> importing, labels, evaluation, demo -> retrieval -> stores, similarity, categories,
sentences -> channels -> siamese -> text -> tickets -> errors.
"""
