"""`ticketing models`: what is listed, compared, promoted and deleted."""

import json

import pytest

from tests.commands import refused, run
from tests.tiny import other_bundle
from ticketing.cli import models
from ticketing.errors import Conflict, InputError, NotFound, NotReady
from ticketing.tickets import ModelKind

pytestmark = pytest.mark.usefixtures("home")


def test_no_bundles_are_said_to_be_none(home):
    assert "no bundles yet" in run(models.command, "list")


def test_the_list_marks_what_serves_and_says_what_it_learned_from(desk, trained):
    [line] = run(models.command, "list").splitlines()
    assert line.startswith(f"* {trained[1]}")
    assert "40 tickets, 72 labels; compares h+E+T+L; loss in-batch" in line


@pytest.mark.parametrize("command", ["compare", "promote", "delete"])
def test_an_unknown_bundle_is_not_found(desk, command):
    assert "no bundle 'nowhere'" in refused(NotFound, models.command, command, "nowhere")


def test_comparing_needs_something_to_compare_with(home):
    assert "name the other" in refused(InputError, models.command, "compare", "nowhere")


def test_nothing_to_compare_on_is_said(desk, trained):
    told = run(models.command, "compare", trained[1])
    assert "no test query has a YES" in told


def test_the_serving_bundle_is_neither_promoted_again_nor_deleted(desk, trained):
    assert "serves already" in run(models.command, "promote", trained[1])
    assert "serves" in refused(Conflict, models.command, "delete", trained[1])
    assert desk.models.ids() == [trained[1]]


@pytest.mark.parametrize("written", ["{}/", "./{}", "x/../{}"])
def test_a_folder_is_no_id_of_a_bundle(desk, trained, written):
    """A shell completes the name of a folder with a slash."""
    with pytest.raises(NotFound, match="There is no bundle"):
        run(models.command, "delete", written.format(trained[1]))
    assert desk.models.is_here(trained[1])


def test_a_bundle_that_does_not_serve_is_deleted_with_its_codes(desk, trained, home):
    desk.store.set_serving("another")
    assert "is deleted" in run(models.command, "delete", trained[1])
    assert desk.models.ids() == [] and desk.store.count_codes(trained[1]) == 0


def test_there_is_nothing_to_roll_back_to(desk):
    assert "nothing to go back to" in refused(NotReady, models.command, "rollback")


# bundles of another version or kind ---------------------------------------------------


def grow_old(folder, bundle_id: str) -> str:
    """Make a bundle one of format 3, as an earlier version wrote them; returns its id."""
    path = folder / bundle_id / "manifest.json"
    manifest = {**json.loads(path.read_text()), "version": 3}
    del manifest["kind"]
    path.write_text(json.dumps(manifest))
    return bundle_id


def test_an_old_bundle_is_listed_with_what_to_do_among_the_others(desk, trained):
    facts = {"data": {"titles": 24, "categories": 2}, "network": {}}
    new = desk.models.save(facts, {}, {}, ModelKind.CATEGORIES)
    desk.store.set_serving(new, ModelKind.CATEGORIES)
    old = grow_old(desk.models.folder, trained[1])
    first, second = run(models.command, "list").splitlines()
    assert first.endswith(
        f"Bundle {old} has format 3, written by an earlier version; train again with `ticketing"
        f" train` and delete it with `ticketing models delete {old}`."
    )
    assert second.startswith(f"* {new}") and second.endswith("24 titles in 2 categories")


def test_an_old_bundle_that_serves_gives_way_to_a_new_one_and_can_be_deleted(desk, trained):
    old = other_bundle(desk, trained[1])
    desk.store.set_serving(old)
    grow_old(desk.models.folder, old)
    told = run(models.command, "promote", trained[1])
    said = f"Bundle {trained[1]} serves now: it could not be compared. Bundle {old} has format 3"
    assert said in told
    assert "is deleted" in run(models.command, "delete", old)
    assert desk.models.ids() == [trained[1]]
