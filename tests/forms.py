"""The token that a page puts into its forms."""

import re

from flask.testing import FlaskClient


def token_in(page: str) -> str:
    """The token of a page's forms."""
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found, "the page has no form"
    return found[1]


def token_on(client: FlaskClient, address: str = "/", **options: object) -> str:
    """The token of the forms of the page at an address."""
    return token_in(client.get(address, **options).text)
