"""What the API takes (`requests`) and gives (`responses`), as pydantic models.

`jobs`, `people` and `work` hold both for their pages. `limited` has the limits of texts and
numbers, and `written` writes an answer at once.
"""
