"""The JSON API: shapes, idempotence, sentences for bad requests, and the guard."""

import gzip
import json
import math

import pytest

from ticketing.history import Deed
from ticketing.tickets import IMPORTED, Grade, Query
from web.app import BODY_LIMIT
from web.schemas.requests import FiltersIn

EXHAUST = {"subject": "Exhaust spread high", "description": "unit trips on start"}


@pytest.fixture
def query_id(client) -> str:
    return client.post("/api/recommend", json=EXHAUST).json["query"]["id"]


def judgment(query_id, grade="YES", **more):
    return {"query_id": query_id, "ticket_id": "GT-0101", "grade": grade, **more}


def test_recommend_answers_with_everything(client):
    answer = client.post("/api/recommend", json=EXHAUST).json
    assert answer["query"]["id"] == Query(**EXHAUST).id
    assert (answer["bundle_id"], answer["outlook"], answer["searched"]) == (
        "fake-bundle",
        "likely",
        12,
    )
    assert [item["rank"] for item in answer["items"]] == list(range(1, 11))
    first = answer["items"][0]
    assert first["ticket"]["id"] == "GT-0101"
    assert first["ticket"]["created"] == "2014-03-02T00:00:00Z"
    assert "exhaust" in [shared["word"] for shared in first["reason"]["shared"]]
    assert first["reason"]["sentence"].startswith("Both say “exhaust”")
    assert math.isclose(sum(part["distance"] for part in first["parts"]), first["distance"])
    assert math.isclose(
        first["score"],
        5 * first["chance"]
        + 3 * first["chance_related"]
        + (1 - first["chance"] - first["chance_related"]),
    )
    assert answer["chance"] == first["chance"]
    assert "similarity" not in first and "good_match" not in answer
    assert first["topics"][0]["topic"] == 17


def test_limit_and_filters_act(client):
    asked = {**EXHAUST, "limit": 2, "filters": {"product": "SGT-300"}}
    answer = client.post("/api/recommend", json=asked).json
    assert (len(answer["items"]), answer["searched"]) == (2, 4)
    assert {item["ticket"]["product"] for item in answer["items"]} == {"SGT-300"}


def test_only_tickets_with_a_solution_are_found_if_a_filter_says_so(client, desk, query_id):
    unsolved = {"subject": EXHAUST["subject"], "description": EXHAUST["description"]}
    client.put("/api/tickets/GT-0900", json=unsolved)
    for said in (True, "yes", "true"):
        filters = {"has_solution": said}
        answer = client.post("/api/recommend", json={**EXHAUST, "limit": 100, "filters": filters})
        assert all(item["ticket"]["solution"] for item in answer.json["items"])
        assert answer.json["searched"] == 11
    address = f"/api/queries/{query_id}?limit=100&has_solution="
    found = {said: client.get(address + said).json["searched"] for said in ("yes", "false", "")}
    assert found == {"yes": 11, "false": 13, "": 13}
    refused = client.get(address + "maybe")
    assert refused.json == {"error": "has_solution: give true or false."}


def test_what_is_similar_to_a_ticket_leaves_the_ticket_out(client):
    found = client.post("/api/similar", json={"ticket_id": "GT-0101", "limit": 3}).json
    ids = [item["ticket"]["id"] for item in found["items"]]
    ticket = client.get("/api/tickets/GT-0101").json
    text = {name: ticket[name] for name in ("subject", "description")}
    asked = client.post("/api/recommend", json=text | {"limit": 100}).json["items"]
    ranked = [item["ticket"]["id"] for item in asked]
    ranked.remove("GT-0101")  # which is there
    assert ids == ranked[:3]
    again = client.get(f"/api/queries/{found['query']['id']}?limit=3").json
    assert again["items"] == found["items"]


def test_a_ticket_that_is_not_there_has_nothing_similar(client):
    refused = client.post("/api/similar", json={"ticket_id": "GT-9999"})
    assert refused.status_code == 404
    assert refused.json["error"] == "There is no ticket GT-9999; it may have been deleted."


