"""Verdicts on categories in Elasticsearch."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from ticketing.files import Json
from ticketing.stores.checks import require_same, require_text
from ticketing.stores.elasticsearch.actions import creation
from ticketing.stores.elasticsearch.connection import ConnectionPart
from ticketing.stores.elasticsearch.indices import RECORDS
from ticketing.stores.elasticsearch.records import append, digest_of, in_order, key_of
from ticketing.stores.protocols import Verdicts
from ticketing.tickets import Verdict


class ElasticsearchVerdicts(ConnectionPart, Verdicts):
    """A record per event; records are never changed."""

    def add_verdicts(self, verdicts: Sequence[Verdict]) -> int:
        for verdict in verdicts:
            texts = (verdict.event_id, verdict.subject, verdict.category, verdict.judge)
            require_text((*texts, verdict.bundle_id))
        kept = self.connection.get(RECORDS, map(_key, verdicts))
        require_same((_verdict(hit["_source"]["verdict"]) for hit in kept.values()), verdicts)
        return append(self.connection, map(_creation, verdicts))

    def verdicts(self, subject: str = "") -> Iterator[Verdict]:
        of = [{"term": {"subject_digest": digest_of(subject)}}] if subject else []
        hits = in_order(self.connection, "verdict", *of)
        return (_verdict(hit["_source"]["verdict"]) for hit in hits)


def _creation(verdict: Verdict) -> Json:
    source = {
        "kind": "verdict",
        "subject_digest": digest_of(verdict.subject),
        "verdict": asdict(verdict) | {"time": verdict.time.isoformat()},
    }
    return creation(_key(verdict), source)


def _key(verdict: Verdict) -> str:
    return key_of("verdict", verdict.event_id)


def _verdict(source: dict[str, Any]) -> Verdict:
    return Verdict(**source | {"time": datetime.fromisoformat(source["time"])})
