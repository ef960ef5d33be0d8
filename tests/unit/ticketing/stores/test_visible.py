"""Nothing that a store can be read by is forgotten where it is narrowed."""

import inspect
from dataclasses import replace
from datetime import datetime

import pytest

from tests.contract.contract_examples import ALL, HIDDEN, PUMP, verdict
from ticketing.errors import Conflict
from ticketing.history import Asking, AuditEntry, Deed, FormerTicket, SavedQuery, TopicName
from ticketing.jobs import JobKind, JobState
from ticketing.recommendations import Outlook
from ticketing.stores.delegating import DelegatingStore
from ticketing.stores.history import KINDS
from ticketing.stores.protocols import Store
from ticketing.stores.sqlite import SQLiteStore
from ticketing.stores.visible import VisibleStore
from ticketing.stores.visible_events import HIDDEN as HIDDEN_ONE
from ticketing.stores.visible_events import VisibleEvents
from ticketing.tickets import Filters, Grade, Judgment, Query

LAB, NOBODY = frozenset(["lab"]), frozenset()


@pytest.fixture
def store(tmp_path):
    store = SQLiteStore(tmp_path)
    store.put_tickets(HIDDEN)
    yield store
    store.close()


def test_every_method_of_a_store_is_narrowed_or_passed_on(store):
    methods = {name for name, _ in inspect.getmembers(Store, inspect.isfunction) if name[0] != "_"}
    assert {"get_tickets", "judgments", "accounts", "close"} <= methods
    narrowed = vars(VisibleStore).keys() | vars(VisibleEvents).keys()
    assert methods <= narrowed | vars(DelegatingStore(store)).keys()


def test_every_method_that_takes_filters_is_narrowed():
    """These read tickets: none of them may be handed on as it is."""
    filtered = {
        name
        for name, method in inspect.getmembers(Store, inspect.isfunction)
        if "filters" in inspect.signature(method).parameters
    }
    assert len(filtered) > 8
    assert filtered <= vars(VisibleStore).keys()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_event_is_narrowed(store, kind):
    assert list(VisibleStore(store, LAB).events(kind)) == []


def test_an_id_of_a_hidden_ticket_is_taken_and_nothing_is_put(store):
    seen = VisibleStore(store, LAB)
    with pytest.raises(Conflict, match="T-2 cannot be used"):
        seen.put_tickets([replace(HIDDEN[1], subject="new"), replace(PUMP, subject="mine")])
    assert store.get_tickets(["T-2", "T-10"]) == {"T-2": HIDDEN[0], "T-10": HIDDEN[1]}


def test_a_query_stays_open_while_others_put_tickets(store, monkeypatch):
    """A ticket that came between two counts was taken for a hidden one, and the judgment of a
    query just asked through the API was refused."""
    query = Query("pump stands still")
    store.put_query(query)
    assert VisibleStore(store, LAB).get_query(query.id) is None
    store.delete_tickets(["T-2"])  # the one that is hidden
    count, others = store.count_tickets, [replace(PUMP, id=f"new {i}") for i in range(2)]

    def count_while_others_put(*filters):
        counted = count(*filters)
        store.put_tickets([others.pop()] if others else [])
        return counted

    monkeypatch.setattr(store, "count_tickets", count_while_others_put)
    assert VisibleStore(store, LAB).get_query(query.id) == query
    assert others == []


def test_a_hidden_ticket_cannot_be_deleted(store):
    assert VisibleStore(store, LAB).delete_tickets(["T-2", "T-10", "nobody"]) == 1
    assert store.get_tickets(["T-2", "T-10"]).keys() == {"T-2"}


def test_words_are_known_of_the_tickets_seen(store):
    """However many hidden tickets hold a word, and also once they are gone."""
    seen, words = VisibleStore(store, LAB), ["pump", "lube"]
    assert seen.known_words(words) == {"pump"}
    store.put_tickets([replace(HIDDEN[0], id=f"more-{i}") for i in range(5)])
    assert seen.known_words(words) == {"pump"}
    assert VisibleStore(store, NOBODY).known_words(words) == set()
    store.delete_tickets([ticket.id for ticket in store.iter_tickets()])
    assert seen.known_words(words) == set()


