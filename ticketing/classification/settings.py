"""Settings of the training of a category classifier."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ticketing.classification.encoder import CategorySettings
from ticketing.classification.pairs import SamplingSettings
from ticketing.nn.settings import LoopSettings


class ObjectiveSettings(BaseModel):
    """Settings of the loss and of its additional terms."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    loss: Literal["softmax", "contrastive", "contrastive as printed", "triplet"] = Field(
        "softmax", description="loss function; the paper uses contrastive"
    )
    temperature: float = Field(0.05, gt=0, description="temperature of the softmax loss")
    margin: float = Field(
        0.3, ge=0, lt=1, description="margin of the contrastive and triplet losses"
    )
    negatives: int = Field(
        4, gt=0, description="pairs of different groups for each pair of the same group"
    )
    hierarchy: float = Field(
        0.0,
        ge=0,
        description="weight of the term that keeps groups of one branch of the hierarchy "
        "close together",
    )


class ClassifierSettings(BaseModel):
    """All settings of a training."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    network: CategorySettings = CategorySettings()
    sampling: SamplingSettings = SamplingSettings()
    objective: ObjectiveSettings = ObjectiveSettings()
    loop: LoopSettings = LoopSettings(
        learning_rate=5e-3, epochs=3, patience=3, batch_size=64, decay=True
    )
