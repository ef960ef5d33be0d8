"""Siamese networks as one family: an encoder, a pooling, a metric, a loss, a data recipe.

`encoder` turns embedded texts into vectors (recurrent layers, then a pooling), `metrics` compare
two of them, `losses` say what to make small, `trainer` runs the epochs. Which members there are is
said by the rooms above: `similarity` (tickets), `categories` (characters of a subject) and
`sentences` (words of a sentence) each bring their embedding and their data recipe.
"""
