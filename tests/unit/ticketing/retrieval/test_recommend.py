"""What is answered: what is certain, how many rows, and what is said of them."""

import re
from dataclasses import replace
from datetime import datetime
from itertools import product
from math import log

import numpy as np
import pytest

from tests.unit.ticketing.retrieval.untrained import KnownTickets, recommender_of
from ticketing.model.recency import Recency
from ticketing.model.rescoring import Rescoring
from ticketing.reasons import JUDGED, NOTHING_SHARED
from ticketing.recommendations import Outlook
from ticketing.retrieval.notes import BRIEF, FILTERED, HIDDEN, NOT_COMPARED, UNKNOWN, WEAK
from ticketing.retrieval.scan import scan_distances
from ticketing.retrieval.solved import BROUGHT
from ticketing.tickets import Filters, Grade, Label, Query, Ticket

OTHERS = [
    Ticket("B", "printer jam tray", "it stops"),
    Ticket("C", "network cable broken", "switch port dead", "replaced the cable"),
    Ticket("D", "mail server slow", "mails wait for minutes", "restarted the queue"),
]


def test_a_ticket_that_says_what_it_was_judged_for_is_certain_too():
    """Its own text is as near as the query that it solved."""
    query, tickets = Query("turbine"), [Ticket("A", "turbine"), *OTHERS]
    [before, *_] = recommender_of(tickets).recommend(query).items
    answer = recommender_of(tickets, Label(query, "A", Grade.YES)).recommend(query)
    [first, *_] = answer.items
    assert (before.ticket.id, before.chance < 0.9) == ("A", True)
    assert (first.ticket.id, first.chance, answer.chance) == ("A", 1.0, 1.0)
    assert JUDGED in first.reason.sentence and first.reason.judged
    assert first.distance == before.distance and first.parts == before.parts


def test_a_word_that_tickets_write_in_parts_is_found_as_one():
    """People type "sharepoint" where tickets have "SharePoint"; nothing was found then."""
    tickets = [Ticket("A", "SharePoint is away"), Ticket("E", "Share-Point asks twice"), *OTHERS]
    recommender = recommender_of(tickets, Label(Query("sharepoint"), "D", Grade.YES))
    asked = Query("sharepoint is away")
    answer = recommender.recommend(asked)
    in_parts = recommender.recommend(Query("SharePoint is away"))
    assert [(x.ticket.id, x.distance) for x in answer.items] == [
        (x.ticket.id, x.distance) for x in in_parts.items
    ]
    assert answer.items[0].ticket.id == "A"
    assert {"share", "point"} <= answer.items[0].reason.marks
    [again, *_] = recommender.recommend(Query("sharepoint")).items
    assert again.ticket.id == "D", "the query that it solved is read in the same way"


def test_by_text_the_time_of_a_ticket_counts_nothing():
    """The same words from twenty years ago: with time they stand behind other words of today."""
    query, today = Query("gearbox pump leaks"), datetime(2024, 1, 1)
    old = Ticket("OLD", query.subject, created=datetime(2004, 1, 1))
    others = [replace(ticket, created=today) for ticket in OTHERS]
    recommender = recommender_of([old, *others])
    recommender.model.recency = Recency(weight=9.0, typical=1.0)
    timed, by_text = recommender.recommend(query), recommender.by_text().recommend(query)
    assert (timed.timed, by_text.timed) == (True, False)
    assert [item.ticket.id for item in timed.items][-1] == by_text.items[0].ticket.id == "OLD"
    assert recommender.recommend(query) == timed, "the recommender itself is as it was"
    recommender.model.recency = Recency()
    assert recommender.recommend(query) == by_text


def test_tickets_that_a_query_mentions_are_named_beside_the_best():
    """Of "see ticket BK-1009" nothing was said. A number may be anything, and no ticket that is
    proposed, asks, or does not pass the filters is named."""
    words = ["ink", "belt", "fan", "lamp", "fuse", "door", "glass", "motor", "roller", "cable"]
    many = [Ticket(f"T{i}", f"printer jam tray {word}") for i, word in enumerate(words)]
    far = [Ticket(id, "roof", "water comes in") for id in ("BK-1009", "BK-1010", "2310")]
    recommender = recommender_of([*many, *far])
    asked = Query("printer jam tray", "2310 pages; see ticket bk-1009 please, or BK-1009, BK-77")
    assert recommender.recommend(asked).mentioned == ("BK-1009",)
    assert recommender.recommend(replace(asked, ticket_id="BK-1009")).mentioned == ()
    assert recommender.recommend(asked, limit=100).mentioned == ()
    assert recommender.recommend(asked, Filters(product="X")).mentioned == ()
    assert recommender.recommend(Query("BK-1009", "roof")).mentioned == ()


