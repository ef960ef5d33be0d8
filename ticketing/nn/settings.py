"""Sizes of a recurrent encoder, and settings of every training loop."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Pooling = Literal["last", "mean"]
"""Which states of a text form its vector."""

WIDEST = 4096
"""Maximum dimensions of a vector."""

MOST_EXAMPLES = 8192
"""Maximum number of examples in a batch, since some losses compare all pairs."""


class RecurrentSettings(BaseModel):
    """The sizes of a recurrent encoder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hidden: int = Field(50, gt=0, le=WIDEST, description="units of a layer, each way")
    layers: int = Field(1, gt=0, le=32, description="LSTM layers on top of each other")
    bidirectional: bool = Field(False, description="read from both ends")
    pooling: Pooling = Field("last", description="which state of the LSTM is the text")
    dense: int = Field(
        0, ge=0, le=WIDEST, description="width of a dense layer at the end; 0 is none"
    )
    dropout: float = Field(0.0, ge=0, lt=1, description="between layers")
    recurrent_dropout: float = Field(
        0.0, ge=0, lt=1, description="share of recurrent connections cut for a whole batch"
    )

    @property
    def width(self) -> int:
        """Dimensions of a vector."""
        return self.dense or self.hidden * (1 + self.bidirectional)


class LoopSettings(BaseModel):
    """Settings of every training loop."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    optimizer: Literal["adadelta", "adam"] = Field("adam", description="the paper's is adadelta")
    learning_rate: float = Field(3e-3, gt=0, le=10, description="step size of the optimizer")
    epochs: int = Field(4, ge=0, description="passes over the examples")
    least_steps: int = Field(
        60, ge=0, description="fewest batches in all; a small archive gets more epochs"
    )
    patience: int = Field(
        2, ge=1, description="epochs without gain on validation queries before the end"
    )
    batch_size: int = Field(128, ge=2, le=MOST_EXAMPLES, description="examples a batch")
    clip: float = Field(1.0, gt=0, description="largest norm of a gradient")
    decay: bool = Field(False, description="let the learning rate fall to 0 over the epochs")
    seed: int = Field(0, ge=0, lt=2**32, description="seed of every random choice")
