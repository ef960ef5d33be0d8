"""What the desk knows of each of its bundles: of what kind, from when, of what, and how good."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from ticketing.desk.bundles import Bundles
from ticketing.errors import BundleError
from ticketing.files import Json
from ticketing.plurals import counted
from ticketing.tickets import ModelKind


@dataclass(frozen=True)
class BundleFacts:
    """A bundle as a list shows it.

    `kind` is None and `about` says what to do where the bundle cannot be read. `trained` is naive
    UTC, and None where the bundle does not say it.
    """

    id: str
    kind: ModelKind | None
    trained: datetime | None
    about: str
    """What it was trained on, what it compares, and its loss; not on how much it was trained, where
    some tickets are hidden."""
    serves: bool
    served_before: bool
    """Whether a rollback would go back to it."""
    encoded: int
    """Tickets that carry fresh codes under it."""
    verdict: str
    """What came of it when it was last compared or promoted; may be empty."""


class _Described(TypedDict):
    kind: ModelKind | None
    about: str


class BundleList(Bundles):
    """The desk's bundles at a glance."""

    def bundle_list(self) -> list[BundleFacts]:
        """All bundles, the last trained first."""
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
        except BundleError as error:
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
