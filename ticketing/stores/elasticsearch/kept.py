"""Codes that this process has read before, so that a server need not send them again."""

MOST = 20_000
"""Codes that are kept, some 40 MB of a standard bundle."""

SMOOTHING = 0.1
"""What the latest answer counts of the share that was kept."""

WORTHWHILE = 0.6
"""Share that must have been kept of late for asking only what a code's checksum is: what is not
kept takes another request."""


class KeptCodes:
    """Codes by bundle and ticket, each as good as its checksum: whoever uses one asks the server
    for the present one first. Threads may share it."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], tuple[int, bytes]] = {}
        self._share = 0.0

    @property
    def worthwhile(self) -> bool:
        """Whether most codes that were asked for of late were here."""
        return self._share >= WORTHWHILE

    def find(self, bundle_id: str, checksums: dict[str, int]) -> dict[str, bytes]:
        """Those of the tickets' codes that are kept and have these checksums."""
        found = {}
        for id, checksum in checksums.items():
            kept = self._codes.get((bundle_id, id))
            if kept and kept[0] == checksum:
                found[id] = kept[1]
        share = len(found) / max(len(checksums), 1)
        self._share += SMOOTHING * (share - self._share)
        return found

    def keep(self, bundle_id: str, id: str, checksum: int, code: bytes) -> None:
        """Keep a code whose checksum is right; all others go when there are too many."""
        if len(self._codes) >= MOST:
            self._codes.clear()
        self._codes[bundle_id, id] = checksum, code
