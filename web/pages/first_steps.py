"""The first steps, shown instead of the query form until the desk can answer."""

from flask import Response, make_response, render_template, request

from ticketing.errors import NotReady
from web.context import current_desk
from web.errors import ticketing_error
from web.views.progress import progress


def first_steps() -> str:
    """The first steps, updated live."""
    setup = current_desk().setup()
    encoding = setup.encoding and progress(setup.encoding)
    return render_template("first_steps.html", setup=setup, encoding=encoding)


def not_ready(error: NotReady) -> Response:
    """The first steps if a page needs an answer that the desk cannot give yet; otherwise the
    error's sentence."""
    if request.path.startswith("/api/") or current_desk().setup().ready:
        return ticketing_error(error)
    return make_response(first_steps(), error.status)
