"""The shape of a network: which channels it has and which components it compares (Tables 4, 5)."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from ticketing.encoders.registry import ENCODERS
from ticketing.encoders.settings import EncoderSettings
from ticketing.encoders.terms import TERMS

QUERY_FIELDS = {"SUB1": "subject", "DESC1": "description"}
TICKET_FIELDS = {"SUB2": "subject", "DESC2": "description", "SOL2": "solution"}

Level = Literal["same level", "subject and description", "solution"]
"""The relation of two compared components; V of Table 2 has a value for each."""

PAIR_LEVELS: dict[tuple[str, str], Level] = {
    ("SUB1", "SUB2"): "same level",
    ("DESC1", "DESC2"): "same level",
    ("SUB1", "DESC2"): "subject and description",
    ("DESC1", "SUB2"): "subject and description",
    ("SUB1", "SOL2"): "solution",
    ("DESC1", "SOL2"): "solution",
}

LEVEL_WEIGHTS: dict[Level, float] = {"same level": 0.30, "subject and description": 0.20}
"""V of Table 2, except for solutions; DESC1-SUB2 has the weight of SUB1-DESC2."""

PLAIN = {"whole_share": 0.0, "repeats": 1.0, "full_terms": 1, "solution_weight": 0.1}
"""Settings of the paper's network, which differ from the better defaults: E sums a component's
words as often as they occur, all components of a query count fully, and a solution has little
weight."""


def _known(channel: str) -> str:
    if channel not in ENCODERS:
        raise ValueError(f"there is no channel {channel!r}; choose from {', '.join(ENCODERS)}")
    return channel


Channel = Annotated[str, AfterValidator(_known)]
"""The letter of an encoder in the registry."""


class NetworkSettings(EncoderSettings):
    """The shape of the network; each row of the paper's Table 5 is one choice of these settings.

    If `pairs` is "merged" (the standard Siamese network), the components in `merged_query` are
    joined into one text, and so are those in `merged_ticket`; only these two are compared.
    """

    pairs: Literal["merged", "multi-level", "cross-level"] = Field(
        "cross-level", description="which components of query and ticket are compared"
    )
    merged_query: tuple[Literal["SUB1", "DESC1"], ...] = Field(
        ("SUB1", "DESC1"), description="components that form the query if `pairs` is merged"
    )
    merged_ticket: tuple[Literal["SUB2", "DESC2", "SOL2"], ...] = Field(
        ("SUB2", "DESC2", "SOL2"),
        description="components that form the ticket if `pairs` is merged",
    )
    full_terms: int = Field(
        8,
        gt=0,
        le=TERMS,
        description="distinct terms that a query's component needs to count in full",
    )
    solution_weight: float = Field(
        0.3, gt=0, le=1, description="initial weight V of a pair with a solution"
    )
    channels: tuple[Channel, ...] = Field(
        ("h", "E", "T", "L"), description="letters of the encoders in use"
    )

    @field_validator("merged_query", "merged_ticket", "channels")
    @classmethod
    def _some_each_once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if not names or len(set(names)) < len(names):
            raise ValueError("name at least one, and each only once")
        return names

    @field_validator("channels")
    @classmethod
    def _dense_ones_first(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(names, key=lambda name: not ENCODERS[name].dense))

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

    def pair_levels(self) -> list[list[Level | None]]:
        """The level of each pair [query components][ticket components]; None if a pair is not
        compared. A merged pair has one level."""
        return [[self._level(p, r) for r in self.ticket_components] for p in self.query_components]

    def _level(self, query_component: str, ticket_component: str) -> Level | None:
        if self.pairs == "merged":
            return "same level"
        level = PAIR_LEVELS[query_component, ticket_component]
        return level if level == "same level" or self.pairs == "cross-level" else None

    def pair_weights(self) -> list[list[float]]:
        """The initial V, [query components][ticket components]; 0 if a pair is not compared."""
        if self.pairs == "merged":
            return [[1.0]]
        weights = LEVEL_WEIGHTS | {"solution": self.solution_weight}
        return [[weights[level] if level else 0.0 for level in row] for row in self.pair_levels()]

    def channel_weights(self) -> list[float]:
        """W of Table 2 in the order of `channels`."""
        return [ENCODERS[channel].weight for channel in self.channels]

    @property
    def dense_channels(self) -> tuple[str, ...]:
        """Channels that encode texts as vectors, in the order of `channels`."""
        return tuple(channel for channel in self.channels if ENCODERS[channel].dense)

    @property
    def sparse_channel(self) -> str | None:
        """The channel that encodes texts as terms, if there is one."""
        return next((c for c in self.channels if not ENCODERS[c].dense), None)

    def only_trained(self) -> "NetworkSettings":
        """Settings of the network without the channels that join it after training."""
        channels = tuple(channel for channel in self.channels if ENCODERS[channel].trained)
        return self.model_copy(update={"channels": channels})
