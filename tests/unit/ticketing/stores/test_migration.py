"""Everything in a store goes to another one, resumes, and is compared to the last event."""

from contextlib import closing
from datetime import datetime

import pytest
from click.testing import CliRunner

from tests.filled import TICKETS, fill
from ticketing.cli.migrate import command
from ticketing.desk.restore import FILLING
from ticketing.errors import InputError, StoreError
from ticketing.jobs import JobKind, JobState
from ticketing.model.registry import Registry
from ticketing.people import Account, Role
from ticketing.stores.migration import AT_ONCE, copy_all, require_equal
from ticketing.stores.sqlite import SQLiteStore
from ticketing.tickets import ModelKind, Query, Ticket, Verdict


def shown(what, total, unit=""):
    return lambda count: None


def as_they_are(bundle_id, rows):
    return rows


@pytest.fixture
def source(tmp_path):
    store = SQLiteStore(tmp_path / "source")
    fill(store)
    yield store
    store.close()


@pytest.fixture
def target(tmp_path):
    store = SQLiteStore(tmp_path / "target")
    yield store
    store.close()


def test_everything_is_copied_and_found_equal(source, target):
    copy_all(source, target, as_they_are, shown)
    require_equal(source, target, shown)
    assert target.count_tickets() == 1202
    assert [event.event_id for event in target.judgments()] == ["e2", "e1", "e3"]
    assert [event.event_id for event in target.verdicts()] == ["v2", "v1", "v3"]
    assert target.serving(ModelKind.CATEGORIES) == "c1"
    assert [job.kind for job in target.jobs()] == ["training", "reindex"]
    assert target.stale_ids("b1") == ["T-7"]
    assert (target.serving(), target.previous_serving()) == ("b1", "b2")


def test_a_file_that_is_dropped_meanwhile_is_left_out(source, target, monkeypatch):
    """As the files of an import are at its end, which a backup of servers does not wait for."""
    source.put_file("import/7f/0", [b"id,subject"])
    read = source.file_chunks

    def dropped(name):
        source.drop_file("import/7f/0")
        return read(name)

    monkeypatch.setattr(source, "file_chunks", dropped)
    copy_all(source, target, as_they_are, shown)
    assert target.files("import/7f/") == []
    require_equal(source, target, shown)


def test_a_bundle_that_is_promoted_meanwhile_does_not_serve_in_the_copy(source, target):
    """Its codes had been copied before they were all there: a restored desk found few tickets."""

    def promoted(bundle_id, rows):
        source.set_serving("b3")
        return rows

    copy_all(source, target, promoted, shown)
    assert (target.serving(), target.previous_serving()) == ("b1", "b2")
    assert target.stale_ids("b1") == ["T-7"]


def test_copying_again_changes_nothing(source, target):
    for _ in range(2):
        copy_all(source, target, as_they_are, shown)
        require_equal(source, target, shown)
        assert target.count_codes("b1") == 1201


@pytest.mark.parametrize("after", [0, 1, 2, 3, 5, 8])
def test_an_interrupted_copy_goes_on_where_it_stopped(source, target, after):
    left = after

    def stop(what, total):
        def went(count):
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt

        return went

    with pytest.raises(KeyboardInterrupt):
        copy_all(source, target, as_they_are, stop)
    copy_all(source, target, as_they_are, shown)
    require_equal(source, target, shown)


def test_a_job_that_moved_on_since_is_copied_again(source, target):
    """A copy that was interrupted could not be ended, as that job was never equal."""
    under_way = source.create_job(JobKind.IMPORT, "", 5)
    given_up = source.create_job(JobKind.REINDEX, "b9", 5)
    source.update_job(given_up.id, state=JobState.FAILED)
    instead = source.create_job(JobKind.REINDEX, "b9", 5)
    copy_all(source, target, as_they_are, shown)
    source.update_job(under_way.id, state=JobState.DONE, done=5)
    source.update_job(instead.id, state=JobState.CANCELLED)
    source.reopen_job(given_up.id)
    copy_all(source, target, as_they_are, shown)
    require_equal(source, target, shown)
    assert [job.id for job in target.jobs()] == [job.id for job in source.jobs()]


