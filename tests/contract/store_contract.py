"""What every Store does: inherit `StoreContract` and give it a `store` fixture."""

import pytest

from tests.contract.contract_codes import CodeContract
from tests.contract.contract_examples import ALL
from tests.contract.contract_files import FileContract
from tests.contract.contract_jobs import JobContract
from tests.contract.contract_literals import LiteralContract
from tests.contract.contract_people import PeopleContract
from tests.contract.contract_records import RecordContract
from tests.contract.contract_schedules import ScheduleContract
from tests.contract.contract_tickets import TicketContract
from ticketing.errors import StoreError


class StoreContract(
    TicketContract,
    LiteralContract,
    CodeContract,
    RecordContract,
    JobContract,
    ScheduleContract,
    PeopleContract,
    FileContract,
):
    """Each test is a sentence of `ticketing.stores.protocols.Store`."""

    def test_a_closed_store_says_so(self, store):
        store.put_tickets(ALL)
        store.close()
        with pytest.raises(StoreError, match="closed"):
            store.count_tickets()
