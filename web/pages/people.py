"""Pages for admins: people and the audit."""

from collections.abc import Mapping
from dataclasses import asdict, astuple, fields

from flask import Blueprint, Response, flash, json, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ticketing.errors import Conflict, InputError
from ticketing.history import AuditEntry, Deed
from ticketing.people import Account, Role
from web.context import audit as audited
from web.context import current_actor, current_desk, sentence_of, served_desk
from web.pages.forms import form_fields, valid
from web.pages.tables import csv_file, page_of
from web.schemas.people import AddedIn, ChangedIn

people_pages = Blueprint("people", __name__)


@people_pages.get("/people")
def overview() -> str:
    """All accounts, and a form to add one."""
    return _overview()


@people_pages.get("/people/change")
def changing() -> str:
    """The same page with a form to change one account. It has no other form, whose content would be
    lost when this one is sent. Raises NotFound."""
    return _overview(changing=request.args.get("name", ""))


@people_pages.get("/people.csv")
def as_csv() -> Response:
    """All accounts, as a table."""
    audited(Deed.EXPORTED, "people")
    rows = (
        (a.name, a.role, ", ".join(sorted(a.groups)), a.disabled, a.openid)
        for a in served_desk().store.accounts()
    )
    return csv_file("people", ("name", "role", "groups", "disabled", "openid"), rows)


@people_pages.post("/people")
def add() -> ResponseReturnValue:
    """Add an account, or show the form again with everything but the password."""
    try:
        given = valid(AddedIn, form_fields("name", "password", "role", "groups"))
        account = served_desk().add_account(
            current_actor(), given.name, given.password, given.role, given.groups
        )
    except InputError as error:
        return _overview(sentence_of(error), request.form), 400
    flash(f"{account.name} is added.")
    return redirect(url_for("people.overview"), 303)


@people_pages.post("/people/change")
def change() -> ResponseReturnValue:
    """Change an account, or show the form again: with the values sent, or with the present values
    if the account was changed meanwhile."""
    name = request.form.get("name", "")
    try:
        account = _changed()
    except InputError as error:
        return _overview(sentence_of(error), request.form, changing=name), error.status
    except Conflict as error:
        return _overview(sentence_of(error), changing=name), error.status
    flash(f"{account.name} is changed.")
    return redirect(url_for("people.overview"), 303)


def _changed() -> Account:
    """Change a person's role and groups, or whether they may sign in, from a form.

    Raises InputError, NotFound, and Conflict if the account was changed since the form was shown.
    """
    given = valid(ChangedIn, form_fields("name", "role", "groups", "seen"))
    return served_desk().change_account(
        current_actor(),
        given.name,
        role=given.role,
        groups=given.groups,
        disabled=bool(request.form.get("disabled")),
        seen=given.seen,
    )


@people_pages.get("/audit")
def audit() -> str:
    """The audit, newest first."""
    return render_template("audit.html", page=page_of(current_desk().audit_trail()))


@people_pages.get("/audit.csv")
def audit_as_csv() -> Response:
    """The audit as a table, oldest first."""
    audited(Deed.EXPORTED, "audit")
    columns = tuple(field.name for field in fields(AuditEntry))
    return csv_file("audit", columns, map(astuple, current_desk().audit_entries()))


@people_pages.get("/audit.jsonl")
def audit_as_jsonl() -> Response:
    """The audit as JSON Lines, oldest first."""
    audited(Deed.EXPORTED, "audit")
    headers = {"Content-Disposition": 'attachment; filename="audit.jsonl"'}
    lines = map(_line, current_desk().audit_entries())
    return Response(lines, mimetype="application/jsonl", headers=headers)


def _overview(problem: str = "", sent: Mapping[str, str] = {}, changing: str | None = None) -> str:
    """The page with a form that changes a person, or else one that adds a person. A `problem` is
    shown above it, and it is filled with the `sent` fields. Raises NotFound for an unknown name."""
    return render_template(
        "people.html",
        accounts=served_desk().store.accounts(),
        roles=list(Role),
        problem=problem,
        sent=sent,
        changing=None if changing is None else served_desk().known_account(changing),
        here=url_for("people.overview"),
    )


def _line(entry: AuditEntry) -> str:
    return json.dumps(asdict(entry) | {"time": f"{entry.time.isoformat()}Z"}) + "\n"
