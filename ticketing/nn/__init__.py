"""What all Siamese networks share, whatever the texts are.

`recurrent` turns embedded texts into vectors, `similarity` compares two of them, `losses` say what
a training makes small, and `trainer` runs its epochs; `settings` has their sizes. `compiled_lstm`
reads with the weights that `recurrent` has learned, without torch; `ragged_lstm` and `linear` learn
by compiled code, over texts that lie end to end (`ragged`), which `threads` share. The networks
themselves are `networks.siamese` (tickets), `classification.network` (characters of a subject) and
`experiments.malstm.network` (words of a sentence).
"""
