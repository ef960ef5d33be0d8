"""The demonstration knowledge base: generated, never copied, the same for the same seed.

`catalogue` reads the faults that were written by hand, `writer` writes a ticket or a query about
one of them in its `wording`, and `generator` makes the whole base with its labels. `overlap` prints
how few words a query shares with its right ticket.
"""
