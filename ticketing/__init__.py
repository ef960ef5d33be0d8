"""Find the past ticket whose solution fixes a new problem.

What flows, and the module at each step::

    a desk's export -> importing -> stores -> similarity (training) -> bundle
                                      |                                  |
                                      +--> retrieval.indexing: text -> codes, one row a ticket
    query -> similarity.encoder -> stores.codes -> retrieval.kernel -> retrieval.recommend
          -> retrieval.explain -> judgments (stores) -> labels -> similarity (training)

`desk.Desk` wires these together; the command line, the page and the worker call
nothing else. Modules import downwards only: cli -> desk -> retrieval, importing,
evaluation -> stores, similarity -> channels -> text -> tickets -> errors.
"""
