"""The published tables of DocNADE and LDA, measured on folders of labelled documents.

`datasets` reads a folder, in the ways that `readings` lists. `trials` train what a table needs and
score it (`retrieval`), and `evaluate` prints `tables` of it.
"""
