"""`ticketing experiments gupta2018`: a command for each kind of table."""

import click

from ticketing.cli.groups import PluggedGroup


@click.group("gupta2018", cls=PluggedGroup, plugs="ticketing.experiments.gupta2018")
def command() -> None:
    """Replicated Siamese LSTM in Ticketing System (Gupta, Andrassy and Schütze 2018).

    The trained models are kept in TICKETING_HOME/evaluation. An interrupted run continues when it
    is started again; a run that was finished before only prints its figures.
    """
