"""Which tickets may be found, where tickets are matched as of the day they came."""

from dataclasses import replace
from datetime import datetime

from ticketing.retrieval.memory import TicketsInMemory, findable, searchable
from ticketing.tickets import Grade, Label, Query, Ticket

OLD, NEW = (
    Ticket(id, "Oil leak", created=datetime(year, 1, 1)) for id, year in (("A", 2012), ("B", 2013))
)
UNDATED = Ticket("U", "Oil leak")
TICKETS = TicketsInMemory([OLD, NEW, UNDATED])


def found(query):
    labels = [Label(query, id, Grade.YES) for id in ("A", "B", "U", "gone")]
    return [label.ticket_id for label in findable(TICKETS, labels)]


def test_a_query_that_is_no_ticket_may_find_every_ticket_that_is_there():
    assert found(Query("Oil leak")) == ["A", "B", "U"]


def test_a_query_that_is_a_ticket_finds_older_ones_alone():
    assert found(Query(NEW.subject, "", NEW.id)) == ["A"]
    assert found(Query(OLD.subject, "", OLD.id)) == []


def test_a_ticket_of_the_same_moment_may_be_found_but_not_the_one_that_asks():
    """Many exports have dates without times."""
    same = TicketsInMemory([NEW, replace(NEW, id="C")])
    asked = Query(NEW.subject, "", NEW.id)
    labels = [Label(asked, id, Grade.YES) for id in ("B", "C")]
    assert [label.ticket_id for label in findable(same, labels)] == ["C"]
    live = same.live(searchable(same, [asked])[asked.id])
    assert [same.ids[place] for place in live] == ["B", "C"]


def test_a_ticket_of_the_last_moment_there_is_finds_older_ones():
    """Some programs write it where they know no date."""
    last = replace(NEW, created=datetime.max)
    filters = searchable(TicketsInMemory([OLD, last]), [Query("x", ticket_id="B")])
    assert [each.created_before for each in filters.values()] == [datetime.max]


def test_a_query_that_is_a_ticket_without_a_date_finds_all_others():
    assert found(Query(UNDATED.subject, "", UNDATED.id)) == ["A", "B"]
