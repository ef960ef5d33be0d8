"""The API page: parameters, defaults, and examples that do what they say."""

import re
import shlex
from html import unescape

import pytest

from tests.fake_desk import FakeDesk
from ticketing.classification.classifier import CategoryClassifier
from ticketing.classification.encoder import CategorySettings
from ticketing.classification.network import CategoryNetwork
from ticketing.classification.taxonomy import Taxonomy, Title
from ticketing.jobs import JobState
from ticketing.settings import Settings
from ticketing.tickets import ModelKind
from web.app import create_app

PAGES = {
    "pages.ask": "POST /api/recommend",
    "pages.answer": "GET /api/queries/{query_id}",
    "pages.similar": "POST /api/similar",
    "pages.judge": "POST /api/judgments",
    "pages.ticket": "GET /api/tickets/{ticket_id}",
    "jobs.overview": "GET /api/jobs",
    "jobs.one": "GET /api/jobs/{job_id}",
    "jobs.train": "POST /api/trainings",
    "jobs.evaluate": "POST /api/evaluations",
    "jobs.import_": "POST /api/imports",
    "jobs.cancel": "POST /api/jobs/{job_id}/cancel",
    "jobs.retry": "POST /api/jobs/{job_id}/retry",
    "jobs.answer": "POST /api/jobs/{job_id}/answer",
    "models.overview": "GET /api/models",
    "models.compare": "GET /api/comparison",
    "models.promote": "POST /api/models/{bundle_id}/promote",
    "models.rollback": "POST /api/rollback",
    "models.delete": "DELETE /api/models/{bundle_id}",
    "schedule.overview": "GET /api/schedule",
    "schedule.change": "PUT /api/schedule",
    "topics.overview": "GET /api/topics",
    "topics.topic": "GET /api/topics/{number}",
    "topics.name": "PUT /api/topics/{number}/name",
    "categories.answer_proposal": "POST /api/categories",
    "history.overview": "GET /api/history",
    "history.save": "PUT /api/saved/{query_id}",
    "history.unanswered": "GET /api/unanswered",
    "judging.begin": "POST /api/rounds",
    "judging.round_": "GET /api/rounds",
    "judging.agreement": "GET /api/agreement",
    "quality.overview": "GET /api/quality",
}
"""What each page that shows or does something has in the API."""


@pytest.fixture
def desk(tmp_path):
    """A desk that proposes categories as well."""
    desk = FakeDesk(Settings(home=tmp_path))
    titles = Taxonomy([Title("exhaust spread high", "SGT-400"), Title("pump leaks", "Pump")])
    network = CategoryNetwork("abcdefghijklmnopqrstuvwxyz ", CategorySettings(buckets=64))
    encoder = network.trained()
    bundle_id = CategoryClassifier.index(encoder, titles, {}).save(desk.models)
    desk.store.set_serving(bundle_id, ModelKind.CATEGORIES)
    for served in (desk.save_bundle(30), "fake-bundle"):
        desk.store.set_serving(served)
    yield desk
    desk.close()


def examples(page: str) -> list[list[str]]:
    """The words of each example's command."""
    commands = re.findall(r"<code>(curl .*?)</code></pre>", page, re.DOTALL)
    return [shlex.split(unescape(command).replace("\\\n", " ")) for command in commands]


def make_ready(desk, address):
    """Bring a job, or what serves, into the state that an example needs."""
    *_, job_id, asked = address.split("/")
    if job_id == "models":
        desk.store.set_serving("fake-bundle")
        for job in desk.store.unfinished_jobs():
            desk.store.update_job(job.id, state=JobState.CANCELLED)
    if asked == "retry":
        desk.store.update_job(job_id, state=JobState.FAILED)
    if asked == "answer":
        desk.store.reopen_job(job_id)
        desk.store.update_job(job_id, state=JobState.WAITING)


def header_of(words) -> tuple[str, str]:
    """The header that a command sends."""
    name, _, value = words[words.index("-H") + 1].partition(": ")
    return name, value


def sent(client, words):
    """The answer to what the command would send."""
    body = words[words.index("-d") + 1] if "-d" in words else None
    is_file = "--data-binary" in words
    method = words[words.index("-X") + 1] if "-X" in words else "POST" if body or is_file else "GET"
    [address] = [word for word in words if word.startswith("http")]
    data = b"id,subject\nN-1,Pump leaks\n" if is_file else body
    headers = [header_of(words)] if data else []
    return client.open(address, method=method, data=data, headers=headers)


