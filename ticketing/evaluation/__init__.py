"""How good a ranking is, and whether a new bundle may serve.

`runs` rank labelled queries: by one bundle in several `ways`, and by what a desk would use instead:
words (`indexed_words`) or a sentence encoder (`peers`), with time as well (`timed_peer`). `metrics`
and `success` measure a run, `ages` splits it by how old the right ticket is, `relatedness` measures
distances by the papers' map to the 1-5 scale (`isotonic`), `reliability` chances, `agreement` two
judges, and `significance` says how sure a figure is. `quality` measures what was answered since.

`measurement` does all of it for one bundle, `comparison` sets rankers beside each other,
`bundle_diff` two bundles query by query; `diagnosis`, `text_table`, `plots` and `report` show it.
`promotion` decides.
"""
