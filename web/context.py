"""The desk and the person of a request."""

from contextlib import suppress
from urllib.parse import quote

from celery import Celery
from flask import current_app, g, request, url_for
from werkzeug.exceptions import Unauthorized

from ticketing.desk import Desk
from ticketing.errors import BrokerAway, NotFound
from ticketing.history import Deed
from ticketing.people import Actor, Person
from ticketing.tickets import Query, Ticket
from web.outside import Trouble
from worker.connection import waiting_messages
from worker.presence import workers_live

API = ("/api/", "/openapi.json")
"""Prefixes of addresses for programs."""

BEARER = "bearer "


def served_desk() -> Desk:
    """The desk that this application serves, without restriction to groups; it holds people and the
    audit."""
    desk: Desk = current_app.extensions["desk"]
    return desk


def current_desk() -> Desk:
    """The desk as the person may see it. Raises Unauthorized if nobody is signed in."""
    if "desk" not in g:
        g.desk = served_desk().seen_by(current_person())
    desk: Desk = g.desk
    return desk


def known_person() -> Person | None:
    """The person of the request, if known; set by `web.guard`."""
    person: Person | None = g.get("person")
    return person


def current_person() -> Person:
    """The person of the request. Raises Unauthorized if nobody is signed in."""
    person = known_person()
    if person is None:
        raise Unauthorized("Sign in first.")
    return person


def current_actor() -> Actor:
    """The person and the address of the request, for the audit."""
    return Actor(current_person().name, client_address())


def client_address() -> str:
    """The client's address."""
    return request.remote_addr or ""


def sent_token() -> str | None:
    """The token sent by a program to an address that takes tokens (the API and files of pages),
    else None."""
    said = request.headers.get("Authorization", "")
    is_file = request.method == "GET" and request.path.endswith((".csv", ".jsonl"))
    if said.lower().startswith(BEARER) and (is_file or request.path.startswith(API)):
        return said[len(BEARER) :].strip()
    return None


def for_program() -> bool:
    """Whether the request comes from a program, not from a page."""
    return request.path.startswith(API) or sent_token() is not None


def audit(deed: Deed, which: str, event_id: str = "") -> None:
    """Record that the person did something, see `Audit.record`."""
    served_desk().record(current_actor(), deed, which, event_id)


def sentence_of(error: Exception | str) -> str:
    """An error message for people, without the path of the home, which only the log contains."""
    said = str(error)
    shown = served_desk().settings.without_home(said)
    if shown != said:
        current_app.logger.warning(said)
    return shown


def broker_trouble() -> BrokerAway | None:
    """Why no work can be given to the workers at present, or None."""
    trouble: Trouble[BrokerAway] = current_app.extensions["broker_trouble"]
    return trouble.now()


def trouble_of(broker: Celery) -> Trouble[BrokerAway]:
    """The cached state of a broker."""

    def ask() -> BrokerAway | None:
        try:
            waiting_messages(broker)
        except BrokerAway as error:
            return error
        return None

    return Trouble(ask)


def worker_lives(queue: str) -> bool:
    """Whether a worker of the queue is alive according to the broker; asked once per request."""
    live: dict[str, bool] = g.setdefault("workers", {})
    if queue not in live:
        live[queue] = False
        with suppress(BrokerAway):
            live[queue] = workers_live(current_app.extensions["broker"], queue)
    return live[queue]


def known_query(query_id: str) -> Query:
    """The query at an address. Raises NotFound."""
    query = current_desk().store.get_query(query_id)
    if query is None:
        raise NotFound("There is no query at this address; ask it again to get a new one.")
    return query


def known_ticket(ticket_id: str) -> Ticket:
    """A ticket of the knowledge base. Raises NotFound."""
    found = current_desk().store.get_tickets([ticket_id])
    if ticket_id not in found:
        raise NotFound(f"There is no ticket {ticket_id}; it may have been deleted.")
    return found[ticket_id]


def topic_titles() -> dict[int, str]:
    """Titles of the topics, read once per request."""
    if "topic_titles" not in g:
        g.topic_titles = current_desk().topic_titles()
    titles: dict[int, str] = g.topic_titles
    return titles


def current_address() -> str:
    """Path and arguments of the present page, to return to after a form."""
    if request.method != "GET":
        return url_for("pages.ask")
    said = request.query_string.decode("ascii", "replace")
    return quote(request.path) + (f"?{said}" if said else "")
