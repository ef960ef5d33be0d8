"""Folders of labelled documents: all layouts, carved validation parts, faults by line."""

import gzip
import zlib

import numpy as np
import pytest

from topic_models.errors import DatasetError
from topic_models.experiments.datasets import log_counts, read_dataset
from topic_models.experiments.readings import READINGS, log_orders


def write(path, text):
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)


@pytest.fixture
def sorted_ids(tmp_path):
    write(tmp_path / "vocab_docnade.vocab", "zero\none\ntwo\n")
    write(tmp_path / "training_docnade.csv", "a,0 1\nb,\na,2 2\n")
    write(tmp_path / "validation_docnade.csv", "b,1\n")
    write(tmp_path / "test_docnade.csv", "b,0\na,1 2\n")
    return tmp_path


@pytest.fixture
def texts(sorted_ids):
    """What lies beside `sorted_ids`; the vocabulary lacks "Three"; one byte is no UTF-8."""
    write(sorted_ids / "training.csv", "x,Two Three: two, one\nx,three\ny,ONE-zero\n")
    (sorted_ids / "validation.csv").write_bytes(b"y,one o\xfene two\n")
    write(sorted_ids / "test.csv", "x,_zero_ four\n")
    return sorted_ids


@pytest.fixture
def in_order(tmp_path):
    write(tmp_path / "vocab.txt", "zero 40\none 30\ntwo 9\n")
    write(tmp_path / "train.seq.csv.gz", "".join(f"{i % 3},2 {i % 2} 2\n" for i in range(40)))
    write(tmp_path / "test.seq.csv.gz", "1,2 0\r\n\n0,1\r\n")
    return tmp_path


def ids(part):
    return [document.tolist() for document in part.documents]


def test_sorted_ids_with_a_validation_file(sorted_ids):
    dataset = read_dataset(sorted_ids)

    assert dataset.words == ["zero", "one", "two"]
    assert (ids(dataset.training), dataset.training.labels.tolist()) == (
        [[0, 1], [], [2, 2]],
        ["a", "b", "a"],
    )
    assert ids(dataset.validation) == [[1]]
    assert ids(dataset.test) == [[0], [1, 2]]
    assert dataset.note == ""


def test_text_order_gzipped_without_a_validation_file(in_order):
    dataset = read_dataset(in_order, in_text_order=True)

    assert dataset.words == ["zero", "one", "two"]
    assert ids(dataset.test) == [[2, 0], [1]]
    assert (len(dataset.training.documents), len(dataset.validation.documents)) == (36, 4)
    assert dataset.note == (
        "there is no validation.seq.csv, so 4 training documents validate (seed 0)"
    )


def test_text_order_is_flattened_where_it_is_not_asked_for(in_order):
    assert ids(read_dataset(in_order).test) == [[0, 2], [1]]


def test_texts_beside_ids_hold_the_order_of_known_words(texts):
    dataset = read_dataset(texts, in_text_order=True)

    assert dataset.words == ["zero", "one", "two"]
    assert ids(dataset.training) == [[2, 2, 1], [1, 0]]
    assert dataset.training.labels.tolist() == ["x", "y"]
    assert (ids(dataset.validation), ids(dataset.test)) == ([[1, 2]], [[0]])


def test_texts_of_all_words_have_the_vocabulary_of_the_training_texts(texts):
    dataset = read_dataset(texts, all_words=True)

    assert dataset.words == ["one", "three", "two", "zero"]
    assert ids(dataset.training) == [[0, 1, 2], [1], [0, 3]]
    assert (ids(dataset.validation), ids(dataset.test)) == ([[0, 2]], [[3]])


def test_ids_are_read_where_texts_lie_beside_them_and_nothing_is_asked_for(texts):
    assert ids(read_dataset(texts).training) == [[0, 1], [], [2, 2]]


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["20NSshort", "TREC6", "TMNtitle"])
def test_the_authors_texts_are_their_ids(shared, name):
    """But for the word of id 0."""
    folder = shared / "data/topics" / name
    parts, ordered = (read_dataset(folder, in_text_order=order).parts for order in (False, True))

    for part, documents in parts.items():
        flat = [log_counts(document) for document in ordered[part].documents]
        known = [document[document > 0].tolist() for document in flat]
        assert known == [document[document > 0].tolist() for document in documents.documents]


def test_a_validation_file_that_equals_the_test_file_is_not_used(sorted_ids):
    write(sorted_ids / "validation_docnade.csv", "b,0\na,1 2\n")

    dataset = read_dataset(sorted_ids)

    assert len(dataset.training.documents) == 2
    assert "validation_docnade.csv equals test_docnade.csv" in dataset.note


def test_the_seed_chooses_the_validation_documents(tmp_path):
    write(tmp_path / "vocab.txt", "".join(f"w{i}\n" for i in range(50)))
    write(tmp_path / "train.seq.csv", "".join(f"a,{i}\n" for i in range(50)))
    write(tmp_path / "test.seq.csv", "a,0\n")
    one, again, other = (read_dataset(tmp_path, seed) for seed in (0, 0, 1))

    assert ids(one.validation) == ids(again.validation) != ids(other.validation)
    assert sorted(ids(one.training) + ids(one.validation)) == [[i] for i in range(50)]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("training_docnade.csv", "a,0\n0 1\n", r"csv, line 2: there is no comma"),
        ("test_docnade.csv", "a,0\n\na,1 3\n", r"csv, line 3, second field: '3' is no word id; "),
        ("test_docnade.csv", "a,-1\n", r"'-1' is no word id; ids run from 0 to 2"),
        ("test_docnade.csv", "a,one\n", "'one' is no word id"),
        ("validation_docnade.csv", "\n", r"validation_docnade\.csv holds no documents"),
        pytest.param("test_docnade.csv", f"a,{'9' * 5000}\n", "'9{40}' is no word id", id="long"),
        ("vocab_docnade.vocab", "", "holds no words"),
        ("vocab_docnade.vocab", "\n\n", "holds no words"),
        ("vocab_docnade.vocab", "zero\n\n \ntwo\n", r"vocab, line 2: there is no word, and the"),
    ],
)
def test_a_fault_is_named_by_file_line_and_field(sorted_ids, name, text, reason):
    write(sorted_ids / name, text)

    with pytest.raises(DatasetError, match=reason):
        read_dataset(sorted_ids)


