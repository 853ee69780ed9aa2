"""Two questions in one, and several attributes of several things, as parts of one frame."""

import pytest

from weiwo.nodes.shared.planning.rule_plan import build_rule_plan
from weiwo.nodes.shared.question.parser import parse_question


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How deep is Lake Baikal, and how long is the Rhine?", [("Lake Baikal", "depth"), ("Rhine", "length")]),
        ("How long is the Nile? How deep is Lake Baikal?", [("Nile", "length"), ("Lake Baikal", "depth")]),
        ("When was Ada Lovelace born and when did she die?", [("Ada Lovelace", "birth"), ("Ada Lovelace", "death")]),
        ("When and where was Ada Lovelace born?", [("Ada Lovelace", "birth"), ("Ada Lovelace", "birth")]),
        ("What are the population and area of Malta?", [("Malta", "population"), ("Malta", "area")]),
        (
            "Compare the Rhine and the Elbe in length and number of bridges",
            [("Rhine", "length"), ("Elbe", "length"), ("Rhine", ""), ("Elbe", "")],
        ),
        ("黄河有多长，泰山有多高？", [("黄河", "length"), ("泰山", "height")]),
        ("阿达·洛芙莱斯生于哪一年，死于哪一年？", [("阿达·洛芙莱斯", "birth"), ("阿达·洛芙莱斯", "death")]),
        ("马耳他的人口和面积是多少？", [("马耳他", "population"), ("马耳他", "area")]),
    ],
)
def test_each_part_is_asked(question: str, parts: list[tuple[str, str]]) -> None:
    frame = parse_question(question, "zh" if question > "\u3000" else "en")
    assert frame.shape == "several"
    assert [(part.subject, part.relation) for part in frame.parts] == parts
    assert len(build_rule_plan(frame, {"corpus_search"}, max_tasks=12).tasks) == len(parts)


def test_a_second_comparison_is_of_the_things_of_the_first() -> None:
    frame = parse_question("Which is longer, the Rhine or the Elbe, and which is deeper?", "en")
    assert [(part.shape, part.relation, part.subjects) for part in frame.parts] == [
        ("comparison", "length", ("Rhine", "Elbe")),
        ("comparison", "depth", ("Rhine", "Elbe")),
    ]


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote Pride and Prejudice?",
        "When was Trinidad and Tobago founded?",
        "What is the history of salt and pepper?",
        "Is the Nile longer than the Amazon, and by how much?",
        "Which is longer, the Rhine or the Elbe?",
        "Explain how tides work and why they differ",
        "什么是大学和学院的区别？",
    ],
)
def test_one_question_stays_one(question: str) -> None:
    frame = parse_question(question, "zh" if question > "\u3000" else "en")
    assert frame.shape != "several" or not frame.parts
