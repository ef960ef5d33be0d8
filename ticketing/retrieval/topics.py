"""Topics of tickets: main topics, their shares of all tickets, and their counts by month."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain

from ticketing.encoders.topics import TopicEncoder
from ticketing.errors import NotFound, NotReady
from ticketing.model.components import Fields, ticket_fields
from ticketing.model.inference import Model
from ticketing.stores.protocols import Codes
from ticketing.tickets import Filters, Ticket
from ticketing.times import plausible_until

MOST_MONTHS = 240
"""Maximum number of months shown, the latest ones. Otherwise one mistyped year would add a thousand
empty months."""


@dataclass(frozen=True)
class Topic:
    """A topic of a bundle: its number and its top words, best first."""

    number: int
    words: tuple[str, ...]

    def of(self, shown: Container[str]) -> "Topic":
        """The topic with only those words that may be shown."""
        return Topic(self.number, tuple(word for word in self.words if word in shown))


@dataclass(frozen=True)
class MonthCount:
    """In a month (its first day), `tickets` of `of` created tickets have the topic."""

    month: date
    tickets: int
    of: int

    @property
    def share(self) -> float | None:
        """Share of the month's tickets, 0 to 1; None for a month without tickets."""
        return self.tickets / self.of if self.of else None


@dataclass(frozen=True)
class TopicTrend:
    """Number of tickets with a main topic, in total and by month, without missing months."""

    topic: Topic
    tickets: int
    share: float
    months: tuple[MonthCount, ...]


@dataclass(frozen=True)
class TopicSurvey:
    """The topics of all matching tickets, most frequent first.

    `tickets` is the number of tickets, `without_topic` of those without a main topic, `undrawn` of
    those in none of the months (no date, or a date too early or in the future). `all_months` counts
    each month's tickets of any topic.
    """

    topics: tuple[TopicTrend, ...]
    tickets: int
    without_topic: int
    undrawn: int
    all_months: tuple[tuple[date, int], ...]

    def trend(self, topic: Topic) -> TopicTrend:
        """The trend of a topic; 0 tickets if no ticket has it."""
        for found in self.topics:
            if found.topic.number == topic.number:
                return found
        return TopicTrend(topic, 0, 0.0, tuple(MonthCount(m, 0, of) for m, of in self.all_months))


def topic_encoder(model: Model) -> TopicEncoder:
    """The model's topic encoder. Raises NotReady if its network has none."""
    if model.topics is None:
        raise NotReady(
            f"The model {model.id} has no topics: its network was trained without channel T. "
            "Train one with it (`ticketing train`, without network.channels) and let it serve."
        )
    return model.topics


def describe(model: Model, number: int) -> Topic:
    """A topic by its number. Raises NotFound if the model does not have it."""
    encoder = topic_encoder(model)
    if not 0 <= number < model.settings.topics:
        raise NotFound(f"There is no topic {number}; another model may have had one.")
    return Topic(number, tuple(encoder.top_words(number, model.vocabulary)))


def main_topics(
    model: Model, tickets: Sequence[Ticket], texts: Sequence[Fields] | None = None
) -> list[int | None]:
    """The main topic of each ticket, or None; None for all if the model has no topics. `texts` are
    the tickets' tokens, if already read."""
    encoder = model.topics
    if encoder is None:
        return [None] * len(tickets)
    texts = texts or [ticket_fields(ticket) for ticket in tickets]
    words = [[*chain.from_iterable(text.values())] for text in texts]
    return encoder.main(*model.vocabulary.ids_of(words))


def survey(store: Codes, model: Model, filters: Filters = Filters()) -> TopicSurvey:
    """Count topics over the store's tickets with the model's bundle. Raises NotReady."""
    topic_encoder(model)
    counts = store.topic_counts(model.id, filters)
    by_topic: defaultdict[int | None, Counter[date | None]] = defaultdict(Counter)
    of: Counter[date | None] = Counter()
    for (topic, month), count in counts.items():
        by_topic[topic][month] += count
        of[month] += count
    drawn = [(month, of[month]) for month in months_between(of)]
    trends = [
        TopicTrend(
            describe(model, topic),
            months.total(),
            months.total() / of.total(),
            tuple(MonthCount(month, months[month], all_of_it) for month, all_of_it in drawn),
        )
        for topic, months in by_topic.items()
        if topic is not None
    ]
    trends.sort(key=lambda trend: (-trend.tickets, trend.topic.number))
    return TopicSurvey(
        tuple(trends),
        tickets=of.total(),
        without_topic=by_topic[None].total(),
        undrawn=of.total() - sum(count for _, count in drawn),
        all_months=tuple(drawn),
    )


def months_between(found: Iterable[date | None]) -> list[date]:
    """All months from the first to the last of those found, at most the latest MOST_MONTHS, and
    none after tomorrow, since such dates are mistakes."""
    end = plausible_until().date()
    numbers = [month.year * 12 + month.month - 1 for month in found if month and month < end]
    if not numbers:
        return []
    first = max(min(numbers), max(numbers) - MOST_MONTHS + 1)
    return [date(n // 12, n % 12 + 1, 1) for n in range(first, max(numbers) + 1)]
