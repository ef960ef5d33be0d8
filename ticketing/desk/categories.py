"""The desk's own categories: proposed for a subject, judged by people, learned from both."""

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
"""Nearest titles that are looked up among tickets; others may be hidden from whoever asks."""


class Categories(DeskBase):
    """The serving classifier of categories, what is said to its proposals, and its training."""

    def has_categories(self) -> bool:
        """Whether a classifier serves."""
        return bool(self.store.serving(ModelKind.CATEGORIES))

    def propose_categories(self, subject: str, limit: int = 3) -> list[Suggestion]:
        """The likeliest categories of a subject, those below the learned floor left out. Titles
        that were learned from tickets count as far as tickets that may be seen have them.

        Raises InputError for a blank subject, NotReady where no classifier serves, NotFound and
        BundleError where its bundle cannot be read.
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
        """Record YES, NO or (None) their undo; the same `event_id` twice is once.

        Raises NotFound for no category, or one of hidden tickets alone, and what
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
        """This judge's standing verdicts on a subject, by category (undone ones are absent)."""
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

        `words` may surround any title; `go_on` begins with the serving classifier. An interrupted
        run resumes. Raises NotReady when another process is training categories, or where there
        is no classifier to go on from.
        """
        from ticketing.classification.fit import fit
        from ticketing.classification.pairs import Sources

        begin = self._serving_classifier() if go_on else None
        with self._one_training("categories"):
            labels = derive_category_labels(self.whole.verdicts())
            sources = Sources(taxonomy, synonyms, words, labels)
            fitted = fit(sources, settings, self.settings.home / "checkpoints", begin)
            bundle_id = fitted.classifier.save(self.models)
            self.models.share(bundle_id)
            self.store.set_serving(bundle_id, ModelKind.CATEGORIES)
        return fitted

    def take_feedback(self, file: Path) -> None:
        """Take verdicts over from the file that an earlier version kept them in, and set it aside.

        Raises StoreError naming a line that is no event.
        """
        self.store.add_verdicts(read_feedback(file))
        with suppress(FileNotFoundError):  # another process has taken them as well
            file.rename(file.with_name(f"{file.name}.imported"))

    def _tells_of_tickets(self, taxonomy: Taxonomy) -> bool:
        """Whether whoever asks may not see all that the titles are taken from."""
        return self.store is not self.whole and taxonomy.subjects is not None

    def _may_show(self, taxonomy: Taxonomy, item: Suggestion) -> bool:
        """Whether a ticket that may be seen has a proposed title and its category."""
        if not self._tells_of_tickets(taxonomy):
            return True
        spelled = (taxonomy.subjects or {}).get(Title(item.title, item.group), ())
        of_group = Filters(product=item.group)
        return any(self.store.has_subject(subject, of_group) for subject in spelled)

    def _groups_seen(self, taxonomy: Taxonomy) -> Collection[str]:
        """The categories that a ticket belongs to which may be seen."""
        if not self._tells_of_tickets(taxonomy):
            return taxonomy.groups
        return taxonomy.groups.keys() & set(self.store.facets()["product"])

    def _serving_classifier(self) -> CategoryClassifier:
        """The classifier that the store points to, whichever process let it serve."""
        bundle_id = self.store.serving(ModelKind.CATEGORIES)
        if not bundle_id:
            raise NotReady("There is no model of categories yet: run `ticketing categories train`.")
        return self._served(self._classifiers, ModelKind.CATEGORIES, bundle_id)
