"""Three Elasticsearch nodes; the leading one loses power while people search, judge and reindex."""

import threading
import time
import uuid

import pytest
from elasticsearch import Elasticsearch

from tests.live.encoding_desk import TimedDesk, finished, wait_until, workers
from tests.live.test_reindex_load import Searchers, asked
from tests.servers import elasticsearch_server
from tests.tiny import other_bundle
from ticketing.errors import StoreAway
from ticketing.jobs import Promotion
from ticketing.stores.blocks import CodeRow
from ticketing.tickets import Grade
from worker import jobs
from worker.app import make_app

pytestmark = [
    pytest.mark.elasticsearch,
    pytest.mark.redis,
    pytest.mark.worker,
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def cluster(elasticsearch_program):
    with elasticsearch_server(nodes=3) as server:
        yield server


@pytest.fixture
def desk(cluster, redis_url, tiny_home, trained, archive_tickets, monkeypatch):
    """A real desk that knows all three addresses; its tiny bundle serves forty tickets."""
    monkeypatch.setenv("TICKETING_STORE", cluster.url)
    monkeypatch.setenv("TICKETING_STORE_PREFIX", f"t{uuid.uuid4().hex}")
    monkeypatch.setenv("TICKETING_BROKER", redis_url)
    desk = TimedDesk(tiny_home)
    desk.store.set_serving(trained[1])
    desk.put_tickets(archive_tickets)
    yield desk
    desk.close()


class Judges:
    """A thread that judges all the time; what is refused it sends again, as the page does."""

    def __init__(self, desk, query):
        self.sent, self.refused = [], []
        self._desk, self._query, self._stop = desk, query, threading.Event()
        self._ids = [ticket.id for ticket in desk.store.iter_tickets()]
        self._thread = threading.Thread(target=self._judge)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _judge(self):
        while not self._stop.wait(0.05):
            event = f"event-{len(self.sent)}"
            ticket = self._ids[len(self.sent) % len(self._ids)]
            while True:
                try:
                    self._desk.judge(self._query.id, ticket, Grade.YES, "ann", event_id=event)
                except StoreAway as error:
                    self.refused.append(error)
                    time.sleep(0.2)
                    continue
                self.sent.append(event)
                break


def test_what_is_written_first_to_a_new_index_is_on_two_nodes(desk, cluster):
    """Were it on one alone, and that node lost, nobody could write before it comes back."""
    prefix = desk.settings.store_prefix
    with Elasticsearch(cluster.url.split(",")) as client:
        for number in range(5):
            desk.store.put_codes(f"other{number}", encoded(desk))
            copies = client.cat.shards(index=f"{prefix}-codes-other{number}", format="json")
            assert sorted((copy["prirep"], copy["state"]) for copy in copies) == [
                ("p", "STARTED"),
                ("r", "STARTED"),
            ]


def encoded(desk):
    """Codes of a ticket, as a bundle gives them."""
    ticket = next(iter(desk.store.iter_tickets()))
    return [CodeRow(ticket.id, ticket.version, b"code")]


def test_a_node_that_dies_takes_nothing_along_and_searches_go_on(
    desk, cluster, trained, archive_tickets
):
    new = other_bundle(desk, trained[1])
    queries = [asked(ticket) for ticket in archive_tickets[::10]]
    desk.store.put_query(queries[0])
    with Elasticsearch(cluster.url.split(",")) as client:
        leader = int(client.cat.master(format="json")[0]["node"].removeprefix("node"))

        def state():
            return client.cluster.health()["status"]

        wait_until(lambda: state() == "green")
        with (
            workers(desk.settings.home, TimedDesk) as start,
            Searchers(desk, queries) as searchers,
            Judges(desk, queries[0]) as judges,
        ):
            more = list(_more(archive_tickets))
            desk.put_tickets(more)
            start(seconds=0.03)
            job = jobs.start_reindex(desk, make_app(desk.settings), new, Promotion.NEVER)
            wait_until(lambda: desk.store.count_codes(new) > 0)
            cluster.do("kill", leader)
            before = sum(map(len, searchers.answers.values())), len(judges.sent)
            record = finished(desk, job)
            wait_until(lambda: len(judges.sent) > before[1] + 10)
            wait_until(lambda: sum(map(len, searchers.answers.values())) > before[0] + 10)
            assert state() == "yellow", "a node is missing, and every part is there"
            desk.promote(new, force=True)
            cluster.start()
            wait_until(lambda: state() == "green")

    assert (record.state, record.message) == ("done", "done")
    assert desk.store.count_codes(new) == desk.store.count_tickets() == 40 + len(more)
    assert sorted(e.event_id for e in desk.store.judgments()) == sorted(judges.sent)
    assert searchers.failures == []
    answers = [answer for told in searchers.answers.values() for answer in told]
    assert all(len(answer.items) == 10 for answer in answers)
    print(
        f"node {leader}, the leader, killed: {len(answers)} searches, all answered;"
        f" {len(judges.sent)} judgments kept, {len(judges.refused)} of them sent again"
    )


def _more(tickets):
    """Five of each, so that a reindexing takes a while."""
    for copy in range(5):
        for ticket in tickets:
            yield ticket.__class__(**{**vars(ticket), "id": f"{ticket.id}-{copy}"})
