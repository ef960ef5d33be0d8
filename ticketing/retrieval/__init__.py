"""The main flow: a query is encoded, scanned against the tickets' codes, answered and explained.

`recommend` takes these steps in order, and `ranking` says what each leaves for the next:

1. `encode` makes an EncodedQuery, and the store gives the tickets to compare. Of very many `index`
   chooses them: `estimate` guesses distances by a `sketch` and by `postings`, which `segments` keep
   on disk; of fewer tickets `held_postings` keeps them in memory.
2. `scan` computes exact distances in several `threads`, by the compiled loop in `kernel` and its
   `intrinsics`. `ages` adds the time, and `solved` the queries that tickets solved before.
3. `rescoring` orders the nearest hundred anew. What they say of a query's words is its `wording`.
4. `rows` fetches the best, each a `match`: `folding` puts near-copies into one row, after the
   ticket that a query names (`naming`), and `leading` says which of them stands for the row.
   `verbatim` finds those that name a number or code, which the model does not read. `explain`
   says why each is there: `parts` of its distance, `reasons` by words that `alignment` takes for
   each other, `answers` by how solutions speak (`solving`). `notes` say why nothing matches,
   `spelling` what a word may be a slip of.

`topics` tells what tickets are about, under the names that people gave them (`topic_names`).
`memory` holds tickets and codes without a store. `verify` looks at a bundle's codes before it
serves.
"""
