"""`ticketing categories`: train the classifier of the desk's categories, and ask it."""

from collections.abc import Iterable
from pathlib import Path

import click

from ticketing.classification.augmentation import filler_words
from ticketing.classification.synonyms import Synonyms, read_synonyms
from ticketing.classification.taxonomy import read_taxonomy, tickets_taxonomy
from ticketing.cli.actor import audited_switch
from ticketing.cli.groups import Group
from ticketing.cli.model_settings import read_category_settings
from ticketing.cli.options import FILE, SYNONYMS, choose_overrides
from ticketing.cli.printing import say
from ticketing.desk import open_desk
from ticketing.errors import InputError
from ticketing.plurals import counted
from ticketing.settings import load_settings


@click.group("categories", cls=Group)
def command() -> None:
    """Propose one of the desk's own categories for a subject."""


@command.command("train")
@click.option(
    "--titles",
    type=FILE,
    help="Learn from this table (columns label and group) instead of the tickets.",
)
@SYNONYMS
@choose_overrides("loop.epochs=2")
@click.option("--continue", "go_on", is_flag=True, help="Continue to train the serving classifier.")
def train(
    titles: Path | None, synonyms_file: Path | None, overrides: tuple[str, ...], go_on: bool
) -> None:
    """Train the classifier on the tickets' subjects and products, and on verdicts of people.

    The classifier serves at once. If a training is interrupted, run it again: it continues.
    """
    settings = read_category_settings(overrides)
    for override in overrides:
        if go_on and override.startswith("network."):
            raise InputError(
                f"--set {override} makes another network, and --continue goes on with the one that "
                "there is; leave one of them out."
            )
    desk = open_desk(load_settings())
    descriptions: Iterable[str] = ()
    if titles:
        taxonomy = read_taxonomy(titles)
    else:
        taxonomy = tickets_taxonomy(desk.store.iter_tickets())
        descriptions = (ticket.description for ticket in desk.store.iter_tickets())
    given = read_synonyms(synonyms_file) if synonyms_file else Synonyms(())
    words = filler_words(taxonomy.texts, descriptions)
    say(f"{counted(len(taxonomy.texts), 'title')} in {counted(len(taxonomy.groups), 'category')}.")
    with audited_switch(desk):
        _, found, reference = desk.train_categories(taxonomy, words, given, settings, go_on)
    if found is None or reference is None:
        say("No title could be kept aside to measure it.")
    else:
        say(
            f"Of validation titles {found:.0%} find their category ({reference:.0%} by matching"
            " n-grams)."
        )


@command.command("suggest")
@click.argument("subject")
@click.option(
    "--limit",
    default=3,
    show_default=True,
    type=click.IntRange(1, 100),
    help="How many categories to show at most.",
)
def suggest(subject: str, limit: int) -> None:
    """Print the likeliest categories of SUBJECT, each with its most similar known title."""
    proposed = open_desk(load_settings()).propose_categories(subject, limit)
    for item in proposed:
        chance = "" if item.chance is None else f", right with a chance of {item.chance:.0%}"
        say(f"{item.score:5.2f}  {item.group}  (as {item.title!r}{chance})")
    if not proposed:
        say("No category is near enough.")
