"""Search strategy: what is done about a question, by its level, the depth, the models and the tool. One table.

The master looks its row up (`choose_strategy`) and writes it into the `Assessment`; every node finds it as
`RunContext.strategy`. The executor reads from it what to show and who reads, the reflection whether to check and to
deepen, the writer whether to judge and who words the answer. To change what a moderate question does, change a row.

How many queries, turns and pages a depth allows are limits that a user may set (`state.run_limits.DEPTHS`).
"""

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

from weiwo.state.assessment import Answerer, Assessment, Level, Searcher, Strategy, TeamName
from weiwo.state.query import QueryFrame
from weiwo.state.run_limits import Depth

Way = Literal["", "chain", "comparison", "folder"]
"""How one searcher could do what would else be planned: hop by hop, side by side, by reading all there is, or not."""
ToolKind = Literal["corpus", "web", "other"]
_HasModel = Callable[[str], bool]
"""Whether an agent has a model."""


LEVELS: Final[dict[str, Level]] = {"none": "simple", "one_task": "moderate", "graph": "complex"}
"""The level of a question by the plan that its strategy has; it is the one that counts once a strategy is chosen."""


class _Row(NamedTuple):
    """A row: where it holds (by the first that does), and what is done there."""

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
"""Who searches, and by what plan. `way` None: whatever the way; `model`: the agent that must have one."""


class _Effort(NamedTuple):
    """How much is read and checked.

    Attributes:
        passages: Passages that one turn of reading shows for one value.
        reads_together: Whether tasks share a reading, and a reading tells of the tasks that wait for it.
        deepens: Whether a search in which nothing failed goes on in rounds, and gives nothing up before.
        judges: Whether a model judges claims against their sources.
        answerer: Who words the answer; without a model the rules do.
    """

    passages: int
    reads_together: bool
    deepens: bool
    judges: bool
    answerer: Answerer


FEW_PASSAGES: Final = 5
"""Passages that a turn shows for one value, the best ones; the others come next, should they be needed."""
MANY_PASSAGES: Final = 8
"""The same for a list, a summary or a comparison, and in a deep search for any value."""
_EFFORT: Final[dict[Depth, _Effort]] = {
    "quick": _Effort(FEW_PASSAGES, reads_together=False, deepens=False, judges=False, answerer="reader"),
    "normal": _Effort(FEW_PASSAGES, reads_together=True, deepens=False, judges=True, answerer="reader"),
    "deep": _Effort(MANY_PASSAGES, reads_together=True, deepens=True, judges=True, answerer="draft"),
}
"""How much a depth reads, goes on and checks."""


class _SearchSteps(NamedTuple):
    """What a task does with its tool.

    Attributes:
        masters_queries: Whether its first turn also sends the queries that the master's model would search for.
        own_words: Whether it also searches in the words of the task.
    """

    masters_queries: bool
    own_words: bool


SEARCH_STEPS: Final[dict[ToolKind, _SearchSteps]] = {
    "corpus": _SearchSteps(masters_queries=True, own_words=False),
    "web": _SearchSteps(masters_queries=True, own_words=True),
    "other": _SearchSteps(masters_queries=False, own_words=False),
}
"""By kind of tool: one that searches documents at hand, one that searches the web, any other."""
PAGES_AT_ONCE: Final = 2
"""Pages of the web that are opened in one turn, of different sites where there are such: the second tells whether
sources agree, and serves where the first cannot be read."""


class _Team(NamedTuple):
    """Who works on a question, and the model calls it usually takes (`benchmarks/thrift.py`, a good model)."""

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
"""The mechanism of a comparison all of whose values rules prove, so that code knows who wins."""
_MOST_COMPARED: Final = 6
"""Things compared that one searcher looks up in documents at hand, several in a turn; for more there is a plan."""
_MOST_COMPARED_ON_WEB: Final = 2
"""The same of the web, where each thing takes pages of its own."""


def choose_strategy(level: Level, depth: Depth, has_model: _HasModel, way: Way = "") -> Strategy:
    """The row for a question of a level.

    `reader` is a model where the executor has one; `check`, whether a model sees if all parts of the question are
    answered before the search ends, follows from the reflection's.
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
    """The strategy of a question that was assessed; in a thread of version 0.1 the one that follows from its level."""
    if assessment.strategy is not None:
        return assessment.strategy
    if "one_searcher" not in assessment.features:
        return choose_strategy(assessment.level, depth, has_model)
    return choose_strategy("complex", depth, has_model, "chain" if assessment.frame.shape == "chain" else "comparison")


def takes_hops(strategy: Strategy) -> bool:
    """Whether one searcher takes several look-ups."""
    return strategy.searcher in {"chain", "comparison"}


def compares_few(frame: QueryFrame, *, at_hand: bool) -> bool:
    """Whether things are compared that are few enough to be read of in one context."""
    if frame.shape not in {"comparison", "same"} or frame.wants_difference:
        return False
    return 2 <= len(frame.subjects) <= (_MOST_COMPARED if at_hand else _MOST_COMPARED_ON_WEB)
