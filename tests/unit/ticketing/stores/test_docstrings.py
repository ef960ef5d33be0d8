"""What a store does is said once: at its protocol, or where the store does it."""

import inspect

import pytest

from ticketing.stores.elasticsearch import ElasticsearchStore
from ticketing.stores.sqlite import SQLiteStore
from ticketing.stores.visible import VisibleStore


@pytest.mark.parametrize("store", [SQLiteStore, ElasticsearchStore, VisibleStore])
def test_every_public_method_has_a_docstring_or_its_protocols(store):
    ours = [part for part in store.__mro__ if part.__module__.startswith("ticketing.")]
    methods = {
        (part.__name__, name): inspect.getdoc(method)
        for part in ours
        for name, method in inspect.getmembers(part, inspect.isfunction)
        if name[0] != "_"
    }
    assert (store.__name__, "put_tickets") in methods
    assert [name for name, said in methods.items() if not said] == []
