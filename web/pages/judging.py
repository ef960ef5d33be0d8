"""Judging: rounds of queries, one ticket at a time, and the agreement of judges."""

import secrets
from datetime import datetime
from urllib.parse import urlencode

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Redirect

from ticketing.desk.workspace import Round
from ticketing.errors import InputError
from ticketing.tickets import ModelKind
from ticketing.times import utc_now
from web.context import current_desk, current_person, known_ticket
from web.judging import record
from web.pages.forms import valid
from web.pages.tables import csv_file
from web.schemas.requests import JudgmentIn
from web.schemas.work import RoundArgs, RoundIn

judging_pages = Blueprint("judging", __name__)

SKIPPED = "skip"
"""The value that a round's form sends in place of a grade if the ticket is skipped."""


@judging_pages.get("/judging")
def overview() -> str:
    """An explanation of rounds, and a form to start one."""
    models = [x for x in current_desk().bundle_list() if x.kind == ModelKind.RANKING and x.encoded]
    return render_template(
        "judging.html",
        others=[model for model in models if not model.serves],
        serving=any(model.serves for model in models),
    )


@judging_pages.post("/judging")
def begin() -> Redirect:
    """Choose queries, and redirect to the address of the round."""
    given = {name: request.form[name] for name in ("by", "size", "other") if name in request.form}
    wanted = valid(RoundIn, {**given, "seed": secrets.randbelow(10**6)})
    chosen = current_desk().choose_round(
        wanted.by, current_person().name, wanted.size, wanted.seed, wanted.other
    )
    return redirect(_address(chosen, utc_now()), 303)


@judging_pages.get("/judging/round")
def round_() -> str:
    """The next ticket of a round that this judge has not judged, without its rank and score."""
    args = _args()
    desk, judge = current_desk(), current_person().name
    pairs = desk.pairs(args.round(), judge)
    open_ = [i for i, pair in enumerate(pairs) if pair.judged is None]
    at = next((i for i in open_ if i >= args.after), open_[0] if open_ else None)
    next_ = None if at is None else pairs[at]
    judged = [pair.judged for pair in pairs if pair.judged]
    since = [judgment for judgment in judged if args.begun is None or judgment.time >= args.begun]
    this_round = args.round(), args.begun
    return render_template(
        "round.html",
        pairs=pairs,
        at=at,
        ticket=next_ and known_ticket(next_.ticket_id),
        note=next_ and desk.last_note(next_.query.id, next_.ticket_id, judge),
        last=max(since, key=lambda judgment: judgment.time, default=None),
        left=len(open_),
        address=_address(*this_round),
        going_on=_address(*this_round, args.after),
        skip=None if at is None else _address(*this_round, at + 1),
        queries=len(args.round().queries),
    )


@judging_pages.post("/judging/round")
def judge() -> Redirect:
    """Record a grade with its note (an empty grade is an undo), or keep the note of a skipped
    ticket, and go to the next ticket."""
    args = _args()
    if "grade" not in request.form:
        raise InputError("No grade was given; press YES, REL, NO, Skip or Undo.")
    names = ("query_id", "ticket_id", "note", "seen")
    given = {name: request.form.get(name, "") for name in names}
    skipped = request.form["grade"] == SKIPPED
    grade = None if skipped else request.form["grade"] or None
    judged = valid(JudgmentIn, {**given, "grade": grade})
    if skipped:
        of = judged.query_id, judged.ticket_id, current_person().name
        current_desk().keep_note(*of, judged.note)
    elif sentence := record(judged):
        flash(sentence, "problem")
    return redirect(_address(args.round(), args.begun, args.after), 303)


@judging_pages.get("/judging/round.csv")
def round_as_csv() -> Response:
    """A round as a table, with this judge's grades so far."""
    columns = ("query_id", "subject", "description", "ticket_id", "grade", "note")
    return csv_file(
        "round",
        columns,
        (
            (
                pair.query.id,
                pair.query.subject,
                pair.query.description,
                pair.ticket_id,
                pair.judged.grade.name if pair.judged and pair.judged.grade is not None else "",
                pair.judged.note if pair.judged else "",
            )
            for pair in current_desk().pairs(_args().round(), current_person().name)
        ),
    )


@judging_pages.get("/judging/agreement")
def agreement() -> str:
    """Agreement of every two judges, and their disagreements."""
    return render_template("agreement.html", agreements=current_desk().agreements())


@judging_pages.get("/judging/agreement.csv")
def agreement_as_csv() -> Response:
    """The disagreements as a table."""
    columns = ("query_id", "subject", "ticket_id", "judge", "grade", "note", "time")
    return csv_file(
        "disagreements",
        (*columns, "other_judge", "other_grade", "other_note", "other_time"),
        (
            (
                *(item.one.query.id, item.one.query.subject, item.one.ticket_id),
                *(item.one.judge, item.one.grade.name, item.one.note, item.one.time),
                *(item.other.judge, item.other.grade.name, item.other.note, item.other.time),
            )
            for found in current_desk().agreements()
            for item in found.disagreements
            if item.one.grade is not None and item.other.grade is not None
        ),
    )


def _args() -> RoundArgs:
    """The arguments of a round's address. Raises InputError."""
    return valid(RoundArgs, request.args.to_dict())


def _address(chosen: Round, begun: datetime | None, after: int = 0) -> str:
    said = {"queries": ",".join(chosen.queries), "bundles": ",".join(chosen.bundles)}
    said |= {"seed": str(chosen.seed), **({"after": str(after)} if after else {})}
    said |= {"begun": begun.isoformat(timespec="seconds")} if begun else {}
    return f"{url_for('judging.round_')}?{urlencode(said, safe=',')}"
