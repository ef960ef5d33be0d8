"""One network class for every row of Tables 4 and 5; encoding that minds nothing but the text."""

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ticketing.encoders.protocol import Texts
from ticketing.encoders.terms import TERMS
from ticketing.encoders.topics import TopicEncoder, TopicWords, topic_words
from ticketing.model.settings import NetworkSettings
from ticketing.networks.channels import EmbeddedTexts
from ticketing.networks.lstm import LSTMChannel
from ticketing.networks.making import new_network
from ticketing.networks.metric import similarity
from ticketing.text.vocabulary import Vocabulary
from topic_models import DocNADE, DocNADESettings

WORDS = ["bearing", "compressor", "filter", "pump", "seal", "trip", "turbine", "valve", "vibration"]
VOCABULARY = Vocabulary(WORDS, range(9, 0, -1), 40)
SIZES = {"hidden": 5, "word_dims": 4, "character_dims": 2, "topics": 3, "max_words": 6}


def topics():
    words = TopicWords(topic_words(VOCABULARY))
    settings = DocNADESettings(vocabulary_size=len(words.ids), topics=SIZES["topics"], epochs=1)
    model = DocNADE(settings)
    model.fit(words.documents([[1, 2, 3], [3, 4, 5], [6, 7, 1]]))
    return TopicEncoder(model, words)


def network(**values):
    shape = NetworkSettings(**{**SIZES, **values})
    torch.manual_seed(0)
    vectors = torch.randn(len(VOCABULARY), shape.word_dims)
    vectors[0] = 0
    resources = {"T": topics()} if "T" in shape.channels else {}
    return new_network(shape, VOCABULARY, vectors, resources).eval()


NETWORK = network()
NETWORK.set_coverage_weights(torch.tensor([0.8, 0.3]))
QUERY = ([1, 2], [3, 4, 5])
TICKET = ([2, 6], [1, 7, 3, 3], [8])
TEXT = st.lists(st.integers(1, 9), max_size=9)


def test_an_encoder_is_told_the_whole_that_a_text_is_part_of(monkeypatch):
    seen = []
    encoder = NETWORK.plugs["E"]
    monkeypatch.setattr(
        encoder,
        "forward",
        lambda texts: seen.append(texts.texts) or torch.zeros(len(texts.texts.ids), encoder.width),
    )
    NETWORK.encode([([1, 2], [3, 4]), ([5], [])])
    NETWORK.encode([([], [3, 4], [8]), ([1], [], [2])])
    assert [texts.wholes for texts in seen] == [
        [(0, 2), (0, 2), (2, 3)],
        [(0, 1), (1, 2), (2, 3), (3, 4)],
    ]


def test_e_reads_a_subject_and_a_description_in_the_light_of_both_and_a_solution_by_itself():
    """Whatever is missing; a merged component is a whole of its own."""
    subject, description, _ = TICKET
    items = [TICKET, ([], description, []), (subject, [], [])]
    own, half, whole = (
        network(whole_share=share).encode(items).vectors["E"] for share in (0, 0.5, 1)
    )
    merged = network(pairs="merged", whole_share=0)
    both = merged.encode([(subject + description,)]).vectors["E"][0, 0]
    torch.testing.assert_close(whole[0], torch.stack([both, both, own[0, 2]]))
    torch.testing.assert_close(whole[1:], own[1:])
    between = own[0, 0] + both
    torch.testing.assert_close(half[0, 0], between / between.norm())
    assert not torch.allclose(own[0, 0], both, atol=1e-2)


@pytest.mark.parametrize(
    ("pairs", "compared"),
    [
        ("merged", [[True]]),
        ("multi-level", [[True, False], [False, True]]),
        ("cross-level", [[True] * 3] * 2),
    ],
)
@pytest.mark.parametrize(
    "channels", [("h",), ("h", "E"), ("h", "E", "T"), ("E",), ("T", "h"), ("L",), ("L", "E")]
)
def test_every_switch_is_one_network_with_the_pairs_and_channels_it_names(
    pairs, compared, channels
):
    switched = network(pairs=pairs, channels=channels)
    components = len(switched.settings.query_components), len(switched.settings.ticket_components)
    query = switched.encode([QUERY[: components[0]]])
    ticket = switched.encode([TICKET[: components[1]]])
    parts = switched.matched_parts(query, ticket).detach()
    assert parts.shape == (1, *components, len(channels))
    assert (parts[0] > 0).any(-1).tolist() == compared
    assert switched.compared.tolist() == compared
    widths = {"h": 5, "E": 6, "T": 3, "L": TERMS}
    assert {c: v.shape[-1] for c, v in query.vectors.items()} == {c: widths[c] for c in channels}


