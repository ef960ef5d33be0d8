"""What a person sees of a desk is what a desk shows that holds only the tickets they may see."""

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ticketing.desk import Desk
from ticketing.desk.solved import SolvedQueries
from ticketing.desk.workspace import Sampling
from ticketing.errors import InputError
from ticketing.history import Asking, SavedQuery, TopicName
from ticketing.model.registry import Registry
from ticketing.model.saving import model_in
from ticketing.people import Person, Role
from ticketing.retrieval.recommend import Recommender
from ticketing.retrieval.solved import Solved
from ticketing.settings import load_settings
from ticketing.stores.blocks import CodeRow
from ticketing.stores.protocols import Store
from ticketing.stores.sqlite import SQLiteStore
from ticketing.text import tokenize
from ticketing.tickets import Filters, Grade, Judgment, Query, Ticket, Verdict

SQLITE_EXAMPLES, ELASTICSEARCH_EXAMPLES = 30, 5
NAMES = ("ann", "bob")
GROUPS = st.frozensets(st.sampled_from(["hr", "lab", "service"]), max_size=2)
TIME = datetime(2024, 2, 3, 4, 5)


@dataclass(frozen=True)
class Prepared:
    """A model, tickets with their codes under it, and queries about them."""

    recommender: Recommender
    models: Registry
    rows: dict[str, CodeRow]
    tickets: list[Ticket]
    queries: list[Query]

    @property
    def bundle_id(self) -> str:
        return self.recommender.model.id

    @property
    def words(self) -> list[str]:
        return sorted({word for ticket in self.tickets for word in tokenize(ticket.text)})


class PreparedDesk(Desk):
    """A desk whose model is loaded already."""

    prepared: Prepared
    asked: "PreparedDesk"

    def recommender(self, bundle_id: str = "") -> Recommender:
        PreparedDesk.asked = self
        return self.prepared.recommender.over(self.store)


@pytest.fixture(scope="module")
def prepared(trained, archive_tickets) -> Prepared:
    models = Registry(trained[0])
    model = model_in(models.load(trained[1]))

    def solved() -> Solved:
        return SolvedQueries(model, PreparedDesk.asked.whole)()

    recommender = Recommender(None, model, solved=solved)
    tickets = archive_tickets[:10]
    desk = Desk(load_settings(), SimpleNamespace(keeps_vectors=True), models)
    desk.recommender = lambda bundle_id="": recommender
    rows = {row.ticket_id: row for row in desk.encode(trained[1], tickets)}
    queries = [
        *(Query(ticket.subject, ticket.description, ticket.id) for ticket in tickets[:2]),
        *(Query(ticket.subject, " ".join(ticket.solution.split()[:9])) for ticket in tickets[1:3]),
        Query(tickets[0].id),  # asked for by its id
        Query(" ".join(misspelled(word) for word in tokenize(tickets[1].text)[:12])),
    ]
    return Prepared(recommender, models, rows, tickets, queries)


def misspelled(word: str) -> str:
    return word[:3] + word[4:] if len(word) > 6 else word


@dataclass(frozen=True)
class World:
    """Who may see which ticket at first and later, which go, and what people did meanwhile."""

    first: list[frozenset[str]]
    later: list[frozenset[str]]
    gone: set[int]
    person: Person
    askers: list[tuple[frozenset[str] | None, int]]
    judged: list[tuple[int, int, str, Grade | None]]
    saved: list[int]


def worlds() -> st.SearchStrategy[World]:
    number, query = st.integers(0, 9), st.integers(0, 5)
    grades = st.sampled_from([*Grade, None])
    judged = st.tuples(query, number, st.sampled_from(NAMES), grades)
    return st.builds(
        World,
        first=st.lists(GROUPS, min_size=10, max_size=10),
        later=st.lists(GROUPS, min_size=10, max_size=10),
        gone=st.sets(number, max_size=2),
        person=st.builds(Person, st.just("ann"), st.just(Role.ADMIN), GROUPS),
        askers=st.lists(st.tuples(st.none() | GROUPS, query), max_size=5),
        judged=st.lists(judged, max_size=12),
        saved=st.lists(query, max_size=3),
    )


on_examples = settings(
    max_examples=SQLITE_EXAMPLES,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink a world takes minutes
)


@on_examples
@given(world=worlds())
def test_a_person_sees_a_desk_of_their_own_tickets(prepared, world):
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(SQLiteStore(Path(folder) / "whole")) as store,
    ):
        check(prepared, store, world, Path(folder))


@pytest.mark.elasticsearch
@settings(on_examples, max_examples=ELASTICSEARCH_EXAMPLES)
@given(world=worlds())
def test_a_person_sees_on_servers_a_desk_of_their_own_tickets(prepared, elasticsearch_store, world):
    empty(elasticsearch_store)
    with tempfile.TemporaryDirectory() as folder:
        check(prepared, elasticsearch_store, world, Path(folder))


