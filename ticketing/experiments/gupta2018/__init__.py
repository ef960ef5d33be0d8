"""Gupta, Andrassy and Schütze (2018), Replicated Siamese LSTM in Ticketing System.

`rows` are those of Tables 5 and 6, trained and ranked by `row_models`, and `table3` compares topic
models. `label_curve` asks how good the ranking is with few labels, `feedback` what months of
judging bring; `curves` and `figures` show both. `commands` has a command for each.
"""
