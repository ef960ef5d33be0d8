"""Why tickets rank low, and the page that says so: whole, self-contained and inert."""

import re
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup

from ticketing.evaluation import plots
from ticketing.evaluation.bundle_diff import changes
from ticketing.evaluation.diagnosis import (
    RANKED_FIRST,
    Push,
    channel_means,
    largest_push,
    parts_by_ticket,
    worst_queries,
)
from ticketing.evaluation.indexed_words import IndexedWords
from ticketing.evaluation.measurement import (
    NO_YES,
    Measurement,
    Sample,
    measure_ways,
    measure_words,
    measurement_text,
)
from ticketing.evaluation.metrics import DEPTHS
from ticketing.evaluation.reliability import measure_trust
from ticketing.evaluation.report import render, write_report
from ticketing.evaluation.runs import Ranked, Rankers, rank_labelled
from ticketing.evaluation.ways import part_ways, whole_ways
from ticketing.reasons import Part
from ticketing.retrieval.memory import encoded
from ticketing.retrieval.recommend import Recommender
from ticketing.retrieval.solved import solved_of
from ticketing.tickets import Filters, Grade, Label, Query

YES, REL, NO = Grade.YES, Grade.REL, Grade.NO
SCRIPT = '<script>alert("x")</script><img src="http://example.org/x.png" onerror=alert(1)>'


@pytest.fixture(scope="module")
def evil(archive_tickets):
    """The archive, its first ticket's texts full of mark-up."""
    first = replace(archive_tickets[0], subject=SCRIPT, description=SCRIPT, solution=SCRIPT)
    return [first, *archive_tickets[1:]]


@pytest.fixture(scope="module")
def recommender(model, evil):
    return Recommender(encoded(model, evil, "x"), model)


@pytest.fixture(scope="module")
def judged(archive_labels, archive_tickets):
    """The labels, and a query for which the evil ticket is the right one."""
    query = Query(f"{SCRIPT} pump", "nothing like it", archive_tickets[5].id)
    return [*archive_labels, Label(query, archive_tickets[0].id, YES)]


@pytest.fixture(scope="module")
def found(recommender, judged):
    sample = Sample(judged, [])
    rankers = Rankers(recommender.model, recommender.store)
    ways = whole_ways(rankers.model) + part_ways(rankers.model)
    lines = measure_ways(rankers, ways, sample)
    compared = changes(judged, lines[0].ranked, lines[1].ranked)
    lines += measure_words(IndexedWords(recommender.store), sample)
    trust = measure_trust(recommender, judged, judged)
    return Measurement(sample, lines, lines[0], compared, trust)


# diagnosis -----------------------------------------------------------------------


def test_the_part_that_pushes_most_by_hand():
    """h of SUB1-SUB2 is 3 further, E 1 nearer; the top ticket has no solution, so 2 count whole."""
    right = [
        Part("h", "SUB1", "SUB2", 5.0),
        Part("E", "SUB1", "SUB2", 1.0),
        Part("T", "SUB1", "SOL2", 2.0),
    ]
    top = [Part("h", "SUB1", "SUB2", 2.0), Part("E", "SUB1", "SUB2", 2.0)]
    assert largest_push(right, top) == Push("h", "SUB1", "SUB2", 3.0)
    assert largest_push(right[1:], top[1:]) == Push("T", "SUB1", "SOL2", 2.0)


def test_pushes_of_a_ticket_against_itself_are_nothing(recommender, archive_tickets):
    query = Query(archive_tickets[3].subject)
    id = archive_tickets[8].id
    parts = parts_by_ticket(recommender, query, Filters(), [id])[id]
    assert largest_push(parts, parts).more == 0
    compared = recommender.compare(query)
    distance = float(compared.distances[compared.block.ids.index(id)])
    assert sum(part.distance for part in parts) == pytest.approx(distance, rel=1e-5)


def test_the_worst_come_first_and_their_push_is_a_part_of_the_distance(
    recommender, archive_tickets, monkeypatch
):
    """Queries in one ticket's words whose right ticket is said to be another."""
    labels = [
        Label(Query(archive_tickets[i].subject), archive_tickets[i + 9].id, YES)
        for i in range(1, 8)
    ]
    monkeypatch.setattr("ticketing.evaluation.diagnosis.WORST", 5)
    ranked = rank_labelled(recommender, labels, "x")
    worst = worst_queries(recommender, labels, ranked)
    ranks = [miss.rank for miss in worst]
    assert 1 < len(ranks) <= 5 and ranks == sorted(ranks, reverse=True) and min(ranks) > 1
    for miss in worst:
        place = ranked.places[miss.query.id][miss.right.id]
        assert miss.rank == place[0]
        assert miss.top.id == ranked.run[miss.query.id][0][0]
        parts = parts_by_ticket(recommender, miss.query, Filters(), [miss.right.id, miss.top.id])
        right, top = (sum(part.distance for part in some) for some in parts.values())
        assert miss.apart == pytest.approx(right - top)
        assert miss.push.more > 0


