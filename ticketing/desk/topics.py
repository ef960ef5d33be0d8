"""What the desk's tickets are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ticketing.desk.base import DeskBase
from ticketing.tickets import Filters, Ticket

if TYPE_CHECKING:
    from ticketing.retrieval.topics import Topic, TopicSurvey, TopicTrend


class Topics(DeskBase):
    """Topics of the serving bundle, and the tickets of each."""

    def topics(self, filters: Filters = Filters()) -> TopicSurvey:
        """What the tickets are about under the serving bundle, and when.

        Raises NotReady when no bundle serves yet or the serving one has no topics.
        """
        from ticketing.retrieval.topics import survey

        return survey(self.store, self.recommender().model, filters)

    def topic(self, number: int, filters: Filters = Filters()) -> tuple[TopicSurvey, TopicTrend]:
        """One topic's trend among all; a topic that no matching ticket has is one of 0 tickets.

        Raises NotReady as `topics` does, and NotFound.
        """
        from ticketing.retrieval.topics import describe

        topic = describe(self.recommender().model, number)
        found = self.topics(filters)
        return found, found.trend(topic)

    def topic_tickets(
        self, topic: int, filters: Filters = Filters(), limit: int = 10, offset: int = 0
    ) -> list[Ticket]:
        """Tickets whose main topic this is under the serving bundle, newest first."""
        ids = self.store.topic_tickets(self.store.serving(), topic, filters, limit, offset)
        found = self.store.get_tickets(ids)
        return [found[id] for id in ids if id in found]

    def topic_title(self, number: int) -> str:
        """What a topic of the serving bundle is called, wherever it is named.

        Raises NotReady as `topics` does, and NotFound.
        """
        from ticketing.retrieval.topics import describe

        topic = describe(self.recommender().model, number)
        return " · ".join(topic.words) or f"Topic {number}"

    def topic_of(self, ticket: Ticket) -> Topic | None:
        """The main topic of a ticket's present text; None where it has none or no bundle serves."""
        from ticketing.retrieval.topics import describe, main_topics

        if not self.store.serving():
            return None
        model = self.recommender().model
        [topic] = main_topics(model, [ticket])
        return None if topic is None else describe(model, topic)
