"""Vectors for the index of neighbours: the nearest by equation 1 are near by Euclid too."""

import hashlib
from dataclasses import replace

import numpy as np

from ticketing.model.projection import DIMS, random_signs
from ticketing.tickets import Query


def apart(vectors, vector):
    return np.linalg.norm(vectors.astype(float) - vector, axis=1)


def test_a_ticket_asked_as_a_query_is_nearest_to_itself(model, archive_tickets):
    """A query has no solution; its vector stands for that at what it does have."""
    vectors = model.projection.ticket_vectors(model.encode_tickets(archive_tickets))
    assert vectors.shape == (len(archive_tickets), DIMS)
    assert vectors.dtype == np.int8
    own = [
        apart(vectors, model.encode_query(Query(t.subject, t.description)).vector)
        for t in archive_tickets
    ]
    ranks = [(distances < distances[i]).sum() for i, distances in enumerate(own)]
    assert np.mean(np.array(ranks) == 0) > 0.5
    assert np.median(ranks) < len(archive_tickets) / 10


def test_vectors_do_not_depend_on_what_is_encoded_beside(model, archive_tickets):
    rows = model.encode_tickets(archive_tickets[:9])
    together = model.projection.ticket_vectors(rows)
    alone = np.concatenate([model.projection.ticket_vectors(row[None]) for row in rows])
    assert abs(together.astype(int) - alone).max() <= 1


def test_a_missing_component_lies_where_the_others_do_on_average(model, archive_tickets):
    """Whole, half and empty tickets are all somewhere, and only what differs is apart."""
    ticket = archive_tickets[0]
    bare = replace(ticket, description="", solution="")
    thrice = replace(bare, description=bare.subject, solution=bare.subject)
    vectors = model.projection.ticket_vectors(model.encode_tickets([bare, thrice, ticket]))
    near, far = apart(vectors[1:], vectors[0])
    assert near < far


def test_no_tickets_have_no_vectors(model):
    assert model.projection.ticket_vectors(model.encode_tickets([])).shape == (0, DIMS)


def test_a_query_without_words_has_a_vector_too(model):
    assert model.encode_query(Query("", "")).vector.shape == (DIMS,)


def test_the_projection_is_the_same_for_ever():
    """An index is filled by one release and asked by another: these signs may never change."""
    signs = random_signs(1500)
    assert set(np.unique(signs)) == {-1, 1}
    assert abs(signs.mean()) < 0.01
    assert hashlib.sha256(signs.tobytes()).hexdigest()[:16] == "41db8d27494c8409"
