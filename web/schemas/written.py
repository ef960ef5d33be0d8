"""An answer as JSON, written at once: the bytes that RecommendationsOut gives, for less than half.

The core made all of it, so nothing is validated.
"""

from datetime import UTC
from typing import Any

from pydantic_core import to_json

from ticketing.reasons import Reason
from ticketing.recommendations import Recommendation, Recommendations
from ticketing.tickets import Ticket


def written(found: Recommendations) -> bytes:
    """An answer as RecommendationsOut describes it."""
    query = found.query
    return to_json(
        {
            "query": {
                "id": query.id,
                "subject": query.subject,
                "description": query.description,
                "ticket_id": query.ticket_id,
            },
            "bundle_id": found.bundle_id,
            "outlook": found.outlook,
            "chance": found.chance,
            "note": found.note,
            "named": found.named,
            "mentioned": found.mentioned,
            "searched": found.searched,
            "typical": found.typical,
            "meant": found.meant,
            "items": [_recommendation(item) for item in found.items],
        }
    )


def _recommendation(item: Recommendation) -> dict[str, Any]:
    return {
        "rank": item.rank,
        "ticket": _ticket(item.ticket),
        "score": item.score,
        "chance": item.chance,
        "chance_related": item.chance_related,
        "distance": item.distance,
        "parts": [
            {"channel": c, "query_component": p, "ticket_component": r, "distance": distance}
            for c, p, r, distance in item.parts
        ],
        "topics": [topic._asdict() for topic in item.topics],
        "reason": _reason(item.reason),
        "answer": item.answer,
        "like": [_recommendation(other) for other in item.like],
    }


def _ticket(ticket: Ticket) -> dict[str, Any]:
    return {
        "id": ticket.id,
        "subject": ticket.subject,
        "description": ticket.description,
        "solution": ticket.solution,
        "product": ticket.product,
        "status": ticket.status,
        "created": ticket.created and ticket.created.replace(tzinfo=UTC),
        "groups": sorted(ticket.groups),
    }


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "sentence": reason.sentence,
        "shared": [word._asdict() for word in reason.shared],
        "alike": [
            {
                "query_word": pair.query_word,
                "ticket_word": pair.ticket_word,
                "similarity": pair.similarity,
            }
            for pair in reason.alike
        ],
        "named": reason.named,
        "by_id": reason.by_id,
        "by_code": reason.by_code,
        "moved": reason.moved,
        "solved": reason.solved,
    }
