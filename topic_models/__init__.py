"""Topic models over documents that are sequences of word ids.

`DocNADE` (torch; with `bidirectional`, iDocNADE) and `LDA` (gensim) share one interface,
`TopicModel`: fit, transform, topics, top_words, log_likelihood, perplexity, save and load.

>>> from topic_models import DocNADE, DocNADESettings
>>> texts = ["pump leaks oil", "oil leaks again", "login fails", "login password fails"] * 20
>>> words = sorted({word for text in texts for word in text.split()})
>>> documents = [[words.index(word) for word in text.split()] for text in texts]
>>> settings = DocNADESettings(vocabulary_size=len(words), topics=4)
>>> model = DocNADE(settings).fit(documents[8:], validation=documents[:8])
>>> model.transform(documents).shape  # a vector a document, to compare by cosine
(80, 4)
>>> model.perplexity(documents[:8]) < len(words)
True
>>> sorted(words[word] for word in model.top_words(topic=0, n=2))
['leaks', 'oil']

What helps on documents not seen: `dropout=0.5`, `averaged=True` and, for the tree,
`leaves="similar"`; `output="full"` where the vocabulary is small enough to pay for it; several
`orders` for likelihoods; `weight_decay` near 0.2 for likelihoods and near 1 for vectors whose
neighbours are alike. `python -m topic_models.experiments` compares models on folders of labelled
documents.

The perplexity of iDocNADE is the published one, a mean of the scores of two one-sided readings.
That mean is not the logarithm of a joint probability, and so compares with no other model's.

`docnade` and `lda` are the two models, and `protocol` is their interface. DocNADE's `network`
learns in `learning`, by the loop in `training`, over the tree of words in `leaves`. `documents`
packs what it reads, `settings` and `files` are checked as they come, and `errors` says what was
wrong.

A document is any sequence of integers in [0, vocabulary_size). Ids outside that range are
unknown words and are skipped. A document without a known word has a vector all the same
(what the model says before it has read anything) and a log-likelihood of 0 nats over no
words, and it does not count in a perplexity.
"""

from topic_models.docnade import DocNADE, DocNADESettings
from topic_models.errors import (
    CheckpointError,
    DatasetError,
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
    "DatasetError",
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
