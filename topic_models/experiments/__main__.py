"""`python -m topic_models.experiments`."""

from topic_models.experiments.evaluate import command

command()
