"""What can be switched: one network, its channels and pairs (Tables 2, 4, 5), its training."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ticketing.nn.recurrent import Pooling

Channel = Literal["h", "E", "T", "S", "L"]
QUERY_FIELDS = {"SUB1": "subject", "DESC1": "description"}
TICKET_FIELDS = {"SUB2": "subject", "DESC2": "description", "SOL2": "solution"}

PAIR_WEIGHTS = {
    ("SUB1", "SUB2"): 0.30,
    ("DESC1", "DESC2"): 0.30,
    ("SUB1", "DESC2"): 0.20,
    ("DESC1", "SUB2"): 0.20,
    ("SUB1", "SOL2"): 0.10,
    ("DESC1", "SOL2"): 0.10,
}
"""V of Table 2; DESC1-SUB2 shares the weight of SUB1-DESC2."""

CHANNEL_WEIGHTS: dict[Channel, float] = {"h": 0.7, "E": 0.1, "T": 0.2, "S": 0.2, "L": 0.2}
"""W of Table 2; S and L, which the paper lacks, count like T."""

MULTI_LEVEL = (("SUB1", "SUB2"), ("DESC1", "DESC2"))


class NetworkSettings(BaseModel):
    """The shape of the network; every row of Table 5 is one value of it.

    `pairs` "merged" is the standard Siamese network: `merged_query` and
    `merged_ticket` are each joined into one component and compared once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    pairs: Literal["merged", "multi-level", "cross-level"] = "cross-level"
    merged_query: tuple[Literal["SUB1", "DESC1"], ...] = ("SUB1", "DESC1")
    merged_ticket: tuple[Literal["SUB2", "DESC2", "SOL2"], ...] = ("SUB2", "DESC2", "SOL2")
    channels: tuple[Channel, ...] = ("h", "E", "T", "L")
    hidden: int = Field(50, gt=0, description="|h|")
    pooling: Pooling = Field("mean", description="of the LSTM's states; the paper's is last")
    word_dims: int = Field(300, gt=0, description="dimensions of a word vector")
    character_dims: int = Field(50, gt=0, multiple_of=2, description="of a word's spelling")
    topics: int = Field(100, gt=0, description="|T|")
    sentence_dims: int = Field(384, gt=0, description="|S|, as wide as its encoder's vectors")
    max_words: int = Field(96, gt=0, description="words of a component that the LSTM reads")

    @field_validator("merged_query", "merged_ticket", "channels")
    @classmethod
    def _some_each_once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if not names or len(set(names)) < len(names):
            raise ValueError("name at least one, and each only once")
        return names

    @field_validator("channels")
    @classmethod
    def _words_last(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return (*(name for name in names if name != "L"), *("L" for name in names if name == "L"))

    @property
    def query_components(self) -> tuple[str, ...]:
        """Names of the query's components, in the order of every array's query axis."""
        return ("+".join(self.merged_query),) if self.pairs == "merged" else tuple(QUERY_FIELDS)

    @property
    def ticket_components(self) -> tuple[str, ...]:
        """Names of the ticket's components, in the order of every array's ticket axis."""
        if self.pairs == "merged":
            return ("+".join(self.merged_ticket),)
        return tuple(TICKET_FIELDS) if self.pairs == "cross-level" else ("SUB2", "DESC2")

    def pair_weights(self) -> list[list[float]]:
        """V [query components, ticket components]; 0 where a pair is not compared."""
        if self.pairs == "merged":
            return [[1.0]]
        compared = PAIR_WEIGHTS if self.pairs == "cross-level" else MULTI_LEVEL
        return [
            [PAIR_WEIGHTS[p, r] if (p, r) in compared else 0.0 for r in self.ticket_components]
            for p in self.query_components
        ]

    def pair_levels(self) -> list[list[int | None]]:
        """For each pair: 0 same level, 1 subject against description, 2 against solution; None
        where it is not compared. A merged pair is of level 0."""
        return [
            [
                None if not weight else 2 if r == "SOL2" else int(p[:3] != r[:3])
                for r, weight in zip(self.ticket_components, row, strict=True)
            ]
            for p, row in zip(self.query_components, self.pair_weights(), strict=True)
        ]

    def channel_weights(self) -> list[float]:
        """W in the order of `channels`."""
        return [CHANNEL_WEIGHTS[channel] for channel in self.channels]

    def dims(self) -> dict[Channel, int]:
        """Width of each dense channel's vector, in the order of `channels`; L is no vector."""
        widths = {
            "h": self.hidden,
            "E": self.word_dims + self.character_dims,
            "T": self.topics,
            "S": self.sentence_dims,
        }
        return {channel: widths[channel] for channel in self.channels if channel != "L"}
