"""Neculoiu, Versteegh and Rotaru (2016): text similarity with Siamese recurrent networks.

`job_titles` reads public titles, `table3` measures on them, and `command` prints it.
"""
