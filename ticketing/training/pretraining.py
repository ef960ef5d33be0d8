"""Makes the start of a training: word vectors, topics and the teacher's vectors, each saved as a
checkpoint.

They depend on the texts alone, so they are kept for the next training, even with other labels or
another network.
"""

import random
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ticketing.arrays import read_arrays, write_arrays
from ticketing.encoders.sentence_transformer import TransformerEncoder
from ticketing.encoders.topics import TopicEncoder, TopicWords, topic_words
from ticketing.encoders.transformer import Transformer, transformer_folder
from ticketing.errors import ArraysError, InputError
from ticketing.files import content_digest, short_digest
from ticketing.jobs import OnStep, Step, ignore_step
from ticketing.model.settings import NetworkSettings
from ticketing.networks.making import new_network
from ticketing.networks.siamese import SiameseNetwork
from ticketing.nn.threads import together
from ticketing.text.vocabulary import Vocabulary
from ticketing.tickets import Label
from ticketing.training.contexts import MOST_TEXTS, Contexts, read_contexts
from ticketing.training.corpus import Corpus
from ticketing.training.distillation import Teacher
from ticketing.training.sampling import some_tickets
from ticketing.training.settings import TrainingSettings
from ticketing.training.texts import FieldIds, Sentences
from ticketing.training.word_vectors import MOST_SEEN, load_vectors, read_words, train_vectors
from topic_models import CheckpointError, DocNADE, DocNADESettings, Progress, ProgressBar
from topic_models.documents import Document

MOST_TOPIC_TICKETS = 40_000
"""Maximum number of tickets for training topics. Of a larger archive, or one of more than MOST_SEEN
words, evenly spaced tickets are used."""


def run_key(
    corpus: Corpus,
    network: NetworkSettings,
    training: TrainingSettings,
    vectors: Path | None,
    encoder: Transformer | None,
) -> str:
    """Key of a training's checkpoints: a digest of all that it depends on."""
    return short_digest(
        corpus.digest,
        counted(corpus.vocabulary),
        network.model_dump(),
        training.model_dump(),
        vectors and content_digest(vectors),
        encoder and encoder.digest,
    )


def texts_key(
    corpus: Corpus,
    network: NetworkSettings,
    training: TrainingSettings,
    vectors: Path | None,
    teacher: Transformer | None,
) -> str:
    """Key of word vectors and topics: a digest of all that they depend on."""
    return short_digest(
        corpus.texts_digest,
        counted(corpus.vocabulary),
        [network.word_dims, network.topics, training.topic_epochs, training.seed],
        vectors and content_digest(vectors),
        teacher and teacher.digest,
    )


def counted(vocabulary: Vocabulary) -> list[Any]:
    """The vocabulary, as part of a key. Another version of the tokenizer gives other words, and the
    rows of saved tables belong to certain words."""
    return [vocabulary.words, vocabulary.document_counts]


def drop_others(checkpoints: Path, run: str, texts: str) -> None:
    """Delete checkpoints of other trainings (abandoned, or with other texts) and half-written
    hidden files of killed ones. A desk has one training at a time, and the caller has not written
    yet, so nobody is writing these."""
    own = {"network": run, "imitation": run, "vectors": texts, "topics": texts}
    for file in checkpoints.glob("*.*"):
        stem, kind = f"{file.name.removeprefix('.')}.".split(".")[:2]
        if kind in own and (file.name.startswith(".") or own[kind] != stem):
            file.unlink(missing_ok=True)


def clear(checkpoints: Path, run: str) -> None:
    """Delete a finished training's checkpoints, except the word vectors and topics of its texts."""
    for file in checkpoints.glob(f"{run}.*"):
        file.unlink(missing_ok=True)


def find_transformer(network: NetworkSettings, training: TrainingSettings) -> Transformer | None:
    """The sentence encoder that is the teacher or channel S. Raises InputError if it is needed and
    missing."""
    wanted = "S" in network.channels
    if not wanted and training.loss != "in-batch":
        return None
    folder = transformer_folder(training.teacher)
    if wanted and folder is None:
        raise InputError(
            "Channel S needs a sentence-transformers folder: set training.teacher to one, or "
            "run `pip install '.[teacher]'` in the checkout."
        )
    if folder is None:
        return None
    transformer = Transformer(folder)
    if wanted and transformer.dims != network.sentence_dims:
        raise InputError(f"Set network.sentence_dims to {transformer.dims}, the width in {folder}.")
    return transformer


def make_teacher(
    corpus: Corpus,
    transformer: Transformer,
    labels: Sequence[Label],
    training: TrainingSettings,
    on_step: OnStep,
) -> Teacher:
    """Make a teacher and let it encode the archive (or `training.tickets` of it), the labels'
    queries and each word alone. If it is also channel S, it encodes all other components except
    descriptions, which are encoded with their subjects. Raises whatever `on_step` raises."""
    encoder = TransformerEncoder(transformer, corpus.vocabulary, transformer.dims)
    teacher = Teacher(encoder, taught_texts(corpus, labels, training))
    others = [[id] for id in range(1, len(corpus.vocabulary))]
    if "S" in corpus.archive.settings.channels:
        for fields in teacher.texts.values():
            subject, *rest = corpus.archive.ticket(fields)
            others += [subject, *rest[1:]]
    teacher.prepare(map(encoder.text, others), on_step)
    return teacher


