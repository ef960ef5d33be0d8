"""ElasticsearchStore passes the contract on a real server."""

import pytest
from store_contract import StoreContract

pytestmark = pytest.mark.elasticsearch


class TestElasticsearchStore(StoreContract):
    @pytest.fixture
    def store(self, elasticsearch_store):
        return elasticsearch_store
