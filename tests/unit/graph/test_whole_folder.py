"""A folder that one prompt holds is read whole: no plan, no search, no reader; what is larger or computed is planned."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.fake_model import FakeModel, assessed, fake
from tests.support.schema import check_result
from weiwo.graph import build_graph
from weiwo.state.settings import Context

pytestmark = pytest.mark.processes

TOWNS = {"Ostby": ("1203", "Tarn"), "Velden": ("1345", "Isk"), "Morna": ("1410", "Lode")}
TABLE = "Make a table of Ostby, Velden and Morna: year of foundation and river."
DRAFT = "MISSING: none\nThe towns:\n\n| Town | Founded | River |\n| --- | --- | --- |\n" + "".join(
    f"| {town} | {year} [{n}] | {river} [{n}] |\n" for n, (town, (year, river)) in enumerate(sorted(TOWNS.items()), 1)
)


def write(folder: Path, more: str = "") -> Path:
    for town, (year, river) in TOWNS.items():
        (folder / f"{town}.md").write_text(f"# {town}\n\n{town} was founded in {year}. It lies on the {river}.\n{more}")
    return folder


async def ask(
    folder: Path, question: str = TABLE, draft: str = DRAFT, **context: Any
) -> tuple[dict[str, Any], FakeModel]:
    model = fake(AssessmentReply={**assessed(question, steps=1.0), "form": "table"}, draft=draft)
    asked = Context(corpus=[str(folder)], web=False, telemetry=False, **context)
    result = (await build_graph(models=model).ainvoke({"question": question}, context=asked))["result"]
    check_result(result)
    return result, model


async def test_a_small_folder_goes_whole_into_one_draft(tmp_path: Path) -> None:
    result, model = await ask(write(tmp_path))
    assert [request.schema for request in model.requests] == ["AssessmentReply", "draft", "EntailmentReply"]
    assert result["status"] == "complete"
    assert len(result["claims"]) == 6
    assert "vertices" not in model.asked("AssessmentReply")[0].text
    drafted = model.asked("draft")[0].text
    assert all(f"was founded in {year}" in drafted for year, _ in TOWNS.values())


async def test_cells_without_marks_get_the_passage_that_carries_them(tmp_path: Path) -> None:
    unmarked = re.sub(r" \[\d\]", "", DRAFT).replace("1345", "1346")
    result, _ = await ask(write(tmp_path), draft=unmarked)
    assert [claim["text"] for claim in result["claims"] if claim["verdict"] == "unsupported"] == ["1346"]
    assert all(claim["citations"] for claim in result["claims"])
    assert "1346 (unverified)" in result["answer"]


@pytest.mark.parametrize(
    ("question", "more", "context"),
    [
        ("Who is older, Ostby or Velden, and by how many years?", "", {}),
        (TABLE, "", {"depth": "deep"}),
        (
            TABLE,
            "\n\n".join(f"Paragraph {n} tells of nothing but the weather and the wind.\n" * 40 for n in range(40)),
            {},
        ),
    ],
)
async def test_what_is_computed_deep_or_too_long_is_planned(
    tmp_path: Path, question: str, more: str, context: dict[str, Any]
) -> None:
    _, model = await ask(write(tmp_path, more), question, **context)
    asked = [request.schema for request in model.requests]
    assert asked[:3] != ["AssessmentReply", "draft", "EntailmentReply"]
    assert "vertices" in model.asked("AssessmentReply")[0].text or "PlanReply" in asked


@pytest.mark.parametrize(("words", "said"), [(200, True), (25, False)])
async def test_a_length_that_is_not_the_one_asked_for_is_said(tmp_path: Path, words: int, *, said: bool) -> None:
    result, _ = await ask(write(tmp_path), words=words)
    assert (f"of the {words} words requested" in result["answer"]) is said
