"""Two homes on one store: bundles travel through it, and nobody copies a folder."""

import json
import os
import shutil
import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.tiny import other_bundle
from ticketing import files
from ticketing.desk import Desk, loaded, open_desk
from ticketing.desk.workspace import Sampling
from ticketing.errors import BundleAway, BundleError, Conflict, NotFound, NotReady
from ticketing.files import link_or_copy
from ticketing.jobs import JobKind, JobState
from ticketing.model.bundle import MANIFEST
from ticketing.settings import load_settings
from ticketing.tickets import ModelKind, Query, Ticket
from ticketing.times import utc_now

ASKED = Query("Barring drive pawl faulty", "Break-away torque greater than the drive can give.")


@pytest.fixture
def homes(tmp_path, trained, archive_tickets):
    """Opens desks in homes of their own on one store; the first has the tiny bundle, which
    serves."""
    opened: list[Desk] = []

    def home(name: str) -> Desk:
        settings = load_settings(home=tmp_path / name, store=f"sqlite:///{tmp_path / 'store'}")
        opened.append(open_desk(settings))
        return opened[-1]

    first = home("first")
    shutil.copytree(trained[0], first.models.folder)
    first.store.put_tickets(archive_tickets)
    first.store.put_codes(trained[1], first.encode(trained[1], archive_tickets))
    first.promote(trained[1])
    home.first = first
    yield home
    for desk in opened:
        desk.close()


def encoded(desk) -> str:
    """Another bundle of this home, with codes of every ticket."""
    other = other_bundle(desk, desk.store.serving())
    desk.store.put_codes(other, desk.encode(other, list(desk.store.iter_tickets())))
    return other


def best(desk) -> list[str]:
    return [ticket_id for ticket_id, _ in desk.recommender().rank(ASKED)]


def test_a_bundle_is_fetched_by_whoever_is_asked(homes, trained):
    second = homes("second")
    assert best(second) == best(homes.first)
    for path in (homes.first.models.folder / trained[1]).iterdir():
        assert (second.models.folder / trained[1] / path.name).read_bytes() == path.read_bytes()


def test_a_bundle_lies_on_one_disk_once(homes, trained):
    homes("second").recommend(ASKED)
    for path in (homes.first.models.folder / trained[1]).iterdir():
        assert path.stat().st_nlink == 3, path.name  # of both homes and of the store


def test_a_bundle_that_is_shared_is_not_sent_again(homes, trained, monkeypatch):
    store = homes.first.store
    before = store.files()
    homes.first.models.share_all()
    homes("second").models.share(trained[1])
    assert store.files() == before


def test_two_processes_of_a_home_share_a_bundle_at_once(homes, monkeypatch):
    """As those of `ticketing work` do at its first start; each has looked what is there before."""
    desk, beside = homes.first, homes("first")
    monkeypatch.setattr(beside.whole, "files", lambda prefix="": [])
    other = other_bundle(desk, desk.store.serving())
    link, places = files.link_or_copy, []

    def meanwhile(place, target):
        link(place, target)
        places.append(place)
        if len(places) == 1:
            beside.models.share(other)

    monkeypatch.setattr(files, "link_or_copy", meanwhile)
    desk.models.share(other)
    assert len(places) > 1
    assert homes("second").models.load(other).id == other
    assert desk.models.load(other).id == other


def test_of_two_processes_of_a_home_that_fetch_a_bundle_the_second_replaces_nothing(
    homes, trained, monkeypatch
):
    """It deleted the files that the first one was loading, whose job failed by that."""
    desk, beside, link, folders = homes("second"), homes("second"), link_or_copy, []

    def meanwhile(place, target):
        link(place, target)
        if not folders:
            folders.append(None)
            folders[:] = [beside.models.require(trained[1]).stat()]

    monkeypatch.setattr("ticketing.desk.models.link_or_copy", meanwhile)
    assert os.path.samestat(desk.models.require(trained[1]).stat(), folders[0])
    assert list(desk.models.folder.glob(".*")) == []


def test_an_interrupted_share_goes_on(homes, monkeypatch):
    desk, put = homes.first, homes.first.store.put_file
    other = other_bundle(desk, desk.store.serving())
    left = [1, 1]

    def dies(name, chunks):
        if not left:
            raise KeyboardInterrupt
        left.pop()
        return put(name, chunks)

    with monkeypatch.context() as dying, pytest.raises(KeyboardInterrupt):
        dying.setattr(desk.store, "put_file", dies)
        desk.models.share(other)
    second = homes("second")
    assert other not in second.models.ids()
    with pytest.raises(NotFound, match=f"no bundle '{other}', neither here nor in the store"):
        second.models.load(other)
    desk.models.share(other)
    assert second.models.load(other).id == other


def test_the_newest_bundle_is_the_newest_everywhere(homes, trained):
    """The first one is trained again after the other one."""
    first, second = homes.first, homes("second")
    other = first.bundle(other_bundle(first, trained[1]))
    assert second.bundle() == first.bundle() == other
    path = first.models.folder / trained[1] / MANIFEST
    later = utc_now() + timedelta(minutes=1)
    again = path.with_name("again")  # renamed over the other, which the store has too
    again.write_text(json.dumps(json.loads(path.read_text()) | {"trained": later.isoformat()}))
    again.rename(path)
    first.models.share(trained[1])
    assert first.bundle() == trained[1]
    assert homes("third").bundle() == trained[1]