def test_newest_is_another_order_of_the_same_ranks(client, query_id):
    best = client.post("/api/recommend", json=EXHAUST).json["items"]
    newest = client.post("/api/recommend", json={**EXHAUST, "order": "newest"}).json["items"]
    again = client.get(f"/api/queries/{query_id}?order=newest").json["items"]
    assert newest == again == sorted(best, key=lambda x: x["ticket"]["created"], reverse=True)
    assert newest != best
    assert client.post("/api/recommend", json={**EXHAUST, "order": "oldest"}).status_code == 400


def test_by_text_time_adds_nothing_to_a_distance(client, query_id):
    timed = client.post("/api/recommend", json=EXHAUST).json["items"][0]
    asked = client.post("/api/recommend", json={**EXHAUST, "order": "text"}).json["items"]
    assert asked == client.get(f"/api/queries/{query_id}?order=text").json["items"]
    assert "age" in {part["channel"] for part in timed["parts"]}
    assert "age" not in {part["channel"] for item in asked for part in item["parts"]}
    assert asked[0]["distance"] < timed["distance"]


def test_a_time_with_a_zone_is_taken_as_that_moment(client):
    since = {"filters": {"created_since": "2014-08-01T01:00:00+02:00"}}  # 31 July 23:00 UTC
    answer = client.post("/api/recommend", json={**EXHAUST, **since}).json
    assert [item["ticket"]["id"] for item in answer["items"]] == ["GT-0108"]


def test_an_asked_query_has_an_address_with_grades(client, query_id):
    client.post("/api/judgments", json=judgment(query_id, "REL"))
    answer = client.get(f"/api/queries/{query_id}?limit=3").json
    assert len(answer["items"]) == 3
    assert answer["grades"] == {"GT-0101": "REL"}


def test_an_answer_tells_what_every_judge_thinks_and_since_when(client, desk, query_id):
    for judge, grade in (("ann", Grade.NO), ("bob", Grade.REL), ("ann", Grade.YES)):
        desk.judge(query_id, "GT-0101", grade, judge)
    desk.judge(query_id, "GT-0102", Grade.YES, "bob")
    desk.judge(query_id, "GT-0102", None, "bob")
    found = client.get(f"/api/queries/{query_id}").json["judgments"]
    assert [(x["judge"], x["grade"]) for x in found["GT-0101"]] == [("ann", "YES"), ("bob", "REL")]
    assert found["GT-0101"][0]["time"] > found["GT-0101"][1]["time"]
    assert list(found) == ["GT-0101"]


def test_a_judgment_keeps_what_was_shown(client, desk, query_id):
    answer = client.post("/api/judgments", json=judgment(query_id, rank=3, score=2.5))
    assert answer.json == {**judgment(query_id), "replaced": ""}
    (event,) = desk.store.judgments()
    assert (event.grade, event.rank, event.score) == (Grade.YES, 3, 2.5)


def test_the_same_event_sent_twice_counts_once(client, desk, query_id):
    for _ in range(2):
        answer = client.post("/api/judgments", json=judgment(query_id, event_id="e1"))
        assert (answer.status_code, answer.json["grade"]) == (200, "YES")
    assert len(list(desk.store.judgments())) == 1
    assert [entry.deed for entry in desk.audit_entries()] == [Deed.JUDGED]


def test_an_event_id_sent_with_another_grade_is_a_conflict(client, desk, query_id):
    client.post("/api/judgments", json=judgment(query_id, event_id="e1"))
    answer = client.post("/api/judgments", json=judgment(query_id, "NO", event_id="e1"))
    assert answer.status_code == 409
    assert answer.json["error"] == (
        "The event_id 'e1' stands for something else already; send a new one."
    )
    assert [event.grade for event in desk.store.judgments()] == [Grade.YES]


def test_an_event_id_of_an_import_is_nobodys(client, desk, query_id):
    answer = client.post("/api/judgments", json=judgment(query_id, event_id=f"{IMPORTED}1"))
    assert answer.status_code == 400 and not list(desk.store.judgments())


