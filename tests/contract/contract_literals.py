"""Tickets are found by the numbers and codes that they name."""

from dataclasses import replace
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.contract.contract_examples import HIDDEN, at_most_sixty, filtered, grouped
from ticketing.stores.protocols import MOST_NAMING
from ticketing.text.literals import literal_keys
from ticketing.tickets import Filters, Ticket

OLD = Ticket("B-1", "Backup fails", "Says ORA-00942.", created=datetime(2012, 1, 1))
NEW = Ticket("B-2", "Backup again", "", "As ora-00942, build 1603.", created=datetime(2014, 1, 1))
UNDATED = Ticket("A-9", "ORA-00942 at night")
EVERY = (OLD, NEW, UNDATED)

named_texts = st.lists(
    st.lists(st.sampled_from(["7", "ORA-7", "v1.2.3", "0x1f", "pump", "é-5"]), max_size=3).map(
        " ".join
    ),
    min_size=1,
    max_size=6,
)


class LiteralContract:
    """Each test is a sentence of Tickets.naming."""

    def test_the_last_created_comes_first_and_what_nobody_names_is_left_out(self, store):
        store.put_tickets(EVERY)
        asked = ["ora-00942", "1603", "ora-0094", "942", "backup"]
        assert store.naming(asked) == {"ora-00942": ["B-2", "B-1", "A-9"], "1603": ["B-2"]}
        assert store.naming(["ora-00942"], limit=2) == {"ora-00942": ["B-2", "B-1"]}
        assert store.naming([]) == {}

    def test_those_of_one_time_come_by_id(self, store):
        store.put_tickets([replace(OLD, id=id) for id in ("T-2", "é", "T-10", "a")])
        assert store.naming(["ora-00942"]) == {"ora-00942": ["T-10", "T-2", "a", "é"]}

    def test_a_change_of_the_text_is_seen_and_of_other_fields_changes_nothing(self, store):
        store.put_tickets(EVERY)
        store.put_tickets([replace(NEW, solution="As E1105."), replace(OLD, product="Oracle")])
        assert store.naming(["ora-00942", "e1105"]) == {
            "ora-00942": ["B-1", "A-9"],
            "e1105": ["B-2"],
        }
        assert store.naming(["ora-00942"], Filters(product="Oracle")) == {"ora-00942": ["B-1"]}

    def test_a_deleted_ticket_names_nothing(self, store):
        store.put_tickets(EVERY)
        store.delete_tickets(["B-2", "A-9"])
        assert store.naming(["ora-00942", "1603"]) == {"ora-00942": ["B-1"]}

    @filtered
    def test_those_that_match_alone_are_given(self, store, filters, ids):
        tickets = [replace(t, solution="See E1105.", groups=frozenset()) for t in HIDDEN]
        store.put_tickets(tickets)
        found = store.naming(["e1105"], filters)
        assert {key: sorted(holders) for key, holders in found.items()} == (
            {"e1105": ids} if ids else {}
        )

    @grouped
    def test_what_is_hidden_is_not_named(self, store, filters, ids):
        store.put_tickets([replace(ticket, solution="See E1105.") for ticket in HIDDEN])
        assert sorted(store.naming(["e1105"], filters).get("e1105", [])) == ids

    def test_of_what_very_many_name_as_many_as_asked_for_are_given(self, store):
        store.put_tickets([Ticket(f"{i:05}", "Error 404") for i in range(MOST_NAMING + 50)])
        found = store.naming(["404"], limit=20)["404"]
        assert len(set(found)) == 20 and found == sorted(found)

    @at_most_sixty
    @given(named_texts)
    def test_a_ticket_is_found_by_each_key_of_its_text(self, store, texts):
        store.delete_tickets([ticket.id for ticket in store.iter_tickets()])
        tickets = [Ticket(f"{i}", text, texts[-1]) for i, text in enumerate(texts)]
        store.put_tickets(tickets)
        keys = {t.id: literal_keys(t.subject, t.description, t.solution) for t in tickets}
        asked = {key for of_one in keys.values() for key in of_one} | {"77"}
        assert store.naming(asked) == {
            key: holders
            for key in asked
            if (holders := [id for id, of_one in keys.items() if key in of_one])
        }
