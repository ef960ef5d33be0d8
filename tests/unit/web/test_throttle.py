"""How often one may ask; what is counted, and what is not."""

import time
from contextlib import closing, suppress

import pytest
from werkzeug.exceptions import TooManyRequests

from tests.fake_desk import FakeDesk
from tests.people import signed_in
from tests.redis_server import redis_server
from ticketing.people import Actor, Permission, Role
from ticketing.settings import Settings
from web.app import create_app
from web.throttle import Throttle, network_of

ELSEWHERE = {"REMOTE_ADDR": "192.0.2.7"}
DEAD = "redis://127.0.0.1:1/0"


@pytest.fixture
def desk(tmp_path):
    with closing(FakeDesk(Settings(home=tmp_path, rate_person=3, rate_address=5))) as desk:
        yield desk


def statuses(client, address: str, count: int, **options) -> list[int]:
    """Of so many requests for an address."""
    return [client.get(address, **options).status_code for _ in range(count)]


def test_a_person_who_asks_too_often_waits_and_nobody_else_does(desk):
    ann = signed_in(desk, "ann", Role.ENGINEER)
    assert statuses(ann, "/api/jobs", 4) == [200, 200, 200, 429]
    ann.application.extensions["throttle"].asked_by("ben")


def test_the_answer_says_when_to_try_again(desk):
    ann = signed_in(desk, "ann", Role.ENGINEER)
    statuses(ann, "/api/jobs", 3)
    answer, page = ann.get("/api/jobs"), ann.get("/jobs")
    seconds = answer.headers["Retry-After"]
    assert 1 <= int(seconds) <= 60
    assert answer.json == {"error": f"You ask too often; wait {seconds} seconds, then try again."}
    assert page.status_code == 429 and page.headers["Retry-After"] and "too often" in page.text


def test_who_asks_with_a_token_is_the_same_person(desk):
    ann = signed_in(desk, "ann", Role.ENGINEER)
    made = desk.make_token(Actor("ann", ""), "ann", "a script", [Permission.ASK], 1)
    program = {"headers": {"Authorization": f"Bearer {made.secret}"}}
    statuses(ann, "/api/jobs", 2)
    assert statuses(ann.application.test_client(), "/api/jobs", 2, **program) == [200, 429]


def test_a_network_of_ipv6_counts_as_one_address(desk):
    throttle = Throttle(desk.settings)
    for number in range(5):
        throttle.attempt(f"2001:db8::{number}", "ann")
    with pytest.raises(TooManyRequests):
        throttle.attempt("2001:db8::9", "ann")
    throttle.attempt("2001:db8:0:1::9", "ann")
    throttle.succeeded("2001:db8::ffff", "ann")
    throttle.attempt("2001:db8::9", "ann")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("", ""),
    ],
)
def test_what_is_counted_of_an_address(address, network):
    assert network_of(address) == network


def test_an_address_is_counted_before_anybody_is_looked_for(desk, monkeypatch):
    signed_in(desk, "ann")
    client = create_app(desk).test_client()
    assert statuses(client, "/api/jobs", 5, environ_base=ELSEWHERE) == [401] * 5
    monkeypatch.setattr("web.guard.find_person", lambda: pytest.fail("it was looked for"))
    answer = client.get("/api/jobs", environ_base=ELSEWHERE)
    assert answer.status_code == 429 and "your address" in answer.json["error"]


def test_a_form_without_its_token_is_counted(desk):
    signed_in(desk, "ann")
    client = create_app(desk).test_client()
    sent = [client.post("/sign-in", environ_base=ELSEWHERE).status_code for _ in range(7)]
    assert sent == [400] * 5 + [429] * 2


@pytest.mark.parametrize("address", ["/healthz", "/readyz", "/static/page.css"])
def test_monitoring_and_the_pages_own_files_are_not_counted(desk, address):
    client = create_app(desk).test_client()
    assert statuses(client, address, 10, environ_base=ELSEWHERE) == [200] * 10


