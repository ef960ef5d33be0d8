"""What a sentence encoder made of texts, kept for the next run: it costs more than a network."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from ticketing.arrays import read_arrays, write_arrays
from ticketing.encoders.sentence_transformer import SentenceEncoder
from ticketing.errors import ArraysError

PIECE = 1024
"""Texts that are encoded between two looks at the progress bar."""


def prepare(encoder: SentenceEncoder, texts: Sequence[str], folder: Path) -> None:
    """Have `encoder` know these texts, from a file in `folder` or by encoding them into one."""
    named = hashlib.sha256(json.dumps(list(texts)).encode()).hexdigest()[:16]
    file = folder / f"{encoder.digest}-{named}.encodings"
    try:
        encoder.remember(texts, read_arrays(file)[0]["vectors"])
        return
    except ArraysError:
        pass
    with tqdm(total=len(texts), desc="sentence encoder") as bar:
        for start in range(0, len(texts), PIECE):
            bar.update(len(encoder(texts[start : start + PIECE])))
    write_arrays(file, {"vectors": encoder(texts).astype(np.float16)})
