"""What is believed of a provider: a stand-in that lies in every way it can."""

import io
import json
import random
import time
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from tests.fake_desk import FakeDesk
from ticketing.errors import InputError
from ticketing.people import Account, Actor, Role
from ticketing.settings import Settings
from web.app import create_app
from web.cli import require_account
from web.openid import claim, roles_by_value, texts

LONGEST_COOKIE = 4096
"""Bytes that every browser keeps (RFC 6265, section 6.1)."""

ISSUER = "https://login.example/desk"
ADDRESSES = {name: f"{ISSUER}/{name}" for name in ("auth", "token", "jwks", "me")}
KEYS = {"a": RSAKey.generate_key(2048, {"kid": "a"}), "b": RSAKey.generate_key(2048, {"kid": "a"})}
OPENID = {
    "openid_issuer": ISSUER,
    "openid_client_id": "desk",
    "openid_client_secret": "hush",
    "openid_roles": "chiefs=admin,labs=scientist,*=engineer",
}


class Provider:
    """Answers every request of the client; a test changes what it says."""

    def __init__(self):
        self.metadata = {
            "issuer": ISSUER,
            "authorization_endpoint": ADDRESSES["auth"],
            "token_endpoint": ADDRESSES["token"],
            "jwks_uri": ADDRESSES["jwks"],
            "userinfo_endpoint": ADDRESSES["me"],
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
        }
        self.header = {"alg": "RS256", "kid": "a"}
        self.key = KEYS["a"]
        self.claims = {"iss": ISSUER, "aud": "desk", "sub": "7", "preferred_username": "ann"}
        self.more = {"sub": "7", "groups": ["labs", "service"]}
        self.nonce = ""

    def request(self, _session, method, url, **options):
        """What requests would return."""
        said = {
            ADDRESSES["jwks"]: {"keys": [KEYS["a"].as_dict(private=False)]},
            ADDRESSES["me"]: self.more,
        }.get(url, self.metadata)
        if url == ADDRESSES["token"]:
            said = {"access_token": "t", "token_type": "Bearer", "id_token": self.id_token()}
        answer = requests.Response()
        answer.status_code, answer.url = 200, url
        answer.raw = io.BytesIO(json.dumps(said).encode())
        return answer

    def id_token(self) -> str:
        now = int(time.time())
        claims = {"iat": now, "exp": now + 60, "nonce": self.nonce, **self.claims}
        return jwt.encode(self.header, claims, self.key, algorithms=["RS256", "HS256", "none"])


@pytest.fixture
def provider(monkeypatch):
    provider = Provider()
    monkeypatch.setattr(
        OAuth2Session, "request", lambda *args, **options: provider.request(*args, **options)
    )
    return provider


@pytest.fixture
def desk(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path, **OPENID))
    yield desk
    desk.close()


def come_back(desk, provider, answer: str = "code=c", going: str = "/jobs"):
    """A browser is sent to the provider and returns; the desk's last answer."""
    browser = create_app(desk).test_client()
    sent = browser.get("/sign-in/openid", query_string={"next": going})
    assert len(sent.headers["Set-Cookie"]) < LONGEST_COOKIE
    asked = parse_qs(urlsplit(sent.headers["Location"]).query)
    provider.nonce = asked["nonce"][0]
    return browser.get(f"/sign-in/openid/back?{answer}&state={asked['state'][0]}")


def test_whom_the_provider_vouches_for_is_signed_in(desk, provider):
    answer = come_back(desk, provider)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/jobs")
    [account] = desk.store.accounts()
    assert (account.name, account.identity) == ("ann", f"{ISSUER} 7")
    assert (account.role, account.groups) == (Role.SCIENTIST, {"labs", "service"})
    assert account.password_hash == ""


def test_a_group_that_no_ticket_can_have_is_left_out_and_nobody_locked_out(desk, provider, caplog):
    odd = ["cn=hr,dc=x", "hr; payroll", " ", "x" * 501, "half \ud800"]
    provider.more["groups"] += [*odd, " hall "]
    assert come_back(desk, provider).status_code == 303
    [account] = desk.store.accounts()
    assert (account.role, account.groups) == (Role.SCIENTIST, {"labs", "service", "hall"})
    [line] = [record.getMessage() for record in caplog.records if record.name == "web.openid"]
    assert line.startswith("5 groups of 'ann' from the provider left out, first: ' ' is no name of")
    assert "\n" not in line
    provider.more["groups"] = odd
    assert come_back(desk, provider).status_code == 303
    assert desk.store.get_account("ann").groups == frozenset()


def test_ways_to_the_provider_that_were_given_up_do_not_pile_up_in_the_cookie(desk, provider):
    browser = create_app(desk).test_client()
    sizes = [len(browser.get("/sign-in/openid").headers["Set-Cookie"]) for _ in range(5)]
    assert max(sizes) - min(sizes) < 20


@pytest.mark.parametrize("length", [500, 30_000])
def test_whoever_came_by_a_long_address_signs_in_too(desk, provider, length):
    """A link of another program may hold a whole description; browsers drop such a cookie."""
    link = f"/?description={random.Random(0).randbytes(length // 2).hex()}"
    answer = come_back(desk, provider, going=link)
    assert answer.headers["Location"] == (link if length == 500 else "/")


