"""Topic models over documents that are sequences of word ids.

`DocNADE` (torch; with `bidirectional`, iDocNADE) and `LDA` (gensim) share one interface,
`TopicModel`: fit, transform, topics, top_words, log_likelihood, perplexity, save and load.

>>> from topic_models import DocNADE, DocNADESettings
>>> texts = ["pump leaks oil", "oil leaks again", "login fails", "login password fails"] * 20
>>> words = sorted({word for text in texts for word in text.split()})
>>> documents = [[words.index(word) for word in text.split()] for text in texts]
>>> settings = DocNADESettings(vocabulary_size=len(words), topics=4)
>>> model = DocNADE(settings).fit(documents[8:], validation=documents[:8])
>>> model.transform(documents).shape  # one vector per document, to compare by cosine
(80, 4)
>>> model.perplexity(documents[:8]) < len(words)
True
>>> sorted(words[word] for word in model.top_words(topic=0, n=2))
['leaks', 'oil']

Settings that help on unseen documents: `dropout=0.5`, `averaged=True` and, for the tree,
`leaves="similar"`; `output="full"` if the vocabulary is small enough; several `orders` for
likelihoods; `weight_decay` near 0.2 for likelihoods, and near 1 for vectors whose nearest
neighbours are similar. `python -m topic_models.experiments` compares models on folders of
labelled documents.

The perplexity of iDocNADE is the published one, the mean of the scores of two one-sided models.
This mean is not the logarithm of a joint probability, so it cannot be compared with the perplexity
of other models.

- `docnade`, `lda`: the two models. `protocol` is their interface.
- `network`, `learning`, `training`: the network of DocNADE in torch, its training, and the training
  loop.
- `leaves`: the places of words in the binary tree of its output layer.
- `documents`: documents as arrays. `settings`: settings of models.
- `files`: saved models. `errors`: all errors of the library.

A document is any sequence of integers in [0, vocabulary_size). Ids outside that range are unknown
words and are skipped. A document without known words still has a vector (that of an empty document)
and a log-likelihood of 0 nats over no words, and it does not count in a perplexity.
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
