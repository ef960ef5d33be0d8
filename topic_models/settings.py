"""Base class of models' settings: validated when created, and saved beside a model's arrays."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from topic_models.errors import SettingsError


class ModelSettings(BaseModel):
    """Settings of all topic models. Raises SettingsError naming the invalid field."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    vocabulary_size: int = Field(
        ge=1, description="number of words; their ids run from 0 to this number minus 1"
    )
    topics: int = Field(100, ge=1, description="number of topics (hidden units)")
    seed: int = Field(0, ge=0, lt=2**32, description="seed of every random choice")

    def __init__(self, **values: Any):
        try:
            super().__init__(**values)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"])
            raise SettingsError(f"{type(self).__name__}.{name}: {first['msg']}.") from None
