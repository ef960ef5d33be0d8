"""How a bundle comes to serve: encoding, comparison, promotion and rollback."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from ticketing.desk.training import Trains
from ticketing.errors import (
    BundleAway,
    BundleError,
    Conflict,
    NewDesk,
    NotFound,
    NotReady,
)
from ticketing.jobs import Job, JobKind, JobState
from ticketing.labels import derive_labels, is_test
from ticketing.plurals import counted
from ticketing.tickets import ModelKind
from ticketing.times import utc_now

if TYPE_CHECKING:
    from ticketing.evaluation.promotion import Comparison
    from ticketing.stores.protocols import Store

MOST_UNENCODED = 32
"""Tickets that may lack codes when a bundle is promoted; they are encoded then."""

MOST_PROMOTIONS = 1000
"""Number of the latest promotion records that are read."""


class Bundles(Trains):
    """The desk's bundles, from training to serving."""

    def bundle(self, bundle_id: str = "") -> str:
        """The id of a bundle, or of the one trained last; the bundle is put into the store for all
        machines.

        Raises NotFound, BundleError, InputError for a bundle that does not rank, and NotReady if
        there is none at all.
        """
        if not bundle_id:
            ids = self.models.ids(ModelKind.RANKING)
            if not ids:
                raise NewDesk("There is no model yet: run `ticketing train`.")
            bundle_id = ids[-1]
        self.models.manifest(bundle_id, ModelKind.RANKING)
        self.models.share(bundle_id)
        return bundle_id

    def compare(self, bundle_id: str, other_id: str) -> Comparison:
        """Compare two bundles on the test judgments that may be seen. No query counts as solved
        before, and judgments of tickets that cannot be found (see `findable`) are left out. Raises
        what `promote` raises for a bundle that cannot be measured."""
        for id in (bundle_id, other_id):
            self.recommender(id)
            if id not in {*self.models.ids(), *self.whole.bundles()}:  # it is only loaded here
                raise NotFound(
                    f"Bundle {id} was deleted meanwhile; `ticketing models list` names those there"
                    " are."
                )
            self._complete_codes(self.store, id)
        return self._compare_on(self.store, bundle_id, other_id)

    def _complete_codes(self, store: Store, bundle_id: str) -> None:
        """Encode the few tickets of a store that were added since a bundle's reindex, so that it is
        not measured without them. Raises NotReady if more than MOST_UNENCODED have no codes."""
        stale = sorted(set(store.stale_ids(bundle_id)) - self._set_aside(bundle_id))
        if len(stale) > MOST_UNENCODED:
            raise NotReady(
                f"Bundle {bundle_id} has no codes of {counted(len(stale), 'ticket')}; run"
                f" `ticketing reindex {bundle_id}`. `ticketing evaluate --compare` needs no codes."
            )
        self._encode_stale(bundle_id, among=stale)

    def _compare_on(self, store: Store, bundle_id: str, other_id: str) -> Comparison:
        from ticketing.evaluation.promotion import compare
        from ticketing.retrieval.memory import findable
        from ticketing.retrieval.solved import nothing_solved

        labels = derive_labels(store.judgments())
        test = [label for label in labels if is_test(label.query.id)]
        new, other = (
            self._recommender(id).over(store, nothing_solved) for id in (bundle_id, other_id)
        )
        return compare(new, other, findable(store, test))

    def promote(self, bundle_id: str, force: bool = False) -> str:
        """Let a bundle serve unless it loses to the serving bundle on the test queries.

        A loss that can be explained by chance does not count. Returns a sentence that says what
        happened and by how much; the page shows it among the jobs. Tickets added since the bundle's
        reindex are encoded first. Raises NotReady if more than MOST_UNENCODED have no codes,
        NotFound and BundleError for a bundle that cannot serve, InputError for one that does not
        rank.
        """
        self.models.share(bundle_id)
        self.recommender(bundle_id)
        if not force:
            self._complete_codes(self.whole, bundle_id)
        serving = self.whole.serving()
        if serving == bundle_id:
            return f"Bundle {bundle_id} serves already."
        may_serve, why = (True, "") if force else self.compared(bundle_id)
        return self.let_serve(bundle_id, why) if may_serve else self.refuse(bundle_id, why)

    def let_serve(self, bundle_id: str, why: str, record_id: str = "") -> str:
        """Let a bundle serve. Returns and records a sentence that says so and `why`; if this is
        repeated with a `record_id`, there is still one record."""
        self._serve(bundle_id)
        return self._note(bundle_id, f"Bundle {bundle_id} serves now{why}.", record_id)

    def refuse(self, bundle_id: str, why: str) -> str:
        """Record that a bundle does not serve, and `why`; returns the sentence."""
        return self._note(bundle_id, f"Bundle {bundle_id} was not promoted{why}.")

    def compared(self, bundle_id: str) -> tuple[bool, str]:
        """Whether a bundle may replace the serving one, and the comparison as text, which is empty
        or begins with a colon. A serving bundle that this program cannot read may always be
        replaced."""
        serving = self.whole.serving()
        self._had(bundle_id)
        if not serving:
            return True, ""
        try:
            comparison = self._compare_on(self.whole, bundle_id, serving)
        except BundleAway:
            raise
        except (BundleError, NotFound) as error:
            why = self.settings.without_home(str(error))
            return True, f": it could not be compared. {why.removesuffix('.')}"
        return comparison.may_serve, f": {comparison}"

    def delete_bundle(self, bundle_id: str) -> None:
        """Delete a bundle of any kind, readable or not, and its codes, even if one of them is
        already gone.

        Raises NotFound if neither exists, Conflict while a job works on the bundle or while it
        serves.
        """
        if bundle_id not in {*self.models.ids(), *self.whole.bundles()}:
            self.models.require(bundle_id)
        for job in self.whole.unfinished_jobs():
            if job.bundle_id == bundle_id:
                raise Conflict(
                    f"Job {job.id} works on bundle {bundle_id} ({job.kind}); cancel it first."
                )
        if bundle_id == self.whole.serving(ModelKind.CATEGORIES):
            raise Conflict(f"Bundle {bundle_id} proposes the desk’s categories; train another.")
        self.whole.drop_codes(bundle_id)
        self.models.delete(bundle_id)

    def _promotions(self) -> list[Job]:
        """Records of promotions (see `_note`), newest first."""
        return self.store.jobs(MOST_PROMOTIONS, JobKind.PROMOTION)

    def _note(self, bundle_id: str, verdict: str, record_id: str = "") -> str:
        """Record the result of a promotion as a job, visible to all; returns `verdict`."""
        self.whole.put_job(
            Job(
                id=record_id or uuid4().hex,
                kind=JobKind.PROMOTION,
                bundle_id=bundle_id,
                state=JobState.DONE,
                total=0,
                done=0,
                created=(time := utc_now()),
                finished=time,
                message=verdict,
            )
        )
        return verdict

    def _serve(self, bundle_id: str) -> None:
        """Verify a bundle's codes and switch to it. Tickets that are stored before or during the
        switch are encoded too. Raises NotFound for a bundle that somebody deleted meanwhile."""
        from ticketing.retrieval.verify import verify_codes

        self._encode_stale(bundle_id)
        recommender = self.recommender(bundle_id)
        verify_codes(self.whole, recommender.model)
        recommender.derive()
        if bundle_id not in self.models.shared():
            raise NotFound(f"Bundle {bundle_id} was deleted meanwhile; nothing was changed.")
        self.whole.set_serving(bundle_id)
        self._encode_stale(bundle_id)

    def rollback(self, to: str = "") -> str:
        """Let the bundle that served before serve again; tickets added since are encoded with it
        first.

        With `to` it must be that bundle, and a repeated request does nothing. Raises NotReady if no
        bundle served before, it was deleted, or it is not `to`.
        """
        if to and to == self.whole.serving():
            return f"Bundle {to} serves already."
        previous = self.whole.previous_serving()
        if not previous:
            raise NotReady("No other bundle has served before; there is nothing to go back to.")
        if to and to != previous:
            raise NotReady(f"Bundle {previous} served before, not {to}; look again.")
        try:
            self.models.share(previous)
        except NotFound:
            raise NotReady(
                f"Bundle {previous} served before and is deleted; there is nothing to go back to."
            ) from None
        self._serve(previous)
        return self._note(previous, f"Bundle {previous} serves again.")
