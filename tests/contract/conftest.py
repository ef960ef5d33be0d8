import pytest

for module in ("store_contract", "contract_tickets", "contract_codes", "contract_records"):
    pytest.register_assert_rewrite(module)
