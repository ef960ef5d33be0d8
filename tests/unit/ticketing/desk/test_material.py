"""What a training learns from is written once, and read as often as it asks."""

from datetime import datetime

from ticketing.desk.material import drop_material, material_of
from ticketing.tickets import Grade, Label, Query, Ticket

TICKETS = [
    Ticket("T2", "Pump", "It trips.", created=datetime(2020, 1, 2), groups=frozenset("a")),
    Ticket("T1", "Überdruck\nim Tank"),
]
LABELS = [Label(Query("Pumpe", ticket_id="T1"), "T2", Grade.YES)]


def test_tickets_are_read_over_and_over_as_they_were_at_first(tmp_path):
    with material_of(tmp_path, "one", lambda: (iter(TICKETS), LABELS)) as first:
        assert [*first.tickets] == [*first.tickets] == TICKETS
        assert len(first.tickets) == 2 and first.labels == LABELS
    with material_of(tmp_path, "one", lambda: ([], [])) as again:
        assert [*again.tickets] == TICKETS


def test_what_another_job_learned_from_is_removed(tmp_path):
    for name in ("one", "other"):
        with material_of(tmp_path, name, lambda: (TICKETS, LABELS)):
            pass
    assert [file.name for file in tmp_path.iterdir()] == ["other.learned.gz"]
    drop_material(tmp_path, "other")
    assert not [*tmp_path.iterdir()]
