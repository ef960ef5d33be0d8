"""DocNADE's equations: values worked out by hand, probabilities that add up, gradients."""

import itertools
from math import exp, log, tanh

import numpy as np
import pytest
import torch

from topic_models import DocNADE, DocNADESettings, ModelFileError, SettingsError
from topic_models.network import BinaryTree, FullSoftmax, Network


def sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x))


# Three words, two hidden units: a row of W a word, c, and a row of the output layer each.
W = [[1.0, 0.0], [0.0, -1.0], [0.5, 2.0]]
C = [[0.1, -0.2]]
U = [[0.3, 0.7], [-1.0, 0.4], [0.2, 0.6]]
B = [[0.05, -0.1, 0.2]]


def by_hand(output: str = "full", **changes) -> DocNADE:
    arrays = {"words": W, "bias": C, "output.weight": U, "output.bias": B}
    arrays = {name: np.array(array, np.float32) for name, array in arrays.items()}
    if output == "tree":  # word 0 at leaf 4, word 1 at leaf 3, word 2 at leaf 5
        arrays["output.leaf"] = np.array([4, 3, 5])
    settings = {"vocabulary_size": 3, "topics": 2, "output": output, "activation": "sigmoid"}
    return DocNADE.from_state(DocNADESettings(**(settings | changes)), arrays)


# The document 1, 0, 1: the hidden layer before each of its words, with a sigmoid.
H = [
    (sigmoid(0.1), sigmoid(-0.2)),
    (sigmoid(0.1), sigmoid(-1.2)),  # after word 1
    (sigmoid(1.1), sigmoid(-1.2)),  # after words 1 and 0
]


def score(h: tuple[float, float], row: int) -> float:
    return B[0][row] + U[row][0] * h[0] + U[row][1] * h[1]


def test_the_full_softmax_worked_out_by_hand():
    expected = sum(
        score(h, word) - log(sum(exp(score(h, other)) for other in range(3)))
        for h, word in zip(H, [1, 0, 1], strict=True)
    )

    assert by_hand().log_likelihood([[1, 0, 1]]) == pytest.approx([expected], abs=1e-6)


def test_the_tree_worked_out_by_hand():
    """Node 1 is the root, its left child node 2 bears leaves 4 and 5, its right child is leaf 3."""
    expected = (
        log(sigmoid(score(H[0], 1)))  # word 1: right at the root
        + log(1 - sigmoid(score(H[1], 1)))  # word 0: left at the root,
        + log(1 - sigmoid(score(H[1], 2)))  # left at node 2
        + log(sigmoid(score(H[2], 1)))
    )

    assert by_hand("tree").log_likelihood([[1, 0, 1]]) == pytest.approx([expected], abs=1e-6)


def test_the_document_vector_is_the_hidden_layer_after_the_last_word():
    expected = [sigmoid(0.1 + 1.0), sigmoid(-0.2 - 1.0 - 1.0)]

    assert by_hand().transform([[1, 0, 1]])[0] == pytest.approx(expected, abs=1e-6)


def test_tanh_takes_the_place_of_the_sigmoid():
    expected = [tanh(0.1 + 1.0), tanh(-0.2 - 1.0)]

    assert by_hand(activation="tanh").transform([[1, 0]])[0] == pytest.approx(expected, abs=1e-6)


def test_an_empty_document_has_the_hidden_layer_of_the_bias_alone():
    assert by_hand().transform([[]])[0] == pytest.approx([sigmoid(0.1), sigmoid(-0.2)], abs=1e-6)


def test_top_words_have_the_largest_weights_into_the_unit():
    assert by_hand().top_words(0) == [0, 2, 1]
    assert by_hand().top_words(1, 2) == [2, 0]


def test_topics_of_a_document_are_its_most_active_units():
    assert [topic for topic, _ in by_hand().topics([2])] == [1, 0]


def test_idocnade_is_the_mean_of_reading_from_both_sides():
    """With the same biases for both directions, reading backwards is reading the reversed words."""
    forward = by_hand()
    arrays = forward.state()
    for name in ("bias", "output.bias"):
        arrays[name] = np.repeat(arrays[name], 2, axis=0)
    settings = forward.settings.model_dump() | {"bidirectional": True}
    both = DocNADE.from_state(DocNADESettings(**settings), arrays)

    there, back = forward.log_likelihood([[1, 0, 2, 2], [2, 2, 0, 1]])

    assert both.log_likelihood([[], [1, 0, 2, 2]]) == pytest.approx([0, (there + back) / 2])
    assert both.transform([[1, 0]]) == pytest.approx(2 * forward.transform([[1, 0]]))


