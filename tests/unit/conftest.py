"""One small trained model that many tests share."""

import logging
import os
import sys
import threading
from functools import partial
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest
from argon2 import PasswordHasher

from tests.letter_counts import LetterCounts
from tests.letter_model import LetterModel, untuned
from tests.tiny import TINY, tiny_training
from ticketing import passwords
from ticketing.demo.generator import iter_tickets
from ticketing.model.inference import Model
from ticketing.model.registry import Registry
from ticketing.model.saving import model_in
from ticketing.tickets import Grade, Label, Query, Ticket


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Sums in one order, and no fight for cores with other tests."""
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session", autouse=True)
def no_teacher():
    """What is trained is the same, and as quick, where the extra with its encoder is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ticketing.encoders.transformer.INSTALLED", "no_such_package")
        yield


@pytest.fixture(autouse=True)
def own_process(monkeypatch):
    """What a command changes of its process is the test runner's again afterwards."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    records, mask = logging.getLogRecordFactory(), os.umask(0o022)
    os.umask(mask)
    yield
    logging.setLogRecordFactory(records)
    os.umask(mask)


@pytest.fixture(scope="session")
def archive_tickets() -> list[Ticket]:
    """Forty tickets of the demonstration base."""
    return list(islice(iter_tickets(tickets=949), 40))


@pytest.fixture(scope="session")
def archive_labels(archive_tickets) -> list[Label]:
    """Twenty-four queries in a ticket's own words: that one YES, the next REL, the third NO."""
    labels = []
    for i, ticket in enumerate(archive_tickets[:24]):
        query = Query(ticket.subject, " ".join(ticket.description.split()[:12]))
        for ahead, grade in enumerate((Grade.YES, Grade.REL, Grade.NO)):
            labels.append(Label(query, archive_tickets[i + ahead].id, grade))
    return labels


@pytest.fixture(scope="session")
def trained(tmp_path_factory, archive_tickets, archive_labels) -> tuple[Path, str]:
    """The folder of models with one tiny bundle in it, and the bundle's id."""
    from ticketing.training.train import train

    folder = tmp_path_factory.mktemp("trained")
    models = Registry(folder / "models")
    bundle_id = train(
        archive_tickets, archive_labels, TINY, tiny_training(), models, folder / "checkpoints"
    )
    return models.folder, bundle_id


@pytest.fixture(scope="module")
def model(trained) -> Model:
    """The model of that bundle, loaded anew for each module."""
    return model_in(Registry(trained[0]).load(trained[1]))


@pytest.fixture
def encoder(tmp_path, monkeypatch) -> Path:
    """An encoder that has learned nothing, and a stand-in for the library that reads it."""
    module = SimpleNamespace(SentenceTransformer=LetterModel)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    untuned(tmp_path / "encoder")
    return tmp_path / "encoder"


@pytest.fixture
def counting_encoder(tmp_path, monkeypatch) -> Path:
    """A folder of an encoder that counts letters, and a stand-in for the library that reads it."""
    module = SimpleNamespace(SentenceTransformer=LetterCounts)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    path = tmp_path / "encoder"
    path.mkdir()
    (path / "model.safetensors").write_bytes(b"weights")
    return path


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch):
    """Hashing takes its time where a password is kept, and none in tests."""
    monkeypatch.setattr(passwords, "PasswordHasher", partial(PasswordHasher, 1, 8, 1))
