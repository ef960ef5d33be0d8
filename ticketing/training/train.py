"""From tickets and labels to a bundle: the steps of training, in order."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ticketing.encoders.registry import ENCODERS
from ticketing.encoders.vector_cache import VectorCache
from ticketing.errors import InputError
from ticketing.jobs import Step, Told, unheard
from ticketing.model.inference import Model
from ticketing.model.recency import Recency
from ticketing.model.registry import Registry
from ticketing.model.saving import content_of
from ticketing.model.settings import NetworkSettings
from ticketing.networks.making import model_of, new_network
from ticketing.networks.siamese import SiameseNetwork
from ticketing.nn.threads import shared_by
from ticketing.nn.trainer import Epoch, Trainer
from ticketing.stores.blocks import ChosenIds
from ticketing.tickets import Label, TicketList
from ticketing.training.calibration import calibrate, some_of
from ticketing.training.corpus import Corpus, read_corpus
from ticketing.training.distillation import Teacher
from ticketing.training.losses import ImitationLoss, LabelLoss, RankingLoss, right_answers
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
from ticketing.training.sampling import Example, graded, labelled, parted, shown, views, weak
from ticketing.training.settings import TrainingSettings
from ticketing.training.validation import ValidationSet, of_some_queries
from ticketing.training.weight_fitting import fit_weights, query_worths
from ticketing.training.weight_search import search_weights
from ticketing.training.word_share import lean_on_words, unrelated_distances

START_DISTANCE = {"in-batch": 20.0, "mse": 2.0}
"""How far apart unrelated texts are at the start; g must neither vanish nor be flat."""

COVERAGE_SHARE = 0.25
"""U at the start: how far lacking all of a query's terms puts a ticket, beside START_DISTANCE."""

LAYOUT_SAMPLE = 2000


def train(
    tickets: TicketList,
    labels: Sequence[Label],
    network: NetworkSettings,
    training: TrainingSettings,
    models: Registry,
    checkpoints: Path,
    vectors_file: Path | None = None,
    told: Told = unheard,
    threads: int = 1,
    share: Callable[[str], object] = lambda bundle_id: None,
) -> str:
    """Train a network and save it; returns the bundle's id.

    Tickets are read twice, and never held all at once; what must lie somewhere meanwhile lies in
    `checkpoints`, which an interrupted run resumes from, unless another one was begun there. It
    stays until `share` has brought the saved bundle to where it is needed. Runs with the same
    arguments give the same bundle, by any number of `threads`. Raises InputError when there is
    nothing to learn from, and whatever `told` and `share` do.
    """
    if not len(tickets):
        raise InputError("There are no tickets to learn from; import some first.")
    with shared_by(threads):
        told(Step.PRETRAINING)
        checkpoints.mkdir(parents=True, exist_ok=True)
        encoder = find_transformer(network, training)
        cache = VectorCache(checkpoints, encoder.digest) if encoder else None
        if encoder:
            encoder.cache = cache
        reader = encoder if training.loss == "in-batch" else None
        also = reader.words if reader else ()
        corpus = read_corpus(tickets, labels, network, checkpoints, also)
        known = corpus.archive.tickets
        usable = [label for label in labels if label.ticket_id in known]
        if training.loss == "mse" and not usable:
            raise InputError(
                "The loss mse needs labels; judge some tickets, or use the loss in-batch."
            )
        if training.weights == "searched" and not usable:
            raise InputError(
                "Weights searched needs labels; judge some tickets, or use weights fixed."
            )
        key = run_key(corpus, network, training, vectors_file, encoder)
        texts = texts_key(corpus, network, training, vectors_file, reader)
        drop_others(checkpoints, key, texts)
        teacher = None
        if reader:
            teacher = make_teacher(corpus, reader, usable, training, told)
        learner = start_network(
            corpus,
            network.only_trained(),
            training,
            vectors_file,
            teacher,
            checkpoints / texts,
            told,
        )
        learned, held_out = parted(usable)
        kept = of_some_queries(held_out, training.seed)
        validation = ValidationSet(corpus.archive, corpus.queries, kept, training.seed)
        _set_start_weights(learner, corpus, training)
        checkpoint = checkpoints / f"{key}.network"
        history = _learn(learner, corpus, learned, validation, training, teacher, checkpoint, told)
        fitting = partial(told, Step.FITTING)
        fitting()
        if training.weights == "learned":
            asked = int(query_worths(validation).count_nonzero())
            lean_on_words(learner, corpus.archive, asked, taught=teacher is not None)
        if learner.settings != network:
            learner = _joined(learner, network, corpus, {"S": encoder})
        if training.weights == "searched":
            search_weights(learner, corpus.archive, corpus.queries, kept or learned)
        recency = Recency()
        if training.weights == "learned":
            fit_weights(learner, validation, fitting)
            if training.recency:
                recency = fit_recency(learner, validation)
        model = _finish(learner, corpus, recency)
        asking = validation.left_out or some_of(known, training.seed)
        calibrate(model, tickets, kept, asking, checkpoints, fitting)
        if cache:
            cache.end()
        facts, documents, arrays = content_of(model)
        facts |= {
            "training": training.model_dump(mode="json"),
            "data": {
                "digest": corpus.digest,
                "tickets": len(tickets),
                "labels": len(usable),
                "newest": corpus.newest and corpus.newest.isoformat(),
            },
            "teacher": encoder and encoder.to_json(),
            "history": history,
        }
        fitting()
        bundle_id = models.save(facts, documents, arrays)
        share(bundle_id)
        clear(checkpoints, key)
        return bundle_id