def test_an_account_with_a_password_is_joined_to_the_provider_by_an_admin(desk, provider):
    desk.store.put_account(Account("Ann", "hash", Role.ADMIN))
    answer = come_back(desk, provider)
    assert answer.status_code == 400
    assert f"users change Ann --identity &#39;{ISSUER} 7&#39;" in answer.text
    desk.change_account(Actor("ada", ""), "Ann", identity=f"{ISSUER} 7")
    assert come_back(desk, provider).status_code == 303
    [account] = desk.store.accounts()
    assert (account.name, account.role, account.password_hash) == ("Ann", Role.SCIENTIST, "")


LIES = {
    "another nonce": {"claims": {"nonce": "other"}},
    "no nonce": {"claims": {"nonce": None}},
    "for another client": {"claims": {"aud": "other"}},
    "of another issuer": {"claims": {"iss": "https://evil.example"}},
    "of yesterday": {"claims": {"exp": int(time.time()) - 86_400}},
    "signed by somebody else": {"key": KEYS["b"]},
    "signed with the client's secret": {
        "key": OctKey.import_key("hush" * 8),
        "header": {"alg": "HS256", "kid": "a"},
    },
    "not signed": {"header": {"alg": "none"}},
}


@pytest.mark.filterwarnings("ignore:JWS algorithm")
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_an_id_token_that_is_wrong_signs_nobody_in(desk, provider, lie):
    provider.claims |= lie.get("claims", {})
    provider.key = lie.get("key", provider.key)
    provider.header = lie.get("header", provider.header)
    answer = come_back(desk, provider)
    assert answer.status_code == 400 and "try again" in answer.text
    assert desk.store.accounts() == []


def test_what_the_provider_says_of_somebody_else_is_not_added(desk, provider):
    provider.more = {"sub": "8", "groups": ["chiefs"]}
    come_back(desk, provider)
    assert desk.store.get_account("ann").role == Role.ENGINEER


@pytest.mark.parametrize("name", [None, "", " ", 7, "local"])
def test_somebody_without_a_usable_name_is_refused(desk, provider, name):
    provider.claims["preferred_username"] = name
    assert come_back(desk, provider).status_code in (400, 403)
    assert desk.store.accounts() == []


def test_an_error_of_the_provider_is_said(desk, provider):
    answer = come_back(desk, provider, "error=access_denied")
    assert answer.status_code == 400 and "(access_denied)" in answer.text


def test_a_provider_that_takes_itself_for_another_is_said(desk, provider):
    provider.metadata["issuer"] = "https://evil.example"
    answer = create_app(desk).test_client().get("/sign-in/openid")
    assert answer.status_code == 503 and "TICKETING_OPENID_ISSUER" in answer.text


def test_without_a_provider_there_is_no_way_to_it(tmp_path):
    client = create_app(desk := FakeDesk(Settings(home=tmp_path))).test_client()
    assert client.get("/sign-in/openid").status_code == 404
    assert client.get("/sign-in/openid/back?code=c&state=s").status_code == 404
    desk.close()


def test_with_a_provider_everybody_signs_in_and_others_may_be_let_in(tmp_path):
    desk = FakeDesk(Settings(home=tmp_path, host="0.0.0.0", **OPENID))
    require_account(desk)
    local = FakeDesk(Settings(home=tmp_path / "local", **OPENID))
    page = create_app(local).test_client().get("/jobs", follow_redirects=True)
    assert 'href="/sign-in/openid' in page.text and "Nobody has an account" not in page.text
    desk.close()
    local.close()


UNUSABLE = {
    "no https": ({"openid_issuer": "http://login.example"}, "must begin with https"),
    "no id": ({"openid_client_id": ""}, "TICKETING_OPENID_CLIENT_ID"),
    "no secret": ({"openid_client_secret": ""}, "TICKETING_OPENID_CLIENT_SECRET"),
    "no role": ({"openid_roles": "chiefs=chief"}, "chiefs=chief"),
    "no value": ({"openid_roles": "admin"}, "'admin'"),
}


@pytest.mark.parametrize(("given", "said"), UNUSABLE.values(), ids=UNUSABLE)
def test_settings_with_which_nobody_could_sign_in_safely_are_refused(tmp_path, given, said):
    desk = FakeDesk(Settings(home=tmp_path, **{**OPENID, **given}))
    with pytest.raises(InputError, match=said) as raised:
        create_app(desk)
    assert "hush" not in str(raised.value)
    desk.close()


def test_the_secret_is_not_shown():
    assert "hush" not in repr(Settings(**OPENID))


def test_what_a_claim_says():
    claims = {"a.b": "literal", "a": {"b": "nested", "c": {"d": ["x", "", 7]}}}
    assert [claim(claims, name) for name in ("a.b", "a.c.d", "a.b.c", "no")] == [
        "literal",
        ["x", "", 7],
        None,
        None,
    ]
    assert (texts(["x", "", 7]), texts("x"), texts(None)) == ({"x"}, {"x"}, frozenset())


def test_a_value_may_hold_what_parts_it_from_its_role():
    assert roles_by_value(" cn=chiefs = admin ,*=engineer,") == {
        "cn=chiefs": Role.ADMIN,
        "*": Role.ENGINEER,
    }
