"""The one place that reads the environment.

Every setting is an environment variable `TICKETING_<NAME>`, or a line of `.env`
in the working directory; an unknown or malformed one is refused with a sentence.
"""

import os
import re
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, DotEnvSettingsSource, SettingsConfigDict

from ticketing.errors import InputError, first_invalid, nearest
from ticketing.redaction import masked

PREFIX = "TICKETING_"
"""Prefix of all variables."""

FILE = ".env"
"""File in the working directory."""

ADDRESSES = {"store": "http://HOST:9200", "broker": "redis://HOST:6379/0"}
"""Settings that may contain a password, with an example of each."""

FOLDER = "sqlite:///"
"""Prefix of a store's address that is a folder."""

NAME = re.compile(r"[\w.-]*")
"""A host name."""


class Settings(BaseSettings):
    """Where the desk's data is, and how its processes behave.

    `home` holds everything that a desk owns: the SQLite database, codes, model bundles, the folders
    of the broker, and checkpoints. If `store` and `broker` are empty, no server is needed: the desk
    uses SQLite and files in `home`.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=FILE, extra="ignore", frozen=True)

    home: Path = Field(Path(".ticketing"), description="folder that holds all data of the desk")
    store: str = Field(
        "",
        description="address of an Elasticsearch server, such as http://HOST:9200 (several: "
        "separated by commas), or sqlite:///FOLDER; empty for SQLite in the home",
    )
    store_user: str = Field("", description="user name at the Elasticsearch server")
    store_password: SecretStr = Field(SecretStr(""), description="password of `store_user`")
    store_api_key: SecretStr = Field(
        SecretStr(""),
        description="API key of the Elasticsearch server, instead of user name and password",
    )
    store_ca: Path | None = Field(
        None, description="file with the certificate authority of an https:// server"
    )
    store_prefix: str = Field(
        "ticketing", pattern="^[a-z][a-z0-9_]*$", description="prefix of the names of all indices"
    )
    store_shards: int = Field(
        1, ge=1, description="number of shards of a new index of tickets or codes"
    )
    store_timeout: float = Field(
        10.0, gt=0, le=3600, description="seconds the server may take to answer"
    )
    broker: str = Field(
        "",
        description="address of Redis, such as redis://HOST:6379/0; empty for a broker of "
        "files in the home",
    )
    broker_password: SecretStr = Field(SecretStr(""), description="password of the Redis server")
    broker_ca: Path | None = Field(
        None, description="file with the certificate authority of a rediss:// server"
    )
    keep_queries: int = Field(
        365,
        ge=0,
        le=36_500,
        description="days after which a query that nobody judged or saved is deleted; 0 "
        "keeps it for ever",
    )
    host: str = Field("127.0.0.1", description="network address on which the page is served")
    allowed_hosts: str = Field(
        "", description="host names by which the page may be opened, separated by commas"
    )
    trusted_proxy: str = Field(
        "",
        description="IP address of the reverse proxy whose headers X-Forwarded-For and "
        "X-Forwarded-Proto are trusted; * trusts any",
    )
    rate_person: int = Field(600, ge=1, description="most requests per minute from one person")
    rate_address: int = Field(
        3000, ge=1, description="most requests per minute from one network address"
    )
    openid_issuer: str = Field(
        "", description="address of the OpenID provider that people sign in with; empty for none"
    )
    openid_client_id: str = Field("", description="the desk's client id at the provider")
    openid_client_secret: SecretStr = Field(
        SecretStr(""), description="the desk's client secret at the provider"
    )
    openid_scopes: str = Field(
        "openid profile",
        pattern="^(.* )?openid( .*)?$",
        description="scopes that are requested from the provider, separated by blanks",
    )
    openid_name_claim: str = Field("preferred_username", description="claim with a person's name")
    openid_groups_claim: str = Field(
        "groups", description="claim that lists the groups whose tickets a person may see"
    )
    openid_roles_claim: str = Field(
        "groups", description="claim whose values `openid_roles` turns into roles"
    )
    openid_roles: str = Field(
        "*=engineer",
        description="role for each value of `openid_roles_claim`, as VALUE=ROLE,…; the "
        "value * means any",
    )
    port: int = Field(
        8000, ge=0, le=65535, description="port on which the page is served; 0 takes any free port"
    )
    session_idle: int = Field(
        480,
        ge=1,
        le=525_600,
        description="minutes without a request after which a person must sign in again",
    )
    session_life: int = Field(
        168,
        ge=1,
        le=8760,
        description="hours after a sign-in until the person must sign in again, even if active",
    )
    job_hours: float = Field(
        48,
        gt=0,
        le=8760,
        description="hours after which a training, an evaluation or an import is stopped",
    )
    threads: int = Field(2, ge=1, description="threads for scanning, encoding and training")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] = Field(
        "WARNING", description="level of the program's own log lines"
    )

    @field_validator("home", mode="before")
    @classmethod
    def _is_named(cls, value: Any) -> Any:
        """An empty value would be the working folder; `~` is expanded because no shell has read
        it."""
        if not str(value).strip():
            raise ValueError("name a folder, or leave it out")
        try:
            return Path(value).expanduser()
        except RuntimeError:
            raise ValueError("nobody has this ~ here; write the whole path") from None

    @field_validator("log_level", mode="before")
    @classmethod
    def _in_capitals(cls, value: Any) -> Any:
        return value.upper() if isinstance(value, str) else value

    @field_validator(*ADDRESSES)
    @classmethod
    def _is_address(cls, value: str, about: ValidationInfo) -> str:
        """Reject malformed addresses, before a library sees one and quotes its password in an
        error."""
        for address in value.split(","):
            _require_address(address.strip(), ADDRESSES[str(about.field_name)])
        return value

    @field_validator("broker_password")
    @classmethod
    def _is_the_only_one(cls, value: SecretStr, others: ValidationInfo) -> SecretStr:
        broker = others.data.get("broker", "")
        if value.get_secret_value() and urlsplit(broker).password is not None:
            raise ValueError("TICKETING_BROKER holds a password too; leave one of them out")
        return value

    def without_home(self, said: str) -> str:
        """A message without the path of the home."""
        home = str(self.home.absolute())
        return said.replace(f"{home}/", "").replace(home, "the home")

    @property
    def where(self) -> str:
        """A sentence that says which home is used."""
        return f"The home is {self.home.absolute()}; {PREFIX}HOME names another."

    @property
    def broker_address(self) -> str:
        """The broker's address with its password, for connecting."""
        password = quote(self.broker_password.get_secret_value(), safe="")
        if not password:
            return self.broker
        parts = urlsplit(self.broker)
        user, _, host = parts.netloc.rpartition("@")
        return parts._replace(netloc=f"{user}:{password}@{host}").geturl()

    @field_validator("allowed_hosts")
    @classmethod
    def _are_names(cls, value: str) -> str:
        """Reject names that no request could have; they would be ignored silently."""
        if not all(NAME.fullmatch(name.strip()) for name in value.split(",")):
            raise ValueError("write names alone, as in desk.example.com,desk; no https, no port")
        return value

    @field_validator("trusted_proxy")
    @classmethod
    def _is_proxy(cls, value: str) -> str:
        if value not in ("", "*"):
            try:
                ip_address(value)
            except ValueError:
                raise ValueError("write an address in numbers, as in 10.0.0.5, or *") from None
        return value

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            yield name, masked(value) if name in ADDRESSES else value


