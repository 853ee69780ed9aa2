"""Channels of the task graph: the state of a task during execution."""

import json
from typing import Annotated, Final

# Before Python 3.12, pydantic rejects `typing.TypedDict`.
from typing_extensions import TypedDict

from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Evidence, Hop, JsonValue, Outcome, PassageList, Repair, Task, Usage
from weiwo.state.query import QueryFrame
from weiwo.state.search import add_usage, merge_by_key, merge_evidence
from weiwo.text.language import fold
from weiwo.tools.calling.substitutes import is_address, is_query
from weiwo.tools.web.fetching.urls import canonical_url

OF_CORPUS: Final = frozenset({"corpus_search", "open_document"})
"""The tools over documents at hand: what they find has no page on the web to open."""

_AROUND_WORDS: Final = ".,;:!?\"'()[]“”‘’。，、；：！？（）《》"


class Call(TypedDict):
    """A tool call to make."""

    tool: str
    args: dict[str, JsonValue]


class TaskInput(TypedDict):
    """Input of a task."""

    task: Task
    inputs: dict[str, Outcome]


class TaskOutput(TypedDict, total=False):
    """Output of a task."""

    outcome: Outcome
    evidence: Annotated[dict[str, Evidence], merge_evidence]
    usage: Annotated[Usage, add_usage]

    repairs: Annotated[dict[str, Repair], merge_by_key]
    """What took its place while the plan ran, by the task replaced."""

    added: Annotated[dict[str, Outcome], merge_by_key]
    """What those tasks came to."""


class TaskProgress(TaskOutput, total=False):
    """Channels of the task graph: progress of a task."""

    frame: QueryFrame
    """What the task asks, parsed, its references filled."""

    calls: list[Call]
    """The calls to make next, at the same time; none where what was found is to be read."""

    call: Call
    """The call made last, the first of its turn."""

    tried: list[Call]
    """The calls made, so that none is made twice."""

    opened: list[str]
    """Pages and documents opened, or tried to be, under one address each (`source_address`)."""

    passages: list[Evidence]
    """What was found so far, best first."""

    fresh: int
    """Passages that the last turn brought and none before."""

    latest: int
    """Passages that the last turn found, known ones among them."""

    turn: int
    """Searches and openings so far, however many calls each took."""

    attempts: int
    """Calls really made: further ones and those of substitutes counted, kept results not."""

    failed: dict[str, str]
    """What failed the task, and how: tools, which are left alone from then on, and pages, by their addresses."""

    seen: list[str]
    """Ids of the passages that a model has been shown."""

    kept: list[str]
    """Ids of those among them that it wanted to see again."""

    missing: str
    """What it said was missing, the last time."""

    found: list[PassageList]
    """What each call found, by content."""

    hops: list[Hop]
    """What it found on the way, of a chain of look-ups."""

    best: Outcome
    """What was read and found too weak to stop at; it stands if nothing better is found."""

    cached: bool
    """Whether the results of the last turn were kept from earlier calls."""

    notes: list[str]
    """What a user should know of the calls, such as a search that went without its embedding model."""

    seconds: float
    """Time spent working."""

    asks: bool
    """Whether a person is to be asked about one of the calls to make next."""

    complaint: str
    """Why they are asked again about a call that they have answered."""

    consents: dict[str, Call]
    """The calls that a person allowed, as they allowed them, by `ConsentQuestion.key`."""

    woken: bool
    """Whether its outcome has woken reflection."""

    repair: Repair
    """What reflection decided on, to be run."""


class TaskState(TaskInput, TaskProgress, total=False):
    """Complete state of a task during execution."""


def call_identity(call: Call) -> str:
    """Return the key of a call: tool and arguments.

    Case, spacing and word order of a query do not count.
    """
    args = {
        name: (query_key(value) if is_query(name) else canonical_url(value)) if isinstance(value, str) else value
        for name, value in call["args"].items()
    }
    return json.dumps([call["tool"], args], sort_keys=True, ensure_ascii=False)


def source_address(source: str) -> str:
    """Return the canonical address of a source, regardless of the form of the link."""
    return canonical_url(source)


def opened_address(call: Call) -> str:
    """Return the canonical address of the page or document opened by a call.

    Returns an empty string if the call opens nothing.
    """
    named = (value for name, value in call["args"].items() if is_address(name) and isinstance(value, str))
    return source_address(next(named, ""))


def is_opening_call(call: Call, services: RunContext) -> bool:
    """Report whether a call opens a page or document, rather than searching or calculating."""
    try:
        return services.registry.info(call["tool"]).cluster == "open"
    except KeyError:
        # A resumed run may have another set of tools.
        return False


def call_query(call: Call) -> str:
    """Return the query of a call, or an empty string if the call does not search."""
    name = _query_name(call)
    return str(call["args"][name]) if name else ""


def with_query(call: Call, query: str) -> Call:
    """Return a copy of a call with a new query.

    A call without a query is returned unchanged.
    """
    name = _query_name(call)
    return {"tool": call["tool"], "args": {**call["args"], name: query}} if name else call


def _query_name(call: Call) -> str | None:
    return next((name for name, value in call["args"].items() if is_query(name) and isinstance(value, str)), None)


def query_key(query: str) -> str:
    """Return the key of a query: the words, ignoring case, spacing and order."""
    return " ".join(sorted({word.strip(_AROUND_WORDS) for word in fold(query).split()} - {""}))