def test_a_missing_file_is_named(sorted_ids):
    (sorted_ids / "test_docnade.csv").unlink()

    with pytest.raises(DatasetError, match=r"test_docnade\.csv is missing, plain or gzipped"):
        read_dataset(sorted_ids)


def test_another_folder_is_refused(tmp_path):
    names = r"no training_docnade\.csv or train\.seq\.csv or training\.csv, plain or gzipped"
    with pytest.raises(DatasetError, match=names):
        read_dataset(tmp_path)


def test_what_the_files_do_not_hold_is_refused(sorted_ids):
    with pytest.raises(DatasetError, match=r"holds no train\.seq\.csv or training\.csv, plain"):
        read_dataset(sorted_ids, in_text_order=True)
    with pytest.raises(DatasetError, match=r"holds no training\.csv, plain"):
        read_dataset(sorted_ids, all_words=True)


def test_a_text_without_a_label_is_named(texts):
    write(texts / "test.csv", "x,zero\nzero one\n")

    with pytest.raises(DatasetError, match=r"test\.csv, line 2: there is no comma"):
        read_dataset(texts, in_text_order=True)


def test_texts_without_a_known_word_are_no_documents(texts):
    write(texts / "test.csv", "x,four\n")

    with pytest.raises(DatasetError, match=r"test\.csv holds no documents"):
        read_dataset(texts, in_text_order=True)


def test_a_truncated_file_is_refused(in_order):
    path = in_order / "train.seq.csv.gz"
    path.write_bytes(path.read_bytes()[:-9])

    with pytest.raises(DatasetError, match="cannot be read to its end"):
        read_dataset(in_order)


def test_a_damaged_file_is_refused(in_order):
    """It has its length; the first block after the ten bytes of the head is of no known type."""
    path = in_order / "train.seq.csv.gz"
    content = bytearray(path.read_bytes())
    content[10] = 0b111
    path.write_bytes(content)
    with pytest.raises(zlib.error):
        gzip.decompress(content)

    with pytest.raises(DatasetError, match=r"train\.seq\.csv\.gz cannot be read to its end"):
        read_dataset(in_order)


def test_blank_lines_after_the_last_word_are_none(sorted_ids):
    write(sorted_ids / "vocab_docnade.vocab", "zero\none\ntwo\n\n \n")
    assert read_dataset(sorted_ids).words == ["zero", "one", "two"]


def test_bytes_that_are_no_text_are_refused(sorted_ids):
    (sorted_ids / "test_docnade.csv").write_bytes(b"a,0\n\xff\xfe,1\n")

    with pytest.raises(DatasetError, match="cannot be read to its end"):
        read_dataset(sorted_ids)


def test_one_training_document_cannot_be_split(in_order):
    write(in_order / "train.seq.csv.gz", "0,1\n")

    with pytest.raises(DatasetError, match="one training document is too few"):
        read_dataset(in_order)


def test_log_counts_round_the_logarithm_of_one_and_the_count():
    """ln 2, ln 4 and ln 5 are 0.69, 1.39 and 1.61."""
    document = np.array([7, 3, 3, 3, 5, 5, 5, 5])

    assert log_counts(document).tolist() == [3, 5, 5, 7]


def test_orders_of_a_document_are_counted():
    assert np.exp(log_orders(np.array([4, 4, 9]))) == pytest.approx(3)
    assert log_orders(np.array([])) == 0


def test_readings_of_documents_in_text_order(in_order):
    first = read_dataset(in_order, in_text_order=True).training.documents[0].tolist()
    documents = {
        name: READINGS[name].read(in_order).training.documents
        for name in READINGS
        if READINGS[name].fits(in_order)
    }

    assert list(documents) == ["log-counts", "sets", "sorted", "counts", "text"]
    assert documents["text"][0].tolist() == first
    assert sorted(documents["counts"][0].tolist()) == sorted(first)
    assert documents["sorted"][0].tolist() == sorted(set(first))
    assert sorted(documents["log-counts"][0].tolist()) == sorted(set(first))
    assert any(
        list(a) != list(b) for a, b in zip(documents["text"], documents["counts"], strict=True)
    )


def test_sorted_files_hold_only_flat_counts_and_are_not_flattened_again(sorted_ids):
    assert [name for name in READINGS if READINGS[name].fits(sorted_ids)] == [
        "log-counts",
        "sets",
        "sorted",
    ]
    assert ids(READINGS["sorted"].read(sorted_ids).training) == [[0, 1], [], [2, 2]]


def test_texts_hold_all_readings(texts):
    assert all(reading.fits(texts) for reading in READINGS.values())
    assert sorted(map(len, READINGS["all-words"].read(texts).training.documents)) == [1, 2, 3]
