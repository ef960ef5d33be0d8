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

    hidden: int = Field(50, gt=0, le=WIDEST, description="units of a layer in each direction")
    layers: int = Field(1, gt=0, le=32, description="LSTM layers on top of each other")
    bidirectional: bool = Field(False, description="whether texts are read in both directions")
    pooling: Pooling = Field("last", description="which states of the LSTM give the text's vector")
    dense: int = Field(
        0, ge=0, le=WIDEST, description="width of a dense layer after the LSTM; 0 for none"
    )
    dropout: float = Field(
        0.0, ge=0, lt=1, description="share of units dropped between layers in training"
    )
    recurrent_dropout: float = Field(
        0.0, ge=0, lt=1, description="share of recurrent connections dropped for a whole batch"
    )

    @property
    def width(self) -> int:
        """Dimensions of a vector."""
        return self.dense or self.hidden * (1 + self.bidirectional)


class LoopSettings(BaseModel):
    """Settings of every training loop."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    optimizer: Literal["adadelta", "adam"] = Field(
        "adam", description="optimizer; the paper uses adadelta"
    )
    learning_rate: float = Field(3e-3, gt=0, le=10, description="step size of the optimizer")
    epochs: int = Field(4, ge=0, description="passes over the examples")
    least_steps: int = Field(
        60, ge=0, description="least number of batches in total; a small archive gets more epochs"
    )
    patience: int = Field(
        2, ge=1, description="training ends after so many epochs without a better validation result"
    )
    batch_size: int = Field(128, ge=2, le=MOST_EXAMPLES, description="examples per batch")
    clip: float = Field(1.0, gt=0, description="largest norm of a gradient; longer ones are cut")
    decay: bool = Field(False, description="whether the learning rate falls to 0 over the epochs")
    seed: int = Field(0, ge=0, lt=2**32, description="seed of every random choice")
