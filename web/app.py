"""The web application: pages and JSON API over one desk."""

from functools import partial
from importlib.metadata import version

from apiflask import APIFlask

from ticketing.desk import Desk
from ticketing.errors import NotReady
from ticketing.people import LOCAL
from ticketing.plurals import counted, percent
from web.addresses import AnyPath, clean_address
from web.api.access import SECURITY_SCHEMES, with_access
from web.api.bodies import with_files
from web.api.jobs import job_api
from web.api.routes import api
from web.api.statuses import with_statuses
from web.api.work import work_api
from web.context import (
    current_address,
    current_desk,
    current_person,
    known_person,
    sentence_of,
    served_desk,
    topic_titles,
    trouble_of,
)
from web.errors import register_errors
from web.forms import FORM_FIELDS, check_fields, limit_body
from web.guard import PUBLIC, guard
from web.jobs import BEGINS, retried_by
from web.openid import OpenID
from web.pages.account import account_pages
from web.pages.categories import category_pages
from web.pages.exports import export_pages
from web.pages.first_steps import not_ready
from web.pages.health import health_pages
from web.pages.history import history_pages
from web.pages.jobs import job_pages
from web.pages.judging import judging_pages
from web.pages.models import model_pages
from web.pages.openid import openid_pages
from web.pages.people import people_pages
from web.pages.quality import quality_pages
from web.pages.schedule import schedule_pages
from web.pages.search import pages
from web.pages.topics import topic_pages
from web.schemas.responses import ErrorOut
from web.security import demand_form_tokens, protect
from web.sessions import CookieInterface
from web.throttle import Throttle
from web.views import jobs as job_words
from web.views.charts import month_name
from web.views.markdown import answer_as_markdown, citation
from web.views.marks import isolated, linked, mark, opening, shown, with_code, with_meant
from web.views.parts import bars
from web.views.progress import in_words
from worker.app import make_app

BODY_LIMIT = 16 * 2**20
"""Maximum bytes of a request body; several times that of the longest ticket."""


def create_app(desk: Desk) -> APIFlask:
    """The WSGI application that serves `desk`.

    Raises StoreError if the secret key below the desk's home cannot be used, InputError for a
    broker of an unknown kind.
    """
    app = APIFlask(
        __name__,
        title="Ticketing",
        version=version("ticketing"),
        spec_path="/openapi.json",
        docs_path=None,  # its pages load external scripts; /api replaces them
        json_errors=False,
    )
    app.url_map.converters["path"], app.url_map.merge_slashes = AnyPath, False
    app.config.update(
        MAX_CONTENT_LENGTH=BODY_LIMIT,
        MAX_FORM_PARTS=FORM_FIELDS,
        VALIDATION_ERROR_STATUS_CODE=400,
        VALIDATION_ERROR_SCHEMA=ErrorOut.model_json_schema(),
        HTTP_ERROR_SCHEMA=ErrorOut.model_json_schema(),
        DESCRIPTION="Finds the past ticket whose solution fixes a new problem.",
    )
    app.extensions["desk"] = desk
    app.extensions["broker"] = broker = make_app(desk.settings)
    app.extensions["broker_trouble"] = trouble_of(broker)
    app.before_request(partial(limit_body, PUBLIC))
    protect(app, desk.settings)
    _set_up_templates(app)
    app.security_schemes = SECURITY_SCHEMES
    app.session_interface = CookieInterface()
    app.extensions["throttle"] = Throttle(desk.settings)
    if desk.settings.openid_issuer:
        app.extensions["openid"] = OpenID(app, desk.settings)
    app.before_request(guard)
    app.before_request(check_fields)  # it reads the body, so it runs after the guard
    demand_form_tokens(app, (api, work_api, job_api))
    app.before_request(clean_address)
    register_errors(app)
    app.register_error_handler(NotReady, not_ready)
    app.register_blueprint(account_pages)
    app.register_blueprint(openid_pages)
    app.register_blueprint(people_pages)
    app.register_blueprint(pages)
    app.register_blueprint(health_pages)
    app.register_blueprint(topic_pages)
    app.register_blueprint(category_pages)
    app.register_blueprint(export_pages)
    app.register_blueprint(history_pages)
    app.register_blueprint(judging_pages)
    app.register_blueprint(quality_pages)
    app.register_blueprint(api)
    app.register_blueprint(work_api)
    app.register_blueprint(job_pages)
    app.register_blueprint(model_pages)
    app.register_blueprint(schedule_pages)
    app.register_blueprint(job_api)
    app.spec_processor(lambda spec: with_access(with_statuses(with_files(spec))))
    return app


def _set_up_templates(app: APIFlask) -> None:
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters.update(
        linked=linked,
        mark=mark,
        opening=opening,
        shown=shown,
        isolated=isolated,
        with_code=with_code,
        with_meant=with_meant,
        citation=citation,
        as_markdown=answer_as_markdown,
        bars=lambda parts, typical: bars(parts, typical, current_desk().channel_labels),
        in_words=in_words,
        sentence_of=sentence_of,
        promotion_words=job_words.PROMOTIONS.__getitem__,
        state_words=job_words.state_words,
        unit=job_words.unit,
        took=job_words.took,
        changes=job_words.changes,
        asked=job_words.asked,
        may_begin=lambda job: current_person().may(BEGINS[job.kind]),
        may_retry=lambda job: current_person().may(retried_by(job)),
        percent=percent,
        counted=counted,
        solved_by=lambda ticket_id: current_desk().solved_by(ticket_id),
        topic_title=lambda number: topic_titles()[number],
        month_name=month_name,
    )
    app.context_processor(
        lambda: {
            "notice": served_desk().notice,
            "person": known_person(),
            "local": known_person() is LOCAL,
            "here": current_address(),
        }
    )
