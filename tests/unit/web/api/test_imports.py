"""A file of tickets sent by a program: the job it begins, and what is refused at once."""

import gzip

import pytest

from tests.fake_records import jobs
from tests.people import token_of
from ticketing.history import AuditEntry
from ticketing.jobs import JobKind
from ticketing.people import Permission, Role
from web.uploads import FILE_TYPE, UPLOAD_LIMIT

CSV = b"key,headline\nN-1,Pump leaks\n"


def send(client, name="new.csv", file=CSV, columns="", type_=FILE_TYPE, **more):
    asked = {"name": name, **({"columns": columns} if columns else {})}
    return client.post("/api/imports", query_string=asked, data=file, content_type=type_, **more)


def test_a_file_is_kept_and_its_import_begun(client, desk):
    answer = send(client, columns="subject=headline")
    assert answer.status_code == 202, answer.text
    job = desk.store.get_job(answer.json["id"])
    assert (job.kind, answer.json["kind"], job.by) == (JobKind.IMPORT, "import", "local")
    [file] = job.arguments["files"]
    assert (file["name"], file["rows"], file["mapping"]["subject"]) == ("new.csv", 1, "headline")
    assert b"".join(desk.store.file_chunks(file["file"])) == CSV
    said = [f"{entry.deed}: {entry.which}" for entry in desk.store.events(AuditEntry)]
    assert f"job begun: import {job.id}" in said and "imported: tickets of new.csv" in said


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("n.csv.gz", gzip.compress(CSV, mtime=0)),
        ("n.jsonl", b'{"id": "N-1", "subject": "Pump leaks"}\n'),
        ("n.tsv", CSV.replace(b",", b"\t")),
    ],
)
def test_every_kind_of_file_is_taken(client, name, file):
    assert send(client, name, file).status_code == 202


@pytest.mark.parametrize(
    ("sent", "status", "sentence"),
    [
        ({"file": b"a,b\n1,2\n"}, 400, "new.csv has no column that looks like id"),
        ({"file": b""}, 400, "new.csv"),
        ({"name": "../../x.exe"}, 400, "x.exe"),
        ({"name": " "}, 400, "name"),
        ({"columns": "subject"}, 400, "field=column"),
        ({"type_": "multipart/form-data"}, 415, FILE_TYPE),
        ({"type_": "application/json"}, 415, FILE_TYPE),
        ({"headers": {"Origin": "https://evil.example"}}, 403, "another site"),
    ],
)
def test_what_cannot_be_imported_is_refused_at_once(client, desk, sent, status, sentence):
    answer = send(client, **sent)
    assert answer.status_code == status and sentence in answer.json["error"], answer.text
    assert "/tmp" not in answer.text and len(desk.store.jobs()) == len(jobs())


def test_a_longer_file_than_is_taken_is_refused(client, desk):
    answer = send(client, environ_overrides={"CONTENT_LENGTH": str(UPLOAD_LIMIT + 1)})
    assert answer.status_code == 413 and len(desk.store.jobs()) == len(jobs())


def test_only_who_may_import_begins_one(client, desk):
    other = {"Authorization": f"Bearer {token_of(desk, 'sue', Role.SCIENTIST)}"}
    assert send(client, headers=other).status_code == 403
    scoped = token_of(desk, "ann", scopes=[Permission.IMPORT])
    assert send(client, headers={"Authorization": f"Bearer {scoped}"}).status_code == 202


@pytest.mark.parametrize(("said", "only"), [("true", True), ("false", False)])
def test_a_file_may_be_checked_only(client, desk, said, only):
    asked = {"name": "new.csv", "columns": "subject=headline", "check_only": said}
    answer = client.post("/api/imports", query_string=asked, data=CSV, content_type=FILE_TYPE)
    assert answer.status_code == 202, answer.text
    job = desk.store.get_job(answer.json["id"])
    assert ("check_only" in job.arguments) is only
    assert (
        any(entry.which == "tickets of new.csv" for entry in desk.store.events(AuditEntry))
        is not only
    )