def test_this_machine_without_accounts_is_not_counted(desk):
    assert statuses(create_app(desk).test_client(), "/api/jobs", 10) == [200] * 10


def test_a_minute_of_typing_is_not_refused():
    """A preview follows 150 ms of rest: whoever types a letter each 160 ms sends 375 a minute. A
    refusal would be raised."""
    throttle = Throttle(Settings())
    for _ in range(60_000 // 160):
        throttle.asked_by("ann")


def test_passwords_for_many_names_are_counted_together():
    throttle = Throttle(Settings())
    for number in range(50):
        throttle.attempt("192.0.2.7", f"name {number}")
    with pytest.raises(TooManyRequests, match="Too many passwords were tried; wait"):
        throttle.attempt("192.0.2.7", "ann")
    throttle.attempt("192.0.2.8", "ann")


def tries(throttle, count, right=False, name="name") -> int:
    """How many of so many attempts from one address are let through."""
    let = 0
    for number in range(count):
        try:
            throttle.attempt("192.0.2.7", f"{name} {number}")
        except TooManyRequests:
            continue
        let += 1
        if right:
            throttle.succeeded("192.0.2.7", f"{name} {number}")
    return let


def test_right_passwords_count_for_nothing():
    """An office behind one address was locked out by its own people on a Monday morning."""
    throttle = Throttle(Settings())
    assert tries(throttle, 200, right=True) == 200
    assert tries(throttle, 60) == 50
    assert tries(throttle, 10, name="other") == 0


def test_attempts_that_are_under_way_are_counted():
    """Whoever sends many at once has no more guesses."""
    throttle = Throttle(Settings())
    assert tries(throttle, 60) == 50
    throttle.succeeded("192.0.2.7", "name 0")
    assert tries(throttle, 10, name="other") == 1


def test_a_right_password_never_makes_room_for_a_guess(monkeypatch):
    throttle, begun = Throttle(Settings()), time.time()
    tries(throttle, 100, right=True)
    for seconds, let in ((57, 50), (59, 0), (61, 0), (100, 0), (118, 50)):
        monkeypatch.setattr(time, "time", lambda seconds=seconds: begun + seconds)
        assert tries(throttle, 60, name=f"after {seconds}") == let, seconds


def test_whoever_hammers_one_name_uses_up_no_attempts_at_others():
    throttle = Throttle(Settings())
    for _ in range(100):
        with suppress(TooManyRequests):
            throttle.attempt("192.0.2.7", "ann")
    assert tries(throttle, 60) == 45


def test_where_redis_is_away_each_process_counts_for_itself():
    throttle = Throttle(Settings(broker=DEAD, rate_person=2))
    throttle.asked_by("ann")
    throttle.asked_by("ann")
    with pytest.raises(TooManyRequests):
        throttle.asked_by("ann")


@pytest.mark.redis
def test_processes_with_a_redis_count_together(redis_url):
    one, other = (Throttle(Settings(broker=redis_url, rate_person=2)) for _ in range(2))
    one.asked_by("ann")
    other.asked_by("ann")
    for throttle in (one, other):
        with pytest.raises(TooManyRequests) as raised:
            throttle.asked_by("ann")
        assert 1 <= raised.value.retry_after <= 60
    one.attempt("192.0.2.7", "ann")
    other.succeeded("192.0.2.7", "ann")
    assert tries(one, 100, right=True) == 100
    assert tries(other, 40) + tries(one, 40, name="other") == 50


@pytest.mark.redis
def test_a_redis_that_hangs_is_waited_for_once(redis_program, monkeypatch):
    with redis_server() as server:
        monkeypatch.setattr("web.throttle.REDIS_SECONDS", 2.0)
        throttle = Throttle(Settings(broker=server.url))
        throttle.asked_by("ann")
        server.freeze()
        begun = time.monotonic()
        for _ in range(20):
            throttle.asked_by("ann")
        assert time.monotonic() - begun < 20  # each would wait for two
        server.thaw()