BROKEN = ["a b", "a\u2028b", "é" * 257, " a", "a%0Ab", "a%0A", "%2Fa", "/a", "a//b", "a/../b", ".."]


@pytest.mark.parametrize("ticket_id", BROKEN, ids=ascii)
def test_an_id_that_breaks_columns_or_addresses_is_refused_with_what_to_do(client, desk, ticket_id):
    before = desk.store.count_tickets()
    answer = client.put(f"/api/tickets/{ticket_id}", json={"subject": "x"})
    assert answer.status_code == 400
    assert answer.json["error"].startswith("The id of the ticket ")
    assert desk.store.count_tickets() == before


def test_null_takes_a_grade_back(client, desk, query_id):
    client.post("/api/judgments", json=judgment(query_id))
    answer = client.post("/api/judgments", json=judgment(query_id, None))
    assert answer.json["grade"] is None
    assert [event.grade for event in desk.store.judgments()] == [Grade.YES, None]


def test_a_model_that_serves_is_not_deleted(client, desk):
    bundle = desk.save_bundle(30)
    desk.store.set_serving(bundle)
    answer = client.delete(f"/api/models/{bundle}")
    assert answer.status_code == 409 and "let another one serve first" in answer.json["error"]
    assert bundle in desk.models.ids()


def test_a_put_ticket_is_found_changed_and_deleted_at_once(client):
    text = {"subject": "Zirconium gasket weeps", "solution": "Replaced it."}
    assert client.put("/api/tickets/NEW/1", json=text).status_code == 201
    found = client.post("/api/recommend", json={"subject": "zirconium"}).json["items"][0]
    assert found["ticket"]["id"] == "NEW/1"
    assert client.put("/api/tickets/NEW/1", json={**text, "status": "closed"}).status_code == 200
    assert client.get("/api/tickets/NEW/1").json["status"] == "closed"
    assert client.delete("/api/tickets/NEW/1").status_code == 204
    assert client.get("/api/tickets/NEW/1").status_code == 404
    assert client.delete("/api/tickets/NEW/1").status_code == 404


def test_a_put_ticket_is_read_as_an_imported_one_is(client):
    """A help desk's program sends what people wrote in a mail or in a wiki."""
    mail = "<div><p>It weeps &amp; drips.</p><script>x()</script></div>"
    wiki = "{code}List<String> all{code} at \x1b[31m*once*\x1b[0m"
    text = {"subject": "<b>Gasket</b>", "description": mail, "solution": wiki}
    answer = client.put("/api/tickets/NEW-1", json=text)
    assert answer.json["subject"] == "Gasket"
    assert answer.json["description"] == "It weeps & drips."
    assert answer.json["solution"] == "List<String> all at once"
    assert client.get("/api/tickets/NEW-1").json == answer.json
    assert client.put("/api/tickets/NEW-1", json=text | {"solution": " - "}).json["solution"] == ""
    # Without its mark-up nothing would be left of it.
    assert client.put("/api/tickets/NEW-1", json={"subject": "<br>"}).json["subject"] == "<br>"


def test_a_put_ticket_keeps_its_groups_unless_it_says_others(client):
    text = {"subject": "Zirconium gasket weeps"}

    def groups_after(**more):
        answer = client.put("/api/tickets/NEW-1", json=text | more)
        assert answer.json["groups"] == client.get("/api/tickets/NEW-1").json["groups"]
        return answer.json["groups"]

    assert groups_after() == []
    assert groups_after(groups=["lab", "hr", "hr"]) == ["hr", "lab"]
    assert groups_after() == ["hr", "lab"]
    assert groups_after(solution="Replaced it.") == ["hr", "lab"]
    assert "Seen by</span> hr, lab" in client.get("/tickets/NEW-1").text
    assert groups_after(groups=[]) == []
    assert "Seen by" not in client.get("/tickets/NEW-1").text


