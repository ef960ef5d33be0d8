"""Sign-in with OpenID Connect, by Authlib: authorization code, PKCE, state and nonce.

The provider identifies people, and its claims give their role and groups, which are updated at each
sign-in. The only network requests go to the provider. Authlib is imported only if a provider is
set, since it costs a tenth of a second and 8 MB at start.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from flask import Flask, current_app
from werkzeug.exceptions import BadRequest, Forbidden
from werkzeug.wrappers import Response

from ticketing.errors import InputError, NotFound, TicketingError
from ticketing.limits import usable_groups
from ticketing.people import Role, Vouched
from ticketing.plurals import counted
from ticketing.settings import Settings
from web.outside import Trouble
from web.security import is_loopback

log = logging.getLogger(__name__)

DISCOVERY = "/.well-known/openid-configuration"
PROVIDER_SECONDS = 5.0
"""Timeout for the provider's answers."""

SIGNED_BY = [f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512)] + ["EdDSA"]
"""Accepted signature algorithms of id tokens (asymmetric only), whatever the provider says."""

ANYBODY = "*"
"""In TICKETING_OPENID_ROLES, stands for any value of the claim."""


class ProviderAway(TicketingError):
    """The provider does not answer correctly."""

    status = 503
    retry = True
    meanwhile = "Who is signed in stays so; others wait until it is back."


class OpenID:
    """The client of one provider.

    Raises InputError for settings with which nobody could sign in safely.
    """

    def __init__(self, app: Flask, settings: Settings):
        from authlib.integrations.flask_client import OAuth

        self._settings = settings
        self._roles = roles_by_value(settings.openid_roles)
        _require_complete(settings)
        self._is_known = False
        self._unknown = Trouble(self._read_metadata)
        self._client = OAuth(app).register(
            "openid",
            client_id=settings.openid_client_id,
            client_secret=settings.openid_client_secret.get_secret_value(),
            server_metadata_url=settings.openid_issuer.rstrip("/") + DISCOVERY,
            client_kwargs={
                "scope": settings.openid_scopes,
                "code_challenge_method": "S256",
                "default_timeout": PROVIDER_SECONDS,
            },
        )

    def to_provider(self, back: str) -> Response:
        """Redirect the browser to the provider, which will send it to the address `back`.

        Raises ProviderAway.
        """
        self._know_provider()
        with self._provider():
            redirect: Response = self._client.authorize_redirect(back)
        return redirect

    def vouched(self) -> Vouched:
        """The person whom the provider has authenticated, from the present request.

        Raises ProviderAway, BadRequest for an answer that was not requested, and Forbidden for
        somebody whose claims give no name or no role.
        """
        self._know_provider()
        with self._provider():
            token = self._client.authorize_access_token()
            if "userinfo" not in token:
                raise BadRequest("The provider did not say who signed in; try again.")
            claims = {**self._more(token), **token["userinfo"]}
        return self._person(claims)

    def _more(self, token: Mapping[str, Any]) -> Mapping[str, Any]:
        """Claims from the userinfo endpoint, beside those in the signed token, if there are any."""
        if "userinfo_endpoint" not in self._client.server_metadata:
            return {}
        claims: Mapping[str, Any] = self._client.userinfo(token=token)
        return claims if claims.get("sub") == token["userinfo"]["sub"] else {}

    def _person(self, claims: Mapping[str, Any]) -> Vouched:
        settings = self._settings
        name = claim(claims, settings.openid_name_claim)
        if not isinstance(name, str) or not name.strip():
            raise Forbidden(
                f"The provider sends no {settings.openid_name_claim} of yours; ask an admin to "
                "correct TICKETING_OPENID_NAME_CLAIM."
            )
        values = texts(claim(claims, settings.openid_roles_claim))
        roles = {role for value, role in self._roles.items() if value in {*values, ANYBODY}}
        if not roles:
            raise Forbidden(
                "Nothing that the provider says of you gives you a role here; ask an admin."
            )
        return Vouched(
            identity=f"{settings.openid_issuer} {claims['sub']}",
            name=name,
            role=max(roles, key=list(Role).index),
            groups=groups_of(name, texts(claim(claims, settings.openid_groups_claim))),
        )

    def _know_provider(self) -> None:
        """Read the provider's metadata once; other requests are refused meanwhile. Raises
        ProviderAway."""
        if self._is_known:
            return
        if away := self._unknown.now():
            raise ProviderAway(str(away))
        if not self._is_known:
            raise ProviderAway(
                f"The provider {self._settings.openid_issuer} is being asked where to sign in; try "
                "again in a moment."
            )

    def _read_metadata(self) -> ProviderAway | None:
        """Read the provider's metadata; returns the error, or None. Another issuer than that of the
        settings is an error too."""
        try:
            with self._provider():
                metadata = self._client.load_server_metadata()
        except ProviderAway as error:
            return error
        metadata["id_token_signing_alg_values_supported"] = SIGNED_BY
        issuer = metadata.get("issuer")
        if issuer != self._settings.openid_issuer:
            return ProviderAway(
                f"The provider calls itself {str(issuer)[:200]!r}; set TICKETING_OPENID_ISSUER to "
                "that, letter by letter."
            )
        self._is_known = True
        return None

    @contextmanager
    def _provider(self) -> Iterator[None]:
        """Context manager: turn errors of the exchange into one sentence."""
        from authlib.common.errors import AuthlibBaseError
        from joserfc.errors import JoseError
        from requests import RequestException

        try:
            yield
        except (RequestException, RuntimeError, ValueError) as error:
            raise ProviderAway(
                f"The provider {self._settings.openid_issuer} does not answer as it should "
                f"({type(error).__name__}); try again later."
            ) from error
        except (AuthlibBaseError, JoseError) as error:
            said = str(error.error)[:80]
            raise BadRequest(f"The sign-in came to no good end ({said}); try again.") from error


