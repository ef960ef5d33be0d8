"""Encoders: each turns a text component into a vector or into weighted terms.

The encoders here read texts with trained weights and without torch, except channel S.
`ticketing.networks` trains them.

- `protocol`: the interface of an encoder. `registry` lists all encoders, `settings` holds their
  sizes.
- `lstm`: channel h.
- `sumemb`, `sums`: channel E, and the sums of embeddings that it uses.
- `topics`, `varimax`: channel T, and the rotation that makes topics readable.
- `terms`: channel L.
- `sentence_transformer`, `transformer`: channel S, and the sentence transformer in a local folder.
- `folder_files`: the files of such a folder that decide its vectors.
- `vector_cache`: vectors of texts that a sentence transformer has already encoded.
- `words`, `spelling`: embeddings of words, and the part computed from their characters.
"""
