"""Tickets are found by the numbers and codes that they name."""

from collections import Counter
from dataclasses import replace
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.contract.contract_examples import HIDDEN, at_most_sixty, filtered, grouped
from ticketing.text.literals import literal_keys
from ticketing.tickets import Filters, Ticket

OLD = Ticket("B-1", "Backup fails", "Says ORA-00942.", created=datetime(2012, 1, 1))
NEW = Ticket("B-2", "Backup again", "", "As ora-00942.", created=datetime(2014, 1, 1))
BOTH = Ticket("B-3", "ORA-00942", "then 1603", created=datetime(2011, 1, 1))
UNDATED = Ticket("A-9", "ORA-00942 at night")
EVERY = (OLD, NEW, BOTH, UNDATED)

named_texts = st.lists(
    st.lists(st.sampled_from(["7", "ORA-7", "v1.2.3", "0x1f", "pump", "é-5"]), max_size=3).map(
        " ".join
    ),
    min_size=1,
    max_size=6,
)


class LiteralContract:
    """Each test is a sentence of SearchedTickets.naming."""

    def test_first_come_those_that_name_most_then_the_last_created(self, store):
        store.put_tickets(EVERY)
        found = store.naming(["1603", "ora00942", "ora0094", "942", "backup"])
        assert list(found) == ["B-3", "B-2", "B-1", "A-9"]
        assert found["B-3"] == ["1603", "ora00942"] and found["A-9"] == ["ora00942"]
        assert list(store.naming(["ora00942"], limit=2)) == ["B-2", "B-1"]
        assert store.naming([]) == store.naming(["absent"]) == {}

    def test_those_of_one_time_come_by_id(self, store):
        store.put_tickets([replace(OLD, id=id) for id in ("T-2", "é", "T-10", "a")])
        assert list(store.naming(["ora00942"])) == ["T-10", "T-2", "a", "é"]

    def test_a_change_of_the_text_is_seen_and_of_other_fields_changes_nothing(self, store):
        store.put_tickets([OLD, NEW])
        store.put_tickets([replace(NEW, solution="As E1105."), replace(OLD, product="Oracle")])
        assert store.naming(["ora00942", "e1105"]) == {"B-2": ["e1105"], "B-1": ["ora00942"]}
        assert store.naming(["ora00942"], Filters(product="Oracle")) == {"B-1": ["ora00942"]}

    def test_a_deleted_ticket_names_nothing(self, store):
        store.put_tickets(EVERY)
        store.delete_tickets(["B-2", "B-3", "A-9"])
        assert store.naming(["ora00942", "1603"]) == {"B-1": ["ora00942"]}

    @filtered
    def test_those_that_match_alone_are_given(self, store, filters, ids):
        store.put_tickets([replace(t, description="E1105", groups=frozenset()) for t in HIDDEN])
        assert sorted(store.naming(["e1105"], filters)) == ids

    @grouped
    def test_what_is_hidden_names_nothing(self, store, filters, ids):
        store.put_tickets([replace(ticket, solution="See E1105.") for ticket in HIDDEN])
        assert sorted(store.naming(["e1105"], filters)) == ids

    def test_the_few_that_match_are_found_among_many_that_do_not(self, store):
        store.put_tickets([replace(OLD, id=f"old-{i}", product="ours") for i in range(3)])
        store.put_tickets([replace(OLD, id=f"{i:05}") for i in range(1100)])
        assert list(store.naming(["ora00942"], Filters(product="ours"))) == [
            "old-0",
            "old-1",
            "old-2",
        ]
        assert len(store.naming(["ora00942"], limit=300)) == 300

    @at_most_sixty
    @given(named_texts)
    def test_a_ticket_is_found_by_each_key_of_its_text(self, store, texts):
        store.delete_tickets([ticket.id for ticket in store.iter_tickets()])
        tickets = [Ticket(f"{i}", text, texts[-1]) for i, text in enumerate(texts)]
        store.put_tickets(tickets)
        keys = {t.id: literal_keys(t.subject, t.description, t.solution) for t in tickets}
        asked = {key for of_one in keys.values() for key in of_one} | {"77"}
        assert store.naming(asked) == {id: sorted(of_one) for id, of_one in keys.items() if of_one}
        counts = Counter({id: len(of_one) for id, of_one in keys.items() if of_one})
        assert list(store.naming(asked)) == [id for id, _ in counts.most_common()]
