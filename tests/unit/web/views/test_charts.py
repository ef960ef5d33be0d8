"""Charts of months: worked out by hand."""

from datetime import date

from ticketing.retrieval.topics import (
    MonthCount,
)
from web.views.charts import month_chart

JAN, FEB, MAR = date(2013, 1, 1), date(2013, 2, 1), date(2013, 3, 1)


def test_bars_stand_a_month_apart_under_a_round_top():
    """Shares of 0, none and 0.24 under 0.3: the last is 80 percent high and the first is 0."""
    chart = month_chart([MonthCount(JAN, 0, 4), MonthCount(FEB, 0, 0), MonthCount(MAR, 6, 25)])
    assert [(bar.x, bar.height) for bar in chart.bars] == [(0, 0), (33.333, None), (66.667, 80)]
    assert (chart.top, chart.step, chart.width) == (0.3, 33.333, 26.667)
    assert chart.bars[2].words == "March 2013: 6 of 25 tickets (24\u00a0%)"
    assert chart.bars[1].words == "February 2013: no tickets at all"
    assert chart.outline == "M66.667 100v-80.0h26.667V100z"
    assert chart.gaps == "M33.333 0h33.333V100h-33.333z"
    assert chart.years == ((0, 2013),)
    assert chart.summary == (
        "Share of tickets by month, January 2013 to March 2013: "
        "at most 24\u00a0%, in March 2013; 1 month without any ticket."
    )


def test_a_long_run_names_every_second_year():
    months = [MonthCount(date(2000 + i // 12, i % 12 + 1, 1), 0, 1) for i in range(12 * 12)]
    assert [year for _, year in month_chart(months).years] == [2000, 2002, 2004, 2006, 2008, 2010]


def test_no_months_draw_nothing():
    chart = month_chart([])
    assert (chart.bars, chart.summary) == ((), "No ticket has a date.")
