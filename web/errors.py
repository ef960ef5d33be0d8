"""Errors as one friendly sentence: JSON for programs, a page for people."""

import re
from collections.abc import Mapping

from apiflask import APIFlask, HTTPError
from flask import Response, jsonify, make_response, render_template, request
from flask_wtf.csrf import CSRFError
from pydantic import ValidationError
from werkzeug.exceptions import BadRequest, HTTPException

from ticketing.errors import InputError, TicketingError, first_invalid, plainly
from web.addresses import page_before
from web.context import for_program, sentence_of
from web.forms import FORM_FIELDS, FORM_TYPES, size_in_words
from web.kept import Kept, kept_form, refused_form
from web.uploads import TAKE_FILES, too_large_a_file

RETRY_SECONDS = 10
"""Seconds after which a program should try again when something is away."""

KEPT_HEADERS = ("Allow", "Retry-After", "WWW-Authenticate")
"""Headers of an error that are kept."""

SENTENCES = {
    404: "There is no page at this address.",
    405: "This address does not take that kind of request.",
    500: "Something went wrong on our side; the details are in the server’s log.",
}


def register_errors(app: APIFlask) -> None:
    """Register handlers that answer all errors in the same form."""
    app.register_error_handler(TicketingError, ticketing_error)
    app.register_error_handler(HTTPError, _validation_error)
    app.register_error_handler(CSRFError, _csrf_error)
    app.register_error_handler(HTTPException, _http_error)


def invalid(field: str, message: str) -> str:
    """A validation message as a sentence with the field, and its position in a list."""
    said = plainly(message)
    field = re.sub(r"\.(\d+)", lambda found: f", number {int(found[1]) + 1}", field)
    return f"{field}: {said}." if field != "_schema" else f"{said}."


def invalid_sentence(error: ValidationError, names: Mapping[str, str]) -> str:
    """pydantic's first finding as a sentence; `names` are the names of fields for people."""
    field, _, message = first_invalid(error)
    return invalid(names.get(field, field) or "_schema", message)


def _answer(
    status: int,
    sentence: str,
    headers: Mapping[str, str] = {},
    error: TicketingError = TicketingError(),
    kept: Kept | None = None,
) -> Response:
    if for_program():
        response = make_response(jsonify(error=sentence), status)
    else:
        page = render_template(
            "error.html",
            sentence=sentence,
            status=status,
            error=error,
            kept=kept,
            before=page_before(),
        )
        response = make_response(page, status)
    response.headers.update(headers)
    return response


def ticketing_error(error: TicketingError) -> Response:
    """The error's sentence, with the HTTP status of its class."""
    headers = {"Retry-After": str(RETRY_SECONDS)} if error.retry else {}
    kept = kept_form() if error.retry else None
    if isinstance(error, InputError):
        kept = refused_form()
    return _answer(error.status, sentence_of(error), headers, error, kept)


def _validation_error(error: HTTPError) -> Response:
    """APIFlask's report, {location: {field: [messages]}}, reduced to its first message."""
    for fields in error.detail.values():
        for field, messages in fields.items():
            return _answer(error.status_code, invalid(field, messages[0]))
    return _answer(error.status_code, error.message or SENTENCES[500])


def _csrf_error(error: CSRFError) -> Response:
    if kept := kept_form():
        return _answer(400, "This form had become old, so nothing was done; try again.", kept=kept)
    return _answer(400, "This form is no longer valid; go back, reload the page and send it again.")


def _too_much(most: int) -> str:
    if request.endpoint in TAKE_FILES and (request.content_length or 0) > most:
        return too_large_a_file()
    fields = f" in at most {FORM_FIELDS} fields" if request.mimetype in FORM_TYPES else ""
    return f"That is too much text; at most {size_in_words(most)}{fields} can be sent at once."


def _http_error(error: HTTPException) -> Response:
    status = error.code or 500
    if status == 413:
        return _answer(413, _too_much(request.max_content_length or 0))
    sentence = SENTENCES.get(status, error.description or error.name)
    if status == 400 and sentence == BadRequest.description:
        sentence = "The request cannot be read; check that its body is valid JSON."
    headers = {name: value for name, value in error.get_headers() if name in KEPT_HEADERS}
    return _answer(status, sentence, headers, kept=kept_form() if status == 401 else None)
