"""Proposals of the desk's own categories, verdicts on them, and training of the classifier."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ticketing.classification.feedback_file import read_feedback
from ticketing.classification.labels import derive_category_labels
from ticketing.classification.taxonomy import Taxonomy, Title, normalise
from ticketing.desk.base import DeskBase
from ticketing.errors import InputError, NotFound, NotReady
from ticketing.tickets import Filters, ModelKind, Verdict
from ticketing.times import utc_now

if TYPE_CHECKING:  # at run time they are imported where they are used: torch takes a second
    from ticketing.classification.classifier import CategoryClassifier, Suggestion
    from ticketing.classification.fit import Fitted
    from ticketing.classification.settings import ClassifierSettings
    from ticketing.classification.synonyms import Synonyms

MOST_TRIED = 200
"""Nearest titles that are checked for whether the viewer may see them."""


class Categories(DeskBase):
    """Proposals of the serving classifier, verdicts on them, and its training."""

    def has_categories(self) -> bool:
        """Whether a classifier serves."""
        return bool(self.store.serving(ModelKind.CATEGORIES))

    def propose_categories(self, subject: str, limit: int = 3) -> list[Suggestion]:
        """The likeliest categories of a subject with a score above the learned floor. Titles
        learned from tickets are used only if the viewer may see a ticket with that title.

        Raises InputError for a blank subject, NotReady if no classifier serves, NotFound and
        BundleError if its bundle cannot be read.
        """
        if not normalise(subject):
            raise InputError("Give a subject; a blank one has no category.")
        classifier = self._serving_classifier()
        floor, tried = classifier.facts.get("floor", -1), 0
        found: dict[str, Suggestion] = {}
        for item in classifier.nearest(subject):
            if item.score < floor or len(found) == limit or tried == MOST_TRIED:
                break
            if item.group not in found:
                tried += 1
                if self._may_show(classifier.taxonomy, item):
                    found[item.group] = item
        return list(found.values())

    def judge_category(
        self, subject: str, category: str, right: bool | None, judge: str, event_id: str = ""
    ) -> None:
        """Record YES, NO or their undo (None). A repeated `event_id` is recorded once.

        Raises NotFound for an unknown category or one that only hidden tickets have, and what
        `propose_categories` raises.
        """
        classifier = self._serving_classifier()
        if category not in self._groups_seen(classifier.taxonomy):
            raise NotFound(
                f"There is no category {category!r}; it may have been removed meanwhile."
            )
        event_id = event_id or uuid.uuid4().hex
        time = utc_now()
        said = Verdict(event_id, subject, category, right, judge, time, classifier.id)
        self.store.add_verdicts([said])

    def category_verdicts(self, subject: str, judge: str) -> dict[str, bool]:
        """This judge's present verdicts on a subject, by category (without those taken back)."""
        verdicts = self.store.verdicts(subject)
        latest = {said.category: said.right for said in verdicts if said.judge == judge}
        return {category: right for category, right in latest.items() if right is not None}

    def train_categories(
        self,
        taxonomy: Taxonomy,
        words: Sequence[str],
        synonyms: Synonyms,
        settings: ClassifierSettings,
        go_on: bool = False,
    ) -> Fitted:
        """Train on a taxonomy and all verdicts, and let the classifier serve.

        `words` may surround any title. `go_on` starts from the serving classifier. An interrupted
        run resumes. Raises NotReady if another process is training categories, or if `go_on` is set
        and no classifier serves.
        """
        from ticketing.classification.fit import clear, fit
        from ticketing.classification.pairs import Sources

        begin = self._serving_classifier() if go_on else None
        with self._one_training("categories"):
            labels = derive_category_labels(self.whole.verdicts())
            sources = Sources(taxonomy, synonyms, words, labels)
            checkpoints = self.settings.home / "checkpoints"
            fitted = fit(sources, settings, checkpoints, begin)
            bundle_id = fitted.classifier.save(self.models)
            self.models.share(bundle_id)
            self.store.set_serving(bundle_id, ModelKind.CATEGORIES)
            clear(checkpoints)
        return fitted

    def take_feedback(self, file: Path) -> None:
        """Import verdicts from the file in which an earlier version kept them, and rename the file.

        Raises StoreError naming a line that is not an event.
        """
        self.store.add_verdicts(read_feedback(file))
        with suppress(FileNotFoundError):  # another process has taken them as well
            file.rename(file.with_name(f"{file.name}.imported"))

    def _tells_of_tickets(self, taxonomy: Taxonomy) -> bool:
        """Whether titles come from tickets some of which the viewer may not see."""
        return self.store is not self.whole and taxonomy.subjects is not None

    def _may_show(self, taxonomy: Taxonomy, item: Suggestion) -> bool:
        """Whether a ticket that may be seen has the proposed title and category."""
        if not self._tells_of_tickets(taxonomy):
            return True
        spelled = (taxonomy.subjects or {}).get(Title(item.title, item.group), ())
        of_group = Filters(product=item.group)
        return any(self.store.has_subject(subject, of_group) for subject in spelled)

    def _groups_seen(self, taxonomy: Taxonomy) -> Collection[str]:
        """The categories of tickets that may be seen."""
        if not self._tells_of_tickets(taxonomy):
            return taxonomy.groups
        return taxonomy.groups.keys() & set(self.store.facets()["product"])

    def _serving_classifier(self) -> CategoryClassifier:
        """The serving classifier."""
        bundle_id = self.store.serving(ModelKind.CATEGORIES)
        if not bundle_id:
            raise NotReady("There is no model of categories yet: run `ticketing categories train`.")
        return self._served(self._classifiers, ModelKind.CATEGORIES, bundle_id)
