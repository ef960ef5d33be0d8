"""The rows of Tables 5 and 6 of Gupta et al. (2018): each is one value of NetworkSettings.

If the paper leaves a row open, its definition here follows the printed table: the channels, and the
compared components of query and ticket.
"""

from dataclasses import dataclass

from ticketing.errors import InputError
from ticketing.model.settings import PLAIN, NetworkSettings
from ticketing.training.settings import TrainingSettings

SUBJECTS, DESCRIPTIONS = (("SUB1",), ("SUB2",)), (("DESC1",), ("DESC2",))
WITHOUT_SOLUTION = ("SUB1", "DESC1"), ("SUB2", "DESC2")
WHOLE = ("SUB1", "DESC1"), ("SUB2", "DESC2", "SOL2")
MULTI_LEVEL, CROSS_LEVEL = "multi-level", "cross-level"

Compared = tuple[tuple[str, ...], tuple[str, ...]] | str
"""Query and ticket components that are merged and compared once, or a value of `pairs`."""


@dataclass(frozen=True)
class Row:
    """A row by its number in the table. An untrained row uses no labels and no examples. Components
    are read separately, and a word counts as often as it occurs."""

    number: int
    channels: tuple[str, ...]
    compared: Compared
    trained: bool = False

    def settings(self, like: NetworkSettings) -> NetworkSettings:
        """The row's network settings, with the sizes and the pooling of `like`."""
        changed: dict[str, object] = {"channels": self.channels, **PLAIN}
        if isinstance(self.compared, str):
            changed["pairs"] = self.compared
        else:
            query, ticket = self.compared
            changed |= {"pairs": "merged", "merged_query": query, "merged_ticket": ticket}
        return NetworkSettings(**(like.model_dump() | changed))

    @property
    def about(self) -> str:
        """Channels and compared components, as the table shows them."""
        if isinstance(self.compared, str):
            pairs = f"{self.compared} pairs"
        else:
            pairs = "–".join("+".join(side) for side in self.compared)
        return f"{'+'.join(self.channels)} {pairs}"


ROWS = (
    Row(1, ("T",), SUBJECTS),
    Row(2, ("T",), (("SUB1",), ("DESC2",))),
    Row(3, ("T",), (("DESC1",), ("SUB2",))),
    Row(4, ("T",), DESCRIPTIONS),
    Row(5, ("T",), (("SUB1",), ("SOL2",))),
    Row(6, ("T",), (("DESC1",), ("SOL2",))),
    Row(7, ("T",), WITHOUT_SOLUTION),
    Row(8, ("T",), (("SUB1", "DESC1"), ("SOL2",))),
    Row(9, ("T",), WHOLE),
    Row(10, ("T",), CROSS_LEVEL),
    Row(11, ("E",), SUBJECTS),
    Row(12, ("E",), DESCRIPTIONS),
    Row(13, ("E",), WITHOUT_SOLUTION),
    Row(14, ("E",), WHOLE),
    Row(15, ("h",), SUBJECTS, trained=True),
    Row(16, ("h",), DESCRIPTIONS, trained=True),
    Row(17, ("h",), WITHOUT_SOLUTION, trained=True),
    Row(18, ("h",), WHOLE, trained=True),
    Row(19, ("h",), MULTI_LEVEL, trained=True),
    Row(20, ("h",), CROSS_LEVEL, trained=True),
    Row(21, ("h", "E"), CROSS_LEVEL, trained=True),
    Row(22, ("h", "E", "T"), CROSS_LEVEL, trained=True),
)


def untrained(training: TrainingSettings) -> TrainingSettings:
    """Settings that train nothing but word vectors and topics of the text; the weights are those of
    Table 2."""
    keep = {"seed": training.seed, "topic_epochs": training.topic_epochs}
    return TrainingSettings(epochs=0, weights="fixed", teacher="", **keep)


def choose_rows(text: str) -> list[Row]:
    """Rows selected by `all`, `1-14` or `9,15-22`. Raises InputError naming the invalid part."""
    if text.strip() == "all":
        return list(ROWS)
    chosen: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            numbers = range(int(first), int(last if dash else first) + 1)
        except ValueError:
            numbers = range(0)
        if not numbers or numbers[0] < 1 or numbers[-1] > len(ROWS):
            raise InputError(
                f"ROWS {text}: {part.strip()!r} names no rows; write all, or numbers from 1 to "
                f"{len(ROWS)} such as 9,15-22."
            )
        chosen.update(numbers)
    return [row for row in ROWS if row.number in chosen]
