"""A new bundle is built, promoted and rolled back while people search and tickets come and go."""

import threading
import time
from collections import defaultdict
from dataclasses import replace

import pytest
from click.testing import CliRunner

from tests.live.encoding_desk import TimedDesk, finished, wait_until, workers
from tests.tiny import other_bundle
from ticketing.cli.models import rollback
from ticketing.jobs import Promotion
from ticketing.tickets import Query
from worker import jobs
from worker.app import make_app

pytestmark = [pytest.mark.worker, pytest.mark.slow]

COPIES = 12


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("elasticsearch", marks=[pytest.mark.elasticsearch, pytest.mark.redis]),
    ]
)
def desk(request, tiny_home, trained, archive_tickets, monkeypatch):
    """The tiny bundle serves 480 tickets, the archive's and others much like them."""
    monkeypatch.setenv("TICKETING_HOME", str(tiny_home))
    if request.param == "elasticsearch":
        settings = request.getfixturevalue("elasticsearch_settings")
        monkeypatch.setenv("TICKETING_STORE", settings.store)
        monkeypatch.setenv("TICKETING_STORE_PREFIX", settings.store_prefix)
        monkeypatch.setenv("TICKETING_BROKER", request.getfixturevalue("redis_url"))
    desk = TimedDesk(tiny_home)
    desk.store.set_serving(trained[1])
    desk.put_tickets(
        [
            replace(ticket, id=f"{ticket.id}-{copy}", subject=f"{ticket.subject} {copy}")
            for ticket in archive_tickets
            for copy in range(COPIES)
        ]
    )
    yield desk
    desk.close()


class Searchers:
    """Threads that ask all the time and keep what they were told, until the block ends."""

    def __init__(self, desk, queries, count=2):
        self.answers, self.failures = defaultdict(list), []
        self._desk, self._queries, self._stop = desk, queries, threading.Event()
        self._threads = [threading.Thread(target=self._search, args=(i,)) for i in range(count)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _search(self, searcher):
        while not self._stop.is_set():
            for query in self._queries:
                try:
                    self.answers[searcher].append(self._desk.recommend(query))
                except Exception as error:
                    self.failures.append(error)


def asked(ticket) -> Query:
    return Query(ticket.subject, ticket.description)


def distances_of(recommender, query) -> dict[str, float]:
    """By ticket, before anything is rescored."""
    compared = recommender.compare(query)
    return dict(zip(compared.block.ids, compared.distances.tolist(), strict=True))


def assert_changes_are_right(desk, came, changed, gone):
    """In a ticket's own words none is nearer than it; what is gone is not found."""
    for ticket in (*came, *changed):
        distances = distances_of(desk.recommender(), asked(ticket))
        assert distances[ticket.id] == min(distances.values()), ticket.id
    found = {i.ticket.id for ticket in gone for i in desk.recommend(asked(ticket)).items}
    assert not found & {ticket.id for ticket in gone}
    assert desk.store.stale_ids(desk.store.serving()) == []


def test_searches_never_notice_that_another_bundle_is_built_and_takes_over(
    desk, trained, archive_tickets
):
    old, new = trained[1], other_bundle(desk, trained[1])
    tickets = list(desk.store.iter_tickets())
    gone, before, rest = tickets[:5], tickets[100:105], tickets[200:]
    changed = [replace(t, subject=f"changed {t.id}", description="zebra") for t in before]
    came = [replace(t, id=f"new-{t.id}", subject=f"came {t.id}") for t in tickets[250:255]]
    queries = [asked(ticket) for ticket in rest[::50]]

    with workers(desk.settings.home, TimedDesk) as start, Searchers(desk, queries) as searchers:
        start(seconds=0.01)
        job = jobs.start_reindex(desk, make_app(desk.settings), new, Promotion.NEVER)
        for one in range(5):
            wait_until(lambda: desk.store.count_codes(new) > 90 * one)  # noqa: B023
            desk.put_tickets([came[one], changed[one]])
            desk.delete_tickets([gone[one].id])
        assert finished(desk, job).state == "done"
        assert desk.promote(new, force=True) == f"Bundle {new} serves now."
        told = {searcher: len(answers) for searcher, answers in searchers.answers.items()}
        wait_until(lambda: all(len(searchers.answers[i]) > told[i] + 9 for i in told))

    assert searchers.failures == []
    moved = {ticket.id for ticket in (*gone, *changed, *came)}
    expected = {
        (bundle, query.id): distances_of(desk.recommender(bundle), query)
        for bundle in (old, new)
        for query in queries
    }
    for answers in searchers.answers.values():
        bundles = [answer.bundle_id for answer in answers]
        switched = bundles.index(new)
        assert bundles == [old] * switched + [new] * (len(bundles) - switched)
        for answer in answers:
            assert sum(1 + len(item.like) for item in answer.items) >= 10
            distances = expected[answer.bundle_id, answer.query.id]
            for item in answer.items:
                if item.ticket.id not in moved:
                    assert item.distance == pytest.approx(distances[item.ticket.id], abs=1e-6)
    assert desk.store.count_codes(new) == desk.store.count_tickets() == len(tickets)
    assert_changes_are_right(desk, came, changed, gone)

    later = replace(rest[0], id="later", subject="later than the switch")
    desk.put_tickets([later])
    began = time.monotonic()
    result = CliRunner().invoke(rollback, catch_exceptions=False)
    took = time.monotonic() - began
    assert result.output == f"Bundle {old} serves again.\n"
    assert_changes_are_right(desk, [*came, later], changed, gone)
    total = sum(map(len, searchers.answers.values()))
    print(f"{total} searches, 0 failures; rolled back in {took:.1f} s")
