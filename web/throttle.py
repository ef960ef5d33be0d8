"""Rate limits of requests and of password attempts.

Password attempts are counted by address and name, so nobody can lock somebody else out from another
address. Each attempt is counted before the password is checked, so that parallel requests do not
give more guesses; a right one is removed afterwards. An IPv6 address counts as its /64 network,
since one machine has all of it. Counts are in Redis if that is the broker, so that all processes
count together. While Redis is away, or without it, each process counts for itself, so nothing
waits.
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
"""Attempts per minute at one name's password, from one address."""

ALL_ATTEMPTS = 50
"""Wrong attempts per minute at any passwords, from one address."""

RIGHT = RateLimitItemPerSecond(1_000, multiples=58, namespace="right")
"""Right passwords from one address, which are allowed beside the wrong ones. They are remembered
for less time than the attempts, so that they never allow an additional guess."""

REDIS_SECONDS = 0.25
"""Timeout for Redis within a request."""

AWAY_SECONDS = 10.0
"""Seconds without requests to Redis after it did not answer."""

Answer = TypeVar("Answer")


class _Attempts(RateLimitItemPerMinute):
    """All attempts from one address, counted under one key although the limit varies."""

    def key_for(self, *identifiers: bytes | str | float) -> str:
        return "/".join((self.namespace, *map(str, identifiers)))


class Throttle:
    """Counts of the last minute."""

    def __init__(self, settings: Settings):
        self._own = MovingWindowRateLimiter(MemoryStorage())
        self._shared = _in_redis(settings)
        self._shared_from = -math.inf
        self._by_person = RateLimitItemPerMinute(settings.rate_person, namespace="person")
        self._by_address = RateLimitItemPerMinute(settings.rate_address, namespace="address")

    def asked_from(self, address: str) -> None:
        """Count a request, unless it comes from this machine. Raises TooManyRequests."""
        if not is_loopback(address):
            why = "Too many requests come from your address"
            self._count(why, self._by_address, network_of(address))

    def asked_by(self, name: str) -> None:
        """Count a request of a person with an account. Raises TooManyRequests."""
        if name != LOCAL.name:
            self._count("You ask too often", self._by_person, name)

    def attempt(self, address: str, name: str) -> None:
        """Count a password attempt. Raises TooManyRequests if there were too many."""
        network, why = network_of(address), "Too many passwords were tried"
        self._count(why, ATTEMPTS, network, name)  # a refused attempt is not counted below
        self._require(why, lambda limiter: _wait_for_attempt(limiter, network))

    def succeeded(self, address: str, name: str) -> None:
        """Remove the attempt, since the password was right."""
        network = network_of(address)
        self._ask(lambda limiter: limiter.hit(RIGHT, network))
        self._ask(lambda limiter: limiter.clear(ATTEMPTS, network, name))

    def _count(self, why: str, limit: RateLimitItem, *key: str) -> None:
        self._require(why, lambda limiter: _wait(limiter, limit, key))

    def _require(self, why: str, wait: Callable[[MovingWindowRateLimiter], int]) -> None:
        """Raises TooManyRequests (429) with the time to wait."""
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
    """The counted part of an address: the whole IPv4 address, or the IPv6 network."""
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
    """Count and return 0, or return the seconds until that is possible."""
    if limiter.hit(limit, *key):
        return 0
    return max(1, math.ceil(limiter.get_window_stats(limit, *key).reset_time - time.time()))


def _wait_for_attempt(limiter: MovingWindowRateLimiter, network: str) -> int:
    """As `_wait`, for an attempt at any password."""
    right = RIGHT.amount - limiter.get_window_stats(RIGHT, network).remaining
    return _wait(limiter, _Attempts(ALL_ATTEMPTS + right, namespace="attempts"), (network,))


def current_throttle() -> Throttle:
    """The throttle of this application."""
    throttle: Throttle = current_app.extensions["throttle"]
    return throttle
