"""How good the desk's answers have been."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ticketing.desk.bundles import Bundles
from ticketing.history import Asking

if TYPE_CHECKING:
    from ticketing.evaluation.quality import Quality, Switch, WeekOfBundle


@dataclass(frozen=True)
class QualityReport:
    """The quality of all time, of each week and bundle in the order of time, and what each switch
    of the serving bundle changed, the last first."""

    overall: Quality
    weeks: tuple[WeekOfBundle, ...]
    switches: tuple[Switch, ...]


class QualityOverTime(Bundles):
    """Quality from what was asked, shown and judged."""

    def quality(self) -> QualityReport:
        """What became of everything that was asked."""
        from ticketing.evaluation.quality import grades_of, outcomes, quality, switches, weekly

        asked = list(outcomes(self.store.events(Asking), grades_of(self.labels())))
        promotions = self._promotions()
        return QualityReport(
            quality(asked), tuple(weekly(asked)), tuple(switches(promotions, asked))
        )
