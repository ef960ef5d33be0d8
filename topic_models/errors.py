"""Errors of the library; each message is a sentence that a person can act on."""


class TopicModelError(Exception):
    """Base of all errors of this library."""


class SettingsError(TopicModelError, ValueError):
    """A setting that is unknown, missing or out of its range."""


class DocumentsError(TopicModelError, ValueError):
    """Documents that are not sequences of word ids, or have no known word where one is needed."""


class NotFittedError(TopicModelError):
    """A model was used before `fit` or `load`."""


class ModelFileError(TopicModelError):
    """A saved model that is missing, truncated, changed or of another kind."""


class CheckpointError(TopicModelError):
    """A checkpoint that is damaged or belongs to another training run."""


class DatasetError(TopicModelError):
    """A folder of documents that is missing, incomplete or malformed."""
