"""What all parts of a desk stand on: settings, store, models, and what ranks under each bundle.

What loads torch is imported where a model is asked for, so that a list of jobs costs no model.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ticketing.desk.leases import Held, Taken, held
from ticketing.errors import NotReady
from ticketing.model.registry import Registry
from ticketing.settings import Settings
from ticketing.stores.protocols import Store

if TYPE_CHECKING:
    from ticketing.classification.classifier import CategoryClassifier
    from ticketing.retrieval.recommend import Recommender


class DeskBase:
    """What every part of a desk stands on."""

    def __init__(self, settings: Settings, store: Store, models: Registry):
        self.settings = settings
        self.store = store
        """What whoever asks may see, all by default; see `Desk.seen_by`."""
        self.whole = store
        """All there is: what is trained on, encoded and promoted for everybody."""
        self.groups: frozenset[str] | None = None
        """Of whoever asks; None sees all."""
        self.models = models
        self._recommenders: dict[str, Recommender] = {}
        self._pools: dict[tuple[str, str, frozenset[str] | None], tuple[str, ...]] = {}
        self._classifiers: dict[str, CategoryClassifier] = {}
        self._loading = threading.Lock()

    def recommender(self, bundle_id: str = "") -> Recommender:
        """Ranks what may be seen under the given bundle, or the serving one, whose model is loaded
        once for everybody.

        Raises NotReady, NotFound, BundleError.
        """
        found = self._recommender(bundle_id)
        return found if self.store is self.whole else found.over(self.store)

    def _recommender(self, bundle_id: str = "") -> Recommender:
        """Ranks all there is."""
        bundle_id = bundle_id or self.whole.serving()
        if not bundle_id:
            raise NotReady("No model serves yet: run `ticketing train`.")
        with self._loading:
            if bundle_id not in self._recommenders:
                from ticketing.model.inference import Model
                from ticketing.retrieval.recommend import Recommender

                model = Model.from_bundle(self.models.load(bundle_id))
                self._recommenders[bundle_id] = Recommender(
                    self.whole, model, self.settings.threads
                )
            return self._recommenders[bundle_id]

    def _shown_words(self, words: Iterable[str]) -> set[str]:
        """Of words that a bundle knows those that a ticket has that may be seen."""
        if self.store is self.whole:
            return set(words)
        return self.store.known_words(list(dict.fromkeys(words)))

    @contextmanager
    def _one_training(self, what: str) -> Iterator[Held]:
        """Raises NotReady when another process, on whichever machine, is training the same on this
        desk: one that was killed a moment ago is waited for, as long as nobody knows it."""
        try:
            with held(self.whole, what, wait=True) as lease:
                yield lease
        except Taken:
            raise NotReady("Another training is running on this desk; wait for its end.") from None
