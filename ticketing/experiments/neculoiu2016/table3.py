"""Table 3 of Neculoiu et al. (2016) on public job titles: ESCO's labels, and O*NET's titles
searched among them.

Each model starts with the weights of the one before it, since the stages build on each other.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter
from zlib import crc32

from ticketing.classification.augmentation import filler_words
from ticketing.classification.classifier import CategoryClassifier
from ticketing.classification.labels import CategoryLabel
from ticketing.classification.matchers import Matcher, NgramMatcher, Scores, TfidfMatcher
from ticketing.classification.pairs import Sources
from ticketing.classification.settings import ClassifierSettings
from ticketing.classification.synonyms import Synonyms, induce
from ticketing.classification.taxonomy import Parts, split_titles
from ticketing.classification.training import train
from ticketing.classification.trials import Trial, accuracy, as_typed, make_trials, reciprocal_rank
from ticketing.errors import InputError
from ticketing.experiments.cache import find_or_train
from ticketing.experiments.neculoiu2016.job_titles import PARTS, Esco, onet_queries, read_esco
from ticketing.model.registry import Registry
from ticketing.text.bm25 import BM25

COLUMNS = ("Typos", "Composition", "Extra words", "Annotations", "O*NET MRR")
PUBLISHED_NGRAMS = ("0.99", "0.61", "1.00", "0.83")
"""The published figures of the n-gram matcher; its formula is not available."""
PUBLISHED = {
    "model (3)": (1.00, 0.84, 0.76, 0.87),
    "model (4)": (1.00, 0.79, 0.82, 0.84),
}
STAGES = (0, 1, 2, 3, 4)
PROPOSALS = 3
"""Number of proposals per input that are judged in stage 4."""
SEEDS = {"validation": 1, "test": 2, "feedback": 3, "watched": 4}
MEASURED = 1000
"""Maximum number of inputs of each kind for measuring a matcher."""
WATCHED = 300
"""Number of inputs of each kind, from the validation part, that select a training's best epoch."""


@dataclass(frozen=True)
class Row:
    """A matcher's figures in the order of COLUMNS, and the seconds its training took."""

    name: str
    figures: tuple[float, ...]
    seconds: float = 0.0


class JobTitles:
    """The public data with a fixed split into training data and inputs."""

    def __init__(self, folder: Path, synonyms: Synonyms | None = None, seed: int = 0):
        self.folder = folder
        self.seed = seed
        self.esco: Esco = read_esco(folder)
        self.parts: Parts = split_titles(self.esco.taxonomy, PARTS, seed)
        self.synonyms = induce(self.parts.training) | (synonyms or Synonyms(()))
        words = filler_words(self.esco.taxonomy.texts, self.esco.descriptions)
        self.words = [word for word in words if crc32(word.encode()) % 2 == 0]
        self.unseen_words = [word for word in words if crc32(word.encode()) % 2]

    @property
    def digest(self) -> str:
        """Digest of all data that a model is trained on and selected by, without the seed."""
        codes = self.esco.codes
        return Sources(self.esco.taxonomy, self.synonyms, self.words, codes=codes).digest

    def trials(self, part: str) -> list[Trial]:
        """The four tests of a part."""
        titles, words = self.parts.others[part], self.unseen_words
        seed = self.seed * 100 + SEEDS[part]
        return make_trials(self.parts.training, titles, self.synonyms, words, seed, MEASURED)

    @cached_property
    def _onet(self) -> dict[str, list[tuple[str, frozenset[str]]]]:
        return onet_queries(self.folder, self.esco.taxonomy)

    def onet(self, part: str) -> Trial:
        """O*NET's titles as inputs."""
        queries = self._onet[part]
        chance = random.Random(self.seed * 100 + SEEDS[part])
        chosen = chance.sample(queries, min(MEASURED, len(queries)))
        return Trial("O*NET", tuple(t for t, _ in chosen), tuple(right for _, right in chosen))

    def watched(self) -> list[Trial]:
        """Some inputs of the validation part, with words of training, to select an epoch by."""
        titles = self.parts.others["validation"]
        seed = self.seed * 100 + SEEDS["watched"]
        return make_trials(self.parts.training, titles, self.synonyms, self.words, seed, WATCHED)

    def judged(self, model: CategoryClassifier) -> list[CategoryLabel]:
        """YES and NO verdicts, according to ESCO, on a model's proposals for the titles of the part
        "feedback".

        The titles are varied as people type them, with words of training around them.
        """
        chance = random.Random(self.seed * 100 + SEEDS["feedback"])
        labels = []
        for title in self.parts.others["feedback"]:
            text = as_typed(title.text, self.words, chance)
            for proposal in model.suggest(text, PROPOSALS):
                labels.append(CategoryLabel(text, proposal.group, proposal.group == title.group))
        return labels


