"""The words' share of the distance, by how much there was to learn from."""

import random

import pytest
import torch

from ticketing.model.settings import NetworkSettings
from ticketing.networks.making import new_network
from ticketing.text.vocabulary import Vocabulary
from ticketing.training.sampling import Archive
from ticketing.training.word_share import (
    LARGE_SHARE,
    SMALL,
    SMALL_COVERAGE,
    SMALL_SHARE,
    TAUGHT_SHARE,
    coverage_kept,
    lean_on_words,
    unrelated_distances,
    word_share,
)

WORDS = [f"word{chr(97 + i)}{chr(97 + j)}" for i in range(6) for j in range(6)]
SETTINGS = NetworkSettings(channels=("E", "L"), word_dims=4, character_dims=2)


def network(settings=SETTINGS):
    torch.manual_seed(0)
    vocabulary = Vocabulary(WORDS, [1] * len(WORDS), len(WORDS))
    made = new_network(settings, vocabulary, torch.randn(len(vocabulary), 4), {})
    weights = torch.tensor([2.0, 0.5])[: len(settings.channels)]
    made.set_weights(made.pair_weights.detach(), weights)
    made.set_coverage_weights(torch.tensor([0.5, 0.25]))
    return made


def archive(size):
    chance = random.Random(0)

    def words():
        return [chance.randrange(1, len(WORDS)) for _ in range(5)]

    tickets = {f"{n:05}": {"subject": words(), "description": words()} for n in range(size)}
    return Archive(SETTINGS, tickets)


def coverage_beside_terms(made, tickets):
    """What coverage adds to the distance of unrelated tickets, for what channel L adds."""
    apart, whole = unrelated_distances(made, tickets)
    return (whole / (made.channel_weights.detach()[-1] * apart[-1])).item()


def shares(made, tickets):
    """The mean distance of unrelated tickets, and which share of it the words have."""
    apart, whole = unrelated_distances(made, tickets)
    parts = made.channel_weights.detach() * apart
    total = (parts.sum() + whole).item()
    return total, (parts[-1] + whole).item() / total


@pytest.mark.parametrize("taught", [False, True])
@pytest.mark.parametrize("tickets", [SMALL // 2, 4 * SMALL])
def test_without_labels_words_have_their_share_and_the_whole_distance_stays(tickets, taught):
    made, known = network(), archive(tickets)
    before, found = shares(made, known)
    lean_on_words(made, known, 0, taught)
    after, leaned = shares(made, known)
    assert found != pytest.approx(leaned, abs=0.05)
    assert leaned == pytest.approx(word_share(tickets, taught), abs=1e-4)
    assert after == pytest.approx(before, rel=1e-4)


@pytest.mark.parametrize(
    ("tickets", "queries", "kept"), [(SMALL // 2, 0, SMALL_COVERAGE), (SMALL // 2, 1000, 1.0)]
)
def test_at_a_small_desk_without_labels_coverage_counts_less_beside_the_words(
    tickets, queries, kept
):
    made, known = network(), archive(tickets)
    before = coverage_beside_terms(made, known)
    lean_on_words(made, known, queries)
    assert coverage_beside_terms(made, known) / before == pytest.approx(kept, abs=0.02)


def test_the_larger_the_archive_the_more_remains_of_coverage():
    assert coverage_kept(0) == coverage_kept(SMALL) == SMALL_COVERAGE
    assert SMALL_COVERAGE < coverage_kept(2 * SMALL) < coverage_kept(50 * SMALL) < 1


def test_the_larger_the_archive_the_less_the_words_count():
    assert word_share(0) == word_share(SMALL) == SMALL_SHARE
    assert SMALL_SHARE > word_share(2 * SMALL) > word_share(50 * SMALL) > LARGE_SHARE


def test_where_a_teacher_read_the_words_vectors_count_more():
    assert word_share(SMALL, taught=True) == TAUGHT_SHARE < SMALL_SHARE
    assert LARGE_SHARE < word_share(4 * SMALL, taught=True) < word_share(4 * SMALL)


def test_what_training_found_stands_where_many_queries_are_judged():
    made, known = network(), archive(SMALL // 2)
    _, found = shares(made, known)
    lean_on_words(made, known, 1000)
    _, leaned = shares(made, known)
    assert leaned == pytest.approx(found, abs=0.02)


def test_a_network_of_words_alone_stays_as_it_is():
    made = network(NetworkSettings(channels=("L",), word_dims=4, character_dims=2))
    before = made.channel_weights.detach().clone()
    lean_on_words(made, archive(10), 0)
    assert torch.equal(made.channel_weights.detach(), before)
