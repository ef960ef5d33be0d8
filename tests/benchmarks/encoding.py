"""Time of encoding: `TICKETING_HOME=… python -m tests.benchmarks.encoding [tickets]`.

Encodes tickets of the desk, evenly spread, and asks their texts, as what serves does it and as the
network in torch does, which is what all processes did before: in one run, on one thread each, by
the processor's time, which minds no other work of the machine. Texts are read once before. It says
how many bytes of codes the two do not share. Last two processes encode all tickets, the whole of a
worker's batch: reading tickets and their tokens from the store, codes, topics, the vector for an
index. They take turns, each alone and both at once, since a machine's speed changes by the minute.
"""

import time
from concurrent.futures import ProcessPoolExecutor
from copy import copy
from itertools import cycle
from multiprocessing import get_context

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch.nn.utils.rnn import pad_sequence

from tests.benchmarks.arguments import arguments
from ticketing.desk import Desk, open_desk
from ticketing.desk.base import BATCH
from ticketing.encoders.protocol import Texts
from ticketing.encoders.spelling import spell
from ticketing.model.inference import Model
from ticketing.networks.channels import EmbeddedTexts
from ticketing.networks.lstm import LSTMChannel
from ticketing.networks.making import network_of
from ticketing.networks.siamese import SiameseNetwork
from ticketing.nn.recurrent import RecurrentEncoder, encode_by_length
from ticketing.nn.settings import RecurrentSettings
from ticketing.settings import load_settings
from ticketing.stores.protocols import parted
from ticketing.tickets import Query, Ticket

STARTING = 30.0
"""Seconds in which processes start, and encode all once."""

TURN, ROUNDS = 2.0, 4
"""Seconds of a turn of processes, and how often each comes."""

TURNS = ((0,), (0, 1), (1,), (0, 1))
"""Which processes are at work in each turn of a round."""


class TorchEncoder:
    """A channel that learns, as the network in torch encodes it."""

    def __init__(self, model: Model, network: SiameseNetwork, symbol: str):
        self.words, self.network, self.channel = model.words, network, network.plugs[symbol]
        self.table = torch.from_numpy(model.words.table)
        self.shape, self.dtype = (self.channel.width,), np.float32

    @torch.inference_mode()
    def __call__(self, texts: Texts) -> np.ndarray:
        """See Encoder."""
        distinct = torch.from_numpy(texts.words).unique()
        known = distinct[distinct < len(self.table)]
        embedded, weights = self.table[known], self.network.word_weights[known]
        if texts.unknown:
            ids, bounds = map(torch.from_numpy, spell(texts.unknown))
            spelled = self.network.words.characters(ids, bounds)
            blank = spelled.new_zeros(len(spelled), self.table.shape[1] - spelled.shape[1])
            embedded = torch.cat([embedded, torch.cat([blank, spelled], 1)])
            weights = torch.cat([weights, weights.new_full((len(spelled),), self.words.rarest)])
        read = EmbeddedTexts(texts, distinct, embedded, weights)
        if isinstance(self.channel, LSTMChannel):
            rows = read.rows(texts).split(np.diff(texts.bounds).tolist())
            return read_padded(self.channel, embedded, rows).numpy()
        return self.channel(read).numpy()


