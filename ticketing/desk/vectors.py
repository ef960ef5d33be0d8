"""Recompute the vectors that a store on servers uses for approximate search, from the codes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ticketing.errors import BundleError, InputError, NotFound
from ticketing.model.inference import Model
from ticketing.model.registry import Registry
from ticketing.model.saving import model_in
from ticketing.stores.blocks import CodeRow


class Vectors:
    """Adds vectors to rows of codes, computed with their bundle's projection."""

    def __init__(self, models: Registry):
        self._models = models
        self._loaded: dict[str, Model] = {}

    def __call__(self, bundle_id: str, rows: Sequence[CodeRow]) -> list[CodeRow]:
        """The rows with vectors. Raises InputError if the bundle is not here."""
        if bundle_id not in self._loaded:
            try:
                self._loaded[bundle_id] = model_in(self._models.load(bundle_id))
            except (NotFound, BundleError) as error:
                raise InputError(
                    f"The codes of bundle {bundle_id} cannot be moved without it: {error} Set"
                    " TICKETING_HOME to the home that holds it, or drop its codes."
                ) from None
        codes = np.stack([np.frombuffer(row.code, np.uint8) for row in rows])
        vectors = self._loaded[bundle_id].projection.ticket_vectors(codes)
        return [
            replace(row, vector=vector.tobytes()) for row, vector in zip(rows, vectors, strict=True)
        ]
