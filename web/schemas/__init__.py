"""What the API takes (`requests`) and gives (`responses`, `work`), as pydantic models."""
