"""Topic models over documents that are sequences of word ids.

`DocNADE` (torch) and `LDA` (gensim) share one interface, `TopicModel`: fit, transform,
topics, top_words, log_likelihood, perplexity, save and load::

    model = DocNADE(DocNADESettings(vocabulary_size=5000, topics=100)).fit(documents)
    vectors = model.transform(documents)  # float32 [documents, topics]

A document is any sequence of integers in [0, vocabulary_size). Ids outside that range are
unknown words and are skipped. A document without a known word has a vector all the same
(what the model says before it has read anything) and a log-likelihood of 0 nats over no
words, and it does not count in a perplexity.
"""

from topic_models.docnade import DocNADE, DocNADESettings
from topic_models.errors import (
    CheckpointError,
    DocumentsError,
    ModelFileError,
    NotFittedError,
    SettingsError,
    TopicModelError,
)
from topic_models.lda import LDA, LDASettings
from topic_models.protocol import TopicModel
from topic_models.training import Epoch, Progress, ProgressBar

__all__ = [
    "LDA",
    "CheckpointError",
    "DocNADE",
    "DocNADESettings",
    "DocumentsError",
    "Epoch",
    "LDASettings",
    "ModelFileError",
    "NotFittedError",
    "Progress",
    "ProgressBar",
    "SettingsError",
    "TopicModel",
    "TopicModelError",
]