CHANGES = {
    "tickets": lambda store: store.put_tickets([Ticket("T-5", "another")]),
    "tickets that are more": lambda store: store.put_tickets([Ticket("Z", "one more")]),
    "queries": lambda store: store.put_query(Query("asked since")),
    "verdicts": lambda store: store.add_verdicts(
        [Verdict("new", "q", "SGT-400", True, "bob", datetime(2024, 1, 1))]
    ),
    "jobs": lambda store: store.create_job(JobKind.REINDEX, "b3", 1),
    "codes": lambda store: store.drop_codes("b2"),
    "serving": lambda store: store.set_serving("b3"),
    "serving classifier": lambda store: store.set_serving("c2", ModelKind.CATEGORIES),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_difference_is_named(source, target, change):
    copy_all(source, target, as_they_are, shown)
    CHANGES[change](target)
    with pytest.raises(StoreError, match=f"The copy is not equal: of the {change.split()[0]}"):
        require_equal(source, target, shown)


def test_progress_adds_up_to_what_there_is(source, target):
    gone = {}

    def shown(what, total):
        gone[what] = [total, 0]
        return lambda count: gone[what].__setitem__(1, gone[what][1] + count)

    copy_all(source, target, as_they_are, shown)
    assert gone["tickets"] == [1202, 1202]
    assert gone["codes of b1"] == [1201, 1201]
    assert gone["judgments"] == [None, 3]
    assert AT_ONCE < 1202


def test_the_command_moves_a_desk_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path))
    old = SQLiteStore(tmp_path / "old")
    old.put_tickets(TICKETS[:9])
    old.close()
    addresses = [f"sqlite:///{tmp_path / name}" for name in ("old", "new")]
    result = CliRunner().invoke(command, addresses, catch_exceptions=False)
    assert "9 tickets and all that belongs to them are equal in both." in result.output
    new = SQLiteStore(tmp_path / "new")
    assert [ticket.id for ticket in new.iter_tickets()] == [f"T-{i}" for i in range(9)]
    new.close()


def test_a_desk_in_ones_own_folder_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    with closing(SQLiteStore(tmp_path / "old")) as old:
        old.put_tickets(TICKETS[:3])
    CliRunner().invoke(command, ["sqlite:///~/old", "sqlite:///~/new"], catch_exceptions=False)
    with closing(SQLiteStore(tmp_path / "new")) as new:
        assert new.count_tickets() == 3


def test_an_account_that_was_disabled_since_stays_so(source, target):
    """A second copy let somebody in again."""
    source.put_account(Account("ann", "hash", Role.ADMIN))
    copy_all(source, target, as_they_are, shown)
    target.put_account(Account("ann", "other", Role.ADMIN, disabled=True))
    copy_all(source, target, as_they_are, shown)
    assert target.get_account("ann").disabled
    with pytest.raises(StoreError, match="of the accounts"):
        require_equal(source, target, shown)


def test_bundles_of_another_desk_do_not_come_along(tmp_path, monkeypatch):
    """Those of TICKETING_HOME went into source and target, whichever desk the source was."""
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "mine"))
    Registry(tmp_path / "mine" / "models").save({}, {"a": {"mine": 1}}, {})
    theirs = Registry(tmp_path / "old" / "models").save({}, {"a": {"theirs": 1}}, {})
    with closing(SQLiteStore(tmp_path / "old")) as store:
        store.set_serving(theirs)
    addresses = [f"sqlite:///{tmp_path / name}" for name in ("old", "new")]
    CliRunner().invoke(command, addresses, catch_exceptions=False)
    for name in ("old", "new"):
        with closing(SQLiteStore(tmp_path / name)) as store:
            assert {file.name.split("/")[1] for file in store.files("bundle/")} == {theirs}


