"""From tickets and labels to a bundle: the steps of training, in order."""

import hashlib
import json
import random
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import torch

from ticketing.channels.lexical import TERMS
from ticketing.channels.topics import TopicChannel, topic_words
from ticketing.channels.vectors import load_vectors, train_vectors
from ticketing.errors import InputError
from ticketing.similarity.bundle import Models
from ticketing.similarity.codes import fit_layout
from ticketing.similarity.config import CHANNEL_WEIGHTS, NetworkSettings, TrainingSettings
from ticketing.similarity.corpus import Corpus, read_corpus
from ticketing.similarity.examples import Example, graded, labelled, weak
from ticketing.similarity.finish import calibrate, search_weights
from ticketing.similarity.losses import LabelLoss, RankingLoss, right_answers
from ticketing.similarity.model import Model, new_network
from ticketing.similarity.network import SiameseNetwork
from ticketing.similarity.probes import Probes, is_held_back
from ticketing.similarity.recency import Recency
from ticketing.similarity.trainer import Trainer
from ticketing.similarity.weights import fit_weights
from ticketing.tickets import Label, Ticket
from topic_models import DocNADE, DocNADESettings, ProgressBar
from topic_models.errors import ModelFileError
from topic_models.files import read_arrays, write_arrays

START_DISTANCE = {"in-batch": 20.0, "mse": 2.0}
"""How far apart unrelated texts are at the start; g must neither vanish nor be flat."""

LEARNED_SHARES = {"h": 0.15, "E": 0.5, "T": 0.15, "L": 0.2}
"""Of that distance, by channel, where weights are learned: an LSTM knows nothing at the start."""

LAYOUT_SAMPLE = 2000


def train(
    tickets: Sequence[Ticket],
    labels: Sequence[Label],
    network: NetworkSettings,
    training: TrainingSettings,
    models: Models,
    checkpoints: Path,
    vectors_file: Path | None = None,
) -> str:
    """Train a network and save it; returns the bundle's id.

    Runs with the same arguments give the same bundle; an interrupted run resumes from
    `checkpoints`. Raises InputError when there is nothing to learn from.
    """
    if not tickets:
        raise InputError("There are no tickets to learn from; import some first.")
    known = {ticket.id for ticket in tickets}
    usable = [label for label in labels if label.ticket_id in known]
    if training.loss == "mse" and not usable:
        raise InputError("The loss mse needs labels; judge some tickets, or use the loss in-batch.")
    if training.weights == "searched" and not usable:
        raise InputError("Weights searched needs labels; judge some tickets, or use weights fixed.")
    corpus = read_corpus(tickets, labels, network)
    key = _run_key(corpus.digest, network, training, vectors_file)
    checkpoints.mkdir(parents=True, exist_ok=True)
    learner = _network(corpus, network, training, vectors_file, checkpoints / key)
    fit = [label for label in usable if not is_held_back(label.query.id)]
    back = [label for label in usable if is_held_back(label.query.id)]
    probes = Probes(corpus.archive, corpus.queries, back, training.seed)
    _set_start_weights(learner, corpus, training)
    history = _trainer(learner, corpus, fit, probes, training, checkpoints / f"{key}.network").run()
    if training.weights == "searched":
        search_weights(learner, corpus.archive, corpus.queries, back or fit)
    recency = Recency()
    if training.weights == "learned":
        recency = fit_weights(learner, probes, training.recency)
    model = _finish(learner, corpus, probes, recency)
    facts, documents, arrays = model.content()
    facts |= {
        "training": training.model_dump(mode="json"),
        "data": {"digest": corpus.digest, "tickets": len(tickets), "labels": len(usable)},
        "history": history,
    }
    bundle_id = models.save(facts, documents, arrays)
    for file in checkpoints.glob(f"{key}.*"):
        file.unlink()
    return bundle_id


def _run_key(
    digest: str, network: NetworkSettings, training: TrainingSettings, vectors: Path | None
) -> str:
    about = [digest, network.model_dump(), training.model_dump(), str(vectors)]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]


def _network(
    corpus: Corpus,
    settings: NetworkSettings,
    training: TrainingSettings,
    vectors_file: Path | None,
    checkpoint: Path,
) -> SiameseNetwork:
    torch.manual_seed(training.seed)
    vectors = _vectors(corpus, settings, training, vectors_file, Path(f"{checkpoint}.vectors"))
    topics = None
    if "T" in settings.channels:
        topics = _topics(corpus, settings, training, Path(f"{checkpoint}.topics"))
    return new_network(settings, corpus.vocabulary, vectors, topics, training.dropout)


