"""The serving side of a trained model, without torch, and its bundle on disk.

- `settings`: the channels and components of a network.
- `components`: the components of queries and tickets as tokens and word ids.
- `inference`: the class `inference.Model`, which turns texts into codes.
- `layout`, `projection`: codes as bytes, and their projection to one vector for approximate search.
- `recency`: the part of the distance that depends on time.
- `rescoring`, `wording`: features that reorder the nearest tickets; `wording` compares words.
- `calibration`: turns distances into chances.
- `saving`, `bundle`, `registry`: which arrays of a model are saved, a bundle as a folder, and the
  folder of all bundles.
"""
