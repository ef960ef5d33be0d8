"""Topics of the desk's tickets."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

from ticketing.desk.base import DeskBase
from ticketing.history import TopicName
from ticketing.tickets import Filters, Ticket
from ticketing.times import utc_now

if TYPE_CHECKING:
    from ticketing.retrieval.topics import Topic, TopicSurvey, TopicTrend


IN_TITLE = 6
"""Words in the title of a topic without a name."""


class Topics(DeskBase):
    """Topics of the serving bundle, and the tickets of each."""

    def topics(self, filters: Filters = Filters()) -> TopicSurvey:
        """Topics of the tickets under the serving bundle, and their trends over time.

        Raises NotReady if no bundle serves or the serving one has no topics.
        """
        from ticketing.retrieval.topics import survey

        found = survey(self.store, self.recommender().model, filters)
        shown = self._shown_words(word for trend in found.topics for word in trend.topic.words)
        topics = [replace(trend, topic=trend.topic.of(shown)) for trend in found.topics]
        return replace(found, topics=tuple(topics))

    def topic(self, number: int, filters: Filters = Filters()) -> tuple[TopicSurvey, TopicTrend]:
        """The survey and the trend of one topic; a topic without matching tickets has 0 tickets.

        Raises NotReady as `topics` does, and NotFound.
        """
        from ticketing.retrieval.topics import describe

        topic = describe(self.recommender().model, number)
        found = self.topics(filters)
        return found, found.trend(topic.of(self._shown_words(topic.words)))

    def topic_tickets(
        self, topic: int, filters: Filters = Filters(), limit: int = 10, offset: int = 0
    ) -> list[Ticket]:
        """Tickets whose main topic this is under the serving bundle, newest first."""
        ids = self.store.topic_tickets(self.store.serving(), topic, filters, limit, offset)
        found = self.store.get_tickets(ids)
        return [found[id] for id in ids if id in found]

    def topic_titles(self) -> dict[int, str]:
        """The title of each topic of the serving bundle: a name that somebody gave to it, or to a
        topic of about the same words in an earlier bundle, otherwise its words.

        People who may not see all tickets get names only for topics of tickets that they may see.
        Raises NotReady as `topics` does.
        """
        from ticketing.retrieval.topic_names import name_topics

        words = self._top_words()
        names = name_topics(words, self.whole.events(TopicName))
        if names and self.store is not self.whole:
            had = {topic for topic, _ in self.store.topic_counts(self.store.serving())}
            names = {number: name for number, name in names.items() if number in had}
        titles = {number: some[:IN_TITLE] for number, some in words.items()}
        shown = self._shown_words(word for some in titles.values() for word in some)
        return {
            number: names.get(number)
            or " · ".join(word for word in some if word in shown)
            or f"Topic {number}"
            for number, some in titles.items()
        }

    def name_topic(self, number: int, name: str, person: str) -> None:
        """Name a topic; an empty name makes its words its title again.

        Later bundles inherit the name for a topic of about the same words. Raises NotReady as
        `topics` does, and NotFound.
        """
        from ticketing.retrieval.topics import describe

        words = self._top_words()[describe(self.recommender().model, number).number]
        event = TopicName(uuid.uuid4().hex, person, utc_now(), words, " ".join(name.split()))
        self.store.add_events([event])

    def _top_words(self) -> dict[int, tuple[str, ...]]:
        """The words of each topic of the serving bundle, best first."""
        from ticketing.retrieval.topic_names import WORDS
        from ticketing.retrieval.topics import topic_encoder

        model = self.recommender().model
        encoder = topic_encoder(model)
        return {
            number: tuple(encoder.top_words(number, model.vocabulary, WORDS))
            for number in range(model.settings.topics)
        }

    def topic_of(self, ticket: Ticket) -> Topic | None:
        """The main topic of a ticket's present text; None where it has none or no bundle serves."""
        from ticketing.retrieval.topics import describe, main_topics

        if not self.store.serving():
            return None
        model = self.recommender().model
        [topic] = main_topics(model, [ticket])
        if topic is None:
            return None
        found = describe(model, topic)
        return found.of(self._shown_words(found.words))
