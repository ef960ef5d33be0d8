"""Files of arrays: written whole, checked when read."""

import numpy as np
import pytest
from safetensors.numpy import save_file

from ticketing.arrays import map_arrays, read_arrays, write_arrays
from ticketing.errors import ArraysError

ARRAYS = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "n": np.zeros(0, np.uint8)}
ABOUT = {"epochs": [{"loss": 0.5}], "words": "zwei\u2028Zeilen"}


def test_what_was_written_comes_back(tmp_path):
    path = tmp_path / "new folder" / "run.checkpoint"
    write_arrays(path, {**ARRAYS, "turned": ARRAYS["w"].T}, ABOUT)
    arrays, about = read_arrays(path)
    assert about == ABOUT
    assert arrays["w"].tolist() == ARRAYS["w"].tolist()
    assert arrays["turned"].tolist() == ARRAYS["w"].T.tolist()
    assert arrays["n"].shape == (0,)
    assert [file.name for file in path.parent.iterdir()] == ["run.checkpoint"]


def test_a_missing_truncated_or_foreign_file_is_refused_by_name(tmp_path):
    path = tmp_path / "run.checkpoint"
    with pytest.raises(ArraysError, match=r"run\.checkpoint does not exist"):
        read_arrays(path)
    write_arrays(path, ARRAYS)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ArraysError, match=r"run\.checkpoint is truncated or damaged"):
        read_arrays(path)
    save_file(ARRAYS, path)
    with pytest.raises(ArraysError, match="not written by this version"):
        read_arrays(path)


def test_a_file_whose_description_is_nested_too_deep_is_refused_by_name(tmp_path):
    path = tmp_path / "words.arrays"
    path.write_bytes((10**5).to_bytes(8, "little") + b"[" * 10**5)
    with pytest.raises(ArraysError, match=r"words\.arrays is not there, or is damaged"):
        map_arrays(path)
