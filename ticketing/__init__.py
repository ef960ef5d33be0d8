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
Modules import downwards only: cli -> desk -> importing, labels, evaluation, demo -> retrieval
-> stores, similarity -> channels -> text -> tickets -> errors.
"""
