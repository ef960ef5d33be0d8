"""Training: makes a bundle from tickets and labels, step by step."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

import torch

from ticketing.encoders.vector_cache import VectorCache
from ticketing.errors import InputError
from ticketing.jobs import OnStep, Step, ignore_step
from ticketing.model.inference import Model
from ticketing.model.recency import Recency
from ticketing.model.registry import Registry
from ticketing.model.saving import content_of
from ticketing.model.settings import NetworkSettings
from ticketing.networks.making import model_of, new_network
from ticketing.networks.siamese import SiameseNetwork
from ticketing.nn.threads import shared_by
from ticketing.tickets import Label, TicketList
from ticketing.training.calibration import calibrate, some_of
from ticketing.training.corpus import Corpus, read_corpus
from ticketing.training.learning import learn, set_start_weights
from ticketing.training.pretraining import (
    clear,
    drop_others,
    find_transformer,
    make_teacher,
    run_key,
    start_network,
    texts_key,
)
from ticketing.training.recency_fitting import fit_recency
from ticketing.training.sampling import is_validation, parted
from ticketing.training.settings import TrainingSettings, asked_settings
from ticketing.training.validation import ValidationSet, of_some_queries
from ticketing.training.weight_fitting import HOLD, TAUGHT_HOLD, fit_weights, query_worths
from ticketing.training.weight_search import search_weights
from ticketing.training.word_share import lean_on_words, unrelated_distances

LAYOUT_SAMPLE = 2000


def train(
    tickets: TicketList,
    labels: Sequence[Label],
    network: NetworkSettings,
    training: TrainingSettings,
    models: Registry,
    checkpoints: Path,
    vectors_file: Path | None = None,
    on_step: OnStep = ignore_step,
    threads: int = 1,
    share: Callable[[str], object] = lambda bundle_id: None,
) -> str:
    """Train a network and save it; returns the bundle's id.

    Tickets are read twice and never all held in memory. Temporary data lie in `checkpoints`, from
    which an interrupted run resumes, unless another training was begun there. They are kept until
    `share` has uploaded the bundle. Runs with the same arguments give the same bundle, with any
    number of `threads`. Raises InputError if there is nothing to learn from, and whatever `on_step`
    and `share` raise.
    """
    if not len(tickets):
        raise InputError("There are no tickets to learn from; import some first.")
    with shared_by(threads):
        on_step(Step.PRETRAINING)
        checkpoints.mkdir(parents=True, exist_ok=True)
        encoder = find_transformer(network, training)
        if encoder:
            encoder.cache = VectorCache(checkpoints, encoder.digest)
        reader = encoder if training.loss == "in-batch" else None
        also = reader.words if reader else ()
        corpus = read_corpus(tickets, labels, network, checkpoints, also)
        usable = _usable(labels, corpus, training)
        key = run_key(corpus, network, training, vectors_file, encoder)
        texts = texts_key(corpus, network, training, vectors_file, reader)
        drop_others(checkpoints, key, texts)
        teacher = None
        if reader:
            teacher = make_teacher(corpus, reader, usable, training, on_step)
        learner = start_network(
            corpus,
            network.only_trained(),
            training,
            vectors_file,
            teacher,
            checkpoints / texts,
            on_step,
        )
        learned, held_out = parted(usable, is_validation)
        kept = of_some_queries(held_out, training.seed)
        validation = ValidationSet(corpus.archive, corpus.queries, kept, training.seed)
        set_start_weights(learner, corpus, training)
        checkpoint = checkpoints / f"{key}.network"
        history = learn(
            learner, corpus, learned, validation, training, teacher, checkpoint, on_step
        )
        fitting = partial(on_step, Step.FITTING)
        fitting()
        if training.weights == "learned":
            asked = int(query_worths(validation).count_nonzero())
            lean_on_words(learner, corpus.archive, asked, taught=teacher is not None)
        if learner.settings != network:
            learner = _joined(learner, network, corpus, {"S": encoder})
        hold = TAUGHT_HOLD if teacher else HOLD
        recency = _fitted(learner, corpus, kept or learned, validation, training, fitting, hold)
        model = _finished(learner, corpus, recency)
        asking = validation.left_out or some_of(corpus.archive.tickets, training.seed)
        calibrate(model, tickets, kept, asking, checkpoints, fitting)
        if encoder and encoder.cache:
            encoder.cache.end()
        facts, documents, arrays = content_of(model)
        facts |= {
            "training": training.model_dump(mode="json"),
            "asked": asked_settings(network, training),
            "data": corpus.facts | {"tickets": len(tickets), "labels": len(usable)},
            "teacher": encoder and encoder.to_json(),
            "history": history,
        }
        fitting()
        bundle_id = models.save(facts, documents, arrays)
        share(bundle_id)
        clear(checkpoints, key)
        return bundle_id


def _usable(labels: Sequence[Label], corpus: Corpus, training: TrainingSettings) -> list[Label]:
    """The labels whose tickets exist. Raises InputError if the settings need labels and there are
    none."""
    usable = [label for label in labels if label.ticket_id in corpus.archive.tickets]
    if training.loss == "mse" and not usable:
        raise InputError("The loss mse needs labels; judge some tickets, or use the loss in-batch.")
    if training.weights == "searched" and not usable:
        raise InputError("Weights searched needs labels; judge some tickets, or use weights fixed.")
    return usable


def _fitted(
    network: SiameseNetwork,
    corpus: Corpus,
    labels: Sequence[Label],
    validation: ValidationSet,
    training: TrainingSettings,
    fitting: Callable[[], object],
    hold: float,
) -> Recency:
    """Set U, V and W as the settings say; returns the weight of time, if it has one."""
    if training.weights == "searched":
        search_weights(network, corpus.archive, corpus.queries, labels)
    if training.weights != "learned":
        return Recency()
    fit_weights(network, validation, fitting, hold)
    return fit_recency(network, validation) if training.recency else Recency()


def _joined(
    trained: SiameseNetwork,
    settings: NetworkSettings,
    corpus: Corpus,
    resources: Mapping[str, Any],
) -> SiameseNetwork:
    """Add the channels that need no training to the trained network.

    Each added channel gets as much weight as all others together, or that of the settings if no two
    texts can be compared. They are left out of training, since the others would then have nothing
    left to learn.
    """
    vectors = trained.words.words.weight.detach()
    whole = new_network(settings, corpus.vocabulary, vectors, {**trained.resources, **resources})
    state = trained.state_dict()
    state["channel_logits"] = whole.channel_logits.detach()
    whole.load_state_dict(state)
    weights = dict(zip(trained.settings.channels, trained.channel_weights.tolist(), strict=True))
    apart, _ = unrelated_distances(whole, corpus.archive)
    means = dict(zip(settings.channels, apart.tolist(), strict=True))
    own = dict(zip(settings.channels, whole.channel_weights.tolist(), strict=True))
    others = sum(weight * means[channel] for channel, weight in weights.items())
    known = isfinite(others)  # the mean over no pairs is NaN
    for channel in set(settings.channels) - set(weights):
        weights[channel] = others / max(means[channel], 1e-6) if known else own[channel]
    whole.set_weights(
        trained.pair_weights.detach(), torch.tensor([weights[c] for c in settings.channels])
    )
    return whole


def _finished(network: SiameseNetwork, corpus: Corpus, recency: Recency) -> Model:
    """The model that will serve, with a code layout fitted to the archive."""
    model = model_of(network, corpus.vocabulary, recency)
    ids = sorted(corpus.archive.tickets)
    some = random.Random(0).sample(ids, min(len(ids), LAYOUT_SAMPLE))
    tickets = [corpus.archive.ticket(corpus.archive.tickets[id]) for id in some]
    model.fit_layout(model.encode_ids(tickets))
    return model
