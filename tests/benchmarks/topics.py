"""What a document costs against V: `python -m tests.benchmarks.topics [picture.svg]`.

Documents of 60 words with Zipf's frequencies, 200 topics, mini-batches of 64. Side by side in
one run, at 2,000, 8,000 and 32,000 words: milliseconds a document to train on (a step of Adam
included, which moves all parameters whatever the output layer) and to score, for DocNADE's
tree, its full softmax and gensim's LDA; then documents a second through `transform`.
"""

from collections.abc import Callable
from time import perf_counter

import numpy as np
from matplotlib.figure import Figure

from tests.benchmarks.arguments import arguments
from topic_models import LDA, DocNADE, DocNADESettings, LDASettings, TopicModel

SIZES = (2_000, 8_000, 32_000)
TOPICS = 200
DOCUMENTS = 256
LENGTH = 60
TRANSFORMED = {"tree": 50_000, "LDA": 500}
REPEATS = 3


def main() -> None:
    """Print the tables and draw the first two into a file."""
    picture = arguments(__doc__, picture="topics.svg").picture
    costs = {size: {name: cost(name, size) for name in ("tree", "full", "LDA")} for size in SIZES}
    for place, what in enumerate(("train on", "score")):
        print(f"milliseconds to {what} a document")
        print(f"{'V':>8}{'tree':>9}{'full':>9}{'LDA':>9}{'full/tree':>11}{'LDA/tree':>10}")
        for size, by_name in costs.items():
            tree, full, lda = (by_name[name][place] for name in ("tree", "full", "LDA"))
            print(f"{size:8,}{tree:9.2f}{full:9.2f}{lda:9.2f}{full / tree:11.1f}{lda / tree:10.1f}")
    draw(costs, picture)
    print(f"drawn in {picture}")
    rates = {name: rate(name) for name in ("tree", "LDA")}
    print("documents a second through transform (V 8,000)")
    print(f"DocNADE {rates['tree']:10,.0f}")
    print(f"LDA     {rates['LDA']:10,.0f}   DocNADE/LDA {rates['tree'] / rates['LDA']:.0f}")


def model(name: str, size: int) -> TopicModel:
    """A model that reads everything once."""
    if name == "LDA":
        return LDA(LDASettings(vocabulary_size=size, topics=TOPICS, epochs=1))
    return DocNADE(
        DocNADESettings(vocabulary_size=size, topics=TOPICS, output=name, epochs=1, batch_size=64)
    )


def documents(size: int, count: int) -> list[np.ndarray]:
    """Words with frequencies in proportion to 1 / rank, which is how words occur in texts."""
    frequencies = 1 / np.arange(1, size + 1)
    chance = np.random.default_rng(0)
    words = chance.choice(size, (count, LENGTH), p=frequencies / frequencies.sum())
    return list(words)


def cost(name: str, size: int) -> tuple[float, float]:
    """Milliseconds a document to train on and to score."""
    texts = documents(size, DOCUMENTS)
    fitted = model(name, size)
    training = seconds(lambda: fitted.fit(texts))
    scoring = seconds(lambda: fitted.log_likelihood(texts))
    return training / DOCUMENTS * 1000, scoring / DOCUMENTS * 1000


def rate(name: str) -> float:
    """Documents a second through transform."""
    texts = documents(8_000, TRANSFORMED[name])
    fitted = model(name, 8_000).fit(texts[:DOCUMENTS])
    return len(texts) / seconds(lambda: fitted.transform(texts))


def seconds(call: Callable[[], object]) -> float:
    """The fastest of a few calls."""
    taken = []
    for _ in range(REPEATS):
        start = perf_counter()
        call()
        taken.append(perf_counter() - start)
    return min(taken)


def draw(costs: dict[int, dict[str, tuple[float, float]]], picture: str) -> None:
    """Cost against V, training left, scoring right."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for place, (axes, title) in enumerate(
        zip(figure.subplots(1, 2), ("training", "scoring"), strict=True)
    ):
        for name in ("tree", "full", "LDA"):
            axes.loglog(SIZES, [costs[size][name][place] for size in SIZES], "o-", label=name)
        axes.set(title=title, xlabel="words in the vocabulary", ylabel="ms a document")
        axes.set_xticks(SIZES, [f"{size:,}" for size in SIZES])
        axes.minorticks_off()
    axes.legend()
    figure.savefig(picture)


if __name__ == "__main__":
    main()