def read_padded(channel: LSTMChannel, embedded: torch.Tensor, rows) -> torch.Tensor:
    """What torch's own LSTM makes of texts, padded, in four groups of similar length."""
    shape = RecurrentSettings(hidden=channel.width, pooling=channel.pooling)
    encoder = RecurrentEncoder(embedded.shape[1], shape)
    encoder.lstm.load_state_dict(channel.lstm.state_dict())

    def read(texts) -> torch.Tensor:
        words = pad_sequence([embedded[text] * channel.scale for text in texts], batch_first=True)
        return encoder(words, torch.tensor([len(text) for text in texts]))

    cut = [text[: channel.limit] for text in rows]
    return encode_by_length(read, cut, -(-len(cut) // 4))


def in_torch(model: Model) -> Model:
    """The same model, whose channels that learn torch encodes."""
    other, network = copy(model), network_of(model)
    learning = {c: TorchEncoder(model, network, c) for c in model.settings.channels if c in "hE"}
    other.encoders = {**model.encoders, **learning}
    return other


def main() -> None:
    """Print queries' times, tickets a second, and the bytes that differ."""
    count = arguments(__doc__, tickets=2000).tickets
    torch.set_num_threads(1)
    threadpool_limits(1)
    desk = open_desk(load_settings())
    model = desk.recommender().model
    tickets = spread(desk, count)
    peers = {"compiled": model, "torch": in_torch(model)}
    print(f"{len(tickets)} tickets; a query is the subject and description of one")
    for name, peer in peers.items():
        peer.encode_query(Query("warm up"))
        taken = [seconds(peer.encode_query, Query(t.subject, t.description)) for t in tickets[:300]]
        median, last = np.quantile(taken, [0.5, 0.99]) * 1000
        print(f"{name:9} a query {median:6.2f} ms of processor, the 99th percentile {last:6.2f}")
    model.encode_tickets(tickets)
    rows = {}
    for name, peer in peers.items():
        start = time.thread_time()
        rows[name] = peer.encode_tickets(tickets)
        took = time.thread_time() - start
        print(f"{name:9} {len(tickets) / took:6.0f} tickets a second of processor, codes alone")
    apart = abs(rows["compiled"].astype(int) - rows["torch"])
    print(f"{np.count_nonzero(apart)} of {apart.size} bytes differ, by {apart.max()} at most")
    alone, together, gains = by_turns()
    print(f"alone       {alone:6.0f} tickets a second")
    print(f"two at once {together:6.0f} tickets a second")
    print("times one, by round:", " ".join(f"{gain:.2f}" for gain in gains))
    print(f"median {np.median(gains):.2f}")


def spread(desk: Desk, count: int) -> list[Ticket]:
    """Tickets evenly spread over the desk's."""
    found = list(desk.store.iter_tickets())
    return found[:: max(len(found) // count, 1)][:count]


def seconds(work, *arguments) -> float:
    """Seconds of processor of one call."""
    start = time.thread_time()
    work(*arguments)
    return time.thread_time() - start


def by_turns() -> tuple[float, float, list[float]]:
    """The median of tickets a second that one process alone encodes, and two together; and how many
    times as many the two do, round by round."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        begin = time.time() + STARTING
        jobs = [pool.submit(encode_turns, number, begin) for number in (0, 1)]
        rates = np.array([job.result() for job in jobs]).sum(0).reshape(ROUNDS, len(TURNS))
    alone, together = rates[:, [0, 2]].mean(1), rates[:, [1, 3]].mean(1)
    return np.median(alone), np.median(together), (together / alone).tolist()


def encode_turns(number: int, begin: float) -> list[float]:
    """Encode as a worker does in this process's turns, from a moment on: tickets a second of every
    turn, 0 in those of the other process. All tickets are encoded once before."""
    threadpool_limits(1)
    desk = open_desk(load_settings())
    bundle, ids = desk.store.serving(), [ticket.id for ticket in desk.store.iter_tickets()]
    batches = [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]
    for batch in batches:
        desk.encode(bundle, *parted(desk.store.read_tickets(batch)))
    rates, coming = [], cycle(batches)
    for turn, active in enumerate(TURNS * ROUNDS):
        start, encoded = begin + turn * TURN, 0
        time.sleep(max(start - time.time(), 0))
        while number in active and time.time() < start + TURN:
            batch = next(coming)
            desk.encode(bundle, *parted(desk.store.read_tickets(batch)))
            encoded += len(batch)
        rates.append(encoded / (time.time() - start) if encoded else 0.0)
    return rates


if __name__ == "__main__":
    main()
