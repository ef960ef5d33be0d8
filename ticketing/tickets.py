"""The main data types: query, ticket, judgment, label.

All are frozen: a change makes a new value. Text is stored readable (without mark-up, with numbers);
only the tokens that the model reads are masked.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Protocol, Self

from ticketing.mails import read_mail, without_marks


class Grade(IntEnum):
    """How well a ticket answers a query; the values are the gains in TREC qrels."""

    NO = 0
    REL = 1
    YES = 2

    @property
    def label(self) -> float:
        """The grade on the [0, 1] scale the network is trained on (YES 1, REL 0.5, NO 0)."""
        return self / 2

    @property
    def rating(self) -> int:
        """The grade on the 1-5 scale people read (YES 5, REL 3, NO 1)."""
        return 1 + 2 * self


class ModelKind(StrEnum):
    """What a bundle is for: ranking tickets, categories, or relatedness of sentences."""

    RANKING = "ranking"
    CATEGORIES = "categories"
    SENTENCES = "sentences"


TITLE_WORDS = 30
"""Maximum number of words of a line that is taken for a subject."""


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Query:
    """A new problem, with the components SUB1 and DESC1.

    `ticket_id` is set if the query is itself a ticket of the archive (a labelled link between two
    tickets). That ticket is then never proposed as its own answer.
    """

    subject: str
    description: str = ""
    ticket_id: str = ""

    @classmethod
    def typed(cls, subject: str, description: str) -> Self:
        """A query as somebody wrote or pasted it, without the mail around it (see `mails`).

        If all of it is in one field, the subject is that of the mail, else the first line, as long
        as it looks like one: TITLE_WORDS words at most, without a mark at its end after which a
        sentence or a list goes on (docs/results/reading.md, "All in one field")."""
        subject, description = without_marks(subject), description.strip()
        if subject and description:
            return cls(subject, read_mail(description).text)
        title, text = read_mail(subject or description)
        if title:
            return cls(title, text)
        line, _, rest = text.partition("\n")
        title, rest = without_marks(line), rest.strip()
        if rest and len(title.split()) <= TITLE_WORDS and title[-1] not in ".,;:":
            return cls(title, rest)
        return cls(text) if subject else cls("", text)

    @property
    def id(self) -> str:
        """Sixteen hex digits that depend only on the content."""
        return _digest(self.subject, self.description, self.ticket_id)

    @property
    def key(self) -> str:
        """The id of the ticket that it is, else its own."""
        return self.ticket_id or self.id

    @property
    def text(self) -> str:
        """Both components, one per line."""
        return f"{self.subject}\n{self.description}"


def typed_words(queries: Iterable[Query]) -> set[str]:
    """Texts of typed queries as letters and digits in lower case, for comparison. Queries that are
    tickets are left out, since two tickets may have the same words."""
    return {"".join(filter(str.isalnum, x.text.casefold())) for x in queries if not x.ticket_id}


@dataclass(frozen=True)
class Ticket:
    """A past ticket: the components SUB2, DESC2 and SOL2, and fields for filters.

    An empty string is a missing component. `created` is naive UTC. Only people of one of `groups`
    may see the ticket; everybody may if it has none.
    """

    id: str
    subject: str
    description: str = ""
    solution: str = ""
    product: str = ""
    status: str = ""
    created: datetime | None = None
    groups: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """All components, one per line."""
        return f"{self.subject}\n{self.description}\n{self.solution}"

    @property
    def version(self) -> str:
        """Digest of the text and date that codes are made from. A ticket's codes are fresh if they
        carry it."""
        created = self.created.isoformat() if self.created else ""
        return _digest(self.subject, self.description, self.solution, created)

    @property
    def as_query(self) -> Query:
        """The ticket as a query, to which it is not proposed itself."""
        return Query(self.subject, self.description, ticket_id=self.id)

    @property
    def has_solution(self) -> bool:
        """Whether a solution is recorded."""
        return bool(self.solution)


class TicketList(Protocol):
    """A sized collection of tickets that can be iterated repeatedly, in memory or not."""

    def __iter__(self) -> Iterator[Ticket]:
        """Each ticket once, always in the same order."""

    def __len__(self) -> int:
        """How many there are."""


@dataclass(frozen=True)
class Filters:
    """Which tickets are searched and counted; an unset field does not restrict.

    `created_since` is inclusive, `created_before` exclusive; a ticket without a date passes
    neither. `has_solution` leaves out tickets without a recorded solution. `groups` are those of
    the viewer, who sees tickets of these groups and tickets without groups. None is a viewer who
    sees all.
    """

    product: str = ""
    status: str = ""
    created_since: datetime | None = None
    created_before: datetime | None = None
    has_solution: bool = False
    groups: frozenset[str] | None = None

    def admit(self, ticket: Ticket) -> bool:
        """Whether a ticket passes."""
        since, before, created = self.created_since, self.created_before, ticket.created
        return (
            self.product in ("", ticket.product)
            and self.status in ("", ticket.status)
            and (since is None or (created is not None and created >= since))
            and (before is None or (created is not None and created < before))
            and (ticket.has_solution or not self.has_solution)
            and (self.groups is None or not ticket.groups or bool(self.groups & ticket.groups))
        )


IMPORTED = "import:"
"""Prefix of the ids of events made by an import; no other event has it."""


@dataclass(frozen=True)
class Judgment:
    """One append-only event: somebody graded a ticket for a query, or took the grade back.

    `grade` None takes back the same judge's grade for the same query and ticket. `event_id` makes
    recording idempotent. `rank` and `score` are what the judge saw, and `note` is the judge's
    remark.
    """

    event_id: str
    query: Query
    ticket_id: str
    grade: Grade | None
    judge: str
    time: datetime
    rank: int | None = None
    score: float | None = None
    bundle_id: str = ""
    note: str = ""


@dataclass(frozen=True)
class Verdict:
    """One append-only event: somebody said whether a category is right for a subject, or took that
    back.

    `right` None takes back the same judge's verdict on the same subject and category. `event_id`
    makes recording idempotent. `bundle_id` names the classifier that proposed the category.
    """

    event_id: str
    subject: str
    category: str
    right: bool | None
    judge: str
    time: datetime
    bundle_id: str = ""


@dataclass(frozen=True)
class Label:
    """The one grade for a query and ticket, derived from the judgments of all judges."""

    query: Query
    ticket_id: str
    grade: Grade


def queries_of(labels: Iterable[Label]) -> list[Query]:
    """The distinct queries of labels, in their order."""
    return list({label.query.id: label.query for label in labels}.values())


def grades_of(labels: Iterable[Label]) -> dict[str, dict[str, Grade]]:
    """Grades by query id and ticket id (TREC qrels)."""
    grades: defaultdict[str, dict[str, Grade]] = defaultdict(dict)
    for label in labels:
        grades[label.query.id][label.ticket_id] = label.grade
    return dict(grades)
