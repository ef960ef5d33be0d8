"""Settings of a model: checked when made, and written beside its arrays when saved."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from topic_models.errors import SettingsError


class ModelSettings(BaseModel):
    """What every topic model must be told. Raises SettingsError naming the field at fault."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    vocabulary_size: int = Field(ge=1, description="word ids run from 0 to this, exclusive")
    topics: int = Field(100, ge=1, description="number of topics (hidden units)")
    seed: int = Field(0, ge=0, lt=2**32, description="seed of every random choice")

    def __init__(self, **values: Any):
        try:
            super().__init__(**values)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"])
            raise SettingsError(f"{type(self).__name__}.{name}: {first['msg']}.") from None
