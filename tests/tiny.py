"""Settings small enough to train within a test."""

from ticketing.similarity.config import NetworkSettings, TrainingSettings

TINY = NetworkSettings(hidden=6, word_dims=8, character_dims=4, topics=5, max_words=24)


def tiny_training(**values) -> TrainingSettings:
    """One epoch, whatever the defaults."""
    return TrainingSettings.for_loss(
        **{"epochs": 1, "least_steps": 0, "batch_size": 16, "topic_epochs": 1, "seed": 1}
        | {"teacher": "", **values}
    )
