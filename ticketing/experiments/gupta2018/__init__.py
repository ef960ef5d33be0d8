"""Gupta, Andrassy and Schütze (2018), Replicated Siamese LSTM in Ticketing System."""