def test_jobs_carry_rate_and_estimate(client):
    running, done = client.get("/api/jobs").json
    assert (running["state"], running["rate"], running["seconds_left"]) == ("running", 40, None)
    assert (done["rate"], done["seconds_left"]) == (30, None)


@pytest.mark.parametrize("given", ["tomorrow", "2013-13-45", "2013-02-30T25:00", [], True])
def test_a_date_that_is_none_is_refused_in_plain_words(client, given):
    answer = client.post("/api/recommend", json={**EXHAUST, "filters": {"created_since": given}})
    assert answer.status_code == 400
    assert "is no date; write one as 2013-05-31, or with a time" in answer.json["error"]
    assert "nput should" not in answer.json["error"]


def test_openapi_names_every_operation(client):
    paths = client.get("/openapi.json").json["paths"]
    assert {
        path: set(operations) & {"get", "post", "put", "delete"}
        for path, operations in paths.items()
    } == {
        "/api/recommend": {"post"},
        "/api/similar": {"post"},
        "/api/queries/{query_id}": {"get"},
        "/api/judgments": {"post"},
        "/api/tickets/{ticket_id}": {"get", "put", "delete"},
        "/api/history": {"get"},
        "/api/saved": {"get"},
        "/api/saved/{query_id}": {"put", "delete"},
        "/api/unanswered": {"get"},
        "/api/solved/{ticket_id}": {"get"},
        "/api/rounds": {"get", "post"},
        "/api/agreement": {"get"},
        "/api/quality": {"get"},
        "/api/categories": {"get", "post"},
        "/api/topics": {"get"},
        "/api/topics/{number}": {"get"},
        "/api/topics/{number}/name": {"put"},
        "/api/jobs": {"get"},
        "/api/jobs/{job_id}": {"get"},
        "/api/jobs/{job_id}/cancel": {"post"},
        "/api/jobs/{job_id}/retry": {"post"},
        "/api/jobs/{job_id}/answer": {"post"},
        "/api/trainings": {"post"},
        "/api/evaluations": {"post"},
        "/api/imports": {"post"},
        "/api/models": {"get"},
        "/api/models/{bundle_id}": {"delete"},
        "/api/models/{bundle_id}/promote": {"post"},
        "/api/comparison": {"get"},
        "/api/rollback": {"post"},
        "/api/schedule": {"get", "put"},
        "/api/people": {"get"},
    }


def test_who_only_reads_may_name_a_type_of_body_all_the_same(client):
    """Programs often send it with every request."""
    assert client.get("/api/jobs", headers={"Content-Type": "application/json"}).status_code == 200


def test_a_body_that_is_no_object_is_refused(client):
    for body in ("null", "7", "[]"):
        answer = client.post("/api/rounds", data=body, content_type="application/json")
        assert (answer.status_code, answer.json["error"]) == (
            400,
            "Send the body as one JSON object, such as {}.",
        )


@pytest.mark.parametrize("levels", [33, 490, 100_000])
@pytest.mark.parametrize("opening", ['{"subject":', '{"subject":['])
def test_a_body_that_is_too_deep_is_refused(client, opening, levels):
    closing = "".join({"{": "}", "[": "]"}[c] for c in reversed(opening) if c in "{[")
    body = opening * levels + "1" + closing * levels
    answer = client.post("/api/recommend", data=body, content_type="application/json")
    assert answer.status_code == 400
    assert "more than the 32 levels of lists and objects allowed" in answer.json["error"]


def test_a_sentence_of_two_lines_is_whole_wherever_an_operation_is_described(client):
    """Of rolling back the page and the reference said “nothing more. Scope: promote.”"""
    rollback = client.get("/openapi.json").json["paths"]["/api/rollback"]["post"]
    said = (
        "Let the model that served before serve again, at once; if the body names this model, a"
        " repeated request changes nothing."
    )
    assert rollback["summary"] == said
    assert rollback["description"] == f"{said} Scope: promote."
    assert f"<p>{said} Scope: promote.</p>" in client.get("/api").text


