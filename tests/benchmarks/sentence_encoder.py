"""How fast tickets become vectors of the sentence encoder: `TICKETING_HOME=… python -m
tests.benchmarks.sentence_encoder YEAR [tickets]`.

Side by side in one run, on one thread: sentence-transformers' own `encode`, the product's batches
in float32 and in bfloat16, and these batches by linear layers of 8 bits, whose weights are
quantised once and activations as they come (torch's dynamic quantisation). The texts are those of
channel S: the first words of subject, description and solution. Pieces of the archive go through
all contenders in turn, and time is that of the processor, so other work on the machine weighs on
all alike.

Prints tickets a second, the median milliseconds of a query's two texts, the mean cosine to
`encode`, the share of texts whose vector is the same when encoded alone, and Acc@10 by the vectors
alone: the queries of YEAR with a right ticket, among older tickets, right ones and a sample of
others.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch

from tests.benchmarks.arguments import arguments
from ticketing.desk import open_desk
from ticketing.encoders.sentence_transformer import TransformerEncoder
from ticketing.encoders.transformer import Precision, Transformer, transformer_folder
from ticketing.settings import load_settings
from ticketing.text import tokenize
from ticketing.text.vocabulary import Vocabulary
from ticketing.tickets import Grade, Ticket

PIECE = 250
QUERIES = 60
ALONE = 200
FIELDS = ("subject", "description", "solution")

Encode = Callable[[Sequence[str]], np.ndarray]


def main() -> None:
    """Print a line a contender."""
    given = arguments(__doc__, year=int, tickets=2000)
    torch.set_num_threads(1)
    year = given.year
    folder = transformer_folder("installed")
    if folder is None:
        sys.exit("Run `pip install '.[teacher]'` first.")
    right, tickets = judged(year, given.tickets)
    components = {ticket.id: texts(ticket) for ticket in tickets}
    plain = Transformer(folder, Precision.FLOAT32)
    contenders: dict[str, Encode] = {
        "sentence-transformers, float32": lambda some: plain.model.encode(
            list(some), normalize_embeddings=True, show_progress_bar=False
        )
    }
    for precision in Precision:
        contenders[f"one length a batch, {precision}"] = forgetful(Transformer(folder, precision))
    contenders["one length a batch, int8"] = forgetful(in_bytes(folder))
    vectors, seconds = encode_in_turn(contenders, components)
    count = sum(bool(text) for fields in components.values() for text in fields)
    print(f"{len(tickets)} tickets, {count} texts, {len(right)} queries")
    print(f"{'':32} tickets/s  query ms  cosine   same alone  Acc@10")
    reference = vectors["sentence-transformers, float32"]
    for name, encode in contenders.items():
        found = vectors[name]
        cosine = np.mean([(found[text] * reference[text]).sum() for text in found])
        alone = [(encode([text])[0] == found[text]).all() for text in list(found)[:ALONE]]
        rate, waited = len(tickets) / seconds[name], latency(encode, components)
        correct = accuracy(found, components, right, tickets)
        print(
            f"{name:32} {rate:9.1f} {waited:9.1f}  {cosine:.5f} {np.mean(alone):11.3f}"
            f"  {correct:.3f}",
            flush=True,
        )


def judged(year: int, size: int) -> tuple[dict[str, set[str]], list[Ticket]]:
    """Right tickets by query, and tickets in the order of their creation."""
    desk = open_desk(load_settings())
    created = {t.id: t for t in desk.store.iter_tickets() if t.created and t.created.year <= year}
    right: dict[str, set[str]] = {}
    for label in desk.labels():
        query, answer = created.get(label.query.ticket_id), created.get(label.ticket_id)
        if label.grade < Grade.YES or not query or not answer or query.created.year < year:
            continue
        if answer.created < query.created:
            right.setdefault(query.id, set()).add(answer.id)
    needed = set(right).union(*right.values())
    others = sorted(set(created) - needed)
    chosen = [*needed, *random.Random(0).sample(others, max(size - len(needed), 0))]
    return right, sorted((created[id] for id in chosen), key=lambda t: (t.created, t.id))


def texts(ticket: Ticket) -> list[str]:
    """The texts of channel S, by field; "" for a missing one."""
    encoder = TransformerEncoder(None, Vocabulary([], [], 0), 0)
    words = [tokenize(getattr(ticket, field)) for field in FIELDS]
    return [encoder.text(range(1, len(text) + 1), text) for text in words]


def in_bytes(folder: Path) -> Transformer:
    """An encoder whose linear layers multiply 8 bits."""
    found = Transformer(folder, Precision.FLOAT32)
    layers = {torch.nn.Linear}
    found.__dict__["model"] = torch.ao.quantization.quantize_dynamic(found.model, layers)
    return found


def forgetful(transformer: Transformer) -> Encode:
    """The product's encoder, without its memory of texts that were seen."""

    def encode(some: Sequence[str]) -> np.ndarray:
        fresh = Transformer(transformer.folder, transformer.precision)
        fresh.__dict__["model"] = transformer.model
        return fresh(some)

    return encode


def encode_in_turn(
    contenders: dict[str, Encode], components: dict[str, list[str]]
) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, float]]:
    """By contender: vectors by text, and seconds of the processor."""
    vectors: dict[str, dict[str, np.ndarray]] = {name: {} for name in contenders}
    seconds = dict.fromkeys(contenders, 0.0)
    for encode in contenders.values():
        encode(["loads the weights"])
    for piece in pieces(components):
        for name, encode in contenders.items():
            start = time.process_time()
            found = encode(piece)
            seconds[name] += time.process_time() - start
            vectors[name].update(zip(piece, found, strict=True))
    return vectors, seconds


def pieces(components: dict[str, list[str]]) -> Iterator[list[str]]:
    """Distinct texts of PIECE tickets at a time."""
    every = list(components.values())
    for start in range(0, len(every), PIECE):
        yield list(dict.fromkeys(x for ticket in every[start : start + PIECE] for x in ticket if x))


def latency(encode: Encode, components: dict[str, list[str]]) -> float:
    """Median milliseconds of the processor for a query's subject and description."""
    queries = [[text for text in fields[:2] if text] for fields in components.values()]
    chosen = [query for query in queries if query][:: max(len(queries) // QUERIES, 1)]
    taken = []
    for query in chosen:
        start = time.process_time()
        encode(query)
        taken.append(time.process_time() - start)
    return float(np.median(taken)) * 1000


def accuracy(
    vectors: dict[str, np.ndarray],
    components: dict[str, list[str]],
    right: dict[str, set[str]],
    tickets: list[Ticket],
) -> float:
    """Acc@10: a query's two texts against an older ticket's three, added and normalised."""

    def whole(fields: list[str]) -> np.ndarray:
        total = np.sum([vectors[text] for text in fields if text], axis=0)
        return total / max(np.linalg.norm(total), 1e-9)

    archive = np.stack([whole(components[ticket.id]) for ticket in tickets])
    place = {ticket.id: row for row, ticket in enumerate(tickets)}
    hits = []
    for query, answers in right.items():
        older = archive[: place[query]]
        best = np.argsort(-(older @ whole(components[query][:2])), kind="stable")[:10]
        hits.append(any(tickets[row].id in answers for row in best))
    return float(np.mean(hits))


if __name__ == "__main__":
    main()
