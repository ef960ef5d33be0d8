"""Retrieval: encode a query, scan the tickets' codes, rank the nearest tickets and explain them.

`recommend` runs these steps in order; `ranking` holds the values passed from step to step.

1. `encode` makes an `EncodedQuery`, and the store gives the candidates. In large archives `index`
   selects them: `estimate` approximates distances from a `sketch` of dense vectors and from
   `postings` of terms, which `segments` keep on disk. For fewer tickets `held_postings` keeps
   postings in memory.
2. `scan` computes exact distances in several `threads`, with the compiled loops of `kernel` and
   `intrinsics`. `ages` adds the time part, and `solved` the queries that tickets solved before.
3. `rescoring` reorders the nearest hundred. `wording` finds which of them have which words of the
   query.
4. `rows` builds the rows of the answer, each from a `match`. `folding` groups near-copies, and
   `leading` selects the ticket shown for a group. `naming` finds a ticket whose id is the query,
   and `verbatim` the tickets that contain a number or code of the query.
5. `explain` explains each ticket: `parts` of its distance, `reasons` from shared words and from the
   `alignment` of similar words, and `answers` found in solutions with help of `solving`. `notes`
   say why nothing matches, and `spelling` suggests known words for unknown ones.

Other modules:

- `topics`, `topic_names`: topics of tickets, and the names that people gave them.
- `memory`: tickets and codes in memory, without a store.
- `verify`: checks a bundle's codes before it serves.
"""
