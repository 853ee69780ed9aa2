"""Forty questions in ten languages over documents in their own and in another one, with and without a model."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support.fake_model import FakeModel, Request, assessed, fake, found
from tests.support.schema import check_result
from weiwo.graph import build_graph
from weiwo.state.settings import Context
from weiwo.text.language_detection import detect_language, language_name

pytestmark = pytest.mark.processes

WORLD: dict[str, Any] = tomllib.loads(
    (Path(__file__).parents[2] / "data" / "languages" / "questions.toml").read_text("utf-8")
)
ENGLISH = WORLD.pop("english")
ROWS = [(language, dict(row)) for language, part in WORLD.items() for row in part["questions"]]
OBEYED = "I write in English, as I was told."


def write_documents(folder: Path, language: str, row: dict[str, str]) -> Path:
    text = WORLD[language]["document"] if row["quote"] in WORLD[language]["document"] else ENGLISH
    (folder / "torvik.md").write_text(text, encoding="utf-8")
    other = (
        "Der Fahrplan der Fähre hängt am Kai aus." if language == "en" else "The ferry leaves at noon from the pier."
    )
    (folder / "ferry.md").write_text(other, encoding="utf-8")
    return folder


def obeying(language: str, row: dict[str, str]) -> FakeModel:
    """A model that finds the quote, and writes in the language that it is told to."""

    def read(request: Request) -> dict[str, Any]:
        numbers = [
            n
            for n, text in re.findall(r'<passage n="(\d+)"[^>]*>\n(.*?)\n</passage>', request.text, re.DOTALL)
            if row["quote"] in text
        ]
        return found(row["value"], row["quote"], int(numbers[0]), sentence=row["answer"])

    def draft(request: Request) -> str:
        told = re.findall(r"Write in ([^\n]+?)\.(?:\n|$)", request.text)
        mark = re.findall(r'<passage n="(\d+)"', request.text)[0]
        return f"{row['answer']} [{mark}]" if told == [language_name(language)] else f"{OBEYED} [{mark}]"

    return fake(AssessmentReply=assessed(row["question"]), ReadReply=read, draft=draft)


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