@pytest.mark.parametrize("output", [FullSoftmax, BinaryTree])
@pytest.mark.parametrize("vocabulary_size", [1, 2, 3, 7, 8, 1030])
def test_probabilities_of_all_words_add_up_to_one(output, vocabulary_size):
    torch.manual_seed(0)
    layer = output(vocabulary_size, 5, 1).double()
    torch.nn.init.normal_(layer.weight)
    torch.nn.init.normal_(layer.bias)
    hidden = torch.randn(5, dtype=torch.float64).expand(vocabulary_size, 5)

    total = layer(hidden, torch.arange(vocabulary_size)).exp().sum().item()

    assert total == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("output", ["full", "tree"])
def test_probabilities_of_all_documents_of_a_length_add_up_to_one(output):
    documents = list(itertools.product(range(3), repeat=4))

    total = np.exp(by_hand(output).log_likelihood(documents)).sum()

    assert total == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("output", ["full", "tree"])
@pytest.mark.parametrize("directions", [1, 2])
def test_gradients_agree_with_finite_differences(output, directions):
    torch.manual_seed(0)
    network = Network(5, 3, output, "tanh", directions).double()
    names, parameters = zip(*network.named_parameters(), strict=True)
    words, lengths = torch.tensor([4, 0, 0, 2, 3]), torch.tensor([3, 0, 2])

    def likelihood(*values):
        state = dict(zip(names, values, strict=True))
        return torch.func.functional_call(_Likelihood(network), _prefixed(state), (words, lengths))

    values = [torch.randn_like(parameter).requires_grad_() for parameter in parameters]
    assert torch.autograd.gradcheck(likelihood, values)


class _Likelihood(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, words, lengths):
        return self.network.log_likelihood(words, lengths)


def _prefixed(state):
    return {f"network.{name}": value for name, value in state.items()}


def test_a_document_of_many_words_is_scored_like_its_parts():
    """More words than the softmax holds at once, in documents that share one call."""
    model = by_hand()
    long = [0, 1, 2] * 1500
    prefix = model.log_likelihood([long[:-1]])[0]
    h = model.transform([long[:-1]])[0].astype(float)
    last = score(h, 2) - log(sum(exp(score(h, other)) for other in range(3)))

    assert model.log_likelihood([[1], long, [2]])[1] == pytest.approx(prefix + last, rel=1e-4)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"bias": None}, "bias is amiss"),
        ({"extra": np.zeros(1)}, "extra is amiss"),
        (
            {"words": np.zeros((4, 2), np.float32)},
            r"words is float32 \(4, 2\), not float32 \(3, 2\)",
        ),
        ({"words": np.zeros((3, 2))}, "words is float64"),
        ({"words": np.full((3, 2), np.nan, np.float32)}, "infinite"),
        ({"output.leaf": np.array([3, 3, 5])}, "do not fill its tree"),
    ],
)
def test_a_state_of_another_model_is_refused(change, reason):
    arrays = by_hand("tree").state() | change
    arrays = {name: array for name, array in arrays.items() if array is not None}

    with pytest.raises(ModelFileError, match=reason):
        DocNADE.from_state(DocNADESettings(vocabulary_size=3, topics=2, output="tree"), arrays)


@pytest.mark.parametrize(
    "wrong", [{}, {"vocabulary_size": 0}, {"vocabulary_size": 3, "output": "both"}]
)
def test_settings_out_of_range_are_refused_by_name(wrong):
    with pytest.raises(SettingsError, match=r"DocNADESettings\.(vocabulary_size|output): "):
        DocNADESettings(**wrong)


def test_training_reads_the_words_in_a_new_order_each_time():
    """Were documents always read as 0, 1, 2, 3, no other order would stay likely."""
    settings = DocNADESettings(vocabulary_size=4, topics=8, epochs=60, learning_rate=0.01)
    model = DocNADE(settings).fit([[0, 1, 2, 3]] * 64)

    orders = model.log_likelihood(list(itertools.permutations(range(4))))

    assert orders == pytest.approx(np.full(24, -log(24)), abs=2)


def test_a_document_of_100000_words_is_answered():
    model = by_hand("tree")
    document = [0, 1, 2, 1] * 25_000

    assert np.isfinite(model.transform([document])).all()
    assert -100_000 * log(3) * 2 < model.log_likelihood([document])[0] < 0