class WordMatcher:
    """BM25 over words; see Matcher."""

    def __init__(self, texts: Sequence[str]):
        self._words = BM25([text.split() for text in texts])

    def scores(self, queries: Sequence[str]) -> Scores:
        """See Matcher."""
        return self._words.scores([query.split() for query in queries])


BASELINES: dict[str, Callable[[Sequence[str]], Matcher]] = {
    "our trigrams": NgramMatcher,
    "char TF-IDF": TfidfMatcher,
    "BM25": WordMatcher,
}


def baseline_rows(data: JobTitles, part: str) -> Iterator[Row]:
    """The matchers that learn nothing."""
    for name, matcher in BASELINES.items():
        yield Row(name, measure(matcher(data.parts.training.texts), data, part))


def model_rows(
    data: JobTitles,
    settings: ClassifierSettings,
    folder: Path,
    part: str = "test",
    stages: Sequence[int] = STAGES,
) -> Iterator[Row]:
    """Train the models of some stages and measure them; each is kept below `folder`.

    An existing model is not trained again. Raises InputError if stage 4 is the first one, since
    there is no model whose proposals could be judged.
    """
    if stages[0] == STAGES[-1]:
        raise InputError("Stage 4 judges the proposals of a stage before it; name that as well.")
    model: CategoryClassifier | None = None
    for stage in stages:
        start = perf_counter()
        model = stage_model(data, settings, folder, stage, model)
        seconds = model.facts.get("seconds", perf_counter() - start)
        yield Row(f"model ({stage})", measure(model, data, part), seconds)


def stage_model(
    data: JobTitles,
    settings: ClassifierSettings,
    folder: Path,
    stage: int,
    begin: CategoryClassifier | None,
) -> CategoryClassifier:
    """The model of a stage, loaded if it was trained before."""
    models = Registry(folder / "models")

    def trained() -> str:
        labels = data.judged(begin) if stage == STAGES[-1] and begin else []
        sources = Sources(data.parts.training, data.synonyms, data.words, labels, data.esco.codes)
        sampling = settings.sampling.model_copy(update={"stage": stage})
        chosen = settings.model_copy(update={"sampling": sampling})
        start = perf_counter()
        checkpoint = folder / f"stage-{stage}.checkpoint"
        model = train(sources, data.watched(), chosen, checkpoint, begin)
        model.facts["seconds"] = round(perf_counter() - start, 1)
        checkpoint.unlink(missing_ok=True)
        return model.save(models)

    record = folder / f"stage-{stage}.json"
    return find_or_train(record, partial(CategoryClassifier.load, models), trained)


def measure(matcher: Matcher, data: JobTitles, part: str) -> tuple[float, ...]:
    """A matcher's figures in the order of COLUMNS."""
    kept, onet = data.parts.training, data.onet(part)
    hits = [accuracy(trial, matcher.scores(trial.texts), kept) for trial in data.trials(part)]
    return (*hits, reciprocal_rank(onet, matcher.scores(onet.texts), kept))
