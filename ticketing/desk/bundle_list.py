"""The list of the desk's bundles: kind, date, training data, and last comparison."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from ticketing.desk.bundles import Bundles
from ticketing.errors import BundleError, NotFound
from ticketing.files import Json
from ticketing.plurals import counted
from ticketing.tickets import ModelKind


@dataclass(frozen=True)
class BundleFacts:
    """A bundle as a list shows it.

    If the bundle cannot be read, `kind` is None and `about` says what to do. `trained` is naive
    UTC, or None if the bundle does not say when it was trained.
    """

    id: str
    kind: ModelKind | None
    trained: datetime | None
    about: str
    """Its training data, channels and loss; without amounts of data if some tickets are hidden from
    the viewer."""
    serves: bool
    served_before: bool
    """Whether a rollback would return to it."""
    encoded: int
    """Number of tickets with fresh codes of this bundle."""
    verdict: str
    """Result of its last comparison or promotion; may be empty."""


class _Described(TypedDict):
    kind: ModelKind | None
    about: str


class BundleList(Bundles):
    """The list of the desk's bundles."""

    def bundle_list(self) -> list[BundleFacts]:
        """All bundles, newest first."""
        verdicts = {job.bundle_id: job.message for job in reversed(self._promotions())}
        serving = {self.store.serving(kind) for kind in ModelKind}
        before = self.store.previous_serving()
        coded, sees_all = set(self.store.bundles()), self.sees_all()
        return [
            BundleFacts(
                id,
                trained=trained,
                **self._described(id, sees_all),
                serves=id in serving,
                served_before=id == before,
                encoded=self.store.count_codes(id) if id in coded else 0,
                verdict=verdicts.get(id, ""),
            )
            for id, trained in reversed(self.models.saved().items())
        ]

    def _described(self, id: str, sees_all: bool) -> _Described:
        try:
            manifest = self.models.manifest(id)
        except (BundleError, NotFound) as error:  # it may be deleted at this moment
            return {"kind": None, "about": self.settings.without_home(str(error))}
        return {"kind": ModelKind(manifest["kind"]), "about": _about(manifest, sees_all)}


def _about(manifest: Json, sees_all: bool) -> str:
    data = manifest["data"]
    if manifest["kind"] == ModelKind.CATEGORIES:
        amount = f"{counted(data['titles'], 'title')} in {counted(data['categories'], 'category')}"
        return amount if sees_all else ""
    amount = f"{counted(data['tickets'], 'ticket')}, {counted(data['labels'], 'label')}; "
    taught = "taught by a sentence encoder; " if manifest.get("teacher") else ""
    channels = "+".join(manifest["network"]["channels"])
    how = f"{taught}compares {channels}; loss {manifest['training']['loss']}"
    return amount + how if sees_all else how
