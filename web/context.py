"""What a request may ask for: the desk it is about and who is judging."""

from urllib.parse import urlsplit

from flask import current_app, g, request, session, url_for

from ticketing.desk import Desk
from ticketing.errors import BrokerAway, NotFound
from ticketing.tickets import Query, Ticket
from worker.connection import waiting_messages

ANONYMOUS = "anonymous"
LONGEST_NAME = 80


def current_desk() -> Desk:
    """The desk that this application serves."""
    desk: Desk = current_app.extensions["desk"]
    return desk


def broker_trouble() -> BrokerAway | None:
    """Why no work can be handed to the workers at present, if so."""
    try:
        waiting_messages(current_app.extensions["broker"])
    except BrokerAway as error:
        return error
    return None


def current_judge() -> str:
    """The name under which this browser's judgments are recorded."""
    judge: str = session.get("judge", ANONYMOUS)
    return judge


def remember_judge(name: str) -> None:
    """Keep a name for this browser; a blank one is anonymous."""
    session.permanent = True
    session["judge"] = " ".join(name.split())[:LONGEST_NAME] or ANONYMOUS


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
    """What the topics are called, read once a request."""
    if "topic_titles" not in g:
        g.topic_titles = current_desk().topic_titles()
    titles: dict[int, str] = g.topic_titles
    return titles


def current_address() -> str:
    """Path and arguments of the page being shown, to come back to after a form."""
    if request.method != "GET":
        return url_for("pages.ask")
    return urlsplit(request.url)._replace(scheme="", netloc="").geturl()
