"""The JSON API of working together: history, saved queries, what is lacking."""

from typing import Any

from apiflask import APIBlueprint

from ticketing.desk.quality import QualityReport
from ticketing.desk.workspace import Round
from ticketing.errors import NotFound
from ticketing.history import Asking, Deed, SavedQuery
from ticketing.people import Account
from ticketing.tickets import Judgment
from web.api.bodies import check_body
from web.api.statuses import CONFLICT, NOT_FOUND
from web.context import audit, current_desk, current_person, known_ticket, served_desk
from web.judging import judge_category
from web.schemas.people import AccountOut
from web.schemas.requests import FiltersIn
from web.schemas.responses import list_of
from web.schemas.work import (
    AgreementOut,
    AskingOut,
    CategoryArgs,
    CategoryIn,
    GapOut,
    HistoryArgs,
    ProposalOut,
    QualityReportOut,
    RoundArgs,
    RoundIn,
    RoundOut,
    SavedOut,
    SolvedOut,
)
from web.security import guard_api

work_api = APIBlueprint("work_api", __name__, url_prefix="/api", tag="Working together")
work_api.before_request(guard_api)
work_api.before_request(check_body)


@work_api.get("/history")
@work_api.input(HistoryArgs, location="query", arg_name="args")
@work_api.output(list_of(AskingOut))
def history(args: HistoryArgs) -> list[Asking]:
    """The queries that you asked and what was answered, latest first."""
    asked = current_desk().history(current_person().name)
    return list(asked[args.offset : args.offset + args.limit])


@work_api.get("/saved")
@work_api.output(list_of(SavedOut))
def saved() -> list[SavedQuery]:
    """The queries that you saved, latest first."""
    return current_desk().saved_queries(current_person().name)


@work_api.put("/saved/<query_id>")
@work_api.input(FiltersIn, arg_name="chosen")
@work_api.output({}, status_code=204)
def save(query_id: str, chosen: FiltersIn) -> str:
    """Save a query with its filters, to ask it again later."""
    current_desk().save_query(query_id, chosen.filters(), current_person().name)
    return ""


@work_api.delete("/saved/<query_id>")
@work_api.input(FiltersIn, location="query", arg_name="chosen")
@work_api.output({}, status_code=204)
@work_api.doc(responses=NOT_FOUND)
def forget(query_id: str, chosen: FiltersIn) -> str:
    """Remove a query that you saved with just these filters from your saved ones."""
    desk, name, filters = current_desk(), current_person().name, chosen.filters()
    if (query_id, filters) not in {(one.query.id, one.filters) for one in desk.saved_queries(name)}:
        raise NotFound(
            f"You have not saved query {query_id} with these filters; GET /api/saved lists what you"
            " saved."
        )
    desk.save_query(query_id, filters, name, kept=False)
    return ""


@work_api.get("/unanswered")
@work_api.output(list_of(GapOut))
def unanswered() -> list[Any]:
    """Queries of all people without a good match or a YES, by topic, largest topic first."""
    return list(current_desk().unanswered())


@work_api.get("/solved/<path:ticket_id>")
@work_api.output(list_of(SolvedOut))
def solved(ticket_id: str) -> list[Judgment]:
    """The queries for which a judge graded the ticket YES, latest first."""
    return current_desk().solved_by(known_ticket(ticket_id).id)


@work_api.post("/rounds")
@work_api.input(RoundIn, arg_name="wanted")
@work_api.output(RoundOut)
@work_api.doc(responses=NOT_FOUND | CONFLICT)
def begin_round(wanted: RoundIn) -> dict[str, Any]:
    """Choose queries to judge; their tickets come shuffled, without rank and score."""
    desk, judge = current_desk(), current_person().name
    chosen = desk.choose_round(wanted.by, judge, wanted.size, wanted.seed, wanted.other)
    return _round(chosen)


@work_api.get("/rounds")
@work_api.input(RoundArgs, location="query", arg_name="args")
@work_api.output(RoundOut)
@work_api.doc(responses=NOT_FOUND | CONFLICT)
def get_round(args: RoundArgs) -> dict[str, Any]:
    """A round of judging, with your judgments so far."""
    return _round(args.round())


@work_api.get("/agreement")
@work_api.output(list_of(AgreementOut))
def agreement() -> list[Any]:
    """How often every two judges agree, and where they differ."""
    return list(current_desk().agreements())


@work_api.get("/quality")
@work_api.output(QualityReportOut)
def quality() -> QualityReport:
    """Quality of the answers by week and model, and around each change of the serving model."""
    return current_desk().quality()


@work_api.get("/categories")
@work_api.input(CategoryArgs, location="query", arg_name="args")
@work_api.output(list_of(ProposalOut))
@work_api.doc(responses=CONFLICT)
def categories(args: CategoryArgs) -> list[dict[str, Any]]:
    """The likeliest of the desk's own categories for a subject, with your verdict on each."""
    desk = current_desk()
    proposed = desk.propose_categories(args.subject, args.limit)
    said = desk.category_verdicts(args.subject, current_person().name)
    return [{**vars(item), "right": said.get(item.group)} for item in proposed]


@work_api.post("/categories")
@work_api.input(CategoryIn, arg_name="given")
@work_api.output({}, status_code=204)
@work_api.doc(responses=CONFLICT)
def answer_category(given: CategoryIn) -> str:
    """Give a verdict on a category for a subject, or take it back with null."""
    judge_category(given.subject, given.group, given.right, given.event_id)
    return ""


def _round(chosen: Round) -> dict[str, Any]:
    return {**vars(chosen), "pairs": current_desk().pairs(chosen, current_person().name)}


@work_api.get("/people")
@work_api.output(list_of(AccountOut))
def people() -> list[Account]:
    """All people who may sign in, without their passwords."""
    audit(Deed.EXPORTED, "people")
    return served_desk().store.accounts()