def test_what_is_listed_is_not_fetched(homes, trained):
    second = homes("second")
    assert second.models.ids(ModelKind.RANKING) == [trained[1]]
    assert second.models.ids(ModelKind.CATEGORIES) == []
    assert second.models.manifest(trained[1]) == homes.first.models.manifest(trained[1])
    assert not second.models.is_here(trained[1])


@pytest.mark.parametrize("name", [MANIFEST, "network.safetensors"])
def test_a_bundle_that_is_damaged_in_the_store_is_not_kept(homes, trained, name):
    homes.first.store.put_file(f"bundle/{trained[1]}/{name}", [b"{}"])
    second = homes("second")
    with pytest.raises((BundleAway, BundleError)):
        second.models.load(trained[1])
    assert not second.models.is_here(trained[1])
    assert list(second.models.folder.glob("*")) == list(second.models.folder.glob(".*")) == []


def test_a_full_disk_says_so_and_keeps_nothing(homes, trained, monkeypatch):
    second = homes("second")

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("ticketing.desk.models.link_or_copy", full)
        with pytest.raises(BundleAway, match=r"cannot be kept on this machine .No space left"):
            second.models.require(trained[1])
    assert second.models.require(trained[1]).is_dir()


def test_threads_fetch_a_bundle_once(homes, trained):
    second, found = homes("second"), []
    threads = [
        threading.Thread(target=lambda: found.append(second.models.load(trained[1]).id))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [trained[1]] * 4


def test_promotion_before_any_copy_has_arrived(homes):
    """The folder of models is never copied: whoever promotes has put the bundle into the store."""
    second = homes("second")
    second.recommend(ASKED)
    other = encoded(homes.first)
    homes.first.promote(other, force=True)
    assert second.recommender(other).model.id == other
    assert best(second) == best(homes.first)
    assert second.readiness().missing == []


def test_a_bundle_that_nobody_put_there_leaves_the_last_one_serving(homes, trained):
    """Whoever promoted it ran an older program, which knew nothing of files in a store."""
    second = homes("second")
    before = best(second)
    other = encoded(homes.first)
    homes.first.store.set_serving(other)
    assert best(second) == before
    third = homes("third")
    assert third.recommend(ASKED).bundle_id == trained[1], "it asks for the first time"
    state = third.readiness()
    assert not state.ready
    assert other in state.missing[0] and "neither here nor in the store" in state.missing[0]
    assert str(third.settings.home) not in state.missing[0]
    homes.first.models.share_all()
    assert third.recommender(other).model.id == other


def test_without_any_bundle_that_can_be_had_it_says_which_is_missing(homes, trained):
    second = homes("second")
    homes.first.store.set_serving("gone")
    homes.first.store.set_serving("gone2")
    with pytest.raises(BundleAway, match="gone2 is not on this machine yet"):
        second.recommend(ASKED)
    assert BundleAway.status == 503 and BundleAway.retry


def test_work_under_a_bundle_that_is_not_here_may_be_done_elsewhere(homes):
    """Encoding, and comparing a bundle that is to serve: neither takes it for a worse one."""
    second, other = homes("second"), encoded(homes.first)
    for work in (lambda: second.encode(other, [Ticket("A", "a")]), lambda: second.compared(other)):
        with pytest.raises(BundleAway, match=f"Bundle {other} is not on this machine yet"):
            work()
    homes.first.bundle(other)
    assert len(second.encode(other, [Ticket("A", "a")])) == 1


def test_a_deleted_bundle_is_gone_from_every_machine(homes, trained):
    first, second = homes.first, homes("second")
    other = encoded(first)
    first.bundle(other)
    second.models.require(other)
    second.delete_bundle(other)
    assert homes("third").models.ids() == [trained[1]]
    assert first.store.count_codes(other) == 0


def test_a_deleted_bundle_is_not_put_back_by_a_machine_that_has_it_still(homes, trained):
    """The next start of any other machine did so."""
    first, second = homes.first, homes("second")
    other = encoded(first)
    first.bundle(other)
    second.models.require(other)
    first.delete_bundle(other)
    second.models.share_all()
    assert first.models.ids() == [trained[1]]
    assert [bundle.id for bundle in second.bundle_list()] == [trained[1]]


def test_codes_whose_bundle_is_gone_can_be_deleted(homes, trained):
    other = encoded(homes.first)
    homes.first.models.delete(other)
    [found] = [each for each in homes.first.findings() if other in each.where]
    assert "the bundle is neither here nor in the store" in found.what
    homes.first.delete_bundle(other)
    assert homes.first.store.bundles() == [trained[1]]
    with pytest.raises(NotFound, match=other):
        homes.first.delete_bundle(other)


def test_a_bundle_that_a_job_works_on_is_not_deleted(homes):
    desk = homes.first
    other = encoded(desk)
    job = desk.store.create_job(JobKind.REINDEX, other, 40)
    with pytest.raises(Conflict, match=f"Job {job.id} works on bundle {other} .reindex.; cancel"):
        desk.delete_bundle(other)
    assert other in desk.models.ids()
    assert desk.store.count_codes(other) == 40
    desk.store.update_job(job.id, state=JobState.CANCELLED)
    desk.delete_bundle(other)
    assert other not in desk.models.ids()


def test_the_list_of_bundles_names_one_that_is_deleted_while_it_is_made(
    homes, trained, monkeypatch
):
    """The page answered that it does not exist."""
    desk, saved = homes.first, homes.first.models.saved
    other = encoded(desk)

    def deleted_next():
        monkeypatch.setattr(desk.models, "saved", saved)
        found = saved()
        desk.delete_bundle(other)
        return found

    monkeypatch.setattr(desk.models, "saved", deleted_next)
    about = {bundle.id: bundle.about for bundle in desk.bundle_list()}
    assert about.keys() == {trained[1], other}
    assert about[other].startswith(f"There is no bundle '{other}'")


def test_a_round_needs_a_bundle_with_codes_and_says_when_they_are_gone(homes, trained):
    """A round of a deleted bundle was "done", 0 of 0 tickets judged; one of a bundle that had
    encoded nothing found it to differ most in every query."""
    desk, second = homes.first, homes("second")
    second.recommend(ASKED)
    other = desk.bundle(other_bundle(desk, trained[1]))
    with pytest.raises(NotReady, match=f"No ticket is encoded with bundle {other}"):
        desk.choose_round(Sampling.DIFFERENT, "ann", 5, 1, other)
    begun = desk.choose_round(Sampling.RANDOM, "ann", 5, 1)
    assert begun.bundles == (trained[1],)
    desk.store.set_serving(other)
    desk.delete_bundle(trained[1])
    with pytest.raises(NotReady, match="or it was deleted; begin a round with another one"):
        second.pairs(begun, "ann")


def test_a_ticket_put_meanwhile_is_found_under_both(homes, trained, monkeypatch):
    second = homes("second")
    second.recommend(ASKED)
    other = encoded(homes.first)
    loading, go_on = threading.Event(), threading.Event()
    load = second.models.load

    def slow(bundle_id, *arguments):
        loading.set()
        assert go_on.wait(30)
        return load(bundle_id, *arguments)

    monkeypatch.setattr(second.models, "load", slow)
    homes.first.promote(other, force=True)
    asked = replace(ASKED, description="")
    assert second.recommend(asked).bundle_id == trained[1]
    assert loading.wait(30)
    assert second.readiness().ready
    assert second.readiness().missing == [
        f"Bundle {other} is being loaded; bundle {trained[1]} answers until then."
    ]
    homes.first.put_tickets([Ticket("theirs", "Barring drive pawl faulty")])
    putting = threading.Thread(
        target=second.put_tickets, args=([Ticket("ours", "Barring drive pawl faulty")],)
    )
    putting.start()
    found = _until(second, asked, {"ours", "theirs"})
    assert found.bundle_id == trained[1]
    go_on.set()
    putting.join()
    second.recommender(other)
    while second.recommend(asked).bundle_id != other:
        pass
    assert {"ours", "theirs"} <= _ids(second.recommend(asked))
    assert {"ours", "theirs"} <= _ids(homes.first.recommend(asked))


def test_a_bundle_that_is_deleted_while_a_process_still_answers_with_it_is_not_encoded_again(
    homes, trained, monkeypatch
):
    """That process kept its codes up to date, and so encoded every ticket anew."""
    second, put_again, go_on = homes("second"), threading.Event(), threading.Event()
    second.recommend(ASKED)
    other = encoded(homes.first)
    load, put_codes = second.models.load, second.store.put_codes

    def slow(bundle_id, *arguments):
        assert go_on.wait(30)
        return load(bundle_id, *arguments)

    def put(*arguments):
        put_codes(*arguments)
        put_again.set()

    monkeypatch.setattr(second.models, "load", slow)
    monkeypatch.setattr(second.store, "put_codes", put)
    monkeypatch.setattr(loaded, "KEEP_UP_SECONDS", 0.01)
    homes.first.promote(other, force=True)
    assert second.recommend(ASKED).bundle_id == trained[1]
    homes.first.delete_bundle(trained[1])
    assert not put_again.wait(0.5)
    go_on.set()
    assert second.recommend(ASKED).bundle_id == other
    assert homes.first.store.bundles() == [other]


def _ids(answer):
    return {each.ticket.id for item in answer.items for each in (item, *item.like)}


def _until(desk, query, wanted):
    while not wanted <= _ids(answer := desk.recommend(query)):
        pass
    return answer


def test_an_id_that_is_longer_than_the_disk_takes_is_an_unknown_one(desk):
    """The disk's own refusal was an error of ours, on the page and in the API."""
    assert not desk.models.is_here("a" * 300)
    with pytest.raises(NotFound):
        desk.models.manifest("a" * 300)
