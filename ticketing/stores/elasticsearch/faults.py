"""Translates errors of Elasticsearch and the network into one plain sentence."""

import elastic_transport
from elasticsearch import ApiError, UnsupportedProductError

from ticketing.errors import StoreAway, StoreError, StoreFull
from ticketing.redaction import masked
from ticketing.tls import lacks_tls, wants_tls

AWAY = {408, 429, 502, 503, 504}
"""HTTP statuses with which a server, or a proxy in front of it, is temporarily unavailable."""

SHARD_LOST = {
    "already_closed_exception",
    "flush_failed_engine_exception",
    "refresh_failed_engine_exception",
}
"""Error types, with status 500, while a copy of a shard fails, for example on a full disk; another
copy takes over."""

BLOCKED = "cluster_block_exception"

BUSY = "es_rejected_execution_exception"
"""Error type, with status 429, while a queue is full; its reason is of no use to people."""

TWICE = "has more than one index", "no write index is defined"
"""Parts of the reason if a document of an alias of two indices cannot be read or written."""

RESIZING = "index write (api)"
"""Part of the reason for a block while an index is resized."""

RESTORE = "restore it from a snapshot or a backup, as docs/how-to/backup.md says"


def plain(error: Exception, where: str) -> StoreError:
    """The store's error for an error of the client; `where` is the server's address."""
    if isinstance(error, UnsupportedProductError) or _is_no_address(error):
        return StoreError(
            f"The server at {where} is no Elasticsearch; set TICKETING_STORE to one of version 8."
        )
    if isinstance(error, ApiError):
        return refused(error.status_code, *_type_and_reason(error.body), where)
    if isinstance(error, elastic_transport.ConnectionTimeout):
        return StoreAway(f"Elasticsearch at {where} has not answered in time; try again.")
    if isinstance(error, elastic_transport.TlsError) and lacks_tls(error):
        return StoreError(
            f"The server at {where} speaks http without TLS; write http:// in TICKETING_STORE."
        )
    if isinstance(error, elastic_transport.TlsError):
        return StoreError(
            f"The certificate of {where} is not trusted; name the file of its certificate"
            " authority in TICKETING_STORE_CA."
        )
    if isinstance(error, elastic_transport.ConnectionError):
        if any(wants_tls(address, error) for address in where.split(", ")):
            return StoreError(
                f"The server at {where} speaks https; write https:// in TICKETING_STORE."
            )
        return StoreAway(f"Elasticsearch at {where} is away; try again.")
    return StoreError(
        masked(f"The server at {where} does not answer as Elasticsearch does: {error}.")
    )


def refused(status: int, kind: str, reason: str, where: str) -> StoreError:
    """The error for a request, or an item of a bulk request, with this status."""
    if status == 401:
        return StoreError(
            f"Elasticsearch at {where} lets nobody in with these credentials; check"
            " TICKETING_STORE_USER and TICKETING_STORE_PASSWORD, or TICKETING_STORE_API_KEY."
        )
    if kind == BLOCKED and RESIZING in reason:
        return StoreAway(
            f"Elasticsearch at {where} takes no writes to an index while it is resized ({reason});"
            " try again, or if nobody resizes it, run `ticketing store resize` again."
        )
    if kind == BLOCKED and status != 503:  # 503: no master yet, or not started up
        return StoreFull(
            f"Elasticsearch at {where} lets nothing be written, as when its disk is full"
            f" ({reason}); free some room, or lift the block."
        )
    if status == 403:
        return StoreError(f"Elasticsearch at {where} does not allow this: {reason}.")
    if kind == "search_context_missing_exception":
        return StoreAway(f"Elasticsearch at {where} forgot what was being read; try again.")
    if kind == "index_not_found_exception":
        return StoreError(
            f"Elasticsearch at {where} has lost a part of the store ({reason}); {RESTORE}."
        )
    if any(words in reason for words in TWICE):
        return StoreError(
            f"An alias at {where} leads to more than one index ({reason}); keep the right one with"
            " `ticketing store use NAME`."
        )
    if kind == BUSY:
        return StoreAway(f"Elasticsearch at {where} has more to do than it can take; try again.")
    if status in AWAY or kind in SHARD_LOST:
        return StoreAway(f"Elasticsearch at {where} is not ready ({reason or status}); try again.")
    return StoreError(f"Elasticsearch at {where} refused: {reason or status}.")


def _is_no_address(error: Exception) -> bool:
    """Whether another program answered with an HTML page that it has nothing at this address."""
    if not isinstance(error, ApiError):
        return False
    return error.status_code == 404 and not isinstance(error.body, dict)


def _type_and_reason(body: object) -> tuple[str, str]:
    """Type and reason in an error's body, at any depth; empty if another program, such as a proxy,
    answered with a page."""
    error = body.get("error") if isinstance(body, dict) else ""
    if not isinstance(error, dict):
        return "", str(error or "")
    cause = (error.get("root_cause") or [error])[0]
    return cause.get("type", ""), cause.get("reason") or ""
