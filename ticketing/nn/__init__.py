"""What all Siamese networks share, whatever the texts are.

`recurrent` turns embedded texts into vectors, `similarity` compares two of them, `losses` say what
a training makes small, and `trainer` runs its epochs. The networks themselves are
`model.network` (tickets), `classification.network` (characters of a subject) and
`experiments.malstm.network` (words of a sentence).
"""
