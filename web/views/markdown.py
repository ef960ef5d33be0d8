"""Markdown for pasting into a ticket: a solution with its source, or a whole answer."""

import re
from collections.abc import Sequence

from flask import url_for

from ticketing.plurals import counted, percent
from ticketing.recommendations import Recommendation, Recommendations
from ticketing.tickets import Ticket

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&])")
_AT_THE_BEGINNING = re.compile(r"^(\d*)([.)=+-])")
"""The beginning of a line that makes it a list item, or the line above a heading."""


def escaped(text: str) -> str:
    """Text on one line, escaped so that Markdown shows it unchanged."""
    line = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return _AT_THE_BEGINNING.sub(r"\1\\\2", line)


def quoted(text: str) -> str:
    """Text as a quotation with its line breaks, escaped."""
    lines = map(escaped, text.strip().splitlines())
    return "\n".join(f"> {line}  " if line else ">" for line in lines)


def citation(ticket: Ticket) -> str:
    """The ticket's solution as a quotation, and the ticket's id and subject as a link to it."""
    return f"{quoted(ticket.solution)}\n\n— {source(ticket)}\n"


def source(ticket: Ticket) -> str:
    """A link to the ticket: its id and its subject."""
    address = url_for("pages.ticket", ticket_id=ticket.id, _external=True)
    name = f"{ticket.id}: {ticket.subject}" if ticket.subject else ticket.id
    return f"[{escaped(name)}](<{address}>)"


def answer_as_markdown(answer: Recommendations, address: str) -> str:
    """The query, what can be expected of the tickets, and each proposed ticket with its chance (if
    something matches), reason and answering sentence."""
    query = answer.query
    head = f"## {escaped(query.subject or query.description[:80])}\n\n<{address}>\n"
    heading = f"{answer.heading} ({answer.promise})" if answer.promise else answer.heading
    outlook = f"{heading}. {answer.note}".rstrip()
    return f"{head}\n{escaped(outlook)}\n" + "".join(
        f"\n{item.rank}\\. {source(item.ticket)}{_chance(answer, item)}  \n"
        f"   {escaped(item.answer or 'No solution is recorded.')}  \n"
        f"   *{escaped(item.reason.sentence)}*{_near_copies(item.like)}\n"
        for item in answer.items
    )


def _chance(answer: Recommendations, item: Recommendation) -> str:
    """The chance that a ticket helps, or without a solution that it has the same problem, as text;
    "" if the page shows no chance."""
    if not answer.shows_chance(item):
        return ""
    return f" – {percent(item.chance)} {'likely' if item.ticket.solution else 'same problem'}"


def _near_copies(like: Sequence[Recommendation]) -> str:
    """A line that names near-copies, if there are any, since their ranks are missing in the
    list."""
    ids = ", ".join(escaped(copy.ticket.id) for copy in like)
    return f"  \n   And {counted(len(like), 'near-copy')}: {ids}." if like else ""
