"""Answers to queries, and their history: who asked what, and which queries found nothing."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from ticketing.desk.judging import standing
from ticketing.desk.topics import Topics
from ticketing.desk.trail import Trail
from ticketing.errors import StoreFull
from ticketing.history import Asking, SavedQuery
from ticketing.limits import require_query
from ticketing.recommendations import Order, Outlook, Recommendations
from ticketing.tickets import Filters, Grade, Query, Ticket
from ticketing.times import utc_now

if TYPE_CHECKING:
    from ticketing.retrieval.recommend import Recommender

NO_TOPIC = "No topic"

HIDING_SECONDS = 30.0
"""How long it is remembered whether tickets are hidden from somebody: among very many it takes long
to count them. Whoever asks just after the first is hidden asks again before they judge."""


@dataclass(frozen=True)
class Gap:
    """A topic, and the queries about it for which nothing matched well, the last asked first."""

    topic: str
    askings: tuple[Asking, ...]


def still_saved(events: Iterable[SavedQuery]) -> list[SavedQuery]:
    """The saved queries that were not removed since, in the order in which they were saved."""
    latest: dict[tuple[str, str, Filters], SavedQuery] = {}
    for event in events:
        key = event.person, event.query.id, event.filters
        latest.pop(key, None)
        latest[key] = event
    return [event for event in latest.values() if event.kept]


class Asks(Topics):
    """Answers, and the history of them."""

    def recommend(
        self,
        query: Query,
        filters: Filters = Filters(),
        limit: int = 10,
        exhaustive: bool = False,
        person: str = "",
        order: Order = Order.BEST,
    ) -> Recommendations:
        """The best past tickets for a query. The query is stored under `query.id`, unless the store
        takes no writes. With `exhaustive`, no index selects the tickets that are compared. If
        tickets are hidden from `person`, the history also records that they asked, as `ask` does,
        because such a person may open only queries of their own.

        Raises NotReady when no bundle serves yet, InputError for a blank query or one beyond a
        limit.
        """
        answer = self._answered(query, filters, limit, exhaustive, order)
        with suppress(StoreFull):
            if person and self._hides_some():
                self._remember(answer, filters, person)
            else:
                self.store.put_query(query)
        return answer

    def preview(
        self,
        query: Query,
        filters: Filters = Filters(),
        limit: int = 10,
        exhaustive: bool = False,
        order: Order = Order.BEST,
    ) -> Recommendations:
        """As `recommend`, but nothing is stored: for a query that somebody is still typing."""
        require_query(query)
        with self._answering():
            answer = self._ranker(order).recommend(query, filters, limit, exhaustive)
            if answer.outdated or not answer.items:  # as when the desk was restored meanwhile
                answer = self._ranker(order).recommend(query, filters, limit, exhaustive)
        shown = self._shown_words(answer.meant.values())
        meant = {written: word for written, word in answer.meant.items() if word in shown}
        return replace(answer, meant=meant).ordered(order)

    def _ranker(self, order: Order) -> Recommender:
        return self.recommender().by_text() if order == Order.TEXT else self.recommender()

    def ask(self, query: Query, filters: Filters, person: str) -> Recommendations:
        """As `recommend`; the history also records who asked and what was answered.

        Raises StoreFull where it cannot be remembered.
        """
        answer = self._answered(query, filters)
        self._remember(answer, filters, person)
        return answer

    def _remember(self, answer: Recommendations, filters: Filters, person: str) -> None:
        """Store a query, who asked it and the answer. Raises StoreFull."""
        self.store.put_query(answer.query)
        asking = Asking(
            event_id=uuid.uuid4().hex,
            person=person,
            time=utc_now(),
            query=answer.query,
            filters=filters,
            bundle_id=answer.bundle_id,
            outlook=answer.outlook,
            chance=answer.chance if answer.knows_chance else None,
            shown=tuple(item.ticket.id for item in answer.items),
            groups=self.groups,
        )
        self.store.add_events([asking])

    def _hides_some(self) -> bool:
        """Whether tickets are hidden from whoever asks, as of less than HIDING_SECONDS ago."""
        if self.groups is None:
            return False
        at, hides = self._hiding.get(self.groups, (-HIDING_SECONDS, False))
        if time.monotonic() - at >= HIDING_SECONDS:
            hides = not self.sees_all()
            self._hiding[self.groups] = time.monotonic(), hides
        return hides

    def history(self, person: str) -> Trail[Asking]:
        """The queries of a person, the last first."""
        return Trail(self.store, Asking, person)

    def save_query(self, query_id: str, filters: Filters, person: str, kept: bool = True) -> None:
        """Save a query with its filters, or remove it. Raises NotFound, StoreFull."""
        query = self._known_query(query_id)
        if kept:
            self.store.put_query(query)  # as asked today, `forget_queries` leaves it alone
        event = SavedQuery(uuid.uuid4().hex, person, utc_now(), query, filters, kept)
        self.store.add_events([event])

    def saved_queries(self, person: str) -> list[SavedQuery]:
        """The saved queries of a person, the last first."""
        return still_saved(self.store.events(SavedQuery, person))[::-1]

    def forget_queries(self) -> int:
        """Delete queries that were last asked more than TICKETING_KEEP_QUERIES days ago, and who
        asked them; judged and saved queries stay. Returns the number of deleted queries."""
        if not self.settings.keep_queries:
            return 0
        before = utc_now() - timedelta(days=self.settings.keep_queries)
        saved = {event.query.id for event in still_saved(self.whole.events(SavedQuery))}
        return self.whole.forget_queries(before.date(), saved)

    def unanswered(self) -> list[Gap]:
        """What the knowledge base lacks: queries for which nothing matched well when they were last
        asked, and for which no ticket was judged YES, by topic, the topic of most queries first."""
        solved = {
            event.query.id for event in standing(self.store.judgments()) if event.grade == Grade.YES
        }
        last: dict[str, Asking] = {}
        for asking in self.store.events(Asking):
            last.pop(asking.query.id, None)
            if asking.outlook == Outlook.NOTHING:
                last[asking.query.id] = asking
        open_ = [asking for id, asking in last.items() if id not in solved]
        open_.sort(key=lambda asking: asking.time, reverse=True)
        gaps: dict[str, list[Asking]] = {}
        for asking, topic in zip(open_, self._topics_of(open_), strict=True):
            gaps.setdefault(topic, []).append(asking)
        found = [Gap(topic, tuple(askings)) for topic, askings in gaps.items()]
        return sorted(found, key=lambda gap: (gap.topic == NO_TOPIC, -len(gap.askings), gap.topic))

    def _answered(
        self,
        query: Query,
        filters: Filters,
        limit: int = 10,
        exhaustive: bool = False,
        order: Order = Order.BEST,
    ) -> Recommendations:
        """The answer; its note names a filter value that no ticket has."""
        answer = self.preview(query, filters, limit, exhaustive, order)
        if not answer.items and (unknown := self._unknown(filters)):
            return replace(answer, note=f"No ticket has {unknown}; leave that filter out.")
        return answer

    def _unknown(self, filters: Filters) -> str:
        """The value of a filter that no ticket has at all, as in `the product 'X'`."""
        facets = self.store.facets()
        for name, value in (("product", filters.product), ("status", filters.status)):
            if value and value not in facets[name]:
                return f"the {name} {value[:80]!r}"
        return ""

    def _topics_of(self, askings: Iterable[Asking]) -> list[str]:
        """Titles of the main topics of queries."""
        from ticketing.retrieval.topics import main_topics

        texts = [Ticket("", a.query.subject, a.query.description) for a in askings]
        if not texts or not self.store.serving():
            return [NO_TOPIC] * len(texts)
        topics = main_topics(self.recommender().model, texts)
        titles = self.topic_titles() if any(topic is not None for topic in topics) else {}
        return [NO_TOPIC if topic is None else titles.get(topic, NO_TOPIC) for topic in topics]
