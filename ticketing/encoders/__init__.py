"""A text component becomes a vector: h (LSTM), E (SumEMB), T (topics), a module each."""
