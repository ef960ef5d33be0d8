"""How good a ranking is, and whether a new bundle may serve.

`runs` rank labelled queries, `metrics` and `success` measure a run, `relatedness` its distances,
`reliability` its chances, `significance` says how sure a figure is. `measurement` does all of it
for one bundle, `comparison` sets rankers beside each other, `bundle_diff` two bundles query by
query; `diagnosis`, `plots` and `report` show it. `promotion` decides.
"""