@pytest.mark.parametrize("output", [FullSoftmax, BinaryTree])
@pytest.mark.parametrize("vocabulary_size", [1, 2, 3, 6, 9])
def test_an_output_layer_can_start_from_word_frequencies(output, vocabulary_size):
    layer = output(vocabulary_size, 2, 2)
    torch.nn.init.zeros_(layer.weight)
    counts = torch.arange(1.0, vocabulary_size + 1)

    layer.start_from(counts)
    words = torch.arange(vocabulary_size)
    shares = layer(torch.ones(vocabulary_size, 2), words, direction=1).exp()

    assert shares.tolist() == pytest.approx((counts / counts.sum()).tolist(), rel=1e-5)


@pytest.mark.parametrize("output", ["full", "tree"])
def test_a_mean_over_word_orders_is_a_likelihood_too(output):
    documents = list(itertools.product(range(3), repeat=4))
    one, several = by_hand(output), by_hand(output, orders=3)

    mixed = several.log_likelihood(documents)

    assert np.exp(mixed).sum() == pytest.approx(1, abs=1e-5)
    assert not np.allclose(mixed, one.log_likelihood(documents))


def test_a_mean_over_word_orders_worked_out_by_hand():
    """Two words have two orders only; 64 draws hold each about half the time."""
    there, back = np.exp(by_hand().log_likelihood([[0, 1], [1, 0]]))

    mixed = np.exp(by_hand(orders=64).log_likelihood([[0, 1], [1, 0]]))

    assert mixed.sum() == pytest.approx(there + back)
    assert mixed[0] == pytest.approx((there + back) / 2, rel=0.2)


def test_documents_can_be_learned_in_the_order_given():
    settings = DocNADESettings(
        vocabulary_size=4, topics=8, epochs=60, learning_rate=0.03, shuffle=False
    )
    model = DocNADE(settings).fit([[0, 1, 2, 3]] * 64)

    forwards, backwards = model.log_likelihood([[0, 1, 2, 3], [3, 2, 1, 0]])

    assert forwards > log(0.9)
    assert backwards < log(0.01)


def test_units_are_left_out_in_training_only():
    settings = {"vocabulary_size": 4, "topics": 8, "epochs": 3}
    documents = [[0, 1, 2, 3]] * 8

    whole = DocNADE(DocNADESettings(**settings)).fit(documents)
    sparse = DocNADE(DocNADESettings(**settings, dropout=0.5)).fit(documents)

    assert not np.allclose(whole.transform(documents), sparse.transform(documents))
    assert np.array_equal(sparse.log_likelihood(documents), sparse.log_likelihood(documents))


def test_weight_decay_keeps_weights_small_and_leaves_biases_alone():
    settings = {"vocabulary_size": 4, "topics": 8, "epochs": 40}
    documents = [[0, 0, 0, 1]] * 32 + [[2, 2, 2, 3]] * 32

    free = DocNADE(DocNADESettings(**settings)).fit(documents).state()
    held = DocNADE(DocNADESettings(**settings, weight_decay=100)).fit(documents).state()

    assert np.abs(held["words"]).max() < np.abs(free["words"]).max() / 2
    assert np.ptp(held["output.bias"]) > 0.5


def test_the_kept_parameters_are_a_mean_over_the_latest_steps():
    """One document a step: the k-th step counts 9 / (k + 8), so the first wholly, the second 0.9
    and the third 9 / 11."""
    settings = {"vocabulary_size": 4, "topics": 3, "batch_size": 1, "learning_rate": 0.1}
    documents = [[0, 1]]
    steps = [
        DocNADE(DocNADESettings(**settings, epochs=epochs)).fit(documents).state()["words"]
        for epochs in (1, 2, 3)
    ]

    kept = DocNADE(DocNADESettings(**settings, epochs=3, averaged=True)).fit(documents).state()

    second = 0.1 * steps[0] + 0.9 * steps[1]
    assert kept["words"] == pytest.approx(2 / 11 * second + 9 / 11 * steps[2], abs=1e-6)


def test_leaves_are_learned_from_the_documents_and_kept_with_the_model():
    settings = DocNADESettings(vocabulary_size=4, topics=2, epochs=1, leaves="similar")
    model = DocNADE(settings).fit([[0, 2], [1, 3]] * 9)

    leaf = model.state()["output.leaf"]

    assert leaf[0] // 2 == leaf[2] // 2 != leaf[1] // 2 == leaf[3] // 2
    assert np.array_equal(DocNADE.from_state(settings, model.state()).state()["output.leaf"], leaf)
