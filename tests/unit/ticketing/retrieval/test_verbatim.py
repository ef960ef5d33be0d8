"""Tickets that name a number or code of the query: found letter by letter."""

from dataclasses import replace
from datetime import datetime

import pytest

from tests.unit.ticketing.retrieval.untrained import KnownTickets, recommender_of
from ticketing.reasons import BY_CODE, JUDGED
from ticketing.recommendations import Outlook
from ticketing.text.literals import literal_keys
from ticketing.tickets import Filters, Grade, Label, Query, Ticket

OTHERS = [
    Ticket(f"T{i:02}", f"{thing} {fault}", f"the {thing} says {fault} since noon", created=when)
    for i, (thing, fault, when) in enumerate(
        (thing, fault, datetime(2013, 1, 1 + n))
        for n, thing in enumerate(("printer", "switch", "mailbox", "scanner", "router"))
        for fault in ("jams", "hangs", "restarts", "overheats")
    )
]
OLD = Ticket("A1", "Nightly copy stops", "ORA-00942 at two", created=datetime(2012, 1, 1))
NEW = Ticket("A2", "Report empty", "", "After ora-00942 and E1105.", created=datetime(2014, 1, 1))
BOTH = Ticket("A3", "Invoices wrong", "ORA-00942, then E1105", created=datetime(2011, 1, 1))
NAMING = [OLD, NEW, BOTH]


class NamingTickets(KnownTickets):
    """Tickets in memory that are found by the numbers and codes that they name."""

    def naming(self, keys, filters=None, limit=10):
        def named(ticket):
            there = literal_keys(ticket.subject, ticket.description, ticket.solution)
            return sorted(set(keys).intersection(there))

        tickets = sorted(self, key=lambda t: t.created or datetime.min, reverse=True)
        tickets = [t for t in tickets if filters is None or filters.admit(t)]
        found = {ticket.id: there for ticket in tickets if (there := named(ticket))}
        first = sorted(found, key=lambda id: -len(found[id]))[:limit]
        return {id: found[id] for id in first}


def desk(*labels, tickets=(*OTHERS, *NAMING)):
    return recommender_of(tickets, *labels, store=NamingTickets)


def shown(answer):
    return [item.ticket.id for item in answer.items]


@pytest.mark.parametrize("query", [Query("ORA-00942"), Query("", "the ora-00942")])
def test_a_code_alone_is_answered_by_the_tickets_that_name_it_newest_first(query):
    answer = desk().recommend(query)
    assert shown(answer) == ["A2", "A1", "A3"]
    assert [item.rank for item in answer.items] == [1, 2, 3]
    [code] = answer.named
    assert answer.heading == f"Tickets that name “{code}”" and code.upper() == "ORA-00942"
    assert (answer.outlook, answer.note) == (Outlook.POSSIBLE, "")
    assert not answer.shows_chances
    for item in answer.items:
        assert item.reason.named == (code,) and item.reason.by_code
        assert item.reason.sentence.lower().endswith(f"both name “{code}”. {BY_CODE}".lower())
        assert not answer.shows_chance(item)
        assert item.distance == pytest.approx(sum(part.distance for part in item.parts))


def test_those_that_name_more_of_several_codes_come_first():
    answer = desk().recommend(Query("E1105", "ORA-00942, ORA-06512"))
    assert shown(answer) == ["A2", "A3", "A1"]
    assert answer.named == ("E1105", "ORA-00942", "ORA-06512")
    assert answer.heading == "Tickets that name “E1105”, “ORA-00942” or “ORA-06512”"
    assert answer.items[0].reason.named == ("E1105", "ORA-00942")


def test_filters_and_the_ticket_that_asks_are_heeded():
    recommender = desk()
    before = Filters(created_before=datetime(2013, 1, 1))
    assert shown(recommender.recommend(Query("ORA-00942"), before)) == ["A1", "A3"]
    assert shown(recommender.recommend(Query("ORA-00942", ticket_id="A2"))) == ["A1", "A3"]
    assert shown(recommender.recommend(Query("ORA-00942"), limit=1)) == ["A2"]


def test_a_code_that_nobody_names_is_said():
    answer = desk().recommend(Query("ORA-00943"))
    assert answer.outlook == Outlook.NOTHING and answer.named == ()
    assert answer.note == "No ticket here names “ORA-00943”; describe the problem in words, too."
    assert answer.items == () and answer.heading == "Nothing matches well"


