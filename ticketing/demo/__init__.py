"""The demonstration knowledge base: generated text, the same for the same seed.

- `catalogue`: reads the hand-written catalogue of faults.
- `wording`: varies the wording of texts and adds typing errors.
- `writer`: writes one ticket or one query about a fault.
- `generator`: generates the whole base with its labels.
"""
