"""Which tickets may be found, where tickets are matched as of the day they came."""

from datetime import datetime

from ticketing.retrieval.memory import TicketsInMemory, findable
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


def test_a_query_that_is_a_ticket_without_a_date_finds_all_others():
    assert found(Query(UNDATED.subject, "", UNDATED.id)) == ["A", "B"]
