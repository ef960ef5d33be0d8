"""An answer that is written at once, beside what its schema says."""

from dataclasses import replace
from datetime import datetime

import pytest

from ticketing.reasons import AlikeWords, Part, Reason, SharedTopic, SharedWord
from ticketing.recommendations import Outlook, Recommendation, Recommendations
from ticketing.tickets import Query, Ticket
from web.schemas.responses import RecommendationsOut
from web.schemas.written import written

TICKET = Ticket(
    "Ä-1",
    "Exhaust „spread“ high",
    'a\u2028b\x01 "quoted" \\ </script>',
    product="SGT",
    created=datetime(2013, 1, 2, 3, 4, 5, 678),
    groups=("b", "a"),
)
WORDS = SharedWord("Exhaust", 7.25, ("exhaust", "exhausts")), SharedWord("trips", 1e-7, ("trip",))
ITEM = Recommendation(
    rank=1,
    ticket=TICKET,
    chance=1 / 3,
    chance_related=1e22,
    distance=0.1 + 0.2,
    parts=(Part("h", "SUB1", "SUB2", 0.0), Part("age", "", "", 5e-324)),
    topics=(SharedTopic(7, ("spread", "hoch"), 0.125),),
    reason=Reason(WORDS, (AlikeWords("here", "there", 0.512, "there"),), moved="up", solved="q"),
    answer="Clean it.",
)
FOLDED = replace(ITEM, rank=2, ticket=Ticket("2", "", ""), parts=(), topics=(), reason=Reason())
ANSWER = Recommendations(
    query=Query("spread", "“high”"),
    bundle_id="abc",
    items=(replace(ITEM, like=(FOLDED,)), replace(ITEM, rank=3)),
    outlook=Outlook.LIKELY,
    chance=0.7,
    searched=16170,
    meant={"exhaus": "exhaust"},
    typical={"h": 4.5, "age": 0.0},
)


@pytest.mark.parametrize("answer", [ANSWER, Recommendations(Query("", ""), "abc", note="Empty.")])
def test_bytes_are_those_of_the_schema(answer):
    assert written(answer) == RecommendationsOut.model_validate(answer).model_dump_json().encode()
