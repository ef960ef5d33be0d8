"""Find the past ticket whose solution fixes a new problem.

What flows, and the module at each step::

    a desk's export -> importing -> stores (tickets) -> training.train -> model.registry (a bundle)
                                       |                                        |
                                       +-> desk.bundles: encode every ticket <--+
                                                   |
                                            stores (codes, a row a ticket)
                                                   |
    a query -> retrieval.encode -> stores: candidates -> retrieval.scan -> retrieval.recommend,
    explain -> the ten best with reasons -> stores (judgments) -> labels -> training.train

`networks` learn, in torch, to turn a text component into a vector and to compare two of them
(`networks.metric`, equation 1). A bundle is what a training leaves of all that, and
`model.inference.Model` a loaded one: its `encoders` read texts in compiled code, without torch.
`classification` proposes one of the desk's own categories for a subject, `nn` holds what all
Siamese networks share, `evaluation` measures, and `experiments` holds the papers' tables.

`desk.Desk` wires these together, a method a use case. The page, the API and the worker call a Desk
and none of the rooms below it; beside it they know nouns (`tickets`, `errors`, `settings`, `times`,
the stores' protocols) and the tokenizer that marks words. import-linter holds all of this.

Below the rooms lie the nouns: `tickets`, `queries` (encoded), `recommendations`, `reasons`,
`history`, `people`, `jobs` and `schedule`; and small tools: `settings` (the one that reads the
environment), `tables` (rows of files) and their `headers`, `cells` (no formulas), `files` and
`arrays` (written whole or not at all), `ids`, `limits`, `times`, `plurals`, `passwords`,
`redaction` (of secrets), `tls`, `compiled`, `repeating`.

Imports point down only: experiments -> cli -> desk -> importing, labels, evaluation, demo ->
training -> networks -> retrieval, classification -> stores, model -> encoders -> nn -> text ->
tickets -> errors.
"""