def test_words_of_the_query_that_a_ticket_solved_are_the_tickets():
    """No ticket has a word of what is asked, but a query that B solved has both: none is said to
    be missing, and the chance is that of what was found."""
    solved = Label(Query("zorblax frobnitz fails"), "B", Grade.YES)
    query = Query("zorblax frobnitz")
    before = recommender_of(OTHERS).recommend(query)
    answer = recommender_of(OTHERS, solved).recommend(query)
    assert (before.note, before.outlook) == (UNKNOWN, Outlook.NOTHING)
    assert answer.items[0].ticket.id == "B" and answer.items[0].reason.solved
    assert answer.note != UNKNOWN
    assert answer.chance > before.chance


def test_everyday_words_are_a_match_together_where_one_ticket_has_all_of_them():
    """Each is in over a tenth of the tickets, two in none but one. One word alone matches nothing,
    and so do words that no ticket has together."""
    many = [
        Ticket(f"{word}{i:02}", f"{word} alarm {i}", f"the {word} is bad, see shift log {i}")
        for word in ("water", "fuel", "valve")
        for i in range(70)
    ]
    recommender = recommender_of([*many, Ticket("X", "Water in fuel", "drained the tank")])
    answer = recommender.recommend(Query("water in fuel"))
    [first, second, *_] = answer.items
    assert first.ticket.id == "X" and answer.outlook != Outlook.NOTHING
    assert [word.word for word in first.reason.shared] == ["water", "fuel"]
    assert [word.word for word in second.reason.shared] in (["water"], ["fuel"])
    for asked in ("water", "the water in it", "fuel in valve"):
        assert recommender.recommend(Query(asked)).outlook == Outlook.NOTHING


def test_who_asks_by_a_subject_alone_is_told_to_describe_the_problem():
    recommender = recommender_of([Ticket("A", "seal oil leak", "drained the tank"), *OTHERS])
    recommender.model.calibration = replace(recommender.model.calibration, possible=1.0)
    subject, described = Query("seal oil leak"), Query("seal oil leak", "at the seal of the pump")
    assert recommender.recommend(subject).note == BRIEF
    assert recommender.recommend(described).note == WEAK
    assert recommender.recommend(replace(subject, ticket_id="B")).note == WEAK


def test_beside_a_ticket_at_random_is_the_same_where_few_are_candidates():
    """The tickets that a store chose are near ones."""

    class Choosing(KnownTickets):
        def candidates(self, bundle_id, query, filters=None, limit=10, also=()):
            block = self.codes(bundle_id, filters)
            apart = scan_distances(block.codes, block.live, query, self.layout)
            return block.chosen(np.sort(np.argsort(apart, kind="stable")[:40]))

    near = [Ticket(f"N{i:02}", "pump trips on start", "pump trips at start") for i in range(30)]
    far = [Ticket(f"F{i:03}", f"network cable broken {i}", "switch dead") for i in range(300)]
    query = Query("pump trips on start", "pump trips at start")
    every = recommender_of(near + far).recommend(query)
    choosing = recommender_of(near + far, store=Choosing)
    choosing.store.layout = choosing.model.layout
    some = choosing.recommend(query)
    assert (every.searched, some.searched) == (330, 330)
    for channel, apart in every.typical.items():
        assert some.typical[channel] == pytest.approx(apart, rel=0.2)


def test_a_hundred_copies_of_one_alert_leave_room_for_others():
    alerts = [Ticket(f"K{i:03}", "disk full on monitoring host") for i in range(130)]
    others = [Ticket(f"X{i}", f"disk quota of {name} full") for i, name in enumerate("abcdefgh")]
    found = recommender_of(alerts + others).recommend(Query("disk full"))
    ids = [item.ticket.id for item in found.items]
    assert ids[0] == "K000" and len(found.items[0].like) == 129
    assert {id[0] for id in ids[1:]} == {"X"}


def test_one_alert_that_most_tickets_are_is_one_row():
    """Its words tell nothing there, and it is the same word by word."""
    alerts = [Ticket(f"K{i:03}", "disk full on monitoring host") for i in range(400)]
    found = recommender_of([*alerts, *OTHERS]).recommend(Query("disk full on monitoring host"))
    assert [len(item.like) for item in found.items if item.ticket.id[0] == "K"] == [399]


def test_words_that_stand_behind_a_long_log_are_not_said_to_be_missing():
    log = Ticket("A", "line stopped", "0.1 " * 1200 + " thermocouple drift")
    recommend = recommender_of([log, *OTHERS]).recommend
    assert recommend(Query("thermocouple drift")).note != UNKNOWN
    assert recommend(Query("zorblax frobnitz")).note == UNKNOWN


