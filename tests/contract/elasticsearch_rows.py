"""Rows of codes as another program wrote them."""

from ticketing.stores.elasticsearch.documents import OWN, columns, copied, document_of, own_of
from ticketing.stores.elasticsearch.indices import CODES, vector_of


def forged(store, id, /, **fields):
    """Write a row of b1 anew, with other columns; None leaves one out."""
    index = store.connection.alias("codes-b1")
    with store.connection.client() as client:
        client.indices.refresh(index=index)
        query = {"ids": {"values": [id]}}
        [hit] = client.search(index=index, query=query, **columns(*OWN))["hits"]["hits"]
        document = copied(document_of(store.get_tickets([id])[id])) | own_of(hit["fields"])
        document = {key: x for key, x in (document | fields).items() if x is not None}
        client.index(index=index, id=document["id"], document=document, refresh=True)


def as_before_format_9(store, **vector):
    """Make the index of b1's codes as an older program did, with whole documents."""
    index = store.connection.alias("codes-b1")
    meta = {"application": "ticketing", "version": 8}
    meta |= {"bundle_id": "b1", "build": "b", "width": 4}
    with store.connection.client() as client:
        client.indices.create(
            index=f"{index}-000001",
            aliases={index: {}},
            mappings={
                "dynamic": False,
                "_meta": meta,
                "properties": CODES | {"vector": vector or vector_of(384)},
            },
        )
