"""The table of strategies: what follows from level, depth, models and the way one searcher could go."""

import json
from dataclasses import replace
from typing import Any, get_args

import pytest

from tests.support.run import services
from tests.support.states import state_of
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.strategy import LEVELS, TEAMS, choose_strategy, compares_few, recall_strategy
from weiwo.state import Assessment, Level
from weiwo.state.run_limits import Depth

EVERY = ("master", "planner", "executor", "reflection", "writer")


def chosen(level: Level, depth: Depth, way: Any = "", models: tuple[str, ...] = EVERY) -> tuple[str, str, str]:
    row = choose_strategy(level, depth, models.__contains__, way)
    return row.searcher, row.plan, LEVELS[row.plan]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (("simple", "deep"), ("nobody", "none", "simple")),
        (("moderate", "normal"), ("one", "one_task", "moderate")),
        (("moderate", "normal", "chain"), ("one", "one_task", "moderate")),
        (("moderate", "deep"), ("tasks", "graph", "complex")),
        (("moderate", "deep", "", ("executor",)), ("one", "one_task", "moderate")),
        (("complex", "quick", "chain"), ("chain", "one_task", "moderate")),
        (("complex", "normal", "comparison"), ("comparison", "one_task", "moderate")),
        (("complex", "deep", "chain"), ("tasks", "graph", "complex")),
        (("complex", "normal", "chain", ("planner",)), ("tasks", "graph", "complex")),
        (("complex", "normal"), ("tasks", "graph", "complex")),
    ],
)
def test_who_searches_by_what_plan(asked, expected):
    assert chosen(*asked) == expected


@pytest.mark.parametrize("depth", get_args(Depth))
@pytest.mark.parametrize("level", get_args(Level))
@pytest.mark.parametrize("way", ["", "chain", "comparison"])
def test_every_question_has_a_row_and_a_team(level, depth, way):
    for models in ((), EVERY, ("planner",), ("executor", "writer")):
        row = choose_strategy(level, depth, models.__contains__, way)
        assert LEVELS[row.plan] in TEAMS
        assert row.reader == ("model" if "executor" in models else "rule")
        assert row.check == ("reflection" in models)
        assert (row.answerer == "conversation") == (level == "simple")


def test_depth_decides_how_much_is_read_and_checked():
    quick, normal, deep = (choose_strategy("complex", depth, EVERY.__contains__) for depth in get_args(Depth))
    assert [one.judges for one in (quick, normal, deep)] == [False, True, True]
    assert [one.deepens for one in (quick, normal, deep)] == [False, False, True]
    assert [one.reads_together for one in (quick, normal, deep)] == [False, True, True]
    assert quick.passages == normal.passages < deep.passages


def assessment_of_old(question: str, features: dict[str, float]) -> Assessment:
    """An assessment as version 0.1 wrote it, read back."""
    kept = state_of(question, services(), level="moderate")["assessment"].model_dump(mode="json", exclude={"strategy"})
    return Assessment.model_validate(json.loads(json.dumps({**kept, "features": features})))


@pytest.mark.parametrize(
    ("question", "features", "searcher"),
    [
        ("When was Ostby founded?", {}, "one"),
        ("When was the author of De Bello Gallico born?", {"one_searcher": 1.0}, "chain"),
        ("Which was founded first, Ostby or Velden?", {"one_searcher": 1.0}, "comparison"),
    ],
)
def test_a_thread_of_an_earlier_version_has_the_strategy_of_its_level(question, features, searcher):
    old = assessment_of_old(question, features)
    assert old.strategy is None
    assert recall_strategy(old, "normal", EVERY.__contains__).searcher == searcher


def test_what_the_master_chose_stands_whatever_the_settings_are_later():
    row = choose_strategy("complex", "deep", EVERY.__contains__)
    assessment = state_of("?", services())["assessment"].model_copy(update={"strategy": row})
    assert recall_strategy(assessment, "quick", ().__contains__) is row
    assert replace(services(), assessed=row).strategy is row


@pytest.mark.parametrize(
    ("question", "at_hand", "on_web"),
    [
        ("Which was founded first, Aton or Bevis?", True, True),
        ("Which was founded first, Aton, Bevis or Corby?", True, False),
        ("Which was founded first, Aton, Bevis, Corby, Dorn, Elm, Farby or Gorm?", False, False),
        ("When was Aton founded?", False, False),
    ],
)
def test_few_things_that_are_compared(question, at_hand, on_web):
    frame = parse_question(question, "en")
    assert (compares_few(frame, at_hand=True), compares_few(frame, at_hand=False)) == (at_hand, on_web)
