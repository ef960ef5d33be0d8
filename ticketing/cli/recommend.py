"""`ticketing recommend`: ask from the command line."""

from collections.abc import Sequence

import click

from ticketing.cli.printing import say
from ticketing.cli.waiting import shown_waiting
from ticketing.desk import open_desk
from ticketing.plurals import counted, percent
from ticketing.recommendations import Order, Recommendation, Recommendations
from ticketing.settings import load_settings
from ticketing.tickets import Query


@click.command()
@click.argument("subject", default="")
@click.argument("description", default="")
@click.option(
    "--limit",
    default=10,
    show_default=True,
    type=click.IntRange(1, 100),
    help="How many tickets to show at most.",
)
@click.option(
    "--order",
    default=Order.BEST.value,
    show_default=True,
    type=click.Choice([order.value for order in Order]),
    help="best: best match first; newest: the same tickets, newest first; text: best match first, "
    "ranked by the texts alone, without the tickets' age.",
)
def command(subject: str, description: str, limit: int, order: str) -> None:
    """Find the best past tickets for SUBJECT and DESCRIPTION."""
    desk = open_desk(load_settings())
    with shown_waiting("Loading the model"):
        desk.recommender()
    _show(desk.recommend(Query.typed(subject, description), limit=limit, order=Order(order)))


def _show(answer: Recommendations) -> None:
    say(f"{answer.heading} ({answer.promise})." if answer.promise else f"{answer.heading}.")
    if answer.note:
        say(answer.note)
    if answer.mentioned:
        say(f"The query mentions {', '.join(answer.mentioned)}.")
    for item in answer.items:
        likely = f"{percent(item.chance):>6} likely  " if answer.shows_chance(item) else ""
        say(f"{item.rank:3}. {likely}{item.ticket.id}  {item.ticket.subject}")
        for line in (item.answer, item.reason.sentence, _listed(item.like)):
            if line:
                say(f"       {line}")
    for written, meant in answer.meant.items():
        say(f"Did you mean {meant!r} by {written!r}?")


def _listed(like: Sequence[Recommendation]) -> str:
    ids = ", ".join(copy.ticket.id for copy in like)
    return f"And {counted(len(like), 'near-copy')}: {ids}." if like else ""
