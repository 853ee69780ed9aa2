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
"""Tools for local documents. Their passages have no web page to open."""

_AROUND_WORDS: Final = ".,;:!?\"'()[]“”‘’。，、；：！？（）《》"


class Call(TypedDict):
    """A tool call to make."""

    tool: str
    args: dict[str, JsonValue]


class TaskInput(TypedDict):
    """Input of a task: the task, and the outcomes of the tasks it depends on, by id."""

    task: Task
    inputs: dict[str, Outcome]


class TaskOutput(TypedDict, total=False):
    """Output of a task, as added to the run's state."""

    outcome: Outcome
    evidence: Annotated[dict[str, Evidence], merge_evidence]
    usage: Annotated[Usage, add_usage]

    repairs: Annotated[dict[str, Repair], merge_by_key]
    """Repairs made while the plan ran, by the id of the replaced task."""

    added: Annotated[dict[str, Outcome], merge_by_key]
    """Outcomes of the tasks added by repairs, by id."""


class TaskProgress(TaskOutput, total=False):
    """Channels of the task graph: progress of a task."""

    frame: QueryFrame
    """The task's question, parsed, with references replaced by values."""

    calls: list[Call]
    """The calls to make next, concurrently. Empty if the passages found are to be read."""

    call: Call
    """The first call of the last turn."""

    tried: list[Call]
    """The calls made, so that none is made twice."""

    opened: list[str]
    """Pages and documents opened, or tried to be, under one address each (`source_address`)."""

    passages: list[Evidence]
    """The passages found so far, latest turn first, each turn best first."""

    fresh: int
    """Number of new passages found in the last turn."""

    latest: int
    """Number of passages found in the last turn, repeated ones included."""

    turn: int
    """Number of turns so far. A turn may take several calls."""

    attempts: int
    """Number of calls made, including retries and substitutes, excluding cached results."""

    failed: dict[str, str]
    """Failure messages by tool or address. A failed tool or page is not used again."""

    seen: list[str]
    """Ids of the passages that a model has been shown."""

    kept: list[str]
    """Ids of the shown passages that the model wanted to see again."""

    missing: str
    """The missing information in the model's last reply."""

    found: list[PassageList]
    """The passage list of each call, with a hash of its content."""

    hops: list[Hop]
    """Intermediate values of a chain or comparison."""

    best: Outcome
    """Outcome that is not certain enough to stop at. It is used if no better outcome is found."""

    cached: bool
    """Whether all results of the last turn came from the cache."""

    notes: list[str]
    """Notes on the calls for the user, such as a search that ran without its embedding model."""

    seconds: float
    """Time spent on calls and reading, in seconds."""

    asks: bool
    """Whether a call of `calls` needs a person's permission."""

    complaint: str
    """Reason for asking the person again about the same call."""

    consents: dict[str, Call]
    """The calls allowed by a person, with edited arguments, by `ConsentQuestion.key`."""

    woken: bool
    """Whether the task's outcome has triggered reflection."""

    repair: Repair
    """The repair chosen by reflection, to be run next."""


class TaskState(TaskInput, TaskProgress, total=False):
    """Complete state of a task during execution."""


def call_identity(call: Call) -> str:
    """Return the key by which calls are compared: tool and arguments.

    Case, spacing and word order of a query do not count, nor does the form of an address.
    """
    args = {name: _normalize_argument(name, value) for name, value in call["args"].items()}
    return json.dumps([call["tool"], args], sort_keys=True, ensure_ascii=False)


def source_address(source: str) -> str:
    """Return the canonical address of a page or document, the same for all forms of the link."""
    return canonical_url(source)


def opened_address(call: Call) -> str:
    """Return the canonical address of the page or document that a call opens: "https://a.org/x" for "http://a.org/x#b".

    Empty if the call opens nothing.
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
    """Return the query of a call. Empty if the call does not search."""
    name = _query_name(call)
    return str(call["args"][name]) if name else ""


def with_query(call: Call, query: str) -> Call:
    """Return a copy of a call with a new query. A call without a query is returned unchanged."""
    name = _query_name(call)
    return {"tool": call["tool"], "args": {**call["args"], name: query}} if name else call


def _query_name(call: Call) -> str | None:
    return next((name for name, value in call["args"].items() if is_query(name) and isinstance(value, str)), None)


def _normalize_argument(name: str, value: JsonValue) -> JsonValue:
    if not isinstance(value, str):
        return value
    return query_key(value) if is_query(name) else canonical_url(value)


def query_key(query: str) -> str:
    """Return the key by which queries are compared: the sorted words, without case: "acme tower" for "Tower, Acme"."""
    return " ".join(sorted({word.strip(_AROUND_WORDS) for word in fold(query).split()} - {""}))
