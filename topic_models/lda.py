"""Latent Dirichlet allocation through gensim, behind the interface of the library.

**The held-out likelihood.** log p(v) of a document integrates over its topic mixture θ,
which has no closed form. It is estimated by importance sampling: S mixtures are drawn, half
of them from the variational posterior q = Dirichlet(γ) that gensim infers and half from
the prior p = Dirichlet(α), which bounds the weights where q is too narrow, and

    log p(v) ≈ log 1/S Σ_s  p(θ_s) / (q(θ_s)/2 + p(θ_s)/2)  Π_i Σ_k θ_sk φ_k,v_i

with the topics φ held at their posterior mean. The estimate tends to log p(v) as S grows,
and is on average a little low before. It is the probability of the very sequence that
DocNADE scores, normalised by document in the same way, so the perplexities compare.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.special import gammaln, logsumexp

from topic_models.documents import Documents, Ragged, ragged
from topic_models.errors import ModelFileError, NotFittedError
from topic_models.protocol import TopicModel, check_state, mean_perplexity
from topic_models.settings import ModelSettings
from topic_models.training import Epoch

if TYPE_CHECKING:  # imported lazily: gensim takes a second
    from gensim.models.ldamodel import LdaModel

Bag = list[tuple[int, int]]
"""A document in gensim's form: (word id, count), ids ascending."""


class LDASettings(ModelSettings):
    """Settings of the model and its training (online variational Bayes, Hoffman et al. 2010)."""

    alpha: float = Field(
        0.25, gt=0, description="prior count of each topic in each document, to learn from here on"
    )
    eta: float = Field(0.1, gt=0, description="prior count of each word in each topic")
    epochs: int = Field(20, ge=1, description="most passes over the training documents")
    patience: int = Field(3, ge=1, description="epochs without a better validation perplexity")
    batch_size: int = Field(256, ge=1, description="documents a mini-batch")
    decay: float = Field(0.5, ge=0.5, le=1, description="how fast mini-batches lose influence")
    iterations: int = Field(50, ge=1, description="most steps of a document's inference")
    samples: int = Field(64, ge=1, description="topic mixtures drawn to estimate log p(v)")


class LDA(TopicModel):
    """Latent Dirichlet allocation (Blei et al. 2003; Hoffman et al. 2010).

    A vector is the expected topic mixture and adds up to 1; for a document without known
    words it is the prior's mean. A topic's top words are its most probable ones.
    """

    Settings = LDASettings

    def __init__(self, settings: LDASettings):
        self.settings = settings
        self.history: tuple[Epoch, ...] = ()
        self._fitted: LdaModel | None = None

    def _learner(self, training: Ragged, validation: Ragged | None) -> _Learner:
        """See TopicModel."""
        return _Learner(self.settings, training, validation)

    def _keep(self, learner: _Learner) -> None:
        """See TopicModel."""
        self._fitted = learner.model

    def transform(self, documents: Documents) -> npt.NDArray[np.float32]:
        """See TopicModel.transform."""
        bags = _bags(ragged(documents, self.settings.vocabulary_size))
        vectors = np.empty((len(bags), self.settings.topics), np.float32)
        for row, bag in zip(vectors, bags, strict=True):
            posterior = _infer(self._model, bag)
            row[:] = posterior / posterior.sum()
        return vectors

    def _strengths(self, topic: int) -> npt.NDArray[np.float32]:
        """The topic's word counts."""
        counts: npt.NDArray[np.float32] = self._model.state.get_lambda()[topic]
        return counts

    def log_likelihood(self, documents: Documents) -> npt.NDArray[np.float64]:
        """See TopicModel.log_likelihood and, for the estimator, this module's docstring."""
        return _log_likelihood(
            self._model, ragged(documents, self.settings.vocabulary_size), self.settings
        )

    def state(self) -> dict[str, np.ndarray]:
        """See TopicModel.state."""
        return _arrays(self._model)

    @classmethod
    def from_state(cls, settings: LDASettings, arrays: Mapping[str, np.ndarray]) -> Self:
        """See TopicModel.from_state."""
        blank = _model(settings)
        check_state(cls.__name__, _arrays(blank), arrays)
        if min(array.min() for array in arrays.values()) < 0:
            raise ModelFileError("This LDA cannot be used: it holds negative counts.")
        model = cls(settings)
        model._fitted = _restored(blank, arrays)
        return model

    @property
    def _model(self) -> LdaModel:
        if self._fitted is None:
            raise NotFittedError("This LDA has learned nothing yet; call fit or load first.")
        return self._fitted


