"""How often one may ask, and how often try a password.

Attempts at a password are counted by address and name, so that nobody can lock somebody else out
from another address. Each is counted before it is known to be wrong, so that many at once are no
more guesses; a right one is forgotten afterwards. An IPv6 address counts as its network of 64 bits,
as one machine has all of it. All is counted in Redis where that is the broker, so that all
processes count together; while it is away, and elsewhere, each counts for itself, so that nothing
waits for it.
"""

import ipaddress
import math
import time
from collections.abc import Callable
from typing import Any, TypeVar

from flask import current_app
from limits import RateLimitItem, RateLimitItemPerMinute, RateLimitItemPerSecond
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import MovingWindowRateLimiter
from werkzeug.exceptions import TooManyRequests

from ticketing.people import LOCAL
from ticketing.settings import Settings
from web.security import is_loopback

ATTEMPTS = RateLimitItemPerMinute(5)
"""At one name's password, from one address."""

ALL_ATTEMPTS = 50
"""Wrong ones a minute at anybody's password, from one address."""

RIGHT = RateLimitItemPerSecond(1_000, multiples=58, namespace="right")
"""Right passwords from one address, which may come beside the wrong ones. They are known for less
time than the attempts that they were, so that none ever makes room for a guess."""

REDIS_SECONDS = 0.25
"""How long a request waits for Redis."""

AWAY_SECONDS = 10.0
"""How long Redis is left alone after it did not answer."""

Answer = TypeVar("Answer")


class _Attempts(RateLimitItemPerMinute):
    """All attempts from one address, counted as one whatever their most is just now."""

    def key_for(self, *identifiers: bytes | str | float) -> str:
        return "/".join((self.namespace, *map(str, identifiers)))


class Throttle:
    """What was done within the last minute."""

    def __init__(self, settings: Settings):
        self._own = MovingWindowRateLimiter(MemoryStorage())
        self._shared = _in_redis(settings)
        self._shared_from = -math.inf
        self._by_person = RateLimitItemPerMinute(settings.rate_person, namespace="person")
        self._by_address = RateLimitItemPerMinute(settings.rate_address, namespace="address")

    def asked_from(self, address: str) -> None:
        """Count a request, unless it comes from this machine itself. Raises TooManyRequests."""
        if not is_loopback(address):
            why = "Too many requests come from your address"
            self._count(why, self._by_address, network_of(address))

    def asked_by(self, name: str) -> None:
        """Count a request of somebody who has an account. Raises TooManyRequests."""
        if name != LOCAL.name:
            self._count("You ask too often", self._by_person, name)

    def attempt(self, address: str, name: str) -> None:
        """Count an attempt at a password. Raises TooManyRequests when there were too many."""
        network, why = network_of(address), "Too many passwords were tried"
        self._count(why, ATTEMPTS, network, name)  # what is refused here is no attempt at others
        self._require(why, lambda limiter: _wait_for_attempt(limiter, network))

    def succeeded(self, address: str, name: str) -> None:
        """Forget the attempts: the password was right."""
        network = network_of(address)
        self._ask(lambda limiter: limiter.hit(RIGHT, network))
        self._ask(lambda limiter: limiter.clear(ATTEMPTS, network, name))

    def _count(self, why: str, limit: RateLimitItem, *key: str) -> None:
        self._require(why, lambda limiter: _wait(limiter, limit, key))

    def _require(self, why: str, wait: Callable[[MovingWindowRateLimiter], int]) -> None:
        """Raises TooManyRequests (429) saying when to try again."""
        if seconds := self._ask(wait):
            raise TooManyRequests(
                f"{why}; wait {seconds} seconds, then try again.", retry_after=seconds
            )

    def _ask(self, question: Callable[[MovingWindowRateLimiter], Answer]) -> Answer:
        if self._shared and time.monotonic() >= self._shared_from:
            try:
                return question(self._shared)
            except StorageError:
                self._shared_from = time.monotonic() + AWAY_SECONDS
        return question(self._own)


def network_of(address: str) -> str:
    """What is counted of an address: all of IPv4, the network of IPv6."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if known.version == 4:
        return address
    if known.ipv4_mapped:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((known.packed, 64), strict=False))


def _in_redis(settings: Settings) -> MovingWindowRateLimiter | None:
    broker = settings.broker_address
    if not broker.startswith(("redis://", "rediss://")):
        return None
    trusted: dict[str, Any] = {}
    if settings.broker_ca and broker.startswith("rediss://"):
        trusted["ssl_ca_certs"] = str(settings.broker_ca)
    storage = RedisStorage(
        broker,
        key_prefix="ticketing",
        wrap_exceptions=True,
        socket_timeout=REDIS_SECONDS,
        socket_connect_timeout=REDIS_SECONDS,
        **trusted,
    )
    return MovingWindowRateLimiter(storage)


def _wait(limiter: MovingWindowRateLimiter, limit: RateLimitItem, key: tuple[str, ...]) -> int:
    """Count once more and return 0, or return the seconds until that is possible."""
    if limiter.hit(limit, *key):
        return 0
    return max(1, math.ceil(limiter.get_window_stats(limit, *key).reset_time - time.time()))


def _wait_for_attempt(limiter: MovingWindowRateLimiter, network: str) -> int:
    """As `_wait`, of an attempt at anybody's password."""
    right = RIGHT.amount - limiter.get_window_stats(RIGHT, network).remaining
    return _wait(limiter, _Attempts(ALL_ATTEMPTS + right, namespace="attempts"), (network,))


def current_throttle() -> Throttle:
    """The throttle of this application."""
    throttle: Throttle = current_app.extensions["throttle"]
    return throttle