def test_numbers_and_codes_are_found_in_the_tickets_seen(store):
    store.put_tickets([replace(ticket, solution="See E1105.") for ticket in HIDDEN])
    named = VisibleStore(store, LAB).naming(["e1105"])
    assert len(store.naming(["e1105"])) > len(named)
    assert all(VisibleStore(store, LAB).get_tickets([id]) for id in named)
    assert "T-2" not in named


def test_a_verdict_on_a_subject_that_only_hidden_tickets_have_is_hidden(store):
    typed, hidden = verdict(1, subject="typed by somebody"), verdict(2, subject=PUMP.subject)
    store.add_verdicts([typed, hidden])
    seen = VisibleStore(store, LAB)
    assert list(seen.verdicts()) == [typed]
    assert list(seen.verdicts(PUMP.subject)) == []
    store.put_tickets([replace(PUMP, id="open", groups=NOBODY)])
    assert list(seen.verdicts()) == [typed, hidden]


def test_a_verdict_on_a_hidden_subject_is_hidden_however_many_tickets_say_it_better(store):
    alike = replace(PUMP, subject="Pump", description="Pump trips")
    store.put_tickets([replace(alike, id=f"A{i}") for i in range(600)])
    seen, hidden = VisibleStore(store, LAB), verdict(1, subject=PUMP.subject)
    store.add_verdicts([hidden, verdict(2, subject="Pump")])
    assert list(seen.verdicts()) == [verdict(2, subject="Pump")]
    assert list(seen.verdicts(PUMP.subject)) == []


def test_a_verdict_on_a_hidden_subject_without_words_is_hidden(store):
    store.put_tickets([replace(HIDDEN[0], subject="???")])
    store.add_verdicts([verdict(1, subject="???"), verdict(2, subject="??")])
    assert list(VisibleStore(store, LAB).verdicts()) == [verdict(2, subject="??")]
    assert len(list(VisibleStore(store, frozenset(["sales"])).verdicts())) == 2


@pytest.mark.parametrize(
    ("shown", "groups", "seen"),
    [
        (("A-1", "T-10"), LAB, True),
        (("A-1",), NOBODY, True),
        (("A-1", "deleted"), LAB, True),
        (("A-1",), None, False),  # it may have been seen that nothing hidden was better
        (("A-1",), frozenset(["service"]), False),
        (("A-1",), frozenset(["unused"]), True),
        (("A-1", "deleted"), frozenset(["unused"]), False),
        (("T-2",), LAB, False),  # it was theirs then
    ],
)
def test_an_asking_is_seen_where_its_answer_could_hold_nothing_hidden(store, shown, groups, seen):
    time = datetime(2024, 1, 1)
    rest = (time, Query("q"), Filters(), "b1", Outlook.NOTHING, 0.5)
    store.add_events([Asking("a", "ann", *rest, shown, groups)])
    assert len(list(VisibleStore(store, LAB).events(Asking))) == seen


def test_queries_are_listed_that_are_judged_or_asked_by_whom_one_may_see_or_by_oneself(store):
    texts = ("judged", "of hidden", "asked", "asked by hr", "own", "by nobody", "saved")
    texts += ("hidden", "open")
    tickets = {"hidden": "T-2", "open": "A-1"}
    queries = {text: Query(text, ticket_id=tickets.get(text, "")) for text in texts}
    store.put_queries(list(queries.values()))
    for text, ticket_id in (("judged", "T-10"), ("of hidden", "T-2")):
        rest = (ticket_id, Grade.YES, "ann", datetime(2024, 1, 1))
        store.add_judgments([Judgment(text, queries[text], *rest)])
    for number, (text, person, groups) in enumerate(
        [
            ("asked", "bob", LAB),
            ("asked by hr", "hal", frozenset(["service"])),
            ("own", "eve", None),
        ]
    ):
        rest = (Filters(), "b1", Outlook.NOTHING, 0.5, (), groups)
        time = datetime(2024, 1, 1)
        store.add_events([Asking(f"a{number}", person, time, queries[text], *rest)])
    seen = VisibleStore(store, LAB, "eve")
    assert {query.subject for query in seen.queries()} == {"judged", "asked", "own"}
    assert {q.subject for q in VisibleStore(store, LAB).queries()} == {"judged", "asked"}
    store.add_events(
        [SavedQuery("s", "eve", datetime(2024, 1, 1), queries["saved"], Filters(), True)]
    )
    assert opened(seen, queries) == {"judged", "asked", "own", "saved", "open"}
    assert opened(VisibleStore(store, LAB), queries) == {"judged", "asked", "open"}
    assert opened(VisibleStore(store, LAB, "hal"), queries) == {
        "judged",
        "asked",
        "asked by hr",
        "open",
    }
    assert opened(VisibleStore(store, LAB | {"sales"}), queries) == set(texts)
    store.delete_tickets(["T-2"])
    assert {query.subject for query in seen.queries()} == set(texts) - {"hidden"}
    assert opened(VisibleStore(store, LAB), queries) == set(texts) - {"hidden"}


