"""What a desk's tickets are about."""


def test_every_stored_ticket_is_counted_under_its_main_topic(desk):
    found = desk.topics()
    assert found.tickets == 40
    assert sum(trend.tickets for trend in found.topics) + found.without_topic == 40
    for trend in found.topics:
        tickets = desk.topic_tickets(trend.topic.number, limit=40)
        assert len(tickets) == trend.tickets
        assert {desk.topic_of(ticket) for ticket in tickets} == {trend.topic}
        assert desk.topic(trend.topic.number) == (found, trend)
        assert len(trend.topic.words) > 0
