"""Search strategy by level, depth, models and tool, in a single table.

The master looks its row up (`choose_strategy`) and writes it into the `Assessment`. Every node finds it as
`RunContext.strategy`. From it the executor reads which passages to show and who reads, the reflection whether to check
and to deepen, and the writer whether to judge and who words the answer. To change the treatment of a moderate question,
change a row.

The numbers of queries, turns and pages per depth are limits that a user may set (`state.run_limits.DEPTHS`).
"""

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

from weiwo.state.assessment import Answerer, Assessment, Level, Searcher, Strategy, TeamName
from weiwo.state.query import QueryFrame
from weiwo.state.run_limits import Depth

Way = Literal["", "chain", "comparison", "folder"]
"""Way in which a single task can answer a complex question without a plan. Empty if it cannot.

`chain`: look-ups in a row. `comparison`: a look-up of each compared thing. `folder`: reading all documents.
"""
ToolKind = Literal["corpus", "web", "other"]
_HasModel = Callable[[str], bool]
"""Predicate that reports whether the named agent has a model."""


LEVELS: Final[dict[str, Level]] = {"none": "simple", "one_task": "moderate", "graph": "complex"}
"""Level of a question by the plan of its strategy. It replaces the assessed level once the strategy is chosen."""


class _Row(NamedTuple):
    """Row of the strategy table: the questions it applies to, who searches, and the kind of plan.

    The first row that applies is used.
    """

    level: Level
    depths: tuple[Depth, ...]
    way: Way | None
    model: str
    searcher: Searcher
    plan: Literal["none", "one_task", "graph"]


_ANY: Final[tuple[Depth, ...]] = ("quick", "normal", "deep")
_SHALLOW: Final[tuple[Depth, ...]] = ("quick", "normal")
_SEARCHERS: Final = (
    #    level       depths    way           model of    who searches   plan
    _Row("simple", _ANY, None, "", "nobody", "none"),
    _Row("moderate", ("deep",), None, "planner", "tasks", "graph"),  # depth asks for more than one look-up
    _Row("moderate", _ANY, None, "", "one", "one_task"),
    _Row("complex", _SHALLOW, "chain", "executor", "chain", "one_task"),
    _Row("complex", _SHALLOW, "comparison", "executor", "comparison", "one_task"),
    _Row("complex", _SHALLOW, "folder", "writer", "folder", "one_task"),
    _Row("complex", _ANY, None, "", "tasks", "graph"),
)
"""Searcher and plan by level, depth, way and models. `way` None fits any way. `model` must have a model if named."""


class _Effort(NamedTuple):
    """Effort of reading and checking at a depth.

    Attributes:
        passages: Number of passages shown for one value in one turn of reading.
        reads_together: Whether tasks share a reading, and whether a reading covers the tasks that wait for it.
        deepens: Whether a search without failures goes on in further rounds.
        judges: Whether a model judges claims against their sources.
        answerer: The author of the answer, if there is a model. Otherwise the rules write it.
    """

    passages: int
    reads_together: bool
    deepens: bool
    judges: bool
    answerer: Answerer


FEW_PASSAGES: Final = 5
"""Number of best passages shown in a turn for a single value. Later turns show the others if needed."""
MANY_PASSAGES: Final = 8
"""Number of passages shown in a turn for a list, a summary or a comparison, and in a deep search for any value."""
_EFFORT: Final[dict[Depth, _Effort]] = {
    "quick": _Effort(FEW_PASSAGES, reads_together=False, deepens=False, judges=False, answerer="reader"),
    "normal": _Effort(FEW_PASSAGES, reads_together=True, deepens=False, judges=True, answerer="reader"),
    "deep": _Effort(MANY_PASSAGES, reads_together=True, deepens=True, judges=True, answerer="draft"),
}
"""Effort of reading, deepening and checking, by depth."""