def opened(seen, queries) -> set[str]:
    """Which queries somebody may read who has their ids."""
    return {text for text, query in queries.items() if seen.get_query(query.id) == query}


def test_what_was_asked_long_ago_can_still_be_opened(store):
    asked = [Query(f"q{i}") for i in range(1203)]
    store.put_queries(asked)
    rest = (Filters(), "b1", Outlook.NOTHING, 0.5, (), frozenset(["sales"]))
    store.add_events(
        [Asking(f"a{i}", "eve", datetime(2024, 1, 1), q, *rest) for i, q in enumerate(asked[1:])]
    )
    seen = VisibleStore(store, LAB, "eve")
    assert [seen.get_query(asked[i].id) for i in (0, 1, 1202)] == [None, asked[1], asked[1202]]


def test_where_nothing_is_hidden_everything_asked_is_seen(tmp_path):
    store = SQLiteStore(tmp_path)
    store.put_tickets(ALL)
    rest = (datetime(2024, 1, 1), Query("q"), Filters(), "b1", Outlook.NOTHING, 0.5, ("T-2",))
    asked = [
        Asking("a", "ann", *rest, None),
        Asking("b", "ann", *rest, LAB),
        Asking("c", "ann", *rest, NOBODY),
    ]
    store.add_events(asked)
    assert list(VisibleStore(store, NOBODY).events(Asking)) == asked
    store.close()


def test_words_of_a_named_topic_that_only_hidden_tickets_have_are_hidden(store):
    store.add_events([TopicName("n", "ann", datetime(2024, 1, 1), ("lube", "flame", "x"), "Oil")])
    [named] = VisibleStore(store, LAB).events(TopicName)
    assert named.words == ("flame",)


def test_a_job_is_told_in_the_tickets_seen(store):
    job = store.create_job(JobKind.REINDEX, "b1", 3)
    errors = {"T-2": "is too long", "T-10": "is empty"}
    store.update_job(job.id, done=2, errors=errors, message="2 errors")
    seen = VisibleStore(store, LAB).get_job(job.id)
    assert (seen.total, seen.done, seen.errors) == (2, 1, {"T-10": "is empty"})
    assert seen.message == ""
    [all_of_it] = VisibleStore(store, LAB | {"service"}).jobs()
    assert all_of_it == store.get_job(job.id)


@pytest.mark.parametrize(("id", "told"), [("T-2", False), ("T-10", True)])
def test_a_sentence_that_names_a_hidden_ticket_is_not_told(store, id, told):
    job = store.create_job(JobKind.REINDEX, "b1", 3)
    said = f"Others keep changing the ticket {id}; try again."
    store.update_job(job.id, state=JobState.FAILED, message=said)
    assert VisibleStore(store, LAB).get_job(job.id).message == said * told


def test_how_much_somebody_else_imported_is_not_told(store):
    job = store.create_job(JobKind.IMPORT, "", 0, {"files": []}, "hal")
    store.update_job(job.id, total=7, done=7, message="7 tickets added", result={"added": 7})
    seen = VisibleStore(store, LAB, "eve").get_job(job.id)
    assert (seen.total, seen.done, seen.message, seen.result) == (0, 0, "", {})
    assert VisibleStore(store, LAB, "hal").get_job(job.id) == store.get_job(job.id)


@pytest.mark.parametrize(
    ("kind", "figures"),
    [(JobKind.REINDEX, (2, 1)), (JobKind.TRAINING, (6, 3)), (JobKind.EVALUATION, (0, 0))],
)
def test_a_job_counts_tickets_where_it_is_about_tickets(store, kind, figures):
    job = store.create_job(kind, "b1", 0, by="eve")
    store.update_job(job.id, total=6, done=3, message="said")
    seen = VisibleStore(store, LAB, "eve").get_job(job.id)
    assert (seen.total, seen.done, seen.message) == (*figures, "said")


