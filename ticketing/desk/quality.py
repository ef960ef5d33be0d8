"""Quality of the desk's answers over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ticketing.desk.bundles import Bundles
from ticketing.history import Asking
from ticketing.tickets import grades_of

if TYPE_CHECKING:
    from ticketing.evaluation.quality import Quality, Switch, WeekOfBundle


@dataclass(frozen=True)
class QualityReport:
    """Quality of all answers, quality by week and bundle in chronological order, and the effect of
    each change of the serving bundle, newest first."""

    overall: Quality
    weeks: tuple[WeekOfBundle, ...]
    switches: tuple[Switch, ...]


class QualityOverTime(Bundles):
    """Quality computed from the history and the judgments."""

    def quality(self) -> QualityReport:
        """The quality of all answers so far."""
        from ticketing.evaluation.quality import outcomes, quality, switches, weekly

        asked = list(outcomes(self.store.events(Asking), grades_of(self.labels())))
        promotions = self._promotions()
        return QualityReport(
            quality(asked), tuple(weekly(asked)), tuple(switches(promotions, asked))
        )