def check(prepared: Prepared, store: Store, world: World, folder: Path) -> None:
    """A person's desk against one that holds only what they may see."""
    PreparedDesk.prepared = prepared
    whole = PreparedDesk(load_settings(home=folder), store, prepared.models)
    tickets = [replace(t, groups=g) for t, g in zip(prepared.tickets, world.first, strict=True)]
    fill(whole, prepared, tickets)
    happen(whole, prepared, world)
    whole.seen_by(world.person).preview(prepared.queries[0])  # what is kept of it must not stay
    tickets = [replace(t, groups=g) for t, g in zip(tickets, world.later, strict=True)]
    store.put_tickets(tickets)
    ids, gone = [ticket.id for ticket in tickets], [tickets[i].id for i in world.gone]
    store.delete_tickets(gone)
    there = [ticket for ticket in tickets if ticket.id not in gone]
    whole = PreparedDesk(whole.settings, store, whole.models)  # rounds keep their tickets
    theirs = whole.seen_by(world.person)
    with reference(whole, world, there, folder / "seen") as seen:
        assert store_reads(theirs.store, prepared) == store_reads(seen.store, prepared)
        known = {query.id for query in seen.store.queries()}
        known |= {event.query.id for event in seen.store.events(SavedQuery, world.person.name)}
        for query in prepared.queries:  # whoever has an address may not open it
            is_theirs = query.ticket_id in seen.store.get_tickets(ids) or query.id in known
            assert theirs.store.get_query(query.id) == (query if is_theirs else None)
        found = reads(theirs, prepared)
        assert found == reads(seen.seen_by(world.person), prepared)
        visible = {word for t in seen.store.iter_tickets() for word in tokenize(t.text)}
        meant = {word for answer in found["answers"] for word in answer.meant.values()}
        topics = {word for _, trend in found["each topic"] for word in trend.topic.words}
        assert meant | topics <= visible


def fill(desk: Desk, prepared: Prepared, tickets: list[Ticket]) -> None:
    bundle_id = prepared.bundle_id
    desk.store.put_tickets(tickets)
    desk.store.put_codes(bundle_id, [prepared.rows[ticket.id] for ticket in tickets])
    desk.store.set_serving(bundle_id)


def happen(desk: Desk, prepared: Prepared, world: World) -> None:
    """People ask, save, judge, say what a subject belongs to, and name topics."""
    queries, ids = prepared.queries, [ticket.id for ticket in prepared.tickets]
    desk.store.put_queries(queries)
    for i, (groups, number) in enumerate(world.askers):
        asker = desk.seen_by(replace(world.person, groups=groups))
        asker.ask(queries[number], Filters(), NAMES[i % 2])
    judgments = [
        Judgment(uuid4().hex, queries[query], ids[ticket], grade, judge, TIME, 3, 4.5)
        for query, ticket, judge, grade in world.judged
    ]
    desk.store.add_judgments(judgments)
    said = [Verdict(uuid4().hex, q.subject, "a category", True, "ann", TIME) for q in queries]
    desk.store.add_verdicts(said)
    for number in world.saved:
        desk.save_query(queries[number].id, Filters(), "ann")
    for topic in range(desk.recommender().model.settings.topics):
        desk.name_topic(topic, f"as somebody calls topic {topic}", "bob")


@contextmanager
def reference(whole: Desk, world: World, there: list[Ticket], folder: Path) -> Iterator[Desk]:
    """A desk that holds the tickets of a person, and what people did that tells of no other."""
    groups = world.person.groups
    visible = [ticket for ticket in there if Filters(groups=groups).admit(ticket)]
    ids, subjects = {t.id for t in visible}, {t.subject for t in visible}
    hidden = [ticket for ticket in there if ticket.id not in ids]
    hidden_ids, hidden_subjects = {t.id for t in hidden}, {t.subject for t in hidden} - subjects

    def theirs(*named: str) -> bool:
        return all(not id or id in ids for id in named)

    def could_hold_nothing_else(asking: Asking) -> bool:
        more = [t for t in hidden if Filters(groups=asking.groups).admit(t)]
        if asking.groups is not None and asking.groups <= groups:
            return not hidden_ids.intersection(asking.shown)
        return theirs(*asking.shown) and not more

    with closing(SQLiteStore(folder)) as store:
        desk = PreparedDesk(load_settings(home=folder), store, whole.models)
        fill(desk, whole.prepared, visible)
        judged = [
            replace(judgment, rank=None, score=None)
            for judgment in whole.store.judgments()
            if theirs(judgment.ticket_id, judgment.query.ticket_id)
        ]
        store.add_judgments(judged)
        store.add_verdicts([v for v in whole.store.verdicts() if v.subject not in hidden_subjects])
        askings = [a for a in whole.store.events(Asking) if theirs(a.query.ticket_id)]
        asked = list(filter(could_hold_nothing_else, askings))
        store.add_events(asked)
        own = [asking for asking in askings if asking.person == world.person.name]
        named = {event.query.id for event in (*judged, *asked, *own)}
        queries = [q for q in whole.store.queries() if theirs(q.ticket_id)]
        store.put_queries([query for query in queries if not hidden or query.id in named])
        store.add_events([e for e in whole.store.events(SavedQuery) if theirs(e.query.ticket_id)])
        store.add_events(list(whole.store.events(TopicName)))
        yield desk


