"""Which titles are paired with one another, and which never."""

import random
from collections.abc import Iterator, Sequence

import pytest

from ticketing.classification.labels import CategoryLabel
from ticketing.classification.pairs import Pair, PairSampler, SamplingSettings, Sources
from ticketing.classification.synonyms import Synonyms
from ticketing.classification.taxonomy import Taxonomy, Title

TITLES = ["pump leaks", "pump trips", "pump is loud", "pump smells", "pump runs hot"]
TAXONOMY = Taxonomy([*(Title(text, "Pump") for text in TITLES), Title("fan is loud", "Fan")])
JUDGED = [(TITLES[2], "Pump"), ("fan is loud", "Fan")]
"""The second is alone in its group: there is nothing to pair it with."""


class Uncopied(list[str]):
    """Texts of a group, of which some may be read, but never all."""

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("a pair goes through all texts of its group")


def sampler(
    stage: int, said: Sequence[CategoryLabel] = (), taxonomy: Taxonomy = TAXONOMY
) -> PairSampler:
    """Two pairs a block: one of each group; then labels, where it is told any."""
    sources = Sources(taxonomy, Synonyms(()), ["please"], said)
    return PairSampler(sources, SamplingSettings(stage=stage, labels=1))


def blocks(drawn_by: PairSampler) -> list[list[Pair]]:
    chance = random.Random(1)
    return [block for _ in range(99) for block in drawn_by.blocks(chance)]


@pytest.mark.parametrize("right", [False, True])
def test_a_label_on_a_known_title_of_its_group_pairs_it_with_the_others(right):
    said = [CategoryLabel(text, group, right) for text, group in JUDGED]
    judged = [pair for block in blocks(sampler(4, said)) for pair in block[2:]]
    assert {pair.other for pair in judged} == {*TITLES[:2], *TITLES[3:]}
    assert {(pair.one, pair.group, pair.same) for pair in judged} == {(TITLES[2], "Pump", right)}


def test_two_titles_of_a_group_are_paired_and_all_of_them_in_the_end():
    found = {(pair.one, pair.other) for block in blocks(sampler(0)) for pair in block}
    others = {(one, other) for one in TITLES for other in TITLES if one != other}
    assert found == {*others, ("fan is loud", "fan is loud")}


def test_a_pair_is_drawn_without_going_through_its_group():
    taxonomy = Taxonomy(TAXONOMY.titles)
    drawn_by = sampler(0, taxonomy=taxonomy)
    taxonomy.groups.update({name: Uncopied(texts) for name, texts in taxonomy.groups.items()})
    assert all(len(block) == 2 for block in blocks(drawn_by))
