"""Question sets are read in each of their shapes, and what answers a question is told."""

import json
from pathlib import Path
from typing import Any

import pytest

from weiwo.app.evaluation.question_set import Question, read_question_set
from weiwo.tools.corpus.evaluation.dataset import DatasetError


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def question(*answers: str, text: str = "Which river?", **more: Any) -> Question:
    return Question("1", text, (answers,), **more)


def test_a_file_of_json_lines(tmp_path):
    rows = [
        {"question": "Who wrote it?", "answer": "Ann Lee", "answer_aliases": ["A. Lee"], "hops": 2},
        {"_id": "b", "text": "谁写的?", "answers": ["李安"]},
        {"_id": "c", "text": "Name them.", "type": "list", "answers": ["one", "two"]},
        {"_id": "d", "text": "Name them.", "answers": [["one", "1"], ["two"]]},
        {"_id": "e", "text": "What was his shoe size?", "answerable": False},
    ]
    found = read_question_set(write(tmp_path / "set.jsonl", rows))
    assert found.name == "set"
    assert [one.id for one in found.questions] == ["1", "b", "c", "d", "e"]
    assert found.questions[0].answers == (("Ann Lee", "A. Lee"),)
    assert found.questions[0].hops == 2
    assert found.questions[1].language == "zh"
    assert found.questions[2].answers == (("one",), ("two",))
    assert found.questions[3].answers == (("one", "1"), ("two",))
    assert not found.questions[4].answerable


def test_a_folder_of_documents(tmp_path):
    (tmp_path / "wiki" / "documents").mkdir(parents=True)
    write(tmp_path / "wiki" / "questions.jsonl", [{"text": "Who?", "answers": ["Ann"]}])
    found = read_question_set(tmp_path / "wiki")
    assert (found.name, found.documents) == ("wiki", tmp_path / "wiki" / "documents")


def test_a_beir_folder_tells_what_is_relevant(tmp_path):
    write(tmp_path / "corpus.jsonl", [{"_id": "a", "text": "Ann."}])
    write(tmp_path / "queries.jsonl", [{"_id": "q", "text": "Who?", "answers": ["Ann"], "type": "3hop1"}])
    (tmp_path / "qrels.tsv").write_text("q\ta\t1\n", encoding="utf-8")
    (one,) = read_question_set(tmp_path).questions
    assert (one.relevant, one.hops) == ({"a"}, 3)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([{"text": "Who?"}], 'line 1 has no "answers"'),
        ([{"answers": ["x"]}], 'must be an object with "text"'),
        ([{"_id": "a", "text": "Who?", "answers": ["x"]}] * 2, "1 questions have a duplicate _id"),
        ([], "contains no question"),
    ],
)
def test_a_set_that_is_none_is_told_in_one_line(tmp_path, rows, complaint):
    with pytest.raises(DatasetError) as told:
        read_question_set(write(tmp_path / "set.jsonl", rows))
    assert complaint in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("golds", "statement", "right"),
    [
        (("the Danube",), "It is the  DANUBE.", True),
        (("12 July 100 BC",), "He was born on July 12, 100 BC.", True),
        (("1,500",), "There were 1500 of them.", True),
        (("35",), "There were 350 of them.", False),
        (("2500万人次",), "旅客吞吐量为2500万人次。", True),
        (("yes",), "Yes, both are.", True),
        (("yes",), "No.", False),
        (("是",), "不是。", False),
    ],
)
def test_what_answers(golds, statement, right):
    assert question(*golds).is_answered_by(statement) is right


@pytest.mark.parametrize("text", ["Which is longer, the Danube or the Rhine?", "Is Danube or Rhine longer?"])
def test_the_other_thing_first_is_no_answer(text):
    asked = question("Danube", text=text)
    assert asked.is_answered_by("The Danube is longer than the Rhine.")
    assert not asked.is_answered_by("The Rhine is longer than the Danube.")


def test_all_groups_are_needed():
    both = Question("1", "Name them.", (("one", "1"), ("two",)))
    assert both.is_answered_by("They are two and 1.")
    assert not both.is_answered_by("It is one.")


def test_f1_is_that_of_the_nearest_alias():
    asked = question("Ann Lee", "A. B. Lee of York")
    assert asked.score_f1("Ann Lee") == 1
    assert asked.score_f1("the Ann") == pytest.approx(2 / 3)
    assert asked.score_f1("nobody") == 0
    assert question("李安").score_f1("李安写的") == pytest.approx(2 * 2 / (2 + 4))
