"""What a browser's cookie says, and what the store says of it."""

from tests.people import GOOD
from ticketing.people import Actor, Role
from web.app import create_app


def test_a_session_that_has_ended_keeps_nobody_from_signing_in_again(desk):
    desk.add_account(Actor("", ""), "ann", GOOD, Role.ADMIN)
    app = create_app(desk)
    app.config["WTF_CSRF_ENABLED"] = False
    browser, given = app.test_client(), {"name": "ann", "password": GOOD}
    assert browser.post("/sign-in", data=given).status_code == 303
    desk.store.end_sessions("ann")
    assert browser.get("/jobs").status_code == 303
    assert browser.post("/sign-in", data=given).status_code == 303
    assert browser.get("/jobs").status_code == 200
