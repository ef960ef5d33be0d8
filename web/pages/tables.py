"""Lists as CSV files, and pages of long lists."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from flask import Response, request

from ticketing.cells import as_cell
from ticketing.errors import NotFound
from ticketing.plurals import counted
from web.pages.forms import valid
from web.schemas.requests import PageArgs

Item = TypeVar("Item")

A_PAGE = 50
"""Rows per page."""


@dataclass(frozen=True)
class Page(Generic[Item]):
    """A page of a list, counted from 1."""

    items: Sequence[Item]
    number: int
    pages: int
    total: int


def page_of(items: Sequence[Item]) -> Page[Item]:
    """The page of a list named by the address; default: the first. Raises NotFound, InputError."""
    number = valid(PageArgs, {"page": request.args.get("page") or 1}).page
    pages = max(1, -(-len(items) // A_PAGE))
    if number > pages:
        raise NotFound(f"There is no page {number} of this list; it has {counted(pages, 'page')}.")
    return Page(items[(number - 1) * A_PAGE : number * A_PAGE], number, pages, len(items))


def csv_file(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Response:
    """A CSV file for download; no text cell can be a formula."""
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(columns)
    writer.writerows([cell(value) for value in row] for row in rows)
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(written.getvalue(), mimetype="text/csv", headers=headers)


def cell(value: object) -> object:
    """A value as a cell: times in ISO 8601, and text that would be a formula with an apostrophe
    before it."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return as_cell(value) if isinstance(value, str) else value