def test_the_words_that_a_ticket_has_are_named_however_many_others_the_query_has():
    words = ["".join(letters) for letters in product("bcdfg", "aeiou", "klmnp", "aeiou")][:200]
    tickets = [Ticket("A", "pump stopped", "gearbox noise"), Ticket("V", "valve stuck", "oil leak")]
    tickets += [Ticket(f"Z{i}", "gearbox pump valve") for i in range(10)]
    answer = recommender_of(tickets).recommend(Query("log of gearbox pump", " ".join(words)))
    [item] = [one for one in answer.every if one.ticket.id == "A"]
    assert {word.word for word in item.reason.shared} == {"gearbox", "pump"}
    assert NOTHING_SHARED not in item.reason.sentence


def test_what_a_solved_query_says_is_not_told_of_the_tickets_subject():
    tickets = [
        Ticket("A", "alarm in turbine hall", "bearing vibration high after start", "balanced it"),
        Ticket("E", "pump trips", "trips at start of pump in hall"),
        Ticket("F", "pump trips on start", "the pump trips"),
        *OTHERS,
    ]
    solved = Label(Query("pump trips on start"), "A", Grade.YES)
    recommender = recommender_of(tickets, solved)
    recommender.model.rescoring = Rescoring(shared=9.0, subject=9.0)
    queries = [Query(" ".join(words)) for words in product(*[["pump", "trips", "start"]] * 3)]
    items = [item for query in queries for item in recommender.recommend(query).every]
    moved = [item.reason.moved for item in items if item.reason.solved and item.reason.moved]
    assert moved and all(
        re.fullmatch(r"By distance alone it would be number \d+\.", text) for text in moved
    )


def test_solved_tickets_that_are_hidden_take_no_place_of_those_that_are_not():
    query, asked = Query("pump trips on start"), []

    class Asked(KnownTickets):
        def candidates(self, bundle_id, query, filters=Filters(), limit=10, also=()):
            asked.extend(also)
            return self.codes(bundle_id, filters)

    hidden = [Ticket(f"H{i}", "alarm", groups=frozenset("x")) for i in range(BROUGHT)]
    labels = [Label(query, x.id, Grade.YES) for x in hidden] + [Label(query, "V", Grade.YES)]
    tickets = [*hidden, Ticket("V", "alarm in hall"), *OTHERS]
    recommender = recommender_of(tickets, *labels, store=Asked)
    answer = recommender.recommend(Query("pump trips start"), Filters(groups=frozenset()))
    assert answer.items[0].reason.solved == query.subject
    assert "V" in asked  # a store may choose candidates by itself


def test_time_counts_for_a_ticket_that_a_query_brought_nearer():
    """A is of the time of asking, B seven days older: half of ln(1 + 7) farther, though the query
    that they solved is as near."""
    solved = Query("turbine trips")
    tickets = [
        Ticket("A", "printer jam", created=datetime(2020, 1, 8)),
        Ticket("B", "network cable broken", created=datetime(2020, 1, 1)),
        *OTHERS[2:],
    ]
    recommender = recommender_of(tickets, *[Label(solved, id, Grade.YES) for id in "AB"])
    recommender.model.recency = Recency(0.5, typical=3.0)
    items = recommender.recommend(Query("turbine trips again")).items
    apart = {item.ticket.id: item.distance for item in items if item.reason.solved}
    assert apart["B"] - apart["A"] == pytest.approx(0.5 * log(8), abs=1e-3)


def test_a_ticket_that_asks_is_not_brought_nearer_by_what_it_solved():
    solved = Label(Query("turbine trips"), "B", Grade.YES)
    answer = recommender_of(OTHERS, solved).recommend(Query("turbine trips", ticket_id="B"))
    assert sorted(item.ticket.id for item in answer.every) == ["C", "D"]


def test_an_empty_answer_says_why():
    ticket = Ticket("A", "printer jams", groups=frozenset({"x"}))

    def said(query, filters=Filters(), **network):
        answer = recommender_of([ticket], **network).recommend(query, filters)
        return answer.items or answer.note

    assert said(Query("printer jams", "", "A")) == NOT_COMPARED
    assert said(Query("", "printer jams"), pairs="multi-level") == NOT_COMPARED
    assert said(Query("printer jams"), Filters(groups=frozenset())) == HIDDEN
    assert said(Query("printer jams"), Filters(product="P", groups=frozenset("x"))) == FILTERED
    assert said(Query("printer jams"), Filters(created_before=datetime(1970, 1, 1))) == FILTERED
    backwards = Filters(created_since=datetime(2014, 1, 1), created_before=datetime(2013, 1, 1))
    assert said(Query("printer jams"), backwards) == (
        "No date is both since 2014-01-01 00:00 and before 2013-01-01 00:00; swap them."
    )
