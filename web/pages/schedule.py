"""The schedule: when the desk trains by itself."""

from flask import Blueprint, flash, redirect, render_template, url_for
from werkzeug.wrappers import Response as Redirect

from ticketing.jobs import Promotion
from ticketing.schedule import Weekday
from web import jobs as work
from web.context import current_desk
from web.pages.forms import filled_fields, valid
from web.schemas.jobs import ScheduleIn

schedule_pages = Blueprint("schedule", __name__)


@schedule_pages.get("/schedule")
def overview() -> str:
    """The schedule, and a form to change it."""
    desk = current_desk()
    return render_template(
        "schedule.html",
        schedule=desk.schedule(),
        new_judgments=desk.new_judgments(),
        weekdays=list(Weekday),
        promotions=list(Promotion),
        settings=work.usual_settings(),
    )


@schedule_pages.post("/schedule")
def change() -> Redirect:
    """Set the schedule."""
    given = filled_fields("weekday", "at", "judgments", "promotion")
    work.set_schedule(valid(ScheduleIn, given))
    flash("The schedule is set.")
    return redirect(url_for("schedule.overview"), 303)
