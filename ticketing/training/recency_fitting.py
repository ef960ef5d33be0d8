"""Fits the weight of time in a network's distances, after all other weights."""

import numpy as np

from ticketing.model.recency import Recency
from ticketing.networks.siamese import SiameseNetwork
from ticketing.training.time_weight import DatedQuery, fit_weight
from ticketing.training.validation import ValidationSet
from ticketing.training.weight_fitting import query_worths


def fit_recency(network: SiameseNetwork, validation: ValidationSet) -> Recency:
    """The recency for a network's distances; weight 0 if no query of people has a date or a right
    ticket."""
    worths = query_worths(validation).tolist()
    if not any(worths):
        return Recency()
    times, typical = validation.times_apart()
    columns = zip(
        validation.distances(network).numpy(),
        times.numpy(),
        validation.right.numpy(),
        validation.days_to_right(),
        worths,
        strict=True,
    )
    queries = [DatedQuery(*column) for column in columns]
    dated = [query for query in queries if query.worth and np.isfinite(query.days)]
    return Recency(fit_weight(dated), typical) if dated else Recency()
