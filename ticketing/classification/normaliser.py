"""A desk's subject normaliser: its model, what people said to its proposals, and its training."""

import hashlib
import json
import threading
import uuid
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout

from ticketing.classification.matchers import NgramMatcher
from ticketing.classification.model import CategoryModel, Suggestion
from ticketing.classification.pairs import Sources
from ticketing.classification.synonyms import Synonyms, induce
from ticketing.classification.taxonomy import Taxonomy, hold_out, normalise
from ticketing.classification.training import TrainSettings, train
from ticketing.classification.trials import Trial, accuracy, held_out_trial, make_trials
from ticketing.classification.verdicts import FeedbackEvent, FeedbackFile
from ticketing.errors import InputError, NotFound, NotReady
from ticketing.times import utc_now
from topic_models.files import ABOUT

CHECKED = 0.05
"""Share of the titles that chooses the best epoch and says how well the model does."""
MOST_CHECKED = 300
GENTLY = 0.3
"""Of the learning rate, where a model goes on: what it knows should stay."""
FLOOR = 0.05
"""Share of right proposals that lie below the floor."""


class Normaliser:
    """Everything about a desk's categories, below `home`/categories."""

    def __init__(self, home: Path):
        self.folder = home / "categories"
        self.feedback = FeedbackFile(self.folder / "feedback.jsonl")
        self._loading = threading.Lock()
        self._loaded: tuple[int, CategoryModel] | None = None

    @property
    def ready(self) -> bool:
        """Whether there is a model."""
        return (self.folder / "model" / ABOUT).exists()

    def model(self) -> CategoryModel:
        """The present model. Raises NotReady, BundleError."""
        if not self.ready:
            raise NotReady("There is no model of categories yet: run `ticketing categories train`.")
        written = (self.folder / "model" / ABOUT).stat().st_mtime_ns
        with self._loading:
            if self._loaded is None or self._loaded[0] != written:
                self._loaded = written, CategoryModel.load(self.folder / "model")
            return self._loaded[1]

    def suggest(self, subject: str, limit: int = 3) -> list[Suggestion]:
        """The likeliest categories of a subject; none where even the nearest is too far.

        Raises NotReady, and InputError for a blank subject.
        """
        if not normalise(subject):
            raise InputError("Give a subject; a blank one has no category.")
        model = self.model()
        proposed = model.suggest(subject, limit)
        return proposed if proposed[0].score >= model.facts.get("floor", -1) else []

    def judge(
        self, subject: str, group: str, right: bool | None, judge: str, event_id: str = ""
    ) -> None:
        """Record YES, NO or (None) their undo. Raises NotReady, and NotFound for no category."""
        model = self.model()
        if group not in model.taxonomy.groups:
            raise NotFound(f"There is no category {group!r}; it may have been removed meanwhile.")
        time = utc_now()
        event_id = event_id or uuid.uuid4().hex
        self.feedback.add(
            FeedbackEvent(event_id, subject, group, right, judge, time, model_id=model.id)
        )

    def train(
        self,
        taxonomy: Taxonomy,
        words: Sequence[str],
        synonyms: Synonyms,
        settings: TrainSettings,
        go_on: bool = False,
    ) -> tuple[float, float]:
        """Train on a taxonomy and all feedback, and let the model serve.

        Returns the share of held-out titles whose category it finds, and the n-gram matcher's.
        `go_on` begins with the present model. An interrupted run resumes. Raises NotReady when
        another process is training, or where there is no model to go on from.
        """
        begin = self.model() if go_on else None
        if begin:
            rate = GENTLY * settings.loop.learning_rate
            loop = settings.loop.model_copy(update={"learning_rate": rate})
            settings = settings.model_copy(update={"loop": loop})
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.folder / "training.lock", timeout=0):
                return self._train(taxonomy, words, synonyms, settings, begin)
        except Timeout:
            raise NotReady("Another training of categories runs on this desk; wait.") from None

    def _train(
        self,
        taxonomy: Taxonomy,
        words: Sequence[str],
        given: Synonyms,
        settings: TrainSettings,
        begin: CategoryModel | None,
    ) -> tuple[float, float]:
        seed = settings.loop.seed
        parts = hold_out(taxonomy, {"checked": CHECKED}, seed)
        synonyms = induce(parts.kept) | given
        verdicts = self.feedback.verdicts()
        trials = make_trials(
            parts.kept, parts.held_out["checked"], synonyms, words, seed, MOST_CHECKED
        )
        checkpoint = self.folder / f"{_digest(taxonomy, verdicts, settings, begin)}.checkpoint"
        sources = Sources(parts.kept, synonyms, words, verdicts)
        trained = train(sources, trials, settings, checkpoint, begin)
        check = held_out_trial(parts.held_out["checked"])
        found = _accuracy(check, trained, parts.kept)
        reference = _accuracy(check, NgramMatcher(parts.kept.texts), parts.kept)
        facts = {**trained.facts, "accuracy": found, "floor": _floor(check, trained)}
        CategoryModel.index(trained.network, taxonomy, facts).save(self.folder / "model")
        checkpoint.unlink(missing_ok=True)
        return found, reference


def _accuracy(check: Trial, matcher, kept: Taxonomy) -> float:
    return accuracy(check, matcher.scores(check.texts), kept) if check.texts else 0.0


def _floor(check: Trial, model: CategoryModel) -> float:
    """The score that all but a few right proposals reach."""
    if not check.texts:
        return -1.0
    scores = model.scores(check.texts)
    best = scores.argmax(1)
    right = [
        bool(model.taxonomy.groups_of[model.taxonomy.texts[i]] & groups)
        for i, groups in zip(best, check.right, strict=True)
    ]
    reached = scores.max(1)[np.array(right)]
    return float(np.quantile(reached, FLOOR)) if len(reached) else -1.0


def _digest(taxonomy: Taxonomy, verdicts, settings: TrainSettings, begin) -> str:
    told = [
        [(title.text, title.group) for title in taxonomy.titles],
        [(verdict.text, verdict.group, verdict.right) for verdict in verdicts],
        settings.model_dump(mode="json"),
        begin.id if begin else "",
    ]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]
