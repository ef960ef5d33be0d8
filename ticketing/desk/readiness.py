"""Whether this process answers with the bundles that serve."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ticketing.desk.categories import Categories
from ticketing.desk.loaded import Loaded
from ticketing.errors import EncoderAway, NotFound, StoreAway, TicketingError
from ticketing.tickets import ModelKind


@dataclass(frozen=True)
class Readiness:
    """Which bundles answer in this process, and what is missing, in sentences.

    `ready` is true if the serving bundles are loaded, or are being loaded while the former ones
    answer. It is false if loading one has failed.
    """

    answering: dict[ModelKind, str]
    missing: list[str]
    ready: bool


class Readying(Categories):
    """The readiness of a process, for monitoring."""

    def readiness(self) -> Readiness:
        """Which bundles answer and which are missing; starts loading the missing ones.

        Raises StoreAway.
        """
        kinds: dict[ModelKind, tuple[Loaded[Any], Callable[[], str]]] = {
            ModelKind.RANKING: (self._recommenders, lambda: self.recommender().model.id),
            ModelKind.CATEGORIES: (self._classifiers, lambda: self._serving_classifier().id),
        }
        answering, missing, ready = {}, [], True
        for kind, (loaded, answers) in kinds.items():
            serving = self.whole.serving(kind)
            if not serving:
                continue
            try:
                answering[kind] = answers()
            except StoreAway:
                raise
            except TicketingError as error:
                missing.append(_fault(error, serving))
                ready = False
                continue
            if answering[kind] != serving:
                why, ready = loaded.failure, ready and loaded.failure is None
                said = f"Bundle {serving} is being loaded" if why is None else _fault(why, serving)
                missing.append(f"{said.rstrip('.')}; bundle {answering[kind]} answers until then.")
        return Readiness(answering, missing, ready)


def _fault(error: Exception, bundle_id: str) -> str:
    """Why a bundle is not here, without paths of this machine."""
    if isinstance(error, NotFound) and not isinstance(error, EncoderAway):
        return str(error)
    return f"Bundle {bundle_id} cannot be loaded; `ticketing check` says why."
