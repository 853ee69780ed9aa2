"""Forty questions in ten languages over documents in their own and in another one, and a model that obeys."""

import re
import tomllib
from pathlib import Path
from typing import Any, Final

from tests.support.fake_model import FakeModel, Request, assessed, fake, found
from weiwo.text.language_detection import language_name

WORLD: Final[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[1] / "data" / "languages" / "questions.toml").read_text("utf-8")
)
"""The document and the questions of each language."""
ENGLISH: Final = str(WORLD.pop("english"))
ROWS: Final = [(language, dict(row)) for language, part in WORLD.items() for row in part["questions"]]
OBEYED: Final = "I write in English, as I was told."


def write_documents(folder: Path, language: str, row: dict[str, str]) -> Path:
    """Write the document that a question is about, and another one."""
    text = WORLD[language]["document"] if row["quote"] in WORLD[language]["document"] else ENGLISH
    (folder / "torvik.md").write_text(text, encoding="utf-8")
    (folder / "ferry.md").write_text("The ferry leaves at noon from the pier.", encoding="utf-8")
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
