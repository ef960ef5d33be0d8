"""Validation of forms and addresses: filters, order, and error messages."""

from collections.abc import Mapping
from typing import TypeVar

from flask import redirect, request
from pydantic import BaseModel, ValidationError
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from ticketing.errors import InputError
from ticketing.recommendations import Order
from ticketing.tickets import Filters
from web.addresses import own
from web.errors import invalid_sentence
from web.kept import typed_here
from web.schemas.requests import FiltersIn, Ordered

Model = TypeVar("Model", bound=BaseModel)


def valid(model: type[Model], given: Mapping[str, object]) -> Model:
    """The validated content of a form, whose numbers are text. Raises InputError naming the field,
    by its name on the page if people type it."""
    try:
        return model.model_validate(given, strict=False)
    except ValidationError as error:
        raise InputError(invalid_sentence(error, typed_here())) from None


def form_fields(*names: str) -> dict[str, str]:
    """These fields of the form; "" for a missing one."""
    return {name: request.form.get(name, "") for name in names}


def filled_fields(*names: str) -> dict[str, str]:
    """Those of these fields of the form that are not empty."""
    return {name: value for name, value in form_fields(*names).items() if value}


def set_filters(given: MultiDict[str, str]) -> dict[str, str]:
    """The non-empty filters of a form or an address."""
    return {name: given[name] for name in FiltersIn.model_fields if given.get(name, "").strip()}


def filter_arguments(filters: Filters) -> dict[str, str]:
    """Filters as arguments of an address: the inverse of `filters_of`."""
    found = {"product": filters.product, "status": filters.status}
    found["has_solution"] = "yes" if filters.has_solution else ""
    for name in ("created_since", "created_before"):
        if time := getattr(filters, name):
            found[name] = time.isoformat().removesuffix("T00:00:00")
    return {name: value for name, value in found.items() if value}


def filters_of(given: MultiDict[str, str]) -> Filters:
    """The filters of a form or an address. Raises InputError naming the field."""
    return valid(FiltersIn, set_filters(given)).filters()


def back(otherwise: str = "/") -> Response:
    """Redirect to the address of this site named by the form, else to `otherwise`."""
    return redirect(own(request.form.get("next", ""), otherwise), 303)


def order_of(given: MultiDict[str, str]) -> Order:
    """The order in a form or an address; default: best first. Raises InputError."""
    return valid(Ordered, {"order": given.get("order") or Order.BEST}).order