def test_the_docs_page_lists_every_operation(client):
    page = client.get("/api").text
    assert all(path in page for path in client.get("/openapi.json").json["paths"])


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({}, "The query is blank: give a subject or a description."),
        ({"subject": "a", "limit": 101}, "limit: give 100 or less."),
        ({"subject": "a", "limit": 0}, "limit: give 1 or more."),
        ({"subject": 7}, "subject: give a text."),
        ({"subject": "a", "topic": "b"}, "topic: nothing here is called that."),
        ([1], "Send the body as one JSON object, such as {}."),
    ],
)
def test_a_bad_query_is_refused_with_a_sentence(client, body, sentence):
    answer = client.post("/api/recommend", json=body)
    assert (answer.status_code, answer.json) == (400, {"error": sentence})


def test_times_that_a_zone_moves_out_of_the_calendar_are_its_ends(client):
    span = {
        "created_since": "0001-01-01T00:00:00+05:00",
        "created_before": "9999-12-31T23:00:00-05:00",
    }
    narrowed = client.post("/api/recommend", json={"subject": "exhaust", "filters": span})
    whole = client.post("/api/recommend", json={"subject": "exhaust"})
    assert narrowed.status_code == 200
    assert narrowed.json["searched"] == whole.json["searched"] > 0


@pytest.mark.parametrize(
    "change",
    [
        {"grade": "MAYBE"},
        {"rank": 0},
        {"rank": 10**30},
        {"score": 5.1},
        {"score": float("nan")},
        {"event_id": "x" * 101},
    ],
)
def test_a_bad_judgment_is_refused_by_the_fields_name(client, desk, query_id, change):
    answer = client.post("/api/judgments", json={**judgment(query_id), **change})
    assert answer.status_code == 400
    assert answer.json["error"].startswith(f"{next(iter(change))}: ")
    assert not list(desk.store.judgments())


def test_a_judgment_must_name_a_grade_or_null(client, query_id):
    answer = client.post("/api/judgments", json={"query_id": query_id, "ticket_id": "GT-0101"})
    assert answer.json == {"error": "grade: this is missing."}


NAME_IS_DUE = "Expecting property name enclosed in double quotes"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{", f"The body is no JSON (line 1, column 2: {NAME_IS_DUE}); mend it there."),
        ("", "The body is no JSON (line 1, column 1: Expecting value); mend it there."),
        ('{"a": 1}\n x', "The body is no JSON (line 2, column 2: Extra data); mend it there."),
        (b'{"subject": "\xff"}', "The body is not UTF-8 (byte 14); send it as UTF-8."),
        (f'{{"a": {"1" * 5000}}}', "The body has a number of too many digits; send it as a text."),
    ],
)
def test_a_body_that_is_no_json_is_refused_with_what_is_wrong_and_where(client, body, said):
    answer = client.post("/api/recommend", data=body, content_type="application/json")
    assert (answer.status_code, answer.json) == (400, {"error": said})


def test_a_compressed_body_is_refused_as_such(client):
    sent = gzip.compress(b'{"subject": "pump"}')
    options = {"content_type": "application/json", "headers": {"Content-Encoding": "gzip"}}
    answer = client.post("/api/recommend", data=sent, **options)
    assert answer.json == {
        "error": "The body cannot be read as it is compressed; send it as plain JSON."
    }


def test_empty_filters_do_not_restrict(client):
    """An empty date was refused, against what the schema says."""
    filters = dict.fromkeys(FiltersIn.model_fields, "")
    answer = client.post("/api/recommend", json={"subject": "pump", "filters": filters})
    assert answer.status_code == 200, answer.json
    assert client.get("/api/topics?created_since=&created_before=&has_solution=").status_code == 200