def test_what_a_ticket_solved_is_what_is_explained_where_that_is_nearest(
    recommender, archive_tickets
):
    """A query that the last ticket solved is asked again."""
    query, solver = Query("Flange gasket weeping", "since monday"), archive_tickets[-1].id
    solved = solved_of(recommender.model, [Label(query, solver, YES)])
    knowing = recommender.over(recommender.store, lambda: solved)
    compared = knowing.compare(query)
    distance = compared.distances[compared.block.place(solver)]
    assert distance < recommender.compare(query).distances[compared.block.place(solver)]
    parts = parts_by_ticket(knowing, query, Filters(), [solver])[solver]
    assert sum(part.distance for part in parts) == pytest.approx(distance, rel=1e-5)


def test_a_right_ticket_that_was_not_found_is_worse_than_any(recommender, judged):
    ranked = rank_labelled(recommender, judged, "x")
    lost = judged[0]
    places = {**ranked.places, lost.query.id: {}}
    first = worst_queries(recommender, judged, Ranked(ranked.run, places))[0]
    assert (first.query, first.rank, first.push) == (lost.query, None, None)
    assert first.right.id == lost.ticket_id


def test_where_all_is_right_nothing_is_worst(recommender, archive_tickets):
    labels = [Label(Query("x"), archive_tickets[2].id, YES)]
    ranked = Ranked(
        {labels[0].query.id: [(archive_tickets[2].id, 0.5)]},
        {labels[0].query.id: {archive_tickets[2].id: (1, 0.5)}},
    )
    assert worst_queries(recommender, labels, ranked) == []


def test_channels_of_labelled_pairs_add_up_to_their_distance(recommender, judged):
    ranked = rank_labelled(recommender, judged, "x")
    means = channel_means(recommender, judged, ranked)
    assert list(means) == [RANKED_FIRST, "YES", "REL", "NO"]
    for grade in (YES, REL, NO):
        distances = [
            ranked.places[label.query.id][label.ticket_id][1]
            for label in judged
            if label.grade == grade
        ]
        mean = sum(distances) / len(distances)
        assert sum(means[grade.name].values()) == pytest.approx(mean, rel=1e-5)
    assert sum(means[RANKED_FIRST].values()) <= sum(means["YES"].values())


# the page ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page(found, recommender):
    return render(found, recommender, notice="All <generated>.")


def test_the_only_point_of_a_coverage_is_drawn():
    """As where all queries have one chance. Every mark is a `use`, and those of the axes stay."""
    low, high = (
        set(re.findall("<use [^>]*>", plots.coverage_plot([(1, right)]))) for right in (0.5, 0.9)
    )
    assert len(low - high) == len(high - low) == 1


def test_the_page_loads_nothing(page):
    parsed = BeautifulSoup(page, "html.parser")
    assert not parsed.find_all(["script", "link", "img", "iframe", "object", "base", "form"])
    for tag in parsed.find_all(True):
        for name, value in tag.attrs.items():
            assert not name.startswith("on")
            if name in ("href", "xlink:href", "src"):
                assert value.startswith("#")
            assert "http:" not in str(value) and "https:" not in str(value)
    outside = re.sub(r"http://example\.org", "", page)
    assert "http://" not in outside and "https://" not in outside and "@import" not in outside


def test_a_tickets_mark_up_is_text(page):
    assert "<script>alert" not in page and "onerror=alert(1)>" not in page
    text = BeautifulSoup(page, "html.parser").get_text()
    assert SCRIPT.split(">")[0] in text and "All <generated>." in text


def test_the_page_holds_every_table_and_plot(page, found):
    parsed = BeautifulSoup(page, "html.parser")
    for heading in (
        "Retrieval",
        "Labelled pairs",
        "In pictures",
        "What chances say",
        "Where it went wrong",
    ):
        assert parsed.find("h2", string=heading)
    plots = [heading.get_text() for heading in parsed.select("figure h3")]
    assert plots == [
        "Success rate",
        "Recall",
        "Reliability",
        "Coverage",
        "Score by channel",
        "Matched proposals",
    ]
    assert len(parsed.find_all("svg")) == len(plots)
    retrieval = parsed.find("div", {"aria-label": "Retrieval"})
    assert [th.get_text() for th in retrieval.select("tbody th")] == [
        f"{line.name}{line.about}" for line in found.lines
    ]
    assert len(parsed.select("ol.list > li")) <= 20
    kinds = {cell.get_text() for cell in parsed.select("[aria-label=Comparison] tbody th")}
    assert kinds <= {"gained", "lost", "unchanged"} and kinds


