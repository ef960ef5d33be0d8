"""Files of word vectors by their first lines: what they are, or why they are refused."""

import numpy as np
import pytest

from ticketing.errors import InputError
from ticketing.training.vector_files import FASTTEXT_MAGIC, VectorFile, kind_of

VERSION = bytes([12, 0, 0, 0])


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"3 2\nthe 9 9\n", VectorFile.TEXT),
        (b"3 2\r\nthe 9 9 \r\n", VectorFile.TEXT),
        (b"3 2\nthe \x00\x00\x80?\x00\x00\x80?\n", VectorFile.BINARY),
        (b"the 9 -1e-3\nof 1 2\n", VectorFile.BARE),
        (b"the 9 9", VectorFile.BARE),
        (FASTTEXT_MAGIC + VERSION + bytes([2, 0, 0, 0]), VectorFile.FASTTEXT),
    ],
)
def test_a_kind_is_told_by_how_its_file_begins(tmp_path, content, kind):
    path = tmp_path / "vectors"
    path.write_bytes(content)
    assert kind_of(path, 2) is kind


@pytest.mark.parametrize(
    "content",
    [
        b"2 10\nthe 1 2 3 4 5 6 7 8 9 10\n",
        b"the 1 2 3 4 5 6 7 8 9 10\n",
        FASTTEXT_MAGIC + VERSION + bytes([10, 0, 0, 0]),  # which is the end of a line as well
    ],
)
def test_other_dimensions_are_named(tmp_path, content):
    path = tmp_path / "wiki.vec"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        kind_of(path, 300)
    assert str(caught.value) == (
        f"{path} has 10 dimensions a word; set network.word_dims to that or choose a file with 300."
    )


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.vec cannot be read: No such file"):
        kind_of(tmp_path / "nowhere.vec", 2)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        kind_of(tmp_path, 2)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"3 0\nthe\n",
        b"Dear support,\n\nthe unit has tripped again.\n",
        b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'}\n\x00\x00\x80?",
        FASTTEXT_MAGIC,
        bytes(range(256)) * 40,
        np.arange(2000, dtype=np.float32).tobytes(),
    ],
)
@pytest.mark.parametrize("name", ["vectors.txt", "vectors.bin"])
def test_what_begins_as_no_vector_file_is_refused_in_one_sentence(tmp_path, content, name):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        kind_of(path, 2)
    assert str(caught.value) == (
        f"{path} is not a whole word2vec, GloVe or fastText file of word vectors; name another one."
    )


@pytest.mark.parametrize(("magic", "tool"), [(b"\x1f\x8b\x08", "gunzip"), (b"PK\x03\x04", "unzip")])
@pytest.mark.parametrize("name", ["cc.en.300.vec.gz", "GoogleNews-vectors-negative300.bin"])
def test_a_packed_file_is_to_be_unpacked(tmp_path, magic, tool, name):
    path = tmp_path / name
    path.write_bytes(magic + bytes(range(256)) * 40)
    with pytest.raises(InputError) as caught:
        kind_of(path, 2)
    assert str(caught.value) == f"{path} is packed; unpack it first, as with {tool}."