def test_half_a_surrogate_pair_is_refused(client):
    body = r'{"subject": "\ud800"}'
    answer = client.post("/api/recommend", data=body, content_type="application/json")
    assert answer.status_code == 400 and answer.json["error"].startswith("subject: ")


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/api/queries/0123", 404),
        ("/api/tickets/GT-9", 404),
        ("/api/nowhere", 404),
        ("/api/recommend", 405),
        ("/api/queries/0123?limit=x", 400),
    ],
)
def test_errors_are_json_sentences_with_their_status(client, address, status):
    answer = client.get(address)
    assert answer.status_code == status
    assert list(answer.json) == ["error"] and answer.json["error"].endswith(".")


def test_before_the_first_model_the_status_is_conflict(first_client):
    answer = first_client.post("/api/recommend", json=EXHAUST)
    assert answer.status_code == 409 and "ticketing train" in answer.json["error"]


def test_a_body_beyond_the_limit_is_refused_with_a_sentence(client):
    """Five million empty lists, which an engineer might send, took half a gigabyte."""
    lists = b'{"subject": [' + b"[]," * 2**20 + b"[]]}"
    answer = client.post("/api/recommend", data=lists, content_type="application/json")
    assert answer.status_code == 413
    assert answer.json == {"error": "That is too much text; at most 3 MB can be sent at once."}
    answer = client.put("/api/tickets/T-1", json={"subject": "a" * BODY_LIMIT})
    assert answer.status_code == 413
    assert answer.json == {"error": "That is too much text; at most 16 MB can be sent at once."}


def test_the_longest_description_of_a_ticket_is_taken_in_any_script(client):
    answer = client.put("/api/tickets/T-1", json={"subject": "a", "description": "𐌰" * 1_000_000})
    assert answer.status_code == 201


def test_the_longest_query_gets_an_answer(client):
    answer = client.post("/api/recommend", json={"description": "überhitzung " * 16_666})
    assert answer.status_code == 200


# the guard ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]
)
def test_a_browser_form_can_not_reach_the_api(client, desk, query_id, kind):
    body = json.dumps(judgment(query_id))
    answer = client.post("/api/judgments", data=body, content_type=kind)
    assert answer.status_code == 415 and "application/json" in answer.json["error"]
    assert not list(desk.store.judgments())


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_site_is_refused(client, desk, query_id, headers):
    answer = client.post("/api/judgments", json=judgment(query_id), headers=headers)
    assert answer.status_code == 403 and "another site" in answer.json["error"]
    assert client.delete("/api/tickets/GT-0101", headers=headers).status_code == 403
    assert not list(desk.store.judgments()) and desk.store.get_tickets(["GT-0101"])


def test_the_own_page_is_let_through(client, query_id):
    headers = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert (
        client.post("/api/judgments", json=judgment(query_id), headers=headers).status_code == 200
    )


def test_no_preflight_is_granted(client):
    answer = client.options("/api/judgments", headers={"Origin": "https://evil.example"})
    assert not [name for name, _ in answer.headers if name.startswith("Access-Control")]


@pytest.mark.parametrize(
    ("method", "address", "body", "sentence"),
    [
        (
            "get",
            "/api/topics/17?offset=1000001",
            None,
            "offset: has 1,000,001 tickets before what is asked for, more than the 100,000 "
            "allowed; narrow the filters instead.",
        ),
        (
            "put",
            "/api/tickets/T-1",
            {"subject": "a", "product": "p" * 2**20},
            "product: has 1,048,576 characters, more than the 500 allowed; shorten it.",
        ),
        (
            "post",
            "/api/recommend",
            {"subject": "a", "filters": {"product": "p" * 2**20}},
            "filters.product: has 1,048,576 characters, more than the 500 allowed; shorten it.",
        ),
        (
            "post",
            "/api/recommend",
            {"subject": "a" * 10_001},
            "subject: has 10,001 characters, more than the 10,000 allowed; "
            "put the rest into the description.",
        ),
    ],
)
def test_too_much_is_refused_with_the_limit_the_place_and_what_to_do(
    client, method, address, body, sentence
):
    answer = getattr(client, method)(address, json=body)
    assert (answer.status_code, answer.json["error"]) == (400, sentence)
