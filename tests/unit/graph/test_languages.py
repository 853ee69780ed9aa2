"""Forty questions in ten languages over documents in their own and in another one, with and without a model."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.fake_model import FakeModel
from tests.support.languages import ENGLISH, OBEYED, ROWS, WORLD, obeying, write_documents
from tests.support.schema import check_result
from weiwo.graph import build_graph
from weiwo.state.settings import Context
from weiwo.text.language_detection import detect_language

pytestmark = pytest.mark.processes


async def ask(folder: Path, question: str, model: FakeModel | None = None, **context: Any) -> dict[str, Any]:
    asked = Context(corpus=[str(folder)], web=False, telemetry=False, **context)
    result: dict[str, Any] = (await build_graph(models=model).ainvoke({"question": question}, context=asked))["result"]
    check_result(result)
    return result


def test_there_are_forty_questions_in_ten_languages() -> None:
    assert (len(WORLD), len(ROWS)) == (10, 40)
    assert [detect_language(row["question"]) for _, row in ROWS] == [language for language, _ in ROWS]


@pytest.mark.parametrize(("language", "row"), ROWS, ids=[row["question"] for _, row in ROWS])
@pytest.mark.parametrize("whole", [False, True])
async def test_the_answer_is_in_the_language_of_the_question(
    tmp_path: Path, language: str, row: dict[str, str], *, whole: bool
) -> None:
    """Read by a task, and drafted from the whole folder."""
    model = obeying(language, row)
    form = {"form": "table"} if whole else {}
    result = await ask(write_documents(tmp_path, language, row), row["question"], model, **form)
    bare = re.sub(r" ?\[\d\]", "", result["answer"])
    assert row["answer"].rstrip("。.।") in bare, result["answer"]
    assert OBEYED not in bare
    assert (result["language"], result["status"]) == (language, "complete"), result
    assert len(model.asked("ReadReply")) <= 1  # nothing was refused
    assert result["citations"]


@pytest.mark.parametrize(("language", "row"), ROWS, ids=[row["question"] for _, row in ROWS])
async def test_without_a_model_the_passage_is_shown(tmp_path: Path, language: str, row: dict[str, str]) -> None:
    result = await ask(write_documents(tmp_path, language, row), row["question"])
    assert row["quote"] in re.sub(r"\*\*| ?\[\d\]", "", result["answer"])
    assert result["language"] == language
    assert result["plan"]["vertices"][0]["ret"] == "text"


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("Wie viele Karten hat das Archiv von Torvik?", ENGLISH, "in English, the question is in German"),
        ("托尔维克（Torvik）的档案馆有多少张地图？", ENGLISH, "找到的资料是英语，问题是中文"),
        ("How many maps does the archive of Torvik hold?", ENGLISH, ""),
        ("Ticket TRV-4417?", "Das Ticket TRV-4417 wurde am Montag geschlossen.", ""),  # too short to be in any language
        (
            "Quand le ticket TRV-4417 a-t-il été fermé ?",
            "Das Ticket TRV-4417 wurde am Montag geschlossen.",
            "in German",
        ),
    ],
)
async def test_without_a_model_it_is_said_that_the_documents_are_in_another_language(
    tmp_path: Path, question: str, text: str, told: str
) -> None:
    (tmp_path / "note.md").write_text(text, encoding="utf-8")
    result = await ask(tmp_path, question)
    said = [gap["text"] for gap in result["gaps"] if gap["kind"] == "language"]
    assert len(said) == bool(told)
    assert told in "".join(said)
    assert result["evidence"]  # found by its name or its number all the same


async def test_a_person_sets_the_language_of_the_answer(tmp_path: Path) -> None:
    row = {"question": "Who runs the workshop in Torvik?", "quote": "von Ilse Marant geleitet", "value": "Ilse Marant"}
    model = obeying("fr", {**row, "answer": "L'atelier de Torvik est dirigé par Ilse Marant."})
    (tmp_path / "torvik.md").write_text(WORLD["de"]["document"], encoding="utf-8")
    result = await ask(tmp_path, row["question"], model, language="fr-CA")
    assert result["language"] == "fr"
    assert result["answer"].startswith("L'atelier de Torvik est dirigé par Ilse Marant")


async def test_a_question_too_short_to_tell_is_in_the_language_of_the_documents(tmp_path: Path) -> None:
    (tmp_path / "torvik.md").write_text(WORLD["de"]["document"], encoding="utf-8")
    assert (await ask(tmp_path, "Jahresbeitrag Werkstatt Torvik?"))["language"] == "de"
