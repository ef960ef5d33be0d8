"""Code that all Siamese networks share, whatever their texts are.

- `recurrent`: recurrent encoders of embedded texts. `settings` holds their sizes.
- `similarity`, `losses`: similarity of two vectors, and training losses.
- `trainer`: the training loop.
- `compiled_lstm`: runs the weights of a trained `recurrent` encoder without torch.
- `ragged_lstm`, `linear`: layers trained by compiled code on texts that lie end to end (`ragged`),
  with work divided among `threads`.

The networks are `networks.siamese` (tickets), `classification.network` (characters of a subject)
and `experiments.malstm.network` (words of a sentence).
"""