class _Learner:
    """The learner of the training loop: gensim's two steps for each mini-batch."""

    def __init__(self, settings: LDASettings, training: Ragged, validation: Ragged | None):
        self.settings = settings
        self.bags = _bags(training)
        self.validation = validation
        self.model = _model(settings)
        self.model.state.numdocs = len(self.bags)

    def run_epoch(self, number: int, advance: Callable[[int], None]) -> None:
        random = np.random.RandomState([self.settings.seed, number])
        self.model.random_state = random
        order = random.permutation(len(self.bags))
        size = self.settings.batch_size
        updates = (number - 1) * -(-len(order) // size)
        for update, first in enumerate(range(0, len(order), size), start=updates):
            batch = [self.bags[row] for row in order[first : first + size]]
            self._step(batch, rate=(1 + update) ** -self.settings.decay)
            advance(len(batch))

    def _step(self, batch: list[Bag], rate: float) -> None:
        from gensim.models.ldamodel import LdaState

        model = self.model
        statistics = LdaState(model.eta, model.state.sstats.shape, model.dtype)
        posteriors = model.do_estep(batch, statistics)  # [documents, topics]
        model.update_alpha(posteriors, rate)
        model.do_mstep(rate, statistics)

    def validate(self) -> float | None:
        if self.validation is None:
            return None
        scores = _log_likelihood(self.model, self.validation, self.settings)
        return mean_perplexity(scores, self.validation.lengths)

    def snapshot(self) -> dict[str, np.ndarray]:
        return _arrays(self.model)

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        _restored(self.model, arrays)


def _model(settings: LDASettings) -> LdaModel:
    """gensim's model before training.

    gensim's default is alpha = 1/topics. With many topics, exp(E log theta) of a short document is
    then too small for it, and it learns nothing from such documents.
    """
    from gensim.models.ldamodel import LdaModel
    from gensim.utils import FakeDict

    model = LdaModel(
        num_topics=settings.topics,
        id2word=FakeDict(settings.vocabulary_size),
        eta=settings.eta,
        iterations=settings.iterations,
        random_state=settings.seed,
    )
    model.alpha[:] = settings.alpha
    return model


def _arrays(model: LdaModel) -> dict[str, np.ndarray]:
    """The state of a model: expected word counts by topic [topics, vocabulary], and alpha
    [topics]."""
    return {"counts": model.state.sstats.copy(), "alpha": model.alpha.copy()}


def _restored(model: LdaModel, arrays: Mapping[str, np.ndarray]) -> LdaModel:
    model.state.sstats = np.array(arrays["counts"])
    model.alpha = np.array(arrays["alpha"])
    model.sync_state()
    return model


def _bags(documents: Ragged) -> list[Bag]:
    starts = documents.starts[1:]
    return [
        [
            (int(word), int(count))
            for word, count in zip(*np.unique(words, return_counts=True), strict=True)
        ]
        for words in np.split(documents.words, starts)[: len(documents)]
    ]


def _infer(model: LdaModel, bag: Bag) -> npt.NDArray[np.float64]:
    """γ [topics], the variational posterior of one document's mixture.

    gensim starts from random numbers; a fixed seed makes the result depend only on the document.
    """
    model.random_state = np.random.RandomState(0)
    posterior: npt.NDArray[np.float32] = model.inference([bag])[0][0]
    return posterior.astype(np.float64)


def _log_likelihood(
    model: LdaModel, documents: Ragged, settings: LDASettings
) -> npt.NDArray[np.float64]:
    """Estimates of log p(v) in nats, float64 [documents]."""
    topics = model.get_topics()  # [topics, vocabulary]
    scores = np.zeros(len(documents))
    for row, bag in enumerate(_bags(documents)):
        if bag:
            words, counts = np.array(bag).T  # [unique]
            random = np.random.default_rng((settings.seed, zlib.crc32(np.array(bag).tobytes())))
            scores[row] = log_evidence(
                topics[:, words], counts, model.alpha, _infer(model, bag), random, settings.samples
            )
    return scores


def log_evidence(
    topics: npt.NDArray[np.floating],
    counts: npt.NDArray[np.int64],
    alpha: npt.NDArray[np.floating],
    posterior: npt.NDArray[np.float64],
    random: np.random.Generator,
    samples: int,
) -> float:
    """log p(v) of one document in nats, by importance sampling.

    `topics` [topics, unique] holds p(word | topic) of the document's words and `counts`
    [unique] how often each occurs; `alpha` [topics] is the prior of the mixture and
    `posterior` [topics] the Dirichlet that half of the `samples` mixtures are drawn from.
    """
    half = -(-samples // 2)
    mixtures = np.concatenate(
        [_log_dirichlet(shape, random, half) for shape in (posterior, alpha)]
    )  # [2 half, topics]
    ratio = mixtures @ (posterior - alpha) + _log_beta(alpha) - _log_beta(posterior)  # log q / p
    weight = np.log(2) - np.logaddexp(0, ratio)  # log p / (q / 2 + p / 2), at most log 2
    likelihood = np.log(np.exp(mixtures) @ topics) @ counts  # [2 half]
    return float(logsumexp(weight + likelihood) - np.log(2 * half))


def _log_dirichlet(
    shape: npt.NDArray[np.floating], random: np.random.Generator, samples: int
) -> npt.NDArray[np.float64]:
    """Logarithms of draws from a Dirichlet, [samples, topics], finite for the smallest shapes."""
    # Gamma(a) is Gamma(a + 1) times a uniform number to the power of 1/a.
    size = (samples, len(shape))
    draws = (
        np.log(random.standard_gamma(shape + 1, size)) - random.standard_exponential(size) / shape
    )
    normalised: npt.NDArray[np.float64] = draws - logsumexp(draws, axis=1, keepdims=True)
    return normalised


def _log_beta(shape: npt.NDArray[np.floating]) -> np.floating:
    logarithm: np.floating = gammaln(shape).sum() - gammaln(shape.sum())
    return logarithm
