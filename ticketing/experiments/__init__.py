"""The papers' tables, measured on the desk's archive or on public data sets.

`gupta2018` has the rows of Tables 3, 5 and 6, the curve of labels and months of feedback,
`neculoiu2016` the job titles, `malstm` the related sentences of SICK. `command` is their command
line, `cache` keeps what a run has made for the next. An experiment may import
anything; nothing but its own commands imports an experiment.
"""
