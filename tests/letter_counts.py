"""A fake sentence encoder that counts letters, so that its vectors can be checked by hand."""

import numpy as np
import torch

from ticketing.encoders.transformer import PADDED_TO

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class LetterCounts:
    """The part of SentenceTransformer that the encoder uses."""

    def __init__(self, folder, device, local_files_only, model_kwargs):
        assert device == "cpu"
        assert local_files_only
        assert model_kwargs["use_safetensors"]
        self.dtype = model_kwargs["dtype"]
        self.encoded, self.batches = [], []
        self.tokenizer = self
        self.is_fast = True
        self.max_seq_length = 256

    def get_vocab(self):
        return {"[PAD]": 0, "##ing": 1, "qwertz": 4, "abc": 3, "Paris": 5, "of": 2, "été": 6}

    def eval(self):
        return self

    def get_embedding_dimension(self):
        return len(LETTERS)

    def preprocess(self, texts):
        longest = max(map(len, texts))
        return {
            "attention_mask": torch.tensor(
                [[1] * len(text) + [0] * (longest - len(text)) for text in texts]
            )
        }

    def __call__(self, texts, truncation, max_length, return_offsets_mapping):
        """Tokenize: each character except blanks is a piece; a text begins with a special piece
        with an empty span."""
        assert truncation
        assert max_length == self.max_seq_length
        assert return_offsets_mapping
        places = [
            [(0, 0), *((i, i + 1) for i, character in enumerate(text) if character != " ")]
            for text in texts
        ]
        return {"offset_mapping": [row[:max_length] for row in places]}

    def states(self, texts):
        """A state for each piece: its letter alone."""
        kept = (["", *text.replace(" ", "")][: self.max_seq_length] for text in texts)
        return [
            torch.tensor([[piece == letter for letter in LETTERS] for piece in pieces]).bfloat16()
            for pieces in kept
        ]

    def encode(
        self,
        texts,
        batch_size,
        show_progress_bar,
        processing_kwargs=None,
        output_value="sentence_embedding",
    ):
        if output_value == "token_embeddings":
            return self.states(texts)
        assert processing_kwargs == {"text": {"pad_to_multiple_of": PADDED_TO}}
        assert batch_size == len(texts)
        self.batches.append(texts)
        self.encoded += texts
        return np.array([[text.count(letter) for letter in LETTERS] for text in texts], float)
