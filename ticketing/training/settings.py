"""How a network is trained."""

from typing import Any, Literal, Self

from pydantic import Field

from ticketing.files import Json
from ticketing.model.settings import NetworkSettings
from ticketing.nn.settings import MOST_EXAMPLES, LoopSettings


class TrainingSettings(LoopSettings):
    """How the network learns.

    The loss "mse" is the paper's, on labels in [0, 1]. The loss "in-batch" ranks the right ticket
    before the other tickets of a batch, and also learns from the archive without labels.
    """

    loss: Literal["mse", "in-batch"] = Field(
        "in-batch", description="loss function; the paper uses mse"
    )
    weights: Literal["fixed", "searched", "learned"] = Field(
        "learned",
        description="how the weights V and W are found: `fixed` keeps the initial ones, "
        "`searched` takes the best of a grid (as in the paper), `learned` trains them "
        "with the network and then fits them on validation queries",
    )
    tickets: int = Field(
        40_000,
        gt=0,
        description="most tickets per epoch; of a larger archive each epoch shows others until all "
        "were shown, but a teacher reads only this number",
    )
    recency: bool = Field(
        True,
        description="whether the time between query and ticket counts; needs the weights `learned`",
    )
    teacher: str = Field(
        "installed",
        description='sentence-transformers folder that the network imitates with loss "in-batch"; '
        '"installed" is that of the extra `teacher` if it is installed, "" is none',
    )
    imitation_epochs: int = Field(
        12,
        ge=0,
        description="epochs of the first phase with a teacher, in which the network imitates "
        "it on all texts",
    )
    tuning_epochs: int = Field(
        2,
        ge=0,
        description="epochs of the second phase with a teacher, in which the network learns "
        "from the examples",
    )
    tuning_rate: float = Field(
        2e-3,
        gt=0,
        le=10,
        description="learning rate at the start of the second phase with a teacher",
    )
    taught_batch_size: int = Field(
        256, ge=2, le=MOST_EXAMPLES, description="examples per batch with a teacher"
    )
    epochs: int = Field(10, ge=0, description="most epochs without a teacher")
    patience: int = Field(
        10,
        ge=1,
        description="training ends after so many epochs without a better validation result",
    )
    decay: bool = Field(True, description="whether the learning rate falls to 0 over the epochs")
    dropout: float = Field(0.2, ge=0, lt=1, description="share of units left out in training")
    spelling_dropout: float = Field(
        0.1,
        ge=0,
        lt=1,
        description="share of words of which the network sees only the spelling in training",
    )
    topic_epochs: int = Field(10, ge=1, description="most epochs of the topic model")

    @property
    def weighs_time(self) -> bool:
        """Whether a bundle trained with these settings counts the time between query and ticket."""
        return self.recency and self.weights == "learned"

    @property
    def imitating(self) -> Self:
        """The settings for imitating a teacher."""
        changes = {
            "epochs": self.imitation_epochs,
            "batch_size": self.taught_batch_size,
            "decay": True,
        }
        return self.model_copy(update=changes)

    @property
    def tuning(self) -> Self:
        """The settings for training after imitating a teacher."""
        changes = {"epochs": self.tuning_epochs, "learning_rate": self.tuning_rate}
        return self.imitating.model_copy(update=changes)

    def with_passes(self, least: int) -> Self:
        """The settings with at least `least` epochs, unless they have none."""
        return self.model_copy(update={"epochs": self.epochs and max(self.epochs, least)})

    @classmethod
    def for_loss(cls, **values: Any) -> "TrainingSettings":
        """Settings whose defaults suit the loss: those of the paper for "mse"."""
        paper = {
            "weights": "fixed",
            "optimizer": "adadelta",
            "learning_rate": 1.0,
            "epochs": 60,
            "patience": 10,
            "batch_size": 32,
            "decay": False,
        }
        return cls(**({**paper, **values} if values.get("loss") == "mse" else values))


def asked_settings(network: NetworkSettings, training: TrainingSettings) -> Json:
    """The settings that were given explicitly for a training; all others have the program's
    defaults."""
    return {
        "network": network.model_dump(mode="json", exclude_unset=True),
        "training": training.model_dump(mode="json", exclude_unset=True),
    }


class TuningSettings(LoopSettings):
    """How a sentence encoder is tuned."""

    learning_rate: float = Field(
        1e-4, gt=0, le=10, description="step size at the start; it falls to 0"
    )
    epochs: int = Field(3, ge=1, description="passes over the labelled pairs")
    least_steps: int = Field(
        0, ge=0, description="least number of batches in total; few labels get more epochs"
    )
    batch_size: int = Field(48, ge=2, le=MOST_EXAMPLES, description="pairs per batch")
    decay: bool = Field(True, description="whether the learning rate falls to 0 over the epochs")
