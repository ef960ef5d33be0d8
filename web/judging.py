"""Records judgments from pages and the API, and reports replaced ones."""

from ticketing.history import Deed
from ticketing.people import Permission
from ticketing.tickets import Grade
from web.context import audit, current_desk, current_person, served_desk
from web.guard import require
from web.schemas.requests import JudgmentIn, grade_named


def judge_of(judged: JudgmentIn) -> str:
    """The name of the judge: the person of the request, unless another is named.

    Raises Forbidden if the person may not judge for others, NotFound for an unknown name.
    """
    person = current_person()
    if judged.judge in ("", person.name):
        return person.name
    require(person, Permission.JUDGE_FOR_OTHERS)
    return served_desk().known_account(judged.judge).name


def record(judged: JudgmentIn) -> str:
    """Record a grade, or take it back, for `judge_of`.

    Returns a sentence if this replaced a grade that `seen` does not include, given in another
    window; otherwise "". Raises NotFound for an unknown query or ticket.
    """
    desk, judge, grade = current_desk(), judge_of(judged), grade_named(judged.grade)
    before = desk.grades(judged.query_id, judge).get(judged.ticket_id)
    desk.judge(
        judged.query_id,
        judged.ticket_id,
        grade,
        judge,
        rank=judged.rank,
        score=judged.score,
        event_id=judged.event_id,
        note=judged.note,
    )
    of = "" if judge == current_person().name else f" of {judge}"
    which = f"ticket {judged.ticket_id} for query {judged.query_id}{of}"
    audit(Deed.JUDGED, which, judged.event_id)
    known = judged.seen is None or grade_named(judged.seen) == before
    return "" if known or before == grade else _replaced(judged.ticket_id, before, grade)


def judge_category(subject: str, category: str, right: bool | None, event_id: str = "") -> None:
    """Record whether a category is right for a subject, or take that back (None)."""
    current_desk().judge_category(subject, category, right, current_person().name, event_id)
    audit(Deed.JUDGED, f"category {category}", event_id)


def _replaced(ticket_id: str, before: Grade | None, grade: Grade | None) -> str:
    was = f"judged {before.name}" if before is not None else "taken back"
    now = f"it is {grade.name} now" if grade is not None else "that is undone now"
    return f"{ticket_id} was {was} in another window since this page was loaded; {now}."
