"""Trains a classifier for a desk, evaluates it on held-out titles, and indexes all titles."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ticketing.classification.chance import ENOUGH, fit_chance, half_right
from ticketing.classification.classifier import CategoryClassifier
from ticketing.classification.matchers import Matcher, NgramMatcher
from ticketing.classification.pairs import Sources
from ticketing.classification.settings import ClassifierSettings
from ticketing.classification.synonyms import induce
from ticketing.classification.taxonomy import Taxonomy, split_titles
from ticketing.classification.training import train
from ticketing.classification.trials import Trial, accuracy, make_trials, titles_trial
from ticketing.files import short_digest

VALIDATION = 0.05
"""Share of titles used for validation: to select the best epoch, and to evaluate the classifier."""
MOST_VALIDATED = 300
"""Maximum number of titles for each of these two uses, since every title is compared with each
known one."""
GENTLY = 0.3
"""Factor of the learning rate when a classifier is trained further, to preserve what it knows."""
BELOW_FLOOR = 0.05
"""Share of right proposals that may score below the floor."""
PROPOSED = 3
"""Number of groups proposed for a subject, as on the page."""


class Fitted(NamedTuple):
    """A classifier, the share of validation titles whose category it finds, and that of the n-gram
    matcher; None if no titles could be held out."""

    classifier: CategoryClassifier
    accuracy: float | None
    reference: float | None


def fit(
    sources: Sources,
    settings: ClassifierSettings,
    checkpoints: Path,
    begin: CategoryClassifier | None = None,
) -> Fitted:
    """Train on all but a few titles of the sources; the classifier proposes among all titles.

    The held-out titles are the same for every seed, and verdicts on them are not used. `begin` is a
    classifier to train further, with a learning rate reduced by GENTLY. `checkpoints` is a folder
    from which an interrupted run resumes, unless another one was begun there; `clear` empties it
    once the classifier is kept.
    """
    taxonomy, words = sources.taxonomy, sources.words
    if begin:
        rate = GENTLY * settings.loop.learning_rate
        loop = settings.loop.model_copy(update={"learning_rate": rate})
        settings = settings.model_copy(update={"loop": loop})
    seed = settings.loop.seed
    parts = split_titles(taxonomy, {"validation": VALIDATION})
    known, unseen = parts.training, parts.others["validation"]
    kept = {title.text for title in unseen}
    labels = [label for label in sources.labels if label.text not in kept]
    synonyms = induce(known) | sources.synonyms
    trials = make_trials(known, unseen, synonyms, words, seed, MOST_VALIDATED)
    key = short_digest(sources.digest, settings.model_dump(mode="json"), begin.id if begin else "")
    checkpoint = checkpoints / f"{key}.categories"
    clear(checkpoints, but=checkpoint)
    trained = train(Sources(known, synonyms, words, labels), trials, settings, checkpoint, begin)
    trial = titles_trial(unseen[:MOST_VALIDATED])  # the order of a hash, as drawn
    found = _accuracy(trial, trained, known)
    facts = {**trained.facts, "accuracy": found, **_learned(trial, trained)}
    return Fitted(
        CategoryClassifier.index(trained.encoder, taxonomy, facts),
        found,
        _accuracy(trial, NgramMatcher(known.texts), known),
    )


def clear(checkpoints: Path, but: Path | None = None) -> None:
    """Delete the checkpoints of all trainings in a folder, except one."""
    for checkpoint in set(checkpoints.glob("*.categories")) - {but}:
        checkpoint.unlink(missing_ok=True)


def _accuracy(trial: Trial, matcher: Matcher, known: Taxonomy) -> float | None:
    return accuracy(trial, matcher.scores(trial.texts), known) if trial.texts else None


def _learned(trial: Trial, classifier: CategoryClassifier) -> dict[str, Any]:
    """The floor, and the chance by score, from the proposals for validation titles."""
    proposed = [classifier.suggest(text, PROPOSED) for text in trial.texts]
    pairs = list(zip(proposed, trial.right, strict=True))
    first = [some[0].score for some in proposed]
    hits = [some[0].group in groups for some, groups in pairs]
    reached = [score for score, hit in zip(first, hits, strict=True) if hit]
    floor = float(np.quantile(reached, BELOW_FLOOR)) if reached else -1.0
    if len(trial.texts) < ENOUGH:
        return {"floor": floor}
    scores = [item.score for some in proposed for item in some]
    right = [item.group in groups for some, groups in pairs for item in some]
    return {
        "floor": max(floor, half_right(first, hits)),
        "chance": asdict(fit_chance(scores, right)),
    }
