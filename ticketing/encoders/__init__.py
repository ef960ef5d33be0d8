"""A text component becomes a vector or terms: one module an encoder, each a plug of one protocol.

What is here reads with what `ticketing.networks` has learned, without torch but for channel S.
`protocol` says what an encoder is, `registry` names all of them, and `settings` has their sizes: h
(`lstm`), E (`sumemb`, by `sums`), T (`topics`), S (`sentence_transformer`, a `transformer`) and L
(`terms`). `words` and `spelling` embed the words that they read, `varimax` turns topics so that
people can name them, `folder_files` names what S is by its files, and `vector_cache` keeps what S
made of texts.
"""