def folder_of(address: str) -> Path:
    """The folder of a store's address after FOLDER; "~" is expanded."""
    return Path(address.removeprefix(FOLDER)).expanduser()


def _require_address(address: str, example: str) -> None:
    """Raises ValueError for an address that cannot be parsed. The message quotes no part of it."""
    if address.startswith(FOLDER):
        if address == FOLDER:
            raise ValueError(f"name a folder behind it, as {FOLDER}/srv/desk")
        return
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018  reads it
    except ValueError:
        raise ValueError(f"this is no address; write one as {example}") from None
    if "@" in parts.path + parts.query + parts.fragment or any(map(str.isspace, parts.netloc)):
        raise ValueError("write / ? # @ and blanks in a password as %2F %3F %23 %40 %20")


def _holds_a_secret(name: str) -> bool:
    return name in ADDRESSES or Settings.model_fields[name].annotation is SecretStr


def _require_known() -> None:
    """Raises InputError for an unknown variable, for example a misspelt one."""
    known = [name.upper() for name in Settings.model_fields]
    given = {name.upper() for name in (*os.environ, *DotEnvSettingsSource(Settings).env_vars)}
    for name in sorted(name.removeprefix(PREFIX) for name in given if name.startswith(PREFIX)):
        if name not in known:
            near = nearest(name, known)
            todo = f"write {PREFIX}{near}, or take it out" if near else "take it out"
            raise InputError(f"There is no setting {PREFIX}{name}; {todo}.")


def load_settings(**overrides: Any) -> Settings:
    """Settings from the environment, with `overrides` on top.

    Raises InputError naming the variable, its value and what is expected.
    """
    try:
        _require_known()
        return Settings(**overrides)
    except UnicodeDecodeError:
        raise InputError(f"{Path(FILE).absolute()} is not UTF-8; save it as UTF-8.") from None
    except ValidationError as error:
        name, value, message = first_invalid(error)
        shown = "" if _holds_a_secret(name) else f"={value!r}"
        raise InputError(f"TICKETING_{name.upper()}{shown} cannot be used: {message}.") from None
