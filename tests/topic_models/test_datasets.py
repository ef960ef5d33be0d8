"""Folders of labelled documents: both layouts, carved validation parts, faults by line."""

import gzip

import numpy as np
import pytest

from topic_models.datasets import read_dataset
from topic_models.errors import DatasetError
from topic_models.readings import READINGS, log_counts, log_orders


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
    assert (dataset.in_text_order, dataset.note) == (False, "")


def test_text_order_gzipped_without_a_validation_file(in_order):
    dataset = read_dataset(in_order)

    assert dataset.words == ["zero", "one", "two"]
    assert ids(dataset.test) == [[2, 0], [1]]
    assert (len(dataset.training.documents), len(dataset.validation.documents)) == (36, 4)
    assert dataset.in_text_order
    assert dataset.note == (
        "there is no validation.seq.csv, so 4 training documents validate (seed 0)"
    )


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
        ("vocab_docnade.vocab", "", "holds no words"),
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
    with pytest.raises(DatasetError, match=r"neither training_docnade\.csv nor train\.seq\.csv"):
        read_dataset(tmp_path)


def test_a_truncated_file_is_refused(in_order):
    path = in_order / "train.seq.csv.gz"
    path.write_bytes(path.read_bytes()[:-9])

    with pytest.raises(DatasetError, match="cannot be read to its end"):
        read_dataset(in_order)


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
    dataset = read_dataset(in_order)
    documents = {name: READINGS[name].read(dataset).training.documents for name in READINGS}
    first = dataset.training.documents[0].tolist()

    assert documents["text"][0].tolist() == first
    assert sorted(documents["counts"][0].tolist()) == sorted(first)
    assert documents["sorted"][0].tolist() == sorted(set(first))
    assert sorted(documents["log-counts"][0].tolist()) == sorted(set(first))
    assert any(
        list(a) != list(b) for a, b in zip(documents["text"], documents["counts"], strict=True)
    )


def test_sorted_files_hold_only_flat_counts_and_are_not_flattened_again(sorted_ids):
    dataset = read_dataset(sorted_ids)

    assert [name for name in READINGS if READINGS[name].fits(dataset)] == ["log-counts", "sorted"]
    assert ids(READINGS["sorted"].read(dataset).training) == [[0, 1], [], [2, 2]]
