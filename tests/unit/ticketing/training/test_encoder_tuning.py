"""A sentence encoder tuned on labels; a model that adds up letters stands in for the library."""

import pytest
import torch
from safetensors.torch import load_file

from ticketing.encoders.transformer import Transformer
from ticketing.errors import InputError
from ticketing.text import tokenize
from ticketing.tickets import Grade, Label, Query
from ticketing.training import encoder_tuning, sampling
from ticketing.training.encoder_tuning import MOST_TOKENS, PairLoss, tune
from ticketing.training.settings import TuningSettings

SETTINGS = TuningSettings(epochs=3, learning_rate=0.02, batch_size=16)


@pytest.fixture
def tuned(tmp_path, encoder, archive_tickets, archive_labels):
    """Tunes the encoder and gives the folder of the tuned one."""

    def tune_(name="tuned", labels=archive_labels, settings=SETTINGS):
        tune(encoder, archive_tickets, labels, settings, tmp_path / "checkpoints", tmp_path / name)
        return tmp_path / name

    return tune_


def test_labelled_pairs_come_closer_than_strangers(encoder, tuned, archive_labels, archive_tickets):
    """Of pairs that a judge said YES to, the mean share of other tickets that are farther."""
    tickets = {ticket.id: ticket.text for ticket in archive_tickets}
    pairs = [(x.query.text, x.ticket_id) for x in archive_labels if x.grade == Grade.YES]

    def share(path):
        encoder = Transformer(path)
        with torch.no_grad():
            asked = encoder.embed([text for text, _ in pairs], MOST_TOKENS)
            found = encoder.embed(list(tickets.values()), MOST_TOKENS)
        alike = asked @ found.T  # [pairs, tickets]
        own = alike[range(len(pairs)), [list(tickets).index(id) for _, id in pairs]]
        return float((alike < own[:, None]).float().mean())

    assert share(tuned()) > share(encoder)


def test_only_the_upper_half_of_its_layers_learns(encoder, tuned):
    before, after = (load_file(path / "model.safetensors") for path in (encoder, tuned()))
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed == {f"layers.{n}.{part}" for n in (2, 3) for part in ("weight", "bias")}


def test_a_stopped_run_goes_on_to_the_same_encoder(tmp_path, tuned, monkeypatch):
    whole = tuned("whole")
    seen = []

    class Stopped(PairLoss):
        def __call__(self, batch):
            seen.append(batch)
            if len(seen) == 7:
                raise KeyboardInterrupt
            return super().__call__(batch)

    with monkeypatch.context() as patched:
        patched.setattr(encoder_tuning, "PairLoss", Stopped)
        with pytest.raises(KeyboardInterrupt):
            tuned("stopped")
    assert not (tmp_path / "stopped").exists()
    tuned("stopped")
    one, other = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "stopped"))
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert not list((tmp_path / "checkpoints").iterdir())
    assert whole.exists()


def test_what_a_run_that_was_given_up_left_goes_when_another_begins(tmp_path, tuned, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    folder = tmp_path / "checkpoints"
    folder.mkdir()
    (folder / "a.categories").touch()
    left = []
    with monkeypatch.context() as patched:
        patched.setattr(Transformer, "save", stop)
        for seed in (5, 6):
            with pytest.raises(KeyboardInterrupt):
                tuned(settings=SETTINGS.model_copy(update={"seed": seed}))
            left.append({path.name for path in folder.glob("*.tuning")})
    assert [len(names) for names in left] == [1, 1] and left[0] != left[1]
    assert (folder / "a.categories").exists()


def test_a_stopped_run_does_not_go_on_under_other_settings(tmp_path, tuned, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    other = SETTINGS.model_copy(update={"seed": 5})
    whole = tuned("whole", settings=other)
    with monkeypatch.context() as patched:
        patched.setattr(Transformer, "save", stop)
        with pytest.raises(KeyboardInterrupt):
            tuned("stopped")
    again = tuned("again", settings=other)
    one, two = (load_file(path / "model.safetensors") for path in (whole, again))
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_a_stopped_run_does_not_go_on_with_texts_that_are_cut_otherwise(
    tmp_path, tuned, monkeypatch
):
    """The next version of the program may cut the same tickets into other words."""

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Transformer, "save", stop)
    names = set()
    for cut in (tokenize, lambda text: tokenize(text)[1:]):
        monkeypatch.setattr("ticketing.training.corpus.tokenize", cut)
        with pytest.raises(KeyboardInterrupt):
            tuned()
        names |= {path.name for path in (tmp_path / "checkpoints").glob("*.tuning")}
    assert len(names) == 2


def test_validation_queries_teach_nothing(tuned, archive_labels, monkeypatch):
    monkeypatch.setattr(encoder_tuning, "is_validation", lambda id: True)
    with pytest.raises(InputError, match="No ticket is judged YES or REL"):
        tuned()


def test_a_validation_query_that_was_typed_again_teaches_nothing(tuned, archive_tickets):
    """By their ids, the first is a validation query and the second is none."""
    typed = [Query("pump 2 trips"), Query("Pump 2 trips")]
    assert [sampling.is_validation(query.id) for query in typed] == [True, False]
    with pytest.raises(InputError, match="No ticket is judged YES or REL"):
        tuned(labels=[Label(query, archive_tickets[0].id, Grade.YES) for query in typed])


def test_a_validation_pair_teaches_nothing_the_other_way_round(tuned, archive_tickets):
    """By their ids, the first is a validation query and the second is none."""
    one, other = archive_tickets[:2]
    asked = next(
        query
        for n in range(99)
        if sampling.is_validation((query := Query(f"pump {n} trips", ticket_id=one.id)).id)
    )
    back = next(
        query
        for n in range(99)
        if not sampling.is_validation((query := Query(f"trip {n}", ticket_id=other.id)).id)
    )
    with pytest.raises(InputError, match="No ticket is judged YES or REL"):
        tuned(labels=[Label(asked, other.id, Grade.YES), Label(back, one.id, Grade.YES)])


def test_a_no_alone_teaches_nothing(tuned, archive_labels):
    refusals = [Label(x.query, x.ticket_id, Grade.NO) for x in archive_labels]
    with pytest.raises(InputError, match="No ticket is judged YES or REL"):
        tuned(labels=refusals)
