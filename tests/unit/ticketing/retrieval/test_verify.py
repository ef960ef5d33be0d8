"""A bundle whose codes are not all there, or not those of their tickets, does not serve."""

import shutil
from dataclasses import replace

import pytest

from tests.tiny import other_bundle
from ticketing.desk import open_desk
from ticketing.errors import StoreError
from ticketing.retrieval.verify import SAMPLE, verify_codes
from ticketing.settings import load_settings
from ticketing.stores.blocks import CodeRow


@pytest.fixture
def desk(tmp_path, trained, archive_tickets):
    shutil.copytree(trained[0], tmp_path / "models")
    desk = open_desk(load_settings(home=tmp_path))
    desk.store.set_serving(trained[1])
    desk.put_tickets(archive_tickets)
    yield desk
    desk.close()


def test_codes_of_their_tickets_are_in_order(desk):
    verify_codes(desk.store, desk.recommender().model)


def test_a_bundle_for_no_tickets_at_all_is_in_order(desk):
    desk.delete_tickets([ticket.id for ticket in desk.store.iter_tickets()])
    verify_codes(desk.store, desk.recommender().model)


def test_a_bundle_with_codes_of_other_texts_does_not_serve(desk, trained):
    other = other_bundle(desk, trained[1])
    tickets = list(desk.store.iter_tickets())
    rows = desk.encode(other, tickets)
    wrong = [CodeRow(t.id, t.version, row.code) for t, row in zip(tickets, rows[::-1], strict=True)]
    desk.store.put_codes(other, wrong)
    with pytest.raises(StoreError, match=rf"{other} may not serve: .* are not those of its text"):
        desk.promote(other, force=True)
    assert desk.store.serving() == trained[1]


def test_codes_that_cannot_be_found_are_counted(desk, monkeypatch):
    monkeypatch.setattr(desk.store, "count_codes", lambda bundle_id: 41)
    with pytest.raises(StoreError, match="codes of 41 tickets should be there, and 40 of them"):
        verify_codes(desk.store, desk.recommender().model)


def test_a_ticket_that_goes_between_two_looks_is_no_fault(desk, monkeypatch):
    counts = iter([41, 41, 40, 40])
    monkeypatch.setattr(desk.store, "count_codes", lambda bundle_id: next(counts))
    verify_codes(desk.store, desk.recommender().model)


def test_stale_codes_are_not_compared(desk, archive_tickets):
    """Their ticket's text is another one by now; the bundle's job will see to it."""
    assert len(archive_tickets) > SAMPLE
    desk.store.put_tickets([replace(ticket, subject="Other") for ticket in archive_tickets])
    verify_codes(desk.store, desk.recommender().model)