def store_reads(store: Store, prepared: Prepared) -> dict[str, object]:
    """What a store gives, read in every way."""
    bundle_id, topics = prepared.bundle_id, range(prepared.recommender.model.settings.topics)
    ids = [*prepared.rows, "nobody"]
    encoded = prepared.recommender.model.encode_query(prepared.queries[0])
    some = prepared.tickets[0]
    found: dict[str, object] = {
        "by id": store.get_tickets(ids),
        "stale": store.stale_ids(bundle_id),
        "coded": store.count_codes(bundle_id),
        "rows": [replace(row, vector=b"") for row in store.code_rows(bundle_id)],
        "queries": sorted(query.id for query in store.queries()),
        "judgments": list(store.judgments()),
        "log": [judgment for _, judgment in store.judgment_log()],
        "of a query": [list(store.judgments(query.id)) for query in prepared.queries],
        "verdicts": list(store.verdicts()),
        "of a subject": [list(store.verdicts(query.subject)) for query in prepared.queries],
        "asked": list(store.events(Asking)),
        "asked last": store.last_events(Asking, 2, 1),
        "asked in all": store.count_events(Asking),
        "asked by one": (store.last_events(Asking, 2, 1, "ann"), store.count_events(Asking, "ann")),
        "saved": list(store.events(SavedQuery, "ann")),
    }
    for filters in (Filters(), Filters(product=some.product), Filters(created_before=some.created)):
        block = store.codes(bundle_id, filters)
        chosen = store.candidates(bundle_id, encoded, filters, also=ids)
        found[str(filters)] = (
            list(store.iter_tickets(filters)),
            store.count_tickets(filters),
            store.facets(filters),
            store.newest(filters),
            store.matching_ids(ids, filters),
            store.known_words(prepared.words, filters),
            (list(block.ids), block.codes[block.live].tolist()),
            (list(chosen.ids), len(chosen.live) if chosen.of is None else chosen.of),
            store.topic_counts(bundle_id, filters),
            [store.topic_tickets(bundle_id, topic, filters) for topic in topics],
        )
    return found


def reads(desk: Desk, prepared: Prepared) -> dict[str, Any]:
    """What a desk tells, asked in every way."""
    topics, bundle_id = range(desk.recommender().model.settings.topics), prepared.bundle_id
    queries, some = prepared.queries, prepared.tickets[0]
    return {
        "answers": [desk.preview(query) for query in queries],
        "of a product": desk.preview(queries[3], Filters(product=some.product)),
        "best": [desk.best_of(query, bundle_id) for query in queries],
        "words": [desk.store.known_words(tokenize(query.text)) for query in queries[:2]],
        "judged": [desk.judgments_of(query.id) for query in queries],
        "grades": [desk.grades(query.id, "ann") for query in queries],
        "solved": [desk.solved_by(ticket_id) for ticket_id in prepared.rows],
        "labels": desk.labels(),
        "agreements": desk.agreements(),
        "history": [list(desk.history(name)) for name in NAMES],
        "saved": desk.saved_queries("ann"),
        "unanswered": desk.unanswered(),
        "quality": desk.quality(),
        "setup": desk.setup(),
        "topics": desk.topics(),
        "titles": desk.topic_titles(),
        "each topic": [desk.topic(topic) for topic in topics],
        "tickets of each": [desk.topic_tickets(topic) for topic in topics],
        "topic of": [desk.topic_of(ticket) for ticket in desk.store.iter_tickets()],
        "verdicts": [desk.category_verdicts(query.subject, "ann") for query in queries],
        "rounds": [a_round(desk, sampling) for sampling in (Sampling.RANDOM, Sampling.UNCERTAIN)],
    }


def a_round(desk: Desk, sampling: Sampling) -> object:
    try:
        chosen = desk.choose_round(sampling, "ann", 5, seed=1)
    except InputError as error:
        return str(error)
    return chosen, desk.pairs(chosen, "ann")


def empty(store: Store) -> None:
    """Delete all tickets; what people did is never deleted, and may well stay."""
    store.delete_tickets([ticket.id for ticket in store.iter_tickets()])
