"""Models: the list of bundles, and forms to compare, promote and delete them."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Redirect

from ticketing.jobs import Promotion
from web import jobs as work
from web.context import current_desk, served_desk
from web.pages.forms import valid
from web.schemas.jobs import CompareArgs, PromotionIn

model_pages = Blueprint("models", __name__)


@model_pages.get("/models")
def overview() -> str:
    """All models, the last trained first."""
    return _page("", served_desk().store.serving())


@model_pages.get("/models/compare")
def compare() -> str:
    """Compare two models on the test queries, at once."""
    asked = valid(CompareArgs, request.args.to_dict())
    return _page(asked.new, asked.old, compared=work.compare(asked.new, asked.old))


@model_pages.post("/models/<bundle_id>/promote")
def promote(bundle_id: str) -> Redirect:
    """Start the job that encodes all tickets with a model and promotes it; redirects to the job."""
    given = valid(PromotionIn, {"promotion": request.form.get("promotion", Promotion.RULE)})
    job = work.reindex(bundle_id, given.promotion)
    return redirect(url_for("jobs.one", job_id=job.id), 303)


@model_pages.post("/models/rollback")
def rollback() -> Redirect:
    """Let the model that served before serve again, at once."""
    flash(work.rollback(request.form.get("bundle_id", "")))
    return redirect(url_for("models.overview"), 303)


@model_pages.post("/models/<bundle_id>/delete")
def delete(bundle_id: str) -> Redirect:
    """Delete a model and its codes."""
    work.delete_model(bundle_id)
    flash(f"Model {bundle_id} is deleted.")
    return redirect(url_for("models.overview"), 303)


def _page(new: str, old: str, **shown: object) -> str:
    desk = current_desk()
    return render_template(
        "models.html",
        models=desk.bundle_list(),
        tickets=desk.store.count_tickets(),
        channels=desk.channel_labels,
        promotions=work.open_promotions(),
        new=new,
        old=old,
        **shown,
    )
