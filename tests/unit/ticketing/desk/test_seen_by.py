"""A desk as somebody sees it stands on the same models, and every change reaches it at once."""

from dataclasses import replace

import pytest

from ticketing.errors import Conflict
from ticketing.people import LOCAL, Person, Role
from ticketing.recommendations import Order
from ticketing.retrieval.spelling import Corrector
from ticketing.tickets import Grade, Query, Ticket

HR, LAB = frozenset(["hr"]), frozenset(["lab"])
HAL, EVE = Person("hal", Role.ADMIN, HR), Person("eve", Role.ADMIN, LAB)
ASKED = Query("Barring drive pawl faulty", "Break-away torque greater than the drive can give.")


def found(desk) -> list[str]:
    answer = desk.preview(ASKED)
    return [each.ticket.id for item in answer.items for each in (item, *item.like)]


def test_nothing_stands_between_a_desk_and_who_sees_all(desk):
    assert desk.seen_by(LOCAL) is desk


def test_models_are_loaded_once_for_everybody(desk):
    seen = desk.seen_by(EVE)
    assert seen.recommender().model is desk.recommender().model is seen.recommender().model
    assert seen.recommender().store is seen.store
    assert desk.recommender().store is desk.store


def test_a_change_of_groups_alone_reaches_the_next_query(desk, archive_tickets):
    best = found(desk)[0]
    [ticket] = desk.store.get_tickets([best]).values()
    assert [found(desk.seen_by(who))[0] for who in (HAL, EVE)] == [best, best]
    desk.put_tickets([replace(ticket, groups=HR)])
    assert found(desk.seen_by(HAL))[0] == best
    assert best not in found(desk.seen_by(EVE))
    assert desk.seen_by(EVE).preview(ASKED).searched == len(archive_tickets) - 1
    desk.put_tickets([replace(ticket, groups=LAB)])
    assert best not in found(desk.seen_by(HAL))
    assert found(desk.seen_by(EVE))[0] == best
    desk.put_tickets([ticket])
    assert [found(desk.seen_by(who))[0] for who in (HAL, EVE)] == [best, best]


def test_a_ticket_put_for_others_is_encoded_and_found_by_them(desk, archive_tickets):
    new = replace(archive_tickets[0], id="NEW", groups=HR)
    assert desk.seen_by(EVE).put_tickets([new]).added == 1
    assert desk.store.stale_ids(desk.store.serving()) == []
    asked = Query(new.subject, new.description)
    assert desk.seen_by(HAL).preview(asked).searched == len(archive_tickets) + 1
    assert desk.seen_by(EVE).preview(asked).searched == len(archive_tickets)
    with pytest.raises(Conflict):
        desk.seen_by(EVE).put_tickets([replace(new, groups=LAB)])


def test_a_hidden_ticket_is_not_named_where_a_query_mentions_it_nor_found_by_text(desk):
    desk.put_tickets([Ticket("BK-1009", "Roof", "Water comes in.", groups=HR)])
    asked = replace(ASKED, description=f"{ASKED.description} Same as BK-1009?")
    seen = {who.name: desk.seen_by(who).preview(asked, order=Order.TEXT) for who in (HAL, EVE)}
    assert (seen["hal"].mentioned, seen["eve"].mentioned) == (("BK-1009",), ())
    assert seen["hal"].searched == seen["eve"].searched + 1


def test_tickets_keep_their_groups_where_nobody_says_others(desk, archive_tickets):
    one, other = archive_tickets[:2]
    desk.put_tickets([replace(one, groups=HR)])
    changed = [replace(one, solution="new"), other, replace(one, id="NEW")]
    desk.put_tickets(changed, keep=["groups"])
    put = desk.store.get_tickets([ticket.id for ticket in changed])
    assert [put[ticket.id] for ticket in changed] == [replace(changed[0], groups=HR), *changed[1:]]


def test_a_round_does_not_keep_what_is_hidden_meanwhile(desk):
    bundle, seen = desk.store.serving(), desk.seen_by(EVE)
    best = seen.best_of(ASKED, bundle)
    assert desk.seen_by(EVE).best_of(ASKED, bundle) == best
    [ticket] = desk.store.get_tickets(best[:1]).values()
    desk.put_tickets([replace(ticket, groups=HR)])
    seen = desk.seen_by(EVE)
    found = seen.best_of(ASKED, bundle)
    assert ticket.id not in found
    assert list(found) == [id for id, _ in seen.recommender(bundle).rank(ASKED)]
    assert desk.seen_by(HAL).best_of(ASKED, bundle) == best


def test_a_round_finds_tickets_that_come_after_there_were_none(empty, archive_tickets):
    bundle = empty.store.serving()
    assert empty.best_of(ASKED, bundle) == ()
    empty.put_tickets(archive_tickets)
    assert len(empty.best_of(ASKED, bundle)) == 10


def test_a_word_that_only_hidden_tickets_have_is_never_meant(desk, archive_tickets, monkeypatch):
    monkeypatch.setattr(Corrector, "meant", lambda *_: {"pwal": "pawl"})
    assert desk.seen_by(EVE).preview(ASKED).meant == {"pwal": "pawl"}
    hidden = [replace(t, groups=HR) for t in archive_tickets if "pawl" in t.text.lower()]
    assert hidden
    desk.put_tickets(hidden)
    assert desk.preview(ASKED).meant == desk.seen_by(HAL).preview(ASKED).meant == {"pwal": "pawl"}
    assert desk.seen_by(EVE).preview(ASKED).meant == {}


def test_a_name_is_told_of_topics_alone_that_a_ticket_seen_has(desk):
    had = {trend.topic.number for trend in desk.topics().topics}
    topic = min(had)
    desk.name_topic(topic, "Layoffs", "hal")
    assert desk.seen_by(EVE).topic_titles()[topic] == "Layoffs"
    desk.put_tickets([replace(t, groups=HR) for t in desk.topic_tickets(topic, limit=100)])
    assert desk.seen_by(HAL).topic_titles()[topic] == "Layoffs"
    assert desk.seen_by(EVE).topic_titles()[topic] != "Layoffs"


def test_what_serves_everybody_is_made_of_all(desk, archive_tickets):
    """Labels to learn from are not those that somebody sees."""
    hidden = [replace(ticket, groups=HR) for ticket in archive_tickets[:5]]
    desk.put_tickets(hidden)
    for ticket in hidden:
        desk.judge(desk.store.put_query(Query(ticket.subject)), ticket.id, Grade.YES, "hal")
    seen = desk.seen_by(EVE)
    assert seen.labels() == []
    assert seen.training_labels() == desk.training_labels() != []
