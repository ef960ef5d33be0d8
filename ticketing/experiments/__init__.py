"""The papers' tables, measured on the desk's archive or on public data sets.

- `gupta2018`: Tables 3, 5 and 6, the curve over the number of labels, and months of feedback.
- `neculoiu2016`: job titles.
- `malstm`: related sentences (SICK).
- `command`, `cache`: the command line of the experiments, and results kept for the next run.

An experiment may import anything. Only its own commands import an experiment.
"""
