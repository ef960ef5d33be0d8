"""Evaluation: how good a ranking is, and whether a new bundle may serve.

- `runs`: rankings (runs) of labelled queries. `ways` ranks by one bundle in several ways.
- `indexed_words`, `peers`, `timed_peer`: baselines: BM25, a sentence encoder, and the same with the
  time part.
- `metrics`, `success`: metrics of a run. `ages` splits Acc@10 by the age of the right ticket.
- `relatedness`, `isotonic`: correlation of distances with graded pairs, and the map to the 1-5
  scale.
- `reliability`: how well predicted chances fit what happened.
- `agreement`: agreement of two judges (Cohen's kappa).
- `significance`: confidence intervals and significance tests.
- `quality`: quality of the answers given, by week and bundle.
- `measurement`: all measurements of one bundle.
- `comparison`, `bundle_diff`: a table of several rankers, and a comparison of two bundles query by
  query.
- `diagnosis`, `text_table`, `plots`, `report`: why a ticket ranked low, and tables, plots and the
  HTML report.
- `promotion`: decides whether a new bundle may serve.
"""
