"""Verdicts on categories in Elasticsearch."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from ticketing.files import Json
from ticketing.stores.checks import require_same, require_text
from ticketing.stores.elasticsearch.actions import creation
from ticketing.stores.elasticsearch.connection import CONFLICT, ConnectionPart
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.protocols import Verdicts
from ticketing.tickets import Verdict


class ElasticsearchVerdicts(ConnectionPart, Verdicts):
    """A record per event; records are never changed."""

    def add_verdicts(self, verdicts: Sequence[Verdict]) -> int:
        """Append events in order, durably; returns how many were new."""
        for verdict in verdicts:
            texts = (verdict.event_id, verdict.subject, verdict.category, verdict.judge)
            require_text((*texts, verdict.bundle_id))
        kept = self.connection.get(RECORDS, map(_key, verdicts))
        require_same((_verdict(hit["_source"]["verdict"]) for hit in kept.values()), verdicts)
        answers = self.connection.bulk(RECORDS, map(_creation, verdicts))
        return sum(answer["status"] != CONFLICT for answer in answers)

    def verdicts(self, subject: str = "") -> Iterator[Verdict]:
        """All events, optionally of one subject, in the order in which they were added."""
        must = [{"term": {"kind": "verdict"}}]
        if subject:
            must.append({"term": {"subject_digest": _digest(subject)}})
        # The index has one shard, so sequence numbers are the order of writes.
        pages = self.connection.pages(
            RECORDS, sort=[{"_seq_no": "asc"}], query={"bool": {"filter": must}}
        )
        return (_verdict(hit["_source"]["verdict"]) for hit in pages)


def _creation(verdict: Verdict) -> Json:
    source = {
        "kind": "verdict",
        "subject_digest": _digest(verdict.subject),
        "verdict": asdict(verdict) | {"time": verdict.time.isoformat()},
    }
    return creation(_key(verdict), source)


def _key(verdict: Verdict) -> str:
    return f"verdict:{_digest(verdict.event_id)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _verdict(source: dict[str, Any]) -> Verdict:
    return Verdict(**source | {"time": datetime.fromisoformat(source["time"])})
