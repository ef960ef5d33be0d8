"""What every TicketStore does: inherit `StoreContract` and give it a `store` fixture."""

import pytest
from contract_codes import CodeContract
from contract_examples import ALL
from contract_records import RecordContract
from contract_tickets import TicketContract

from ticketing.errors import StoreError


class StoreContract(TicketContract, CodeContract, RecordContract):
    """Each test is a sentence of `ticketing.stores.protocol.TicketStore`."""

    def test_a_closed_store_says_so(self, store):
        store.put_tickets(ALL)
        store.close()
        with pytest.raises(StoreError, match="closed"):
            store.count_tickets()
