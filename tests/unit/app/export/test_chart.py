"""Charts: which tables call for one, what is drawn, and nothing of a number that no source carries."""

import io
from typing import Any
from xml.etree import ElementTree as ET

import docx
import pptx
import pytest

from tests.support.results import make_result
from weiwo.app.export import render
from weiwo.app.export.chart import Chart, Series, add_charts
from weiwo.app.export.chart_picture import _choose_ticks, draw_chart
from weiwo.app.export.document import parse_document
from weiwo.text.citation_marks import seal_marks

YEARS = (["Year", "Revenue (EUR)"], ["2021", "12"], ["2022", "14"], ["2023", "13"])
CITIES = (["城市", "人口"], ["北京", "2184万人"], ["上海", "2475万人"])
BENT = (["Year", "Revenue"], ["2010", "12"], ["2011", "14"], ["2020", "13"])
BACKWARDS = (["Month", "Orders"], ["2024-03", "3"], ["2024-02", "2"], ["2024-01", "1"])
MIXED = (["Year", "Mass (kg)", "Length (km)", "Height (km)"], *([str(2020 + n), "5", "6", "7"] for n in range(3)))


def write_table(rows: Any, doubtful: tuple[str, ...] = ()) -> tuple[str, list[dict[str, Any]]]:
    """Markdown of a table whose numbers are claims, and these."""
    head, *body = rows
    lines = [head, ["---"] * len(head), *([row[0], *(f"{cell} [1]" for cell in row[1:])] for row in body)]
    claims = [
        {"text": cell, "citations": [1], "verdict": "unsupported" if cell in doubtful else "matched"}
        for row in body
        for cell in row[1:]
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines), claims


def chart_of(rows: Any, question: str = "What was it?", doubtful: tuple[str, ...] = ()) -> Chart | None:
    table, claims = write_table(rows, doubtful)
    nodes = add_charts(parse_document(seal_marks({"answer": table}), claims, {1: ""}), claims, question)
    return next((node for node in nodes if isinstance(node, Chart)), None)


def test_numbers_over_time_are_a_line_and_in_order():
    assert chart_of(YEARS) == Chart(("2021", "2022", "2023"), (Series("Revenue (EUR)", (12.0, 14.0, 13.0)),), line=True)
    turned = chart_of(BACKWARDS)
    assert turned is not None
    assert (turned.labels, turned.line) == (("2024-01", "2024-02", "2024-03"), True)
    bent = chart_of(BENT)
    assert bent is not None
    assert not bent.line  # a line would bend time


def test_numbers_of_other_units_stand_in_no_chart_together_known_units_or_not():
    rows = (
        ["Test", "orjson", "json", "Ratio"],
        ["a", "0.95 毫秒", "38.32 毫秒", "40"],
        ["b", "105 毫秒", "1481 毫秒", "14"],
    )
    chart = chart_of(rows, "Draw a chart.")
    assert chart is not None
    assert [series.name for series in chart.series] == ["orjson", "json"]


def test_a_number_that_no_source_carries_is_not_drawn():
    chart = chart_of(YEARS, doubtful=("14",))
    assert chart is not None
    assert chart.series[0].values == (12.0, None, 13.0)
    assert chart_of(YEARS, doubtful=("12", "14")) is None
    table, _ = write_table(YEARS)
    assert [
        node.kind
        for node in add_charts(parse_document(seal_marks({"answer": table}), (), {1: ""}), (), "a chart, please")
    ] == ["table"]


@pytest.mark.parametrize("question", ["Draw a chart of the populations", "用柱状图比较人口", "画一张图"])
def test_other_tables_are_drawn_where_a_chart_is_asked_for(question: str):
    chart = chart_of(CITIES, question)
    assert chart is not None
    assert (chart.series[0].values, chart.line) == ((21_840_000.0, 24_750_000.0), False)
    assert chart_of(CITIES, "Which is larger?") is None


def test_one_chart_has_one_unit_and_no_sentences():
    chart = chart_of(MIXED, "chart")
    assert chart is not None
    assert [series.name for series in chart.series] == ["Mass (kg)"]
    told = (["Year", "What"], *([str(2020 + n), "it rose by 5 to more than was thought of before"] for n in range(3)))
    assert chart_of(told, "chart") is None


def test_a_picture_has_every_number_and_a_gap_where_there_is_none():
    drawn = ET.fromstring(  # noqa: S314 - our own
        draw_chart(Chart(("a", "b", "<c>", "d"), (Series("s & t", (1.0, None, -2.5, 3.0)),), line=True))
    )
    name = "{http://www.w3.org/2000/svg}"
    assert len(drawn.findall(f".//{name}g[@class='s0']/{name}circle")) == 3 + 1  # and the legend
    assert [one.get("points", "").count(",") for one in drawn.iter(f"{name}polyline")] == [2]
    assert {"s & t", "<c>", "1", "-2.5", "3"} <= {one.text for one in drawn.iter(f"{name}text")}
    bars = draw_chart(Chart(("a", "b"), (Series("s", (1.0, -2.0)),), line=False))
    assert bars.count("<rect") == 2


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 42, [0, 10, 20, 30, 40, 50]),
        (-2.5, 3, [-4, -2, 0, 2, 4]),
        (0, 0, [0, 0.2]),
        (0, 1e6, [0, 2e5, 4e5, 6e5, 8e5, 1e6]),
    ],
)
def test_ticks_are_round(low: float, high: float, ticks: list[float]):
    assert _choose_ticks(low, high) == pytest.approx(ticks)


def test_office_files_have_charts_of_their_own():
    table, claims = write_table(YEARS, doubtful=("14",))
    result = make_result(table, claims=claims)
    slides = pptx.Presentation(io.BytesIO(render(result, "pptx"))).slides
    (chart,) = [shape.chart for slide in slides for shape in slide.shapes if shape.has_chart]
    assert [list(series.values) for series in chart.plots[0].series] == [[12.0, None, 13.0]]
    document = docx.Document(io.BytesIO(render(result, "docx")))
    (part,) = [one.target_part for one in document.part.rels.values() if one.reltype.endswith("/chart")]
    assert b"<c:v>13.0</c:v>" in part.blob
    assert 'class="chart"' in render(result, "html").decode()
