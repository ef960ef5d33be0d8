"""Find the past ticket whose solution fixes a new problem.

What flows, and the module at each step::

    a desk's export -> importing -> stores -> training.train -> model.bundle
                                      |                              |
                                      +--> desk: text -> codes, one row a ticket, by bundle
    query -> retrieval.encode -> stores (codes of tickets) -> retrieval.scan
          -> retrieval.recommend, explain -> judgments (stores) -> labels -> training.train

A bundle is vocabulary, network, weights, code layout and calibration; `model.inference.Model` is
a loaded one. `encoders` turn a text component into vectors or terms, `model.metric` compares
them (equation 1), `evaluation` measures what comes of it.

`desk.Desk` wires these together. `nn` holds what all Siamese networks share: those of `model`, of
`classification` (a category for a subject, by its characters) and of `experiments.malstm`.
`experiments` holds the papers' tables. Modules import downwards only: experiments -> cli -> desk
-> importing, labels, evaluation, demo -> retrieval, training -> stores, model, classification ->
encoders -> nn -> text -> tickets -> errors.
"""
