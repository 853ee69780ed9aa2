import json
from pathlib import Path

import pytest

from weiwo.text.data_files import read_data
from weiwo.text.language_detection import (
    detect_language,
    guess_language,
    is_in_language,
    known_languages,
    language_name,
    resolve_language,
)

DATA = Path(__file__).parents[2] / "data"
SHORT = [line.split("\t") for line in (DATA / "languages" / "short_questions.tsv").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("language", "question"), SHORT)
def test_short_questions(language: str, question: str) -> None:
    assert detect_language(question) == language


def test_questions_and_documents_in_english_and_chinese_are_taken_for_these() -> None:
    rows = [json.loads(line) for line in (DATA / "asserted" / "questions.jsonl").read_text("utf-8").splitlines()]
    wrong = {row["text"] for row in rows if detect_language(row["text"]) != row["language"]}
    documents = (DATA / "asserted" / "documents").rglob("*.md")
    wrong |= {path.name for path in documents if detect_language(path.read_text("utf-8")) not in path.parts}
    assert not wrong


@pytest.mark.parametrize(
    ("text", "likely", "language"),
    [
        ("Kündigungsfrist laut Mietvertrag?", (["de"],), "de"),
        ("Kündigungsfrist laut Mietvertrag?", (["fr"], ["de"]), "fr"),
        ("Port Ostrel?", ([], ["ru", "ja", "sv"]), "sv"),  # no Russian question is written in Latin letters
        ("Port Ostrel?", ([], []), "en"),
        ("INC-49217", ([], ["zh"]), "en"),
        ("Порт Острел?", ([], ["uk"]), "uk"),
        ("Порт Острел?", ([], []), "ru"),
        ("Who runs the port?", (["de"], ["de"]), "en"),  # the text itself tells
        ("港口几点开？", (["en"],), "zh"),
    ],
)
def test_a_question_too_short_to_tell_is_in_the_language_around_it(text, likely, language):
    assert resolve_language(text, *likely) == language


def test_a_guess_tells_what_it_rests_on():
    assert guess_language("Wer leitet den Hafen?").sure
    assert not guess_language("Hafen Ostrel").sure


@pytest.mark.parametrize(
    ("text", "language", "holds"),
    [
        ("Hafenmeister ist Edda Karst, sie wurde 2016 ernannt.", "de", True),
        ("Hafenmeister ist Edda Karst, sie wurde 2016 ernannt.", "en", False),
        ("Edda Karst", "de", True),
        ("Edda Karst", "ja", False),
        ("Det koster 40 kroner og er åpent.", "da", True),  # a sentence may not tell Danish from Norwegian
        ("El puerto abre a las ocho.", "pt", False),
    ],
)
def test_what_a_text_can_be_in(text, language, holds):
    assert is_in_language(text, language) is holds


def test_names_and_tables_agree():
    data = read_data("languages")
    assert language_name("de") == "German (Deutsch)"
    assert (language_name("en"), language_name("xx")) == ("English", "xx")
    assert {*data["words"], *data["asking"]} <= set(known_languages())