class _SearchSteps(NamedTuple):
    """First searches of a task, by its kind of tool.

    Attributes:
        masters_queries: Whether the queries suggested by the master's model are sent, too.
        own_words: Whether the words of the task are searched for, too.
    """

    masters_queries: bool
    own_words: bool


SEARCH_STEPS: Final[dict[ToolKind, _SearchSteps]] = {
    "corpus": _SearchSteps(masters_queries=True, own_words=False),
    "web": _SearchSteps(masters_queries=True, own_words=True),
    "other": _SearchSteps(masters_queries=False, own_words=False),
}
"""Search steps by kind of tool: search of local documents, web search, and any other."""
PAGES_AT_ONCE: Final = 2
"""Web pages opened in one turn, of different sites if possible.

The second shows whether sources agree, and helps if the first cannot be read.
"""


class _Team(NamedTuple):
    """Team of agents for a level, with the usual number of model calls, as measured by `benchmarks/thrift.py`."""

    name: TeamName
    agents: tuple[str, ...]
    model_calls: int


TEAMS: Final[dict[Level, _Team]] = {
    "simple": _Team("writer_only", ("master", "writer"), 2),
    "moderate": _Team("executor_inclusive", ("master", "executor", "reflection", "writer"), 2),
    "complex": _Team("planner_enhanced", ("master", "planner", "executor", "reflection", "writer"), 5),
}
"""The three team configurations of the AI Search Paradigm (arXiv 2506.17188, section 3)."""

COMPARED: Final = "comparison"
"""Mechanism recorded for a comparison in which rules prove all values, so that code decides the winner."""
_MOST_COMPARED: Final = 6
"""Most compared things that a single task looks up in local documents. More things take a plan."""
_MOST_COMPARED_ON_WEB: Final = 2
"""Most compared things that a single task looks up on the web, where each needs separate pages."""


def choose_strategy(level: Level, depth: Depth, has_model: _HasModel, way: Way = "") -> Strategy:
    """Return the search strategy for a question.

    `reader` is "model" if the executor has a model, else "rule". `check` is true if the reflection has a model, which
    then checks before the end that all parts of the question are answered.

    Args:
        level: The level of the question.
        depth: The depth of the search.
        has_model: Reports whether the named agent has a model.
        way: The way in which a single task can answer it.
    """
    row = next(
        row
        for row in _SEARCHERS
        if row.level == level
        and depth in row.depths
        and row.way in {None, way}
        and (not row.model or has_model(row.model))
    )
    effort: dict[str, Any] = _EFFORT[depth]._asdict()
    if row.plan == "none":
        effort["answerer"] = "conversation"
    return Strategy(
        searcher=row.searcher,
        plan=row.plan,
        reader="model" if has_model("executor") else "rule",
        check=has_model("reflection"),
        depth=depth,
        **effort,
    )


def recall_strategy(assessment: Assessment, depth: Depth, has_model: _HasModel) -> Strategy:
    """Return the strategy stored with an assessment. In a thread of version 0.1, it is derived from the level."""
    if assessment.strategy is not None:
        return assessment.strategy
    if "one_searcher" not in assessment.features:
        return choose_strategy(assessment.level, depth, has_model)
    return choose_strategy("complex", depth, has_model, "chain" if assessment.frame.shape == "chain" else "comparison")


def takes_hops(strategy: Strategy) -> bool:
    """Report whether a single task makes several look-ups, for a chain or a comparison."""
    return strategy.searcher in {"chain", "comparison"}


def compares_few(frame: QueryFrame, *, at_hand: bool) -> bool:
    """Report whether a comparison has few enough things for a single task. False if it asks for a difference.

    Args:
        frame: The question.
        at_hand: Whether the things are looked up in local documents, where more are possible than on the web.
    """
    if frame.shape not in {"comparison", "same"} or frame.wants_difference:
        return False
    return 2 <= len(frame.subjects) <= (_MOST_COMPARED if at_hand else _MOST_COMPARED_ON_WEB)
