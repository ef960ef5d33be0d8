import pytest

for module in (
    "tests.contract.store_contract",
    "tests.contract.contract_tickets",
    "tests.contract.contract_codes",
    "tests.contract.contract_files",
    "tests.contract.contract_records",
    "tests.contract.contract_jobs",
    "tests.contract.contract_schedules",
):
    pytest.register_assert_rewrite(module)