def _joined(
    trained: SiameseNetwork,
    settings: NetworkSettings,
    corpus: Corpus,
    resources: Mapping[str, Any],
) -> SiameseNetwork:
    """The trained network with the channels that need no training beside the others.

    At first each of them counts as much as all the others together. They are no part of training,
    since they would leave the others nothing to do.
    """
    vectors = trained.words.words.weight.detach()
    whole = new_network(settings, corpus.vocabulary, vectors, {**trained.resources, **resources})
    state = trained.state_dict()
    state["channel_logits"] = whole.channel_logits.detach()
    whole.load_state_dict(state)
    weights = dict(zip(trained.settings.channels, trained.channel_weights.tolist(), strict=True))
    apart, _ = unrelated_distances(whole, corpus.archive)
    means = dict(zip(settings.channels, apart.tolist(), strict=True))
    others = sum(weight * means[channel] for channel, weight in weights.items())
    for channel in set(settings.channels) - set(weights):
        weights[channel] = others / max(means[channel], 1e-6)
    whole.set_weights(
        trained.pair_weights.detach(), torch.tensor([weights[c] for c in settings.channels])
    )
    return whole


def _set_start_weights(network: SiameseNetwork, corpus: Corpus, training: TrainingSettings) -> None:
    """Give each channel its share of what unrelated texts are apart at the start.

    Raw Manhattan distances of the channels differ with their widths and ranges; the shares,
    Table 2's W where weights are not learned, are shares of the whole distance.
    """
    learned = training.weights == "learned"
    kinds = [ENCODERS[channel] for channel in network.settings.channels]
    shares = [kind.start_share if learned else kind.weight for kind in kinds]
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
        wanted = torch.tensor(shares)
        wanted = wanted / wanted.sum() * START_DISTANCE[training.loss]
        weights = wanted / apart[comparable].mean(0).clamp_min(1e-6)
        network.set_weights(network.pair_weights, weights)
    if learned and network.settings.sparse_channel:
        components = len(network.settings.query_components)
        whole = START_DISTANCE[training.loss] * COVERAGE_SHARE
        network.set_coverage_weights(torch.full((components,), whole / components))


def _learn(
    network: SiameseNetwork,
    corpus: Corpus,
    labels: Sequence[Label],
    validation: ValidationSet,
    training: TrainingSettings,
    teacher: Teacher | None,
    checkpoint: Path,
    told: Told,
) -> list[Epoch]:
    """Imitate the teacher first, where there is one, then learn from labels and the archive.

    Returns loss and quality by epoch. (Both at once was measured, and is worse.) V is left alone
    where there are no labels: a weak positive's subject is on one side only, so all that it
    could teach V is that subjects need not be alike.
    """
    learned = training.weights == "learned"
    network.pair_logits.requires_grad_(learned and bool(labels))
    network.channel_logits.requires_grad_(learned)
    network.coverage_logits.requires_grad_(learned)
    learned_from = np.flatnonzero([id not in validation.left_out for id in corpus.texts])
    weak_ids = ChosenIds(corpus.texts.ids, learned_from)

    def run(
        settings: TrainingSettings,
        loss: Callable[[Sequence[Example]], Tensor],
        examples: Callable[[int, random.Random], list[Example]],
        checkpoint: Path,
        keep_last: bool = False,
    ) -> list[Epoch]:
        quality = partial(validation.quality, network)
        heard = partial(told, Step.TRAINING)

        def drawn(chance: random.Random) -> list[Example]:
            return examples(len(trainer.history), chance)

        trainer = Trainer(network, settings, drawn, loss, quality, checkpoint, keep_last, heard)
        return trainer.run()

    def graded_examples(_: int, chance: random.Random) -> list[Example]:
        return graded(corpus.archive, labels, corpus.queries, chance)

    def ranking_examples(epoch: int, chance: random.Random) -> list[Example]:
        judged = labelled(corpus.archive, labels, corpus.queries, chance)
        ids = shown(weak_ids, training.tickets, epoch, training.seed)
        return judged + weak(corpus.archive, ids, chance)

    dropout = training.spelling_dropout
    if training.loss == "mse":
        return run(training, LabelLoss(network, dropout), graded_examples, checkpoint)
    imitated: list[Epoch] = []
    if teacher:
        texts = teacher.texts
        imitated = run(
            training.imitating,
            ImitationLoss(network, dropout, teacher),
            lambda _, chance: views(corpus.archive, texts, chance),
            checkpoint.with_suffix(".imitation"),
            keep_last=True,
        )
    settings = training.tuning if teacher else training
    settings = settings.with_passes(-(-len(weak_ids) // training.tickets))
    ranking = RankingLoss(network, dropout, right_answers(labels))
    return imitated + run(settings, ranking, ranking_examples, checkpoint, bool(teacher))


def _finish(network: SiameseNetwork, corpus: Corpus, recency: Recency) -> Model:
    """The model that will serve, with a code layout that fits the archive."""
    model = model_of(network, corpus.vocabulary, recency)
    ids = sorted(corpus.archive.tickets)
    some = random.Random(0).sample(ids, min(len(ids), LAYOUT_SAMPLE))
    tickets = [corpus.archive.ticket(corpus.archive.tickets[id]) for id in some]
    model.fit_layout(model.encode_ids(tickets))
    return model
