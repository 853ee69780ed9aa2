"""State of a conversation thread, as checkpointed by LangGraph."""

from typing import Annotated, Any, Literal, TypeVar

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from weiwo.state.answer import Reflection
from weiwo.state.assessment import Assessment, TeamConfig
from weiwo.state.channels import ValidatedValue, reduce_by
from weiwo.state.evidence import Evidence, Outcome
from weiwo.state.ledger import Ledger
from weiwo.state.limits import Usage
from weiwo.state.plan import Plan
from weiwo.state.result import ResultSchema
from weiwo.state.result_json import ResultJson

K = TypeVar("K")
V = TypeVar("V")

DOCUMENTED = ConfigDict(use_attribute_docstrings=True)
"""Field docstrings go into the JSON schemas that Studio and servers show."""


def merge_by_key(old: dict[K, V], new: dict[K, V]) -> dict[K, V]:
    """Merge values by key. A newer value replaces the older value of the same key.

    An example is outcomes by task id.
    """
    return {**old, **new}


def merge_evidence(old: dict[str, Evidence], new: dict[str, Evidence]) -> dict[str, Evidence]:
    """Merge passages by id. A passage found again keeps the tasks, URLs and flags of both finds."""
    merged = dict(old)
    for key, passage in new.items():
        merged[key] = merged[key].merge_passage(passage) if key in merged else passage
    return merged


def append(old: tuple[Reflection, ...], new: tuple[Reflection, ...]) -> tuple[Reflection, ...]:
    """Append new reflections to the earlier ones, in order.

    The result is rebuilt as a tuple, because checkpoints hand tuples back as lists.
    """
    return (*old, *new)


def add_usage(old: Usage, new: Usage) -> Usage:
    """Return the sum of two usages."""
    return old + new


Approved = int | Literal["nothing"]
"""The revision of the plan that a person approved last, or "nothing" before the first approval."""

Judged = Annotated[Assessment, ValidatedValue]
Planned = Annotated[Plan | None, ValidatedValue]
Outcomes = Annotated[dict[str, Outcome], reduce_by(dict[str, Outcome], merge_by_key)]
Passages = Annotated[dict[str, Evidence], reduce_by(dict[str, Evidence], merge_evidence)]


@with_config(DOCUMENTED)
class SearchInput(TypedDict, total=False):
    """Input of a run: either a question or a conversation."""

    question: str
    """The question, as the user put it."""

    messages: Annotated[list[AnyMessage], add_messages]
    """A conversation whose last human message is the question."""


class Sketch(TypedDict, total=False):
    """A plan in the interchange form. Vertices are tasks, and edges are pairs of task ids."""

    vertices: list[dict[str, Any]]
    edges: list[list[str]]


@with_config(DOCUMENTED)
class SearchOutput(TypedDict, total=False):
    """Output of a run."""

    result: Annotated[ResultJson, ResultSchema()]
    """The answer with everything behind it."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation, the answer appended."""

    assessment: Judged
    """The master's judgement of the question."""

    plan: Planned
    """The plan in force; None where the writer answers alone."""

    outcomes: Outcomes
    """The outcome of each task, by task id."""


@with_config(DOCUMENTED)
class SearchState(TypedDict, total=False):
    """Full state of a thread. All fields but `messages` and `asked` concern the latest question."""

    question: str
    """The question, as the user put it."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation."""

    asked: str
    """Id of the last human message taken as a question, so that a new `question` is told from an old message."""

    run: str
    """Id of the run of this question. It stays the same if another process resumes the run."""

    assessment: Judged
    """The master's judgement of the question."""

    wishes: list[str]
    """What the user said holds for all their questions, in their own words."""

    team: Annotated[TeamConfig, ValidatedValue]
    """The agents, tools and limits at work."""

    plan: Planned
    """The plan in force; None where the writer answers alone."""

    sketch: Sketch
    """The plan in its interchange form that a model gave with its judgement; the planner checks and empties it."""

    approved: Annotated[Approved | None, ValidatedValue]
    """The plan revision approved last, or "nothing" before the first approval. None: nobody is asked about plans."""

    feedback: str
    """The comment by which a person rejected the plan. The planner applies and empties it."""

    rejected: Annotated[int | None, ValidatedValue]
    """The plan revision rejected last. If the planner has no other plan, the next approval request says so."""

    revisions: Annotated[list[Plan], ValidatedValue]
    """Earlier revisions of the plan, oldest first."""

    outcomes: Outcomes
    """The outcome of each task, by task id."""

    evidence: Passages
    """Passages found, by id. Whole pages are not kept here: every checkpoint rewrites what changed."""

    reflections: Annotated[list[Reflection], reduce_by(list[Reflection], append)]
    """Decisions of reflection, in order."""

    ledger: Annotated[Ledger | None, ValidatedValue]
    """The parts of the question, each with its outcome; None until the plan has run, and in threads of version 0.1."""

    usage: Annotated[Usage, reduce_by(Usage, add_usage)]
    """Calls, tokens, cost and time used for the answer so far."""

    result: Annotated[ResultJson, ResultSchema()]
    """The answer with everything behind it, as JSON values."""