def taught_texts(
    corpus: Corpus, labels: Sequence[Label], training: TrainingSettings
) -> dict[str, FieldIds]:
    """Texts of tickets and of each label's query that is not a ticket, by key."""
    asked = {x.query.id: corpus.queries[x.query.id] for x in labels if not x.query.ticket_id}
    tickets, chance = corpus.archive.tickets, random.Random(training.seed)
    some = some_tickets([*tickets], {x.ticket_id for x in labels}, training.tickets, chance)
    return {**asked, **{id: tickets[id] for id in some}}


def start_network(
    corpus: Corpus,
    settings: NetworkSettings,
    training: TrainingSettings,
    vectors_file: Path | None,
    teacher: Teacher | None,
    checkpoint: Path,
    on_step: OnStep,
) -> SiameseNetwork:
    """An untrained network with word vectors and the archive's topics.

    Word vectors come from the file, else from the teacher, else from the archive's own texts.
    Raises whatever `on_step` raises.
    """
    torch.manual_seed(training.seed)
    resources: dict[str, TopicEncoder] = {}
    vectors = torch.empty(0)

    def topics() -> None:
        if "T" in settings.channels:
            file = Path(f"{checkpoint}.topics")
            resources["T"] = learn_topics(corpus, settings, training, file, on_step)

    def words() -> None:
        nonlocal vectors
        if vectors_file:
            vectors = load_vectors(vectors_file, corpus.vocabulary, settings.word_dims)
        elif teacher:
            contexts = _contexts(corpus, teacher, training, on_step)
            vectors = read_words(corpus.vocabulary, teacher.encoder, settings.word_dims, contexts)
        else:
            file = Path(f"{checkpoint}.vectors")
            vectors = _own_vectors(corpus, settings, training, file, on_step)

    together(topics, words)
    return new_network(settings, corpus.vocabulary, vectors, resources, training.dropout)


def _contexts(
    corpus: Corpus, teacher: Teacher, training: TrainingSettings, on_step: OnStep
) -> Contexts:
    """The teacher's token states of words in some of its texts."""
    keys = some_tickets([*teacher.texts], set(), MOST_TEXTS, random.Random(training.seed))
    some = (teacher.texts[key] for key in keys)
    texts = [[x.get("subject", []), x.get("description", [])] for x in some]
    return read_contexts(teacher.encoder, len(corpus.vocabulary.words), texts, on_step)


def _own_vectors(
    corpus: Corpus,
    settings: NetworkSettings,
    training: TrainingSettings,
    checkpoint: Path,
    on_step: OnStep,
) -> torch.Tensor:
    if saved := _saved(checkpoint):
        return torch.from_numpy(saved["vectors"])
    asked = [corpus.queries[id] for id in corpus.asked]
    some = corpus.texts.every(corpus.texts.words // MOST_SEEN + 1)
    sentences = Sentences(corpus.vocabulary, some.values(), asked)
    vectors = train_vectors(
        sentences, corpus.vocabulary, settings.word_dims, training.seed, on_step
    )
    write_arrays(checkpoint, {"vectors": vectors.numpy()})
    return vectors


def _saved(checkpoint: Path) -> dict[str, np.ndarray]:
    """The arrays of a checkpoint; empty if there is none. A damaged one is deleted."""
    try:
        return read_arrays(checkpoint)[0]
    except ArraysError:
        checkpoint.unlink(missing_ok=True)
        return {}


def learn_topics(
    corpus: Corpus,
    settings: NetworkSettings,
    training: TrainingSettings,
    checkpoint: Path,
    on_step: OnStep = ignore_step,
) -> TopicEncoder:
    """Train DocNADE on whole tickets (model M2 of Table 3): at most MOST_TOPIC_TICKETS tickets and
    about MOST_SEEN words. Every twentieth ticket is used for early stopping. Raises whatever
    `on_step` raises."""
    words = TopicWords(topic_words(corpus.vocabulary))
    described = DocNADESettings(
        vocabulary_size=max(len(words.ids), 1),
        topics=settings.topics,
        epochs=training.topic_epochs,
        seed=training.seed,
    )
    encoder = TopicEncoder(DocNADE(described), words)
    texts = corpus.texts
    some = texts.every(max(len(texts) // MOST_TOPIC_TICKETS, texts.words // MOST_SEEN) + 1)
    whole = (words.documents([[*chain(*fields.values())]])[0] for fields in some.values())
    documents = [document for document in whole if len(document)]
    kept = documents[::20] if len(documents) >= 40 else None
    learned: list[Document] = [d for i, d in enumerate(documents) if i % 20 or not kept]
    bar = ProgressBar("topics")

    def heard(at: Progress) -> None:
        bar(at)
        on_step(Step.PRETRAINING)

    # If no ticket has a topic word, all get the vector of an empty text.
    learned = learned or [[0]]
    try:
        encoder.model.fit(learned, kept, progress=heard, checkpoint=checkpoint)
    except CheckpointError:  # a damaged one
        checkpoint.unlink()
        encoder.model.fit(learned, kept, progress=heard, checkpoint=checkpoint)
    bar.close()
    return encoder
