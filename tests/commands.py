"""Helpers for tests of commands: running them, and labels to measure on."""

from datetime import datetime

import pytest
from click.testing import CliRunner

from ticketing.tickets import Grade, Judgment, Query

TINY_OPTIONS = [
    f"--set={name}"
    for name in (
        "network.hidden=4",
        "network.word_dims=6",
        "network.character_dims=2",
        "network.topics=3",
        "training.epochs=1",
        "training.least_steps=0",
        "training.topic_epochs=1",
    )
]
TIME = datetime(2020, 1, 1)


def run(command, *arguments) -> str:
    """The output of a command; an error that ends it is raised."""
    result = CliRunner().invoke(command, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(kind, command, *arguments) -> str:
    """The one-line message with which a command refuses."""
    with pytest.raises(kind) as caught:
        run(command, *arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


def judge(desk, count=30) -> list[Query]:
    """Judge each of the first tickets as the answer to a query in its own words."""
    tickets = list(desk.store.iter_tickets())[:count]
    pairs = [(Query(ticket.subject, ticket.description), ticket) for ticket in tickets]
    desk.store.add_judgments(
        [Judgment(query.id, query, t.id, Grade.YES, "ann", TIME) for query, t in pairs]
    )
    return [query for query, _ in pairs]


def link(desk, new, old) -> None:
    """Label a ticket as a duplicate of an older one."""
    query = Query(new.subject, ticket_id=new.id)
    desk.store.add_judgments([Judgment(query.id, query, old.id, Grade.YES, "ann", TIME)])