def test_no_two_elements_share_an_id(page):
    ids = [tag["id"] for tag in BeautifulSoup(page, "html.parser").find_all(id=True)]
    assert len(ids) == len(set(ids))
    targets = re.findall(r'url\(#([^)]+)\)|xlink:href="#([^"]+)"', page)
    assert {one or other for one, other in targets} <= set(ids)


def test_plots_take_the_pages_colours(page):
    assert "#0000" not in page and "var(--c1)" in page and "currentColor" in page


BUNDLES = ["bundle b", "bundle b without time"]
PARTS = ["distance alone", "distance alone without time", "h alone"]


def test_long_names_of_curves_lie_within_the_plot(monkeypatch):
    drawn = []
    monkeypatch.setattr(plots, "svg", lambda figure, *_: drawn.append(figure))
    bundle = "bundle badb9927656523c8"
    names = [bundle, "BM25", f"{bundle} without time", "the encoder + BM25 with time", "distance"]
    for some in (names[:1], names[:2], names[:3], names):
        plots.recall_plot({name: [0.5] * len(DEPTHS) for name in some})
        figure = drawn.pop()
        figure.draw_without_rendering()
        [legend] = figure.legends
        assert [text.get_text() for text in legend.get_texts()] == some
        for text in legend.get_texts():
            ends = text.get_window_extent()
            assert ends.x0 >= 0 and ends.x1 <= figure.bbox.width
            assert ends.y0 >= 0 and ends.y1 <= figure.bbox.height


@pytest.mark.parametrize(
    ("beside", "drawn"),
    [
        (["BM25"], ["BM25", *PARTS]),
        (["the encoder", "the encoder + BM25", "BM25"],
         ["BM25", "the encoder", "the encoder + BM25", PARTS[0]]),
        (["#1", "#2", "the encoder", "BM25"], ["BM25", "#2", "the encoder", PARTS[0]]),
    ],
)  # fmt: skip
def test_curves_are_of_bundles_then_of_words_and_last_of_parts(found, recommender, beside, drawn):
    lines = [replace(found.lines[0], name=name) for name in (*BUNDLES, *PARTS, *beside)]
    page = BeautifulSoup(render(replace(found, lines=lines), recommender), "html.parser")
    figure = page.find("h3", string="Recall").find_parent("figure")
    names = [text.get_text() for text in figure.select("svg text")]
    assert [name for name in names if name in {*BUNDLES, *PARTS, *beside}] == [*BUNDLES, *drawn]


def test_the_same_measurement_gives_the_same_page(page, found, recommender):
    assert render(found, recommender, notice="All <generated>.") == page


def test_the_page_is_written_whole_or_not_at_all(found, recommender, tmp_path, monkeypatch):
    path = tmp_path / "deep" / "report.html"
    write_report(path, found, recommender)
    assert path.read_text().rstrip().endswith("</html>")
    path.write_text("old")

    def fail(*_):
        raise RuntimeError

    monkeypatch.setattr("ticketing.evaluation.report.worst_queries", fail)
    with pytest.raises(RuntimeError):
        write_report(path, found, recommender)
    assert path.read_text() == "old" and list(path.parent.iterdir()) == [path]


def test_what_cannot_be_measured_is_said(recommender, archive_labels):
    """Without a YES there is no retrieval and no list of misses; pairs are still measured."""
    labels = [label for label in archive_labels if label.grade == REL][:4]
    sample = Sample(labels, [])
    rankers = Rankers(recommender.model, recommender.store)
    lines = measure_ways(rankers, whole_ways(rankers.model), sample)
    found = Measurement(sample, lines, lines[0])
    text = "\n".join(measurement_text(found))
    assert NO_YES in text and "Acc@10" not in text
    assert "Not measured (–): all labelled pairs have one grade" in text
    page = BeautifulSoup(render(found, recommender), "html.parser")
    assert "Cannot be measured: no query has a YES." in page.get_text()
    assert not page.find("h2", string="Where it went wrong")
    assert page.select("[aria-label='Labelled pairs'] td")[0].get_text() == "–"
