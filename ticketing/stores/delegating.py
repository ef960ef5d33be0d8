"""Methods of a store that need no filter by groups, delegated to another store."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, datetime

from ticketing.history import HistoryEvent
from ticketing.jobs import Job
from ticketing.people import Account, ApiToken, Session
from ticketing.schedule import Schedule
from ticketing.stores.blocks import CodeRow
from ticketing.stores.damage import Finding
from ticketing.stores.files import KeptFile
from ticketing.stores.protocols import Store
from ticketing.tickets import Judgment, ModelKind, Query, Verdict


class DelegatingStore:
    """Delegates writes, the serving bundle, accounts and the like to the underlying store."""

    def __init__(self, store: Store):
        self._store = store

    def put_query(self, query: Query) -> str:
        """See Judgments."""
        return self._store.put_query(query)

    def put_queries(self, queries: Sequence[Query]) -> None:
        """See Judgments."""
        self._store.put_queries(queries)

    def forget_queries(self, before: date, keep: Collection[str] = ()) -> int:
        """See Judgments."""
        return self._store.forget_queries(before, keep)

    def add_judgments(self, judgments: Sequence[Judgment]) -> int:
        """See Judgments."""
        return self._store.add_judgments(judgments)

    def add_verdicts(self, verdicts: Sequence[Verdict]) -> int:
        """See Verdicts."""
        return self._store.add_verdicts(verdicts)

    def add_events(self, events: Sequence[HistoryEvent]) -> int:
        """See History."""
        return self._store.add_events(events)

    @property
    def keeps_vectors(self) -> bool:
        """See Codes."""
        return self._store.keeps_vectors

    def put_codes(self, bundle_id: str, rows: Sequence[CodeRow]) -> int:
        """See Codes."""
        return self._store.put_codes(bundle_id, rows)

    def drop_codes(self, bundle_id: str) -> None:
        """See Codes."""
        self._store.drop_codes(bundle_id)

    def bundles(self) -> list[str]:
        """See Codes."""
        return self._store.bundles()

    def serving(self, kind: ModelKind = ModelKind.RANKING) -> str:
        """See Serving."""
        return self._store.serving(kind)

    def set_serving(self, bundle_id: str, kind: ModelKind = ModelKind.RANKING) -> None:
        """See Serving."""
        self._store.set_serving(bundle_id, kind)

    def previous_serving(self, kind: ModelKind = ModelKind.RANKING) -> str:
        """See Serving."""
        return self._store.previous_serving(kind)

    def put_job(self, job: Job) -> None:
        """See Jobs."""
        self._store.put_job(job)

    def take_lease(self, name: str, holder: str, seconds: float, renewed: bool = False) -> bool:
        """See Leases."""
        return self._store.take_lease(name, holder, seconds, renewed)

    def drop_lease(self, name: str, holder: str) -> None:
        """See Leases."""
        self._store.drop_lease(name, holder)

    def lease_is_free(self, name: str) -> bool:
        """See Leases."""
        return self._store.lease_is_free(name)

    def schedule(self) -> Schedule:
        """See Schedules."""
        return self._store.schedule()

    def set_schedule(self, schedule: Schedule, seen: Schedule) -> bool:
        """See Schedules."""
        return self._store.set_schedule(schedule, seen)

    def put_account(self, account: Account) -> None:
        """See Accounts."""
        self._store.put_account(account)

    def get_account(self, name: str) -> Account | None:
        """See Accounts."""
        return self._store.get_account(name)

    def has_accounts(self) -> bool:
        """See Accounts."""
        return self._store.has_accounts()

    def accounts(self) -> list[Account]:
        """See Accounts."""
        return self._store.accounts()

    def add_session(self, session: Session) -> None:
        """See Sessions."""
        self._store.add_session(session)

    def get_session(self, key: str) -> Session | None:
        """See Sessions."""
        return self._store.get_session(key)

    def touch_session(self, key: str, at: datetime) -> None:
        """See Sessions."""
        self._store.touch_session(key, at)

    def end_session(self, key: str) -> None:
        """See Sessions."""
        self._store.end_session(key)

    def end_sessions(self, name: str) -> int:
        """See Sessions."""
        return self._store.end_sessions(name)

    def drop_sessions(self, seen_before: datetime, created_before: datetime) -> int:
        """See Sessions."""
        return self._store.drop_sessions(seen_before, created_before)

    def add_token(self, token: ApiToken) -> None:
        """See ApiTokens."""
        self._store.add_token(token)

    def get_token(self, token_id: str) -> ApiToken | None:
        """See ApiTokens."""
        return self._store.get_token(token_id)

    def tokens(self, owner: str = "") -> list[ApiToken]:
        """See ApiTokens."""
        return self._store.tokens(owner)

    def revoke_token(self, token_id: str) -> bool:
        """See ApiTokens."""
        return self._store.revoke_token(token_id)

    def put_file(self, name: str, chunks: Iterable[bytes]) -> KeptFile:
        """See Files."""
        return self._store.put_file(name, chunks)

    def findings(self) -> Iterator[Finding]:
        """See Checked."""
        return self._store.findings()

    def require_room(self) -> None:
        """See Checked."""
        self._store.require_room()

    def close(self) -> None:
        """See Store."""
        self._store.close()
