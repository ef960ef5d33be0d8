"""`ticketing experiments gupta2018`: a command for each kind of table."""

import click

from ticketing.cli.groups import PluggedGroup


@click.group("gupta2018", cls=PluggedGroup, plugs="ticketing.experiments.gupta2018")
def command() -> None:
    """Replicated Siamese LSTM in Ticketing System (Gupta, Andrassy and Schütze 2018).

    What is trained is kept in TICKETING_HOME/evaluation; a run that was broken off goes on, and
    a second one only prints.
    """