def test_every_example_does_what_it_says(client, desk):
    """In their order, once the query of the examples has been asked, and deletions last. Those of
    made-up ids harm nothing: no ticket but the one that is put here is changed."""
    tickets = list(desk.store.iter_tickets())
    found = examples(client.get("/api").text)
    assert len(found) == sum(len(x) for x in client.get("/openapi.json").json["paths"].values())
    found.sort(key=lambda words: ("DELETE" in words, "api/recommend" not in words[1]))
    for words in found:
        make_ready(desk, next(word for word in words if "/api/" in word))
        answer = sent(client, words)
        unknown = "/api/models/MODEL" in words[1] or "/api/models/MODEL" in " ".join(words)
        assert answer.status_code < 300 or (unknown and answer.status_code == 404), answer.text
    assert list(desk.store.iter_tickets()) == tickets


def test_every_operation_names_its_parameters_with_their_defaults(client):
    page = client.get("/api").text
    section = page.split('id="GET/api/queries/{query_id}"', 1)[1].split("</section>", 1)[0]
    rows = re.findall(r'<th scope="row"><code>(\w+)</code></th>(.*?)</tr>', section)
    cells = {name: re.findall(r"<td>(.*?)</td>", rest) for name, rest in rows}
    assert cells["query_id"] == ["path", "string", "required", ""]
    assert cells["limit"][:3] == ["query", "integer, from 1 to 100", "<code>10</code>"]
    assert cells["product"][2] == "none"
    assert unescape(cells["has_solution"][1]) == 'boolean or "", false, true, yes'
    assert unescape(cells["created_since"][1]) == 'date-time or "" or null'
    assert set(cells) > {"order", "status", "created_since", "created_before"}


def test_examples_are_for_any_curl(client):
    """They had `--json`, which a curl before 7.82 refuses: RHEL 9 and Ubuntu 22.04 have such."""
    [judging] = [x for x in examples(client.get("/api").text) if x[1].endswith("/api/judgments")]
    assert judging[2:5] == ["-H", "Content-Type: application/json", "-d"]
    assert "--json" not in client.get("/api").text


def test_operations_on_the_same_thing_stand_together(client):
    """The shortest address came first: `/api/saved` was the second, `/api/saved/{query_id}` the
    twenty-fourth."""
    paths = re.findall(r'<li><a href="#[A-Z]+(/api/[^"]+)"', client.get("/api").text)
    assert paths[:5] == [
        "/api/agreement",
        "/api/categories",
        "/api/categories",
        "/api/comparison",
        "/api/evaluations",
    ]
    first = paths.index("/api/saved")
    assert paths[first : first + 3] == ["/api/saved", *["/api/saved/{query_id}"] * 2]


def test_whatever_the_pages_show_or_do_is_in_the_api(client, desk):
    page = client.get("/api").text
    for operation in PAGES.values():
        assert f'id="{operation.replace(" ", "")}"' in page
    besides = {
        "pages.api_docs",
        "judging.overview",  # a form
        "judging.judge",  # as pages.judge
        "pages.ask_now",  # as pages.ask
        "pages.preview",  # as pages.ask, while it is written
        "jobs.report",
        "jobs.begun",  # leads back to the forms
        "pages.as_markdown",  # the answer in another form
    }
    served = {
        rule.endpoint
        for rule in create_app(desk).url_map.iter_rules()
        if rule.endpoint.split(".")[0] in {page.split(".")[0] for page in PAGES}
        and not rule.rule.endswith(".csv")
    }
    assert served - besides == set(PAGES)


def test_categories_are_proposed_and_answered_by_programs(client, desk):
    asked = "/api/categories?subject=Exhaust%20spread%20high&limit=1"
    [first] = client.get(asked).json
    assert (first["group"], first["right"]) == ("SGT-400", None)
    answer = {"subject": "Exhaust spread high", "group": "SGT-400", "right": False}
    assert client.post("/api/categories", json=answer).status_code == 204
    assert client.get(asked).json[0]["right"] is False
    assert client.post("/api/categories", json={**answer, "group": "Boat"}).status_code == 404
    assert client.get("/api/categories").status_code == 400
