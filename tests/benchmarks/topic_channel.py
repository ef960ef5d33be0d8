"""What T finds and adds: `python -m tests.benchmarks.topic_channel FOLDER YEAR BUNDLE [K…]`.

FOLDER is a tracker (`tests.benchmarks.reading.tracker`), asked with the queries of YEAR, and BUNDLE
one that was trained on what was there before. Prints how many of T's units are saturated, then
Acc@10 and MRR@10 without time: of T alone by the bundle and by DocNADEs of K topics, learned from
the same tickets; and of other channels of the bundle with T beside them, as shares of the distance.
Each stands twice: T as the hidden layer, and as the sum of the words' rows at length 1, which does
not hang on a text's length.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from tests.benchmarks.arguments import arguments
from tests.benchmarks.reading.cases import Case
from tests.benchmarks.reading.tracker import read_tracker
from ticketing.encoders.sums import sums_of
from ticketing.encoders.topics import TopicEncoder, end_to_end
from ticketing.model.components import query_fields, query_tokens, ticket_fields, ticket_tokens
from ticketing.model.inference import Model
from ticketing.model.registry import Registry
from ticketing.model.saving import model_in
from ticketing.model.settings import NetworkSettings
from ticketing.networks.making import network_of
from ticketing.networks.metric import present_pair_weights
from ticketing.networks.siamese import EncodedComponents, SiameseNetwork
from ticketing.training.corpus import read_corpus
from ticketing.training.pretraining import learn_topics
from ticketing.training.settings import TrainingSettings

SHARES = (0.0, 0.05, 0.1, 0.2, 0.3)
OTHERS = (("E",), ("h", "E"), ("h", "E", "L"))
SATURATED = 0.95
AT_ONCE = 256

Distances = npt.NDArray[np.float32]
"""[queries, tickets]."""

Vectors = Callable[[Sequence[Sequence[int]]], npt.NDArray[np.float32]]
"""Texts in vocabulary ids -> [n, topics]."""


class Asked:
    """A case as a bundle's network reads it."""

    def __init__(self, case: Case, model: Model):
        self.case, self.model = case, model
        self.network = network_of(model)
        settings = model.settings
        self.queries = [self._known(query_tokens(query_fields(x), settings)) for x in case.queries]
        tickets = map(ticket_fields, case.tickets)
        self.tickets = [self._known(ticket_tokens(x, settings)) for x in tickets]

    def _known(self, texts: Sequence[list[str]]) -> tuple[list[int], ...]:
        return tuple([id for id in self.model.vocabulary.ids(text) if id] for text in texts)

    def channels(self) -> dict[str, Distances]:
        """What each channel adds to the distance; L with what U adds."""
        network = self.network
        with torch.inference_mode():
            queries = network.encode(self.queries)
            parts = [self._beside(network, queries, some) for some in batches(self.tickets)]
        found = np.concatenate(parts, axis=1)  # [queries, tickets, channels]
        return dict(zip(network.settings.channels, np.moveaxis(found, 2, 0), strict=True))

    def _beside(
        self, network: SiameseNetwork, queries: EncodedComponents, tickets: Sequence[Any]
    ) -> Distances:
        encoded = network.encode(tickets)
        apart, _ = network.crossed_channels(queries, encoded)
        parts = apart * network.channel_weights
        if sparse := network.settings.sparse_channel:
            place = network.settings.channels.index(sparse)
            parts[..., place] += network.crossed_coverage(queries, encoded)
        return parts.numpy()

    def topics(self, vectors: Vectors) -> Distances:
        """Distances by T alone, with the network's V."""
        asked, found = (self._encoded(vectors, x) for x in (self.queries, self.tickets))
        with torch.inference_mode():
            shares = self.network.query_shares(self.network.encode(self.queries))
            parts = [
                self._apart(asked, shares, found.take(rows))
                for rows in batches(range(len(self.tickets)))
            ]
        return np.concatenate(parts, axis=1)

    def _encoded(
        self, vectors: Vectors, items: Sequence[tuple[list[int], ...]]
    ) -> EncodedComponents:
        columns = [torch.from_numpy(vectors(texts)) for texts in zip(*items, strict=True)]
        present = torch.tensor([[bool(text) for text in item] for item in items])
        return EncodedComponents({"T": torch.stack(columns, 1)}, present)

    def _apart(
        self, asked: EncodedComponents, shares: torch.Tensor, found: EncodedComponents
    ) -> Distances:
        network = self.network
        weights = present_pair_weights(
            network.pair_weights, shares.unsqueeze(1), found.present.unsqueeze(0)
        )
        apart = network.plugs["T"].crossed(asked.vectors["T"], found.vectors["T"], network.compared)
        return (apart * weights).sum((-2, -1)).numpy()

    def measured(self, distances: Distances) -> str:
        """Acc@10 and MRR@10."""
        found = self.case.measure(-distances.astype(np.float64))
        return "{:.3f} / {:.3f}".format(*(np.mean(found[x]) for x in ("Acc@10", "MRR@10")))