def test_the_words_themselves_come_last_whatever_the_order_asked_for():
    assert network(channels=("L", "h", "E")).settings.channels == ("h", "E", "L")


def test_weights_begin_as_table_2_has_them_where_solutions_count_as_there():
    of_paper = network(solution_weight=0.1).pair_weights
    torch.testing.assert_close(of_paper, torch.tensor([[0.3, 0.2, 0.1], [0.2, 0.3, 0.1]]))
    torch.testing.assert_close(
        NETWORK.pair_weights, torch.tensor([[0.3, 0.2, 0.3], [0.2, 0.3, 0.3]])
    )
    torch.testing.assert_close(NETWORK.channel_weights, torch.tensor([0.7, 0.1, 0.2, 0.2]))


def test_weights_that_are_set_are_the_weights():
    changed = network()
    pairs = torch.tensor([[0.4, 0.0, 3.0], [0.0, 0.4, 50.0]])
    changed.set_weights(pairs, torch.tensor([30.0, 0.5, 0.0, 2.0]))
    torch.testing.assert_close(changed.pair_weights, pairs, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(
        changed.channel_weights, torch.tensor([30.0, 0.5, 0.0, 2.0]), atol=1e-5, rtol=1e-4
    )


def test_weights_stay_non_negative_whatever_the_optimizer_does():
    learner = network()
    free = [learner.pair_logits, learner.channel_logits]
    optimizer = torch.optim.Adam(free, lr=2.0)
    for _ in range(20):
        optimizer.zero_grad()
        query, ticket = learner.encode([QUERY]), learner.encode([TICKET])
        learner.crossed_distance(query, ticket).sum().backward()
        optimizer.step()
    for weights in (learner.pair_weights, learner.channel_weights):
        assert (weights >= 0).all()
        assert weights.max() < 0.1  # the distance was to shrink, and did


@torch.no_grad()
def test_a_missing_component_is_absent_and_has_zero_vectors():
    encoded = NETWORK.encode([([1], []), ([], [])])
    assert encoded.present.tolist() == [[True, False], [False, False]]
    for vectors in encoded.vectors.values():
        assert (vectors[~encoded.present] == 0).all()
        assert (vectors[0, 0] != 0).any()


@torch.no_grad()
def test_few_words_count_in_part_where_the_network_has_terms():
    """Two terms and three of eight; masks and marks alone would be one."""
    queries = [QUERY, ([], [1])]
    assert NETWORK.query_shares(NETWORK.encode(queries)).tolist() == [[0.25, 0.375], [0, 0.125]]
    dense = network(channels=["h", "E"])
    assert dense.query_shares(dense.encode(queries)).tolist() == [[1, 1], [0, 1]]


def test_nothing_to_compare_is_infinitely_far():
    query = NETWORK.encode([QUERY, ([], [])])
    ticket = NETWORK.encode([TICKET, ([], [], [])])
    apart = NETWORK.crossed_distance(query, ticket)
    assert torch.isinf(apart).tolist() == [[False, True], [True, True]]


def items(components):
    return st.lists(st.tuples(*[TEXT] * components), min_size=1, max_size=4)


@settings(max_examples=30, deadline=None)
@given(items(2), items(3))
@torch.no_grad()
def test_matched_and_crossed_distances_agree_and_parts_add_up_to_minus_log_g(queries, tickets):
    query, ticket = NETWORK.encode(queries), NETWORK.encode(tickets)
    crossed = NETWORK.crossed_distance(query, ticket)
    for (b, asked), (n, found) in itertools.product(enumerate(queries), enumerate(tickets)):
        if not (any(asked) and any(found)):
            assert torch.isinf(crossed[b, n])
            continue
        one, other = NETWORK.encode([asked]), NETWORK.encode([found])
        parts = NETWORK.matched_parts(one, other)
        whole = NETWORK.crossed_coverage(one, other)[0, 0]
        torch.testing.assert_close(parts.sum() + whole, crossed[b, n], atol=1e-4, rtol=1e-4)
        apart = NETWORK.matched_distance(one, other)[0]
        torch.testing.assert_close(apart, crossed[b, n], atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(-similarity(parts)[0].log(), parts.sum(), atol=1e-4, rtol=1e-4)


@settings(max_examples=30, deadline=None)
@given(items(3), st.randoms(use_true_random=False))
@torch.no_grad()
def test_a_text_is_encoded_alike_whatever_stands_beside_it(tickets, chance):
    shuffled = chance.sample(range(len(tickets)), len(tickets))
    together = NETWORK.encode([tickets[i] for i in shuffled])
    for place, i in enumerate(shuffled):
        alone = NETWORK.encode([tickets[i]])
        for channel, vectors in together.vectors.items():
            torch.testing.assert_close(vectors[place], alone.vectors[channel][0])


@torch.no_grad()
def test_both_sides_of_the_network_are_one():
    """The same text as SUB1 and as SUB2 has the same vector in every channel."""
    query, ticket = NETWORK.encode([([4, 1], [])]), NETWORK.encode([([4, 1], [], [])])
    for channel in NETWORK.settings.channels:
        assert torch.equal(query.vectors[channel][0, 0], ticket.vectors[channel][0, 0])


def test_e_counts_a_repeated_word_as_often_as_it_is_to_count():
    def e_of(repeats):
        found = network(whole_share=0, repeats=repeats).encode([([1, 2], []), ([1, 2, 1], [])])
        return found.vectors["E"][:, 0]

    once, twice = e_of(0)
    torch.testing.assert_close(once, twice)
    assert e_of(1)[0] @ e_of(1)[1] < e_of(0.5)[0] @ e_of(0.5)[1] < 1 - 1e-4


@torch.no_grad()
def test_only_h_minds_the_order_of_words_and_only_up_to_its_limit():
    texts = [[1, 2, 3], [3, 2, 1], [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7]]
    vectors = NETWORK.encode([(text, []) for text in texts]).vectors
    h, E, T = (vectors[channel][:, 0] for channel in "hET")
    assert not torch.allclose(h[0], h[1], atol=1e-4)
    torch.testing.assert_close(E[0], E[1])
    torch.testing.assert_close(T[0], T[1])
    torch.testing.assert_close(h[2], h[3])
    assert not torch.allclose(E[2], E[3], atol=1e-4)


@pytest.mark.parametrize("pooling", ["last", "mean"])
def test_a_texts_vector_is_made_of_the_states_after_its_own_words(pooling):
    """Texts of many lengths, against torch's LSTM on each text alone."""
    torch.manual_seed(0)
    encoder = LSTMChannel(word_dims=3, hidden=2, dropout=0.5, pooling=pooling, limit=8).eval()
    embedded = torch.randn(20, 3)
    texts = [torch.randint(0, 20, (n,)) for n in (7, 1, 3, 12, 2, 9, 5)]
    whole = Texts([text.tolist() for text in texts])
    states = encoder(EmbeddedTexts(whole, torch.arange(20), embedded, torch.ones(20)))
    for text, state in zip(texts, states, strict=True):
        each, (last, _) = encoder.lstm(embedded[text[:8]] * encoder.scale)
        torch.testing.assert_close(state, last[0] if pooling == "last" else each.mean(0))


def test_words_shown_by_their_spelling_alone_lose_their_vector():
    torch.manual_seed(0)
    embedded, weights = NETWORK.embed(torch.arange(1, 10), spelled_only=0.5)
    whole, _ = NETWORK.embed(torch.arange(1, 10))
    lost = (embedded[:, :4] == 0).all(1)
    assert 0 < lost.sum() < 9
    torch.testing.assert_close(embedded[~lost], whole[~lost])
    torch.testing.assert_close(embedded[:, 4:], whole[:, 4:])
    torch.testing.assert_close(weights, NETWORK.word_weights[1:])
