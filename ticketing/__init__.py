"""Recommend the past tickets whose solutions fix a new problem.

How data flows, and the module that does each step::

    a desk's export -> importing -> stores (tickets) -> training.train -> model.registry (a bundle)
                                       |                                        |
                                       +-> desk.bundles: encode every ticket <--+
                                                   |
                                   stores (codes: one row of bytes per ticket)
                                                   |
    a query -> retrieval.encode -> stores: candidates -> retrieval.scan -> retrieval.recommend,
    retrieval.explain -> the ten best tickets with reasons -> judgments -> stores -> labels
    -> training.train

Packages, from high to low. A package imports only from lower ones; import-linter checks this.

- `experiments`: the tables of the papers.
- `cli`: the commands that do not start jobs.
- `desk`: the class `desk.Desk`, which has one method per use case.
- `importing`: turns export files into tickets.
- `labels`: turns judgments into labels, and reads and writes label files.
- `evaluation`: metrics, significance tests, and the comparison that decides on promotion.
- `demo`: the generated knowledge base.
- `training`: makes a bundle from tickets and labels.
- `networks`: the Siamese network, its trainable encoders and the distance (`networks.metric`,
  equation 1), in torch.
- `retrieval`: encodes a query, scans the codes, ranks and explains.
- `classification`: proposes one of the desk's own categories for a subject.
- `stores`: keep all data of a desk, in SQLite or in Elasticsearch.
- `model`: a trained model without torch (`model.inference.Model`), and bundles, which are trained
  models as folders.
- `encoders`: turn a text component into a vector or weighted terms, in compiled code; only channel
  S uses torch.
- `nn`: code that all Siamese networks here share.
- `text`: tokenizer, mark-up, masking, vocabulary.

The page, the API and the worker call a `Desk` and none of the packages below it. Apart from that,
they use only the values that a `Desk` returns, the data types, some of the small tools, the stores'
protocols and the tokenizer.

Modules below the packages hold the data types: `tickets`, `queries` (encoded queries),
`recommendations`, `reasons`, `history`, `people`, `jobs`, `schedule` and `errors`. Others are small
tools:

- `settings`: the only module that reads the environment.
- `tables`, `headers`, `workbooks`, `cells`: rows of imported files, their headers, cells of Excel
  workbooks, and safe cells of exported files.
- `files`, `arrays`: atomic writes of files and of arrays.
- `ids`, `batches`: many ids in one compact array; many items, a few at a time.
- `limits`, `times`, `plurals`: limits of size, points in time, counted nouns.
- `mails`: what a mail says, without its head, greeting and signature.
- `passwords`, `redaction`, `tls`: password hashes, masked secrets, and servers named by the wrong
  scheme.
- `compiled`, `repeating`: loops compiled by numba, and actions repeated in a thread.
"""
