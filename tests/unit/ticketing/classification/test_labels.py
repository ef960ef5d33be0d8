"""What people say to proposed categories: what it comes to, and the file it lay in before."""

import json
from datetime import datetime

import pytest

from ticketing.classification.feedback_file import read_feedback
from ticketing.classification.labels import CategoryLabel, derive_category_labels
from ticketing.errors import StoreError
from ticketing.tickets import Verdict


def said(**changes) -> Verdict:
    given = {"event_id": "1", "subject": "Rotor trips", "category": "Turbine", "right": True}
    return Verdict(
        **{**given, "judge": "ada", "time": datetime(2026, 1, 2), "bundle_id": "m", **changes}
    )


def test_the_latest_verdict_of_each_judge_counts_and_the_majority_decides():
    verdicts = [
        said(judge="ada", right=True),
        said(judge="bob", right=False),
        said(judge="cyd", right=False, subject="ROTOR  trips"),
        said(judge="dan", right=True, category="Pump"),
        said(judge="dan", right=None, category="Pump"),
        said(judge="ada", right=True, subject="tie"),
        said(judge="bob", right=False, subject="tie"),
    ]
    assert derive_category_labels(verdicts) == [CategoryLabel("rotor trips", "Turbine", False)]


def line(verdict: Verdict) -> bytes:
    """As an earlier version wrote an event."""
    event = {
        "event_id": verdict.event_id,
        "subject": verdict.subject,
        "group": verdict.category,
        "right": verdict.right,
        "judge": verdict.judge,
        "time": verdict.time.isoformat(),
        "model_id": verdict.bundle_id,
    }
    return f"{json.dumps(event, ensure_ascii=False)}\n".encode()


def test_events_of_an_old_file_are_read_whatever_a_subject_holds(tmp_path):
    """U+2028 and its like end no line of the file; half an event at its end is none."""
    path = tmp_path / "feedback.jsonl"
    events = [said(), said(event_id="2", right=None, subject="eins\u2028zwei\x85drei\n“vier”")]
    path.write_bytes(b"".join(map(line, events)) + b'{"event_id": "3", "subj')
    assert read_feedback(path) == events


@pytest.mark.parametrize(
    "text",
    ["{}", "[1]", "", pytest.param("[" * 10**5, id="deep"), '{"time": "2026-01-01"}', "\xff"],
)
def test_a_line_that_is_no_event_is_named(tmp_path, text):
    path = tmp_path / "feedback.jsonl"
    path.write_bytes(line(said()) + text.encode("latin-1") + b"\n")
    with pytest.raises(StoreError, match=r"feedback\.jsonl:2 is no event"):
        read_feedback(path)
