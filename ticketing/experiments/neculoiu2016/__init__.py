"""Neculoiu, Versteegh and Rotaru (2016): text similarity with Siamese recurrent networks."""
