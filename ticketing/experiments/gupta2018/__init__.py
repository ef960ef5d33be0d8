"""Gupta, Andrassy and Schütze (2018), Replicated Siamese LSTM in Ticketing System.

- `rows`, `row_models`: the rows of Tables 5 and 6, and their models and rankings.
- `table3`: comparison of topic models.
- `label_curve`: quality of the ranking by number of labels.
- `feedback`: simulation of months of judging and retraining.
- `curves`, `figures`: the results of both as text, pages and numbers.
- `commands`: a command for each.
"""
