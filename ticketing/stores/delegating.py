"""The methods of a store that need no filter by groups: those of another store."""

from ticketing.stores.protocols import Store


class DelegatingStore:
    """Has the underlying store's own methods for writes, the serving bundle, accounts and the like.

    They are named one by one, so that a new method of a store is filtered or named here.
    """

    def __init__(self, store: Store):
        self._store = store
        self.put_query = store.put_query
        self.put_queries = store.put_queries
        self.forget_queries = store.forget_queries
        self.add_judgments = store.add_judgments
        self.add_verdicts = store.add_verdicts
        self.add_events = store.add_events
        self.put_codes = store.put_codes
        self.drop_codes = store.drop_codes
        self.bundles = store.bundles
        self.serving = store.serving
        self.set_serving = store.set_serving
        self.previous_serving = store.previous_serving
        self.put_job = store.put_job
        self.take_lease = store.take_lease
        self.drop_lease = store.drop_lease
        self.lease_is_free = store.lease_is_free
        self.schedule = store.schedule
        self.set_schedule = store.set_schedule
        self.put_account = store.put_account
        self.get_account = store.get_account
        self.has_accounts = store.has_accounts
        self.accounts = store.accounts
        self.add_session = store.add_session
        self.get_session = store.get_session
        self.touch_session = store.touch_session
        self.end_session = store.end_session
        self.end_sessions = store.end_sessions
        self.drop_sessions = store.drop_sessions
        self.add_token = store.add_token
        self.get_token = store.get_token
        self.tokens = store.tokens
        self.revoke_token = store.revoke_token
        self.put_file = store.put_file
        self.findings = store.findings
        self.require_room = store.require_room
        self.close = store.close

    @property
    def keeps_vectors(self) -> bool:
        """See Codes."""
        return self._store.keeps_vectors