def batches(items: Sequence[Any]) -> list[Sequence[Any]]:
    """AT_ONCE at a time."""
    return [items[i : i + AT_ONCE] for i in range(0, len(items), AT_ONCE)]


def hidden(topics: TopicEncoder) -> Vectors:
    """The hidden layer over all words of a text."""
    return lambda texts: topics.model.transform(topics.words.documents(texts))


def unit(topics: TopicEncoder) -> Vectors:
    """The sum of the words' rows of W, at length 1."""
    rows = topics.model.state()["words"]

    def vectors(texts: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
        sums = sums_of(rows, *topics.words.own(*end_to_end(texts)))
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(sums / np.maximum(lengths, 1e-12), np.float32)

    return vectors


def main() -> None:
    """Print a line a T, then a line a set of channels."""
    torch.set_num_threads(1)
    given = arguments(__doc__, folder=str, year=str, bundle=str, topics=())
    folder, year, bundle, counts = given.folder, given.year, given.bundle, given.topics
    [case] = read_tracker(Path(folder), year, datetime(int(year) + 1, 1, 1))
    model = model_in(Registry(Path(bundle).parent).load(Path(bundle).name))
    asked, topics = Asked(case, model), model.topics
    assert topics, "a bundle with channel T"
    print(f"{len(case.learned)} tickets before {year}, {len(case.queries)} queries")
    for name, place in (("subjects", 0), ("descriptions", 1)):
        texts = [ticket[place] for ticket in asked.tickets if ticket[place]]
        share = (abs(hidden(topics)(texts)) > SATURATED).mean()
        print(f"{share:.3f} of the hidden units of {name} are saturated")
    both = {kind.__name__: asked.topics(kind(topics)) for kind in (hidden, unit)}
    print("T alone", *(f" {name} {asked.measured(x)}" for name, x in both.items()))
    for count, fitted in learned(case, map(int, counts)):
        alone = (f" {x.__name__} {asked.measured(asked.topics(x(fitted)))}" for x in (hidden, unit))
        print(f"T of {count} topics", *alone)
    parts = asked.channels()
    print("beside other channels, T by its share", *(f"{share:>14}" for share in SHARES))
    for channels in OTHERS:
        rest = sum(parts[channel] for channel in channels)
        for name, apart in both.items():
            scaled = apart * (typical(case, rest) / typical(case, apart))
            found = (asked.measured(rest + share / (1 - share) * scaled) for share in SHARES)
            print(f"{' '.join(channels):8} {name:8}", *found)


def learned(case: Case, counts: Iterable[int]) -> Iterator[tuple[int, TopicEncoder]]:
    """A DocNADE of each so many topics, of what a case learns from."""
    corpus = read_corpus(case.learned, [], NetworkSettings())
    for count in counts:
        settings = NetworkSettings(topics=count)
        with TemporaryDirectory() as folder:
            checkpoint = Path(folder, "topics")
            yield count, learn_topics(corpus, settings, TrainingSettings(), checkpoint)


def typical(case: Case, distances: Distances) -> float:
    """The mean over what can be compared."""
    return float(distances[case.eligible & np.isfinite(distances)].mean())


if __name__ == "__main__":
    main()