def test_what_solved_the_very_code_comes_first_and_what_solved_it_in_words_does_not():
    query, other = Query("ORA-00942"), Query("error ora-00942!")
    words = Query("Ledger locked", "it says ora-00942")
    solved = [Label(words, "T01", Grade.YES), Label(other, "T03", Grade.YES)]
    solved += [Label(query, "T07", Grade.YES), Label(query, "A3", Grade.YES)]
    answer = desk(*solved, Label(Query("E1105"), "T09", Grade.YES)).recommend(query)
    assert shown(answer) == ["T07", "A3", "T03", "A2", "A1"]
    assert [item.rank for item in answer.items] == [1, 2, 3, 4, 5]
    assert answer.chance == answer.items[0].chance == answer.items[1].chance == 1.0
    settled, naming, by_other, *_ = answer.items
    assert settled.reason.sentence == JUDGED
    assert naming.reason.sentence == f"{JUDGED} Both name “ORA-00942”."
    assert by_other.reason.sentence == "Found by a query that it solved: “error ora-00942!”."
    assert [answer.shows_chance(item) for item in answer.items] == [True, True, *[False] * 3]


def test_what_solved_the_very_query_is_its_answer_where_nothing_names_the_code():
    query = Query("E8888")
    answer = desk(Label(query, "T07", Grade.YES)).recommend(query)
    assert shown(answer) == ["T07"] and answer.chance == 1.0
    assert (answer.outlook, answer.named) == (Outlook.LIKELY, ("E8888",))


def test_ids_of_tickets_among_the_codes_are_those_tickets():
    tickets = [*OTHERS, Ticket("GT-320", "Valve"), Ticket("GT-321", "Pump"), OLD]
    answer = desk(tickets=tickets).recommend(Query("gt-320, GT-321", "see ORA-00942"))
    assert shown(answer) == ["GT-320", "GT-321", "A1"]
    assert [item.reason.by_id for item in answer.items] == [True, True, False]
    assert answer.chance == 1.0 and not answer.by_id


@pytest.mark.parametrize(
    "query",
    [
        Query("unit 14: scanner hangs"),  # the words tell little here, but they tell
        Query("E1105", "The scanner hangs since noon."),
    ],
)
def test_a_query_with_words_is_ranked_by_them(query):
    answer = desk().recommend(query)
    assert answer.named == () and answer.items[0].ticket.subject.endswith(("hangs", "jams"))


def test_a_number_too_short_for_a_code_names_nothing():
    """The ten best are ranked, none because it names the number."""
    answer = desk().recommend(Query("5"))
    assert answer.named == () and len(answer.items) == 10
    assert not any(item.reason.by_code for item in answer.items)


def test_where_words_find_nothing_it_is_said_that_tickets_name_the_code():
    answer = desk().recommend(Query("zorblax E1105 frobnitz"))
    assert answer.outlook == Outlook.NOTHING
    assert answer.note.endswith("Some tickets name “E1105”: ask for that alone to see them.")
    assert "name" not in desk().recommend(Query("zorblax E1106 frobnitz")).note


def test_a_code_that_a_solved_query_alone_names_is_found():
    answer = desk(Label(Query("E9999 again"), "T03", Grade.YES)).recommend(Query("E9999"))
    assert shown(answer) == ["T03"] and answer.named == ("E9999",)


def test_the_id_of_a_ticket_is_the_ticket_and_no_code():
    tickets = [*OTHERS, Ticket("GT-320", "Valve"), replace(OLD, description="as GT-320")]
    answer = desk(tickets=tickets).recommend(Query("GT-320"))
    assert answer.by_id and shown(answer) == ["GT-320"] and answer.named == ()


WORDS = Query("printer jams", "the printer says jams since noon, ORA-00942")


def test_a_query_in_words_keeps_its_ranking():
    plain = recommender_of([*OTHERS, *NAMING])
    assert desk().recommend(WORDS) == plain.recommend(WORDS)
    assert desk().rank(WORDS) == plain.rank(WORDS)


def test_tickets_that_filters_leave_out_or_are_gone_take_no_place():
    """Thirty queries with the code were solved by tickets of another time."""
    solved = [Label(Query(f"E1105 {i + 10}"), f"T{i % 20:02}", Grade.YES) for i in range(30)]
    solved += [Label(Query(f"E1105, {i + 50}"), f"gone-{i}", Grade.YES) for i in range(30)]
    answer = desk(*solved).recommend(Query("E1105"), Filters(created_since=datetime(2014, 1, 1)))
    assert shown(answer) == ["A2"]


def test_near_copies_that_name_the_code_fold_into_one_row():
    copies = [Ticket(f"C{i:02}", "Disk array degraded", f"E4711 on {i}") for i in range(40)]
    other = Ticket("D1", "Fan of the tape robot is loud", "then E4711")
    answer = desk(tickets=[*OTHERS, *copies, other]).recommend(Query("E4711"))
    first, other = answer.items
    assert [x.ticket.id for x in (first, *first.like)] == [f"C{i:02}" for i in range(40)]
    assert [x.rank for x in answer.every] == [*range(1, 42)] and other.ticket.id == "D1"


def test_a_ticket_that_goes_meanwhile_is_left_out():
    class Gone(NamingTickets):
        def read_tickets(self, ids):
            return {id: read for id, read in super().read_tickets(ids).items() if id != "A2"}

    recommender = recommender_of([*OTHERS, *NAMING], store=Gone)
    assert shown(recommender.recommend(Query("ORA-00942"))) == ["A1", "A3"]