def test_a_half_restored_desk_is_not_copied(tmp_path, monkeypatch):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path / "old"))
    SQLiteStore(tmp_path / "old").close()
    (tmp_path / "old" / FILLING).touch()
    addresses = [f"sqlite:///{tmp_path / name}" for name in ("old", "new")]
    with pytest.raises(StoreError, match="was interrupted; run `ticketing restore` again"):
        CliRunner().invoke(command, addresses, catch_exceptions=False)
    assert not (tmp_path / "new").exists()


def test_codes_without_their_bundle_are_refused_with_what_to_do(tmp_path, monkeypatch, source):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path))
    addresses = [f"sqlite:///{tmp_path / name}" for name in ("source", "target")]
    with pytest.raises(InputError, match=r"codes of bundle b1 cannot be moved without it: .*HOME"):
        CliRunner().invoke(command, addresses, catch_exceptions=False)


def test_a_store_is_not_moved_onto_itself(tmp_path):
    with pytest.raises(InputError, match="same store"):
        CliRunner().invoke(command, ["sqlite:///a", "sqlite:///a"], catch_exceptions=False)


def test_a_folder_that_is_written_in_two_ways_is_one_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SQLiteStore(tmp_path / "d").close()
    (tmp_path / "link").symlink_to("d")
    for other in (f"sqlite:///{tmp_path}/d/", "sqlite:///d", "sqlite:///link"):
        with pytest.raises(InputError, match="same store; name two"):
            addresses = [f"sqlite:///{tmp_path}/d", other]
            CliRunner().invoke(command, addresses, catch_exceptions=False)


def test_an_address_of_no_known_kind_is_refused_with_what_fits_a_source_and_a_target(tmp_path):
    with pytest.raises(InputError) as refused:
        CliRunner().invoke(command, ["foo", "bar"], catch_exceptions=False)
    assert str(refused.value) == (
        "The store 'foo' is of no known kind; name a server as http://host:9200 or"
        " https://host:9200, or a folder as sqlite:////srv/desk, or leave TICKETING_STORE empty"
        " for SQLite in the home."
    )


def test_a_source_that_holds_no_desk_is_refused_and_nothing_is_made(tmp_path):
    addresses = [f"sqlite:///{tmp_path / name}" for name in ("gone", "new")]
    with pytest.raises(
        InputError, match=r"gone holds no desk, as it has no tickets\.sqlite3; name"
    ):
        CliRunner().invoke(command, addresses, catch_exceptions=False)
    assert not list(tmp_path.iterdir())


def test_sqlite_without_a_folder_is_no_store(tmp_path):
    SQLiteStore(tmp_path).close()
    for addresses in ([f"sqlite:///{tmp_path}", "sqlite:///"], ["sqlite:///", "sqlite:///x"]):
        with pytest.raises(InputError, match="sqlite:/// names no folder; write one behind it"):
            CliRunner().invoke(command, addresses, catch_exceptions=False)


@pytest.mark.parametrize(
    ("add", "said"),
    [
        (lambda store: store.put_tickets([Ticket("X-1", "Mine")]), "ticket X-1"),
        (lambda store: store.put_account(Account("bob", "", Role.ADMIN)), "account bob"),
    ],
)
def test_a_desk_is_not_poured_into_another_one(tmp_path, monkeypatch, source, target, add, said):
    monkeypatch.setenv("TICKETING_HOME", str(tmp_path))
    add(target)
    before = target.count_tickets()
    addresses = [f"sqlite:///{tmp_path / name}" for name in ("source", "target")]
    with pytest.raises(InputError, match=f"holds another desk: the source has no {said};"):
        CliRunner().invoke(command, addresses, catch_exceptions=False)
    assert target.count_tickets() == before and list(target.judgments()) == []
