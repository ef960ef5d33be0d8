"""What a training learns from is written once, and read as often as it asks."""

import errno
import os
from datetime import datetime

import pytest

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


@pytest.mark.parametrize("bytes_left", [0, 5, 40])
def test_what_a_power_cut_left_in_part_is_gathered_again(tmp_path, bytes_left):
    """Every retry failed by it."""
    with material_of(tmp_path, "one", lambda: (TICKETS, LABELS)):
        pass
    os.truncate(tmp_path / "one.learned.gz", bytes_left)
    for _ in range(2):
        with material_of(tmp_path, "one", lambda: (TICKETS[1:], LABELS)) as again:
            assert ([*again.tickets], again.labels) == (TICKETS[1:], LABELS)


def test_what_is_learned_from_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError), material_of(tmp_path, "one", lambda: (TICKETS, LABELS)):
        pass
    assert not (tmp_path / "one.learned.gz").exists()


def test_a_desk_without_tickets_is_gathered_as_often_as_it_is_tried(tmp_path):
    with material_of(tmp_path, "one", lambda: ([], [])) as none:
        assert [*none.tickets] == []
    with material_of(tmp_path, "one", lambda: (TICKETS, [])) as material:
        assert [*material.tickets] == TICKETS


def test_what_another_job_learned_from_is_removed(tmp_path):
    for name in ("one", "other"):
        with material_of(tmp_path, name, lambda: (TICKETS, LABELS)):
            pass
    assert [file.name for file in tmp_path.iterdir()] == ["other.learned.gz"]
    drop_material(tmp_path, "other")
    assert not [*tmp_path.iterdir()]
