"""The API's request bodies (`requests`) and responses (`responses`), as pydantic models.

- `jobs`, `people`, `work`: both for their pages and operations.
- `base`: what all requests have in common.
- `limited`: texts and numbers with limits.
- `written`: writes an answer to JSON bytes directly.
"""
