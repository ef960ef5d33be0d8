"""The JSON API of working together: history, saved queries, what is lacking."""

from typing import Any

from apiflask import APIBlueprint

from ticketing.history import Asking, SavedQuery
from web.context import current_desk, current_judge
from web.schemas import FiltersIn
from web.security import guard_api
from web.work_schemas import AskingOut, GapOut, SavedOut

work_api = APIBlueprint("work_api", __name__, url_prefix="/api", tag="Working together")
work_api.before_request(guard_api)


@work_api.get("/history")
@work_api.output(list[AskingOut])  # type: ignore[arg-type]  # APIFlask takes lists, unsaid
def history() -> list[Asking]:
    """What you asked and what was answered then, the last first."""
    return current_desk().history(current_judge())


@work_api.get("/saved")
@work_api.output(list[SavedOut])  # type: ignore[arg-type]
def saved() -> list[SavedQuery]:
    """The queries that you saved, the last first."""
    return current_desk().saved_queries(current_judge())


@work_api.put("/saved/<query_id>")
@work_api.input(FiltersIn, arg_name="chosen")
@work_api.output({}, status_code=204)
def save(query_id: str, chosen: FiltersIn) -> str:
    """Save a query with filters to come back to."""
    current_desk().save_query(query_id, chosen.filters(), current_judge())
    return ""


@work_api.delete("/saved/<query_id>")
@work_api.input(FiltersIn, location="query", arg_name="chosen")
@work_api.output({}, status_code=204)
def forget(query_id: str, chosen: FiltersIn) -> str:
    """Save a query with these filters no longer."""
    current_desk().save_query(query_id, chosen.filters(), current_judge(), kept=False)
    return ""


@work_api.get("/unanswered")
@work_api.output(list[GapOut])  # type: ignore[arg-type]
def unanswered() -> list[Any]:
    """Queries of everybody that nothing matched well, by topic, most first."""
    return list(current_desk().unanswered())