def openid_is_set() -> bool:
    """Whether sign-in with a provider is configured."""
    return "openid" in current_app.extensions


def current_openid() -> OpenID:
    """The client of the provider. Raises NotFound if none is set."""
    if not openid_is_set():
        raise NotFound("Nobody signs in with OpenID Connect here.")
    openid: OpenID = current_app.extensions["openid"]
    return openid


def roles_by_value(text: str) -> dict[str, Role]:
    """The role for each value of a claim, from `VALUE=ROLE,…`. Raises InputError."""
    found = {}
    for pair in filter(None, map(str.strip, text.split(","))):
        value, _, role = map(str.strip, pair.rpartition("="))
        if not value or role not in set(Role):
            raise InputError(
                f"TICKETING_OPENID_ROLES has {pair!r}; write VALUE=ROLE, with one of the roles "
                f"{', '.join(Role)}."
            )
        found[value] = Role(role)
    return found


def claim(claims: Mapping[str, Any], name: str) -> Any:
    """A claim by its name; dots select nested claims. None if it is missing."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def texts(value: Any) -> frozenset[str]:
    """The texts of a claim, which is a text or a list."""
    values = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return frozenset(text for text in values if isinstance(text, str) and text)


def groups_of(person: str, names: Iterable[str]) -> frozenset[str]:
    """The valid ones among a person's group names; others are logged."""
    found: set[str] = set()
    left_out = []
    for name in sorted(names):
        try:
            found |= usable_groups([name])
        except InputError as error:
            left_out.append(str(error))
    if left_out:
        count = counted(len(left_out), "group")
        log.warning("%s of %r from the provider left out, first: %s", count, person, left_out[0])
    return frozenset(found)


def _require_complete(settings: Settings) -> None:
    issuer = urlsplit(settings.openid_issuer)
    if issuer.scheme != "https" and not is_loopback(issuer.hostname or ""):
        raise InputError(
            f"TICKETING_OPENID_ISSUER={settings.openid_issuer!r} cannot be used: it must begin "
            "with https://."
        )
    if not settings.openid_client_id or not settings.openid_client_secret.get_secret_value():
        raise InputError(
            "TICKETING_OPENID_ISSUER needs TICKETING_OPENID_CLIENT_ID and "
            "TICKETING_OPENID_CLIENT_SECRET; set both."
        )
