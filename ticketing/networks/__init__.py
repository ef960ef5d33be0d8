"""Trainable networks in torch: the Siamese network of a model and its encoders.

- `siamese`: encodes the components of query and ticket and computes their distance.
- `metric`: the distance (equation 1). `manhattan` and `terms` compute its distances of dense
  vectors and of weighted terms.
- `channels`: the interface of a channel, which is a trainable or fixed encoder of
  `ticketing.encoders`.
- `lstm`, `sumemb`: the trainable channels, over the embeddings in `words` and `spelling`.
- `fixed`: the other channels; they wrap the encoders that serve.
- `making`: makes a network from settings, and the serving model from a trained network
  (`making.model_of`).

Validation, evaluation and promotion measure that serving model, not the torch network.
"""
