"""Markdown to paste: it shows text as it stands, whatever signs are in it."""

import re
from dataclasses import replace

from tests.unit.web.pages.test_search import asked
from ticketing.tickets import Ticket
from web.views.markdown import quoted


def test_a_whole_answer_as_markdown(client):
    address = asked(client, product="SGT-400", subject="Exhaust spread high")
    answer = client.get(address.replace("?", "/markdown?"))
    assert answer.mimetype == "text/markdown"
    head, link, outlook, first, *_ = filter(None, answer.text.splitlines())
    assert head == "## Exhaust spread high"
    assert link == f"<http://localhost{address}>"
    assert outlook == "One of these likely helps (55 % that one solves this)."
    assert first.startswith(
        "1\\. [GT-0101: Exhaust temperature spread high, trip on start]"
        "(<http://localhost/tickets/GT-0101>) – "
    )
    assert re.findall(r"^(\d+)\\\. ", answer.text, re.MULTILINE) == ["1", "2", "3", "4", "5"]


def test_where_nothing_matches_well_the_markdown_says_so_too(client):
    """Pasted into a ticket, tickets that only were the nearest read like proposals."""
    text = client.get(asked(client, subject="coffee machine") + "/markdown").text
    assert "\n\nNothing matches well. No past ticket is near enough to be trusted;" in text
    assert "likely" not in text


def test_a_ticket_without_a_solution_is_not_said_to_be_likely_one(client, desk):
    subject = "Exhaust temperature spread high, trip on start again"
    desk.put_tickets([Ticket("NEW-1", subject=subject)])
    text = client.get(asked(client, subject=subject) + "/markdown").text
    [line] = [line for line in text.splitlines() if "NEW-1" in line]
    assert line.endswith("% same problem  ")


def test_near_copies_are_named_where_their_ranks_are_missing(client, desk, monkeypatch):
    recommend = desk.recommend

    def folded(*args, **kwargs):
        answer = recommend(*args, **kwargs)
        first, second, third, *rest = answer.items
        fourth, *_ = rest
        rows = (replace(first, like=(second,)), replace(fourth, like=(third,)))
        return replace(answer, items=rows)

    address = asked(client)
    ids = re.findall(r"\[(GT-\d+): ", client.get(f"{address}/markdown").text)
    monkeypatch.setattr(desk, "recommend", folded)
    lines = client.get(f"{address}/markdown").text.splitlines()
    assert [line for line in lines if "near-cop" in line] == [
        f"   And 1 near-copy: {ids[1]}.",
        f"   And 1 near-copy: {ids[2]}.",
    ]
    assert all(lines[i - 1].endswith("  ") for i, line in enumerate(lines) if "near-cop" in line)


def test_hostile_text_stays_text(client):
    text = client.get(asked(client, subject="script").replace("?", "/") + "/markdown").text
    assert "\\<script\\>alert" in text and "<script" not in text.replace("\\<", "")


def test_no_line_becomes_a_heading_a_list_or_another_sign():
    text = "Check\n===\n- the &lt;valve&gt;\n1. at 5 V\n+5  V - 3"
    assert quoted(text).splitlines() == [
        "> Check  ",
        "> \\===  ",
        "> \\- the \\&lt;valve\\&gt;  ",
        "> 1\\. at 5 V  ",
        "> \\+5 V - 3  ",
    ]


def test_a_citation_quotes_every_line_and_names_its_source(client):
    page = client.get("/tickets/GT-0101").text
    copied = re.search(r'data-copy="([^"]+)"', page)[1]
    *quoted, _, source = copied.strip().splitlines()
    assert [line[:12] for line in quoted] == ["&gt; Burner ", "&gt; Spread "]
    assert source.startswith("— [GT-0101: Exhaust temperature spread high, trip on start](")