def test_the_audit_tells_what_was_done_but_not_to_which_hidden_ticket(store):
    time = datetime(2024, 1, 1)
    named = ["ticket T-2 for query 12ab", "ticket T-10", "12 tickets", "bob: admin"]
    store.add_events(
        [AuditEntry(f"d{i}", "ann", time, Deed.JUDGED, which, "") for i, which in enumerate(named)]
    )
    seen = VisibleStore(store, LAB)
    assert [entry.which for entry in seen.events(AuditEntry)] == [HIDDEN_ONE, *named[1:]]
    last = [entry.which for entry in seen.last_events(AuditEntry, 3, 1)]
    assert last == [*named[2:0:-1], HIDDEN_ONE]
    assert seen.count_events(AuditEntry) == 4


def audited(store, groups) -> list[str]:
    return [entry.which for entry in VisibleStore(store, groups).events(AuditEntry)]


def test_the_audit_tells_which_ticket_was_deleted_to_whom_none_is_hidden(store):
    time = datetime(2024, 1, 1)
    store.add_events([AuditEntry("d", "ann", time, Deed.DELETED, "ticket gone", "")])
    assert audited(store, LAB) == [HIDDEN_ONE]  # it may have been of other groups
    assert audited(store, LAB | {"sales"}) == ["ticket gone"]
    store.delete_tickets(["T-2"])
    assert audited(store, LAB) == ["ticket gone"]
    store.add_events([FormerTicket("f", time, "gone", frozenset(["sales"]))])
    assert audited(store, LAB) == [HIDDEN_ONE]
    assert audited(store, LAB | {"sales"}) == ["ticket gone"]


def test_the_audit_names_no_category_of_hidden_tickets_alone(store):
    """An admin from whom tickets are hidden read in the audit what their product is."""
    time = datetime(2024, 1, 1)
    store.put_tickets([replace(HIDDEN[0], product="Payroll"), replace(HIDDEN[1], product="Pumps")])
    for category in ("Payroll", "Pumps"):
        judged = AuditEntry(category, "ann", time, Deed.JUDGED, f"category {category}", "")
        store.add_events([judged])
    assert audited(store, LAB) == ["a category of no ticket that you may see", "category Pumps"]
    assert audited(store, LAB | {"sales"}) == ["category Payroll", "category Pumps"]
    last = VisibleStore(store, LAB).last_events(AuditEntry, 2)
    assert [entry.which for entry in last] == [*reversed(audited(store, LAB))]


@pytest.mark.parametrize("name", ["ticket bob", "category bob"])
def test_the_audit_takes_no_person_for_a_ticket(store, name):
    """Somebody of such a name could be made an admin, and the audit did not tell who it was."""
    time = datetime(2024, 1, 1)
    added = AuditEntry("a", "ann", time, Deed.PERSON_ADDED, f"{name}: admin, groups none", "")
    store.add_events([added, AuditEntry("s", name, time, Deed.SIGNED_IN, name, "")])
    assert audited(store, LAB) == [f"{name}: admin, groups none", name]


def test_the_id_of_a_deleted_hidden_ticket_is_taken_but_by_its_groups(store):
    store.delete_tickets(["T-2", "A-1"])
    store.add_events([FormerTicket("f", datetime(2024, 1, 1), "T-2", HIDDEN[0].groups)])
    seen, theirs = VisibleStore(store, LAB), VisibleStore(store, frozenset(["sales"]))
    assert (list(seen.events(FormerTicket)), len(list(theirs.events(FormerTicket)))) == ([], 1)
    with pytest.raises(Conflict, match="T-2 cannot be used"):
        seen.put_tickets([replace(PUMP, groups=NOBODY), replace(PUMP, id="new")])
    assert store.matching_ids(["T-2", "new"]) == set()
    assert seen.put_tickets([replace(HIDDEN[2], subject="put again")]).added == 1
    assert theirs.put_tickets([HIDDEN[0]]).added == 1
    store.delete_tickets(["T-2"])
    assert store.put_tickets([replace(PUMP, groups=NOBODY)]).added == 1
    assert seen.put_tickets([replace(PUMP, subject="changed", groups=NOBODY)]).changed == 1
