"""A sentence encoder that averages letters, small enough to be tuned within a test."""

import string
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from ticketing.training.encoder_tuning import MOST_TOKENS

DIMS = 8
LETTERS = string.ascii_lowercase


class LetterModel(torch.nn.Module):
    """The part of SentenceTransformer that tuning uses: a token is a letter, and a text is the mean
    of its letters."""

    def __init__(self, folder, device, local_files_only, model_kwargs):
        super().__init__()
        self.letters = torch.nn.Embedding(26, DIMS)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(DIMS, DIMS) for _ in range(4))
        self.load_state_dict(load_file(Path(folder) / "model.safetensors"))

    def get_embedding_dimension(self):
        return DIMS

    def preprocess(self, texts, processing_kwargs):
        assert processing_kwargs == {"text": {"truncation": True, "max_length": MOST_TOKENS}}
        ids = [[LETTERS.index(c) for c in f"{text}a" if c in LETTERS] for text in texts]
        return {"ids": [torch.tensor(text[:MOST_TOKENS]) for text in ids]}

    def forward(self, features):
        vectors = torch.stack([self.letters(text).mean(0) for text in features["ids"]])
        for layer in self.layers:
            vectors = vectors + torch.tanh(layer(vectors))
        return {"sentence_embedding": vectors}

    def save(self, folder):
        save_file(self.state_dict(), Path(folder) / "model.safetensors")


def untuned(path: Path) -> None:
    """Write an untrained encoder to a new folder."""
    torch.manual_seed(0)
    path.mkdir()
    state = {"letters.weight": torch.randn(26, DIMS)}
    for layer in range(4):
        state |= {f"layers.{layer}.weight": torch.randn(DIMS, DIMS) / DIMS**0.5}
        state |= {f"layers.{layer}.bias": torch.zeros(DIMS)}
    save_file(state, path / "model.safetensors")
