"""The main flow: a query is encoded, scanned against the tickets' codes, answered and explained.

`encode` makes an EncodedQuery, the store gives candidates, of very many of which `index` chooses
(by `postings` and `sketch`, kept in `segments`; of few tickets `held_postings` in memory), `scan`
computes their exact distances, in several `threads`, to which `ages` adds the time, `recommend`
takes the nearest, among whose texts are the queries that they `solved`, and `explain` says why.
`topics` tells what tickets are about, `memory` holds tickets and codes without a store, `verify`
looks at a bundle's codes before it serves.
"""
