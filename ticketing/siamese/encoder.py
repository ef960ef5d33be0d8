"""From embedded texts to vectors: recurrent layers, a pooling over time, perhaps a dense layer."""

from typing import Literal

import torch
import torch.nn.functional as F
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class EncoderSettings(BaseModel):
    """The shape of an encoder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hidden: int = Field(50, gt=0, description="units of a layer, each way")
    layers: int = Field(1, gt=0)
    bidirectional: bool = False
    pooling: Literal["last", "mean"] = "last"
    dense: int = Field(0, ge=0, description="width of a dense layer at the end; 0 is none")
    dropout: float = Field(0.0, ge=0, lt=1, description="between layers")
    recurrent_dropout: float = Field(
        0.0, ge=0, lt=1, description="share of recurrent connections cut for a whole batch"
    )

    @property
    def width(self) -> int:
        """Dimensions of a vector."""
        return self.dense or self.hidden * (1 + self.bidirectional)


class RecurrentEncoder(nn.Module):
    """LSTM layers over embedded texts, pooled into one vector a text."""

    def __init__(self, dims: int, settings: EncoderSettings):
        super().__init__()
        self.settings = settings
        self.lstm = nn.LSTM(
            dims,
            settings.hidden,
            settings.layers,
            batch_first=True,
            bidirectional=settings.bidirectional,
            dropout=settings.dropout if settings.layers > 1 else 0.0,
        )
        pooled = settings.hidden * (1 + settings.bidirectional)
        self.dense = nn.Linear(pooled, settings.dense) if settings.dense else nn.Identity()

    def forward(self, embedded: Tensor, lengths: Tensor) -> Tensor:
        """Texts [n, longest, dims] of `lengths` [n], at least 1 each -> [n, settings.width].

        What stands behind a text's length is never read.
        """
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        outputs, (states, _) = functional_call(self.lstm, self._weights(), (packed,))
        if self.settings.pooling == "last":
            ways = states[-2:] if self.settings.bidirectional else states[-1:]  # [ways, n, hidden]
            return self.dense(torch.cat(list(ways), dim=-1))
        outputs, _ = pad_packed_sequence(
            outputs, batch_first=True
        )  # [n, longest, pooled], 0 behind
        return self.dense(outputs.sum(1) / lengths.unsqueeze(1))

    def _weights(self) -> dict[str, Tensor]:
        """The LSTM's weights, some recurrent connections cut while training."""
        rate = self.settings.recurrent_dropout if self.training else 0.0
        return {
            name: F.dropout(weight, rate) if name.startswith("weight_hh") else weight
            for name, weight in self.lstm.named_parameters()
        }