def _vectors(
    corpus: Corpus,
    settings: NetworkSettings,
    training: TrainingSettings,
    file: Path | None,
    checkpoint: Path,
) -> torch.Tensor:
    if file:
        return load_vectors(file, corpus.vocabulary, settings.word_dims)
    if saved := _saved(checkpoint):
        return torch.from_numpy(saved["vectors"])
    vectors = train_vectors(corpus.texts, corpus.vocabulary, settings.word_dims, training.seed)
    write_arrays(checkpoint, {"vectors": vectors.numpy()}, {})
    return vectors


def _saved(checkpoint: Path) -> dict[str, np.ndarray]:
    """The arrays of a checkpoint, none where there is none; a damaged one is removed."""
    try:
        return read_arrays(checkpoint)[0]
    except ModelFileError:
        checkpoint.unlink(missing_ok=True)
        return {}


def _topics(
    corpus: Corpus, settings: NetworkSettings, training: TrainingSettings, checkpoint: Path
) -> TopicChannel:
    """DocNADE over whole tickets (model M2 of Table 3), every twentieth held back to stop on."""
    words = topic_words(corpus.vocabulary)
    described = DocNADESettings(
        vocabulary_size=max(len(words), 1),
        topics=settings.topics,
        epochs=training.topic_epochs,
        seed=training.seed,
    )
    channel = TopicChannel(DocNADE(described), words)
    whole = [list(chain(*fields.values())) for fields in corpus.archive.tickets.values()]
    documents = [document for document in channel.documents(whole) if len(document)]
    back = documents[::20] if len(documents) >= 40 else None
    fit = [d for i, d in enumerate(documents) if i % 20] if back else documents
    bar = ProgressBar("topics")
    fit = fit or [[0]]  # where no ticket has a topic word, all get the vector of an empty text
    _saved(checkpoint)  # a damaged one goes, for the model would refuse it
    channel.model.fit(fit, back, progress=bar, checkpoint=checkpoint)
    bar.close()
    return channel


def _set_start_weights(network: SiameseNetwork, corpus: Corpus, training: TrainingSettings) -> None:
    """Give each channel its share of what unrelated texts are apart at the start.

    Raw Manhattan distances of the channels differ with their widths and ranges; the shares,
    Table 2's W where weights are not learned, are shares of the whole distance.
    """
    shares = LEARNED_SHARES if training.weights == "learned" else CHANNEL_WEIGHTS
    chance = random.Random(training.seed)
    ids = sorted(corpus.archive.tickets)
    some = weak(corpus.archive, chance.sample(ids, min(len(ids), 200)), chance)
    if not some:
        return
    network.eval()
    with torch.no_grad():
        query = network.encode([x.query for x in some])
        ticket = network.encode([x.ticket for x in some])
        apart, comparable = network.crossed_channels(query, ticket)  # [B, B, C], [B, B]
    if comparable.any():
        wanted = torch.tensor([shares[channel] for channel in network.settings.channels])
        wanted = wanted / wanted.sum() * START_DISTANCE[training.loss]
        weights = wanted / apart[comparable].mean(0).clamp_min(1e-6)
        network.set_weights(network.pair_weights, weights)


def _trainer(
    network: SiameseNetwork,
    corpus: Corpus,
    labels: Sequence[Label],
    probes: Probes,
    training: TrainingSettings,
    checkpoint: Path,
) -> Trainer:
    learned = training.weights == "learned"
    network.pair_logits.requires_grad_(learned)
    network.channel_logits.requires_grad_(learned)
    weak_ids = sorted(set(corpus.archive.tickets) - probes.held_back)

    def ranking_examples(chance: random.Random) -> list[Example]:
        shown = labelled(corpus.archive, labels, corpus.queries, chance)
        return shown + weak(corpus.archive, weak_ids, chance)

    def graded_examples(chance: random.Random) -> list[Example]:
        return graded(corpus.archive, labels, corpus.queries, chance)

    if training.loss == "mse":
        loss, examples = LabelLoss(network, training.spelling_dropout), graded_examples
    else:
        loss = RankingLoss(network, training.spelling_dropout, right_answers(labels))
        examples = ranking_examples
    return Trainer(network, training, examples, loss, lambda: probes.quality(network), checkpoint)


def _finish(network: SiameseNetwork, corpus: Corpus, probes: Probes, recency: Recency) -> Model:
    """Calibrate scores and choose the code layout, on the trained network."""
    model = Model(corpus.vocabulary, network, recency=recency)
    model.calibration = calibrate(network, probes, recency)
    ids = sorted(corpus.archive.tickets)
    some = random.Random(0).sample(ids, min(len(ids), LAYOUT_SAMPLE))
    with torch.inference_mode():
        side = network.encode([corpus.archive.ticket(corpus.archive.tickets[id]) for id in some])
    vectors = [side.vectors[channel].numpy() for channel in network.settings.dims()]
    model.layout = fit_layout(vectors, side.present.numpy(), TERMS if network.lexical else 0)
    return model
