"""A desk on servers under load while faults come: `make soak MINUTES=20`.

`stage` puts three Elasticsearch nodes, Redis, workers and web processes up, each desk process with
a home of its own, under `supervised` processes and behind `links` that can be cut. `people` ask,
judge and import over HTTP, `admins` retrain and promote; the `ledger` remembers what they were
promised. `faults` come from a seeded list. `comparison` holds the ledger against the store, and
`table` prints what came of it.
"""
