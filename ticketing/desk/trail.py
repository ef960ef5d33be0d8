"""A sequence of history events that reads only the requested page from the store."""

from collections.abc import Iterator, Sequence
from typing import Generic, overload

from ticketing.stores.history import Event, History


class Trail(Sequence[Event], Generic[Event]):
    """Events of a kind, optionally of one person, newest first. Iterating reads all of them; slices
    read only their part."""

    def __init__(self, store: History, kind: type[Event], person: str = ""):
        self._store, self._kind, self._person = store, kind, person

    def __len__(self) -> int:
        return self._store.count_events(self._kind, self._person)

    @overload
    def __getitem__(self, at: int) -> Event: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Event]: ...

    def __getitem__(self, at: int | slice) -> Event | Sequence[Event]:
        if isinstance(at, int):
            return self._last(1, at)[0]
        start, stop, _ = at.indices(len(self))
        return self._last(stop - start, start)

    def __iter__(self) -> Iterator[Event]:
        return reversed(list(self._store.events(self._kind, self._person)))

    def _last(self, limit: int, offset: int) -> list[Event]:
        return self._store.last_events(self._kind, limit, offset, self._person)
