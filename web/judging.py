"""Recording what somebody judged on a page or by the API, and saying what that replaced."""

from ticketing.tickets import Grade
from web.context import current_desk, current_judge
from web.schemas.requests import JudgmentIn, grade_named


def record(judged: JudgmentIn) -> str:
    """Record a grade, or its undo, of this browser's judge.

    The sentence says where it replaced one that `seen` doesn't know of, given in another window;
    it is empty otherwise. Raises NotFound for an unknown query or ticket.
    """
    desk, judge, grade = current_desk(), current_judge(), grade_named(judged.grade)
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
    known = judged.seen is None or grade_named(judged.seen) == before
    return "" if known or before == grade else _replaced(judged.ticket_id, before, grade)


def _replaced(ticket_id: str, before: Grade | None, grade: Grade | None) -> str:
    was = f"judged {before.name}" if before is not None else "taken back"
    now = f"it is {grade.name} now" if grade is not None else "that is undone now"
    return f"{ticket_id} was {was} in another window since this page was loaded; {now}."
