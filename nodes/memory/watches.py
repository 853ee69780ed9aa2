"""Standing questions: asked anew at intervals; each run tells only which values changed, from what, and by whose word.

However many runs were missed, one makes up for them. A value that could not be looked up is no change: what was known
stays, and the trouble is told.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple

from pydantic import Field

from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.state.errors import WeiwoError
from weiwo.state.values import Language, Value
from weiwo.text.language import detect_language
from weiwo.text.patterns import lazy
from weiwo.text.values import render

MOST_VALUES: Final = 50
LONGEST_VALUE: Final = 600
CLAIM_SECONDS: Final = 900.0
"""How long a run that does not come back keeps others from making it."""
WHOLE: Final = ""
"""What the answer as a whole is kept under, where no task has a value."""
SHORTEST: Final = 60.0
_SECONDS: Final = {
    **dict.fromkeys(("m", "分钟"), 60.0),
    **dict.fromkeys(("h", "小时"), 3_600.0),
    **dict.fromkeys(("d", "天"), 86_400.0),
    **dict.fromkeys(("w", "周"), 604_800.0),
}
_INTERVAL: Final = lazy(r"(\d{1,5}) ?(m|h|d|w|分钟|小时|天|周)", re.IGNORECASE)


class WatchError(WeiwoError, ValueError):
    """A standing question cannot be kept. One line: why, what to do."""


class KnownValue(Value):
    """A value as the last run found it.

    Attributes:
        value: The value, for people.
        sources: Where it is from.
    """

    value: str
    sources: tuple[str, ...] = ()


class Watch(Value):
    """A standing question.

    Attributes:
        question: The question.
        every: Seconds between its runs.
        options: The options it is asked with, as JSON.
        last: When it was asked last, in seconds since 1970; 0 before the first time.
        claimed: Until when a run that has begun keeps others from beginning; 0 where none has.
        thread_id: The thread of its last run.
        values: What is known, by what was asked.
    """

    question: str
    every: float = Field(gt=0)
    options: str = "{}"
    last: float = 0.0
    claimed: float = 0.0
    thread_id: str = ""
    values: dict[str, KnownValue] = Field(default_factory=dict)

    @property
    def key(self) -> str:
        """Its identity: the question."""
        return hashlib.sha256(self.question.encode()).hexdigest()[:8]

    def is_due(self, now: float) -> bool:
        """Whether it is to be asked; however many runs were missed, once."""
        return now >= self.last + self.every and now >= self.claimed


class Change(NamedTuple):
    """A value that changed.

    Attributes:
        asked: What was asked.
        old: What was known; empty before the first time.
        new: What is known now; empty where it is found no more.
        sources: Where the new value is from, or the old one was.
    """

    asked: str
    old: str
    new: str
    sources: tuple[str, ...]


class WatchRun(NamedTuple):
    """What a run of a standing question came to.

    Attributes:
        watch: The standing question, as it is kept now.
        changes: What changed.
        problem: Why it could not be asked; empty where it could.
    """

    watch: Watch
    changes: tuple[Change, ...] = ()
    problem: str = ""


def parse_interval(text: str) -> float:
    """Seconds of an interval such as 30m, 6h, 1d, 2w, 1天.

    Raises:
        WatchError: It is none, or shorter than a minute.
    """
    found = _INTERVAL.fullmatch(text.strip())
    seconds = float(found[1]) * _SECONDS[found[2].lower()] if found else 0.0
    if seconds < SHORTEST:
        raise WatchError(f"--every {text[:40]!r}; it is no interval; write, say, 30m, 6h, 1d or 2w")
    return seconds


async def add_watch(memory: MemoryStore, watch: Watch) -> Watch:
    """Keep a standing question; one that is kept already gets the new interval and options, and keeps its values.

    Raises:
        WatchError: The store does not take it.
    """
    known = await memory.read("watches", watch.key, Watch)
    if known is not None:
        watch = known.model_copy(update={"every": watch.every, "options": watch.options})
    await _put(memory, watch)
    return watch


async def list_watches(memory: MemoryStore) -> tuple[Watch, ...]:
    """All standing questions, those that changed last first."""
    return await memory.read_all("watches", Watch)


async def run_due(
    memory: MemoryStore, ask: Callable[[Watch], Awaitable[Mapping[str, Any]]], now: float, *, everything: bool = False
) -> list[WatchRun]:
    """Ask the standing questions that are due, one after the other.

    Args:
        memory: Whose questions.
        ask: Asks one and returns its result; a `WeiwoError` is told as a problem.
        now: Seconds since 1970.
        everything: Ask those that are not due, too.
    """
    runs = []
    for watch in reversed(await list_watches(memory)):
        if not everything and not watch.is_due(now):
            continue
        await _put(memory, watch.model_copy(update={"claimed": now + CLAIM_SECONDS}))
        try:
            result = await ask(watch)
        except WeiwoError as error:
            asked = watch.model_copy(update={"last": now, "claimed": 0.0})
            runs.append(WatchRun(asked, problem=str(error)))
        else:
            values, changes, problem = compare_result(watch, result)
            update = {"last": now, "claimed": 0.0, "values": values, "thread_id": str(result.get("thread_id") or "")}
            asked = watch.model_copy(update=update)
            runs.append(WatchRun(asked, changes, problem))
        await _put(memory, asked)
    return runs


def compare_result(watch: Watch, result: Mapping[str, Any]) -> tuple[dict[str, KnownValue], tuple[Change, ...], str]:
    """What is known after a result, what of it changed, and what could not be looked up."""
    found, lost, trouble = read_values(result)
    if not found and watch.values.keys() <= {WHOLE}:
        found, lost = _whole_answer(result), set()
    values, changes = dict(watch.values), []
    if WHOLE not in found and found:
        values.pop(WHOLE, None)
    for asked, new in found.items():
        old = values.get(asked)
        if old is None or old.value != new.value:
            changes.append(Change(asked or watch.question, old.value if old else "", new.value, new.sources))
        values[asked] = new
    for asked in lost & values.keys():
        gone = values.pop(asked)
        changes.append(Change(asked, gone.value, "", gone.sources))
    kept = dict(list(values.items())[-MOST_VALUES:])
    return kept, tuple(changes), trouble


def read_values(result: Mapping[str, Any]) -> tuple[dict[str, KnownValue], set[str], str]:
    """The values of a result by what was asked, what was searched for and not found, and what went wrong."""
    language: Language = "zh" if result.get("language") == "zh" else "en"
    evidence = {one["id"]: str(one.get("source") or "") for one in result.get("evidence") or ()}
    found: dict[str, KnownValue] = {}
    lost: set[str] = set()
    trouble = ""
    outcomes = result.get("outcomes") or {}
    for vertex in (result.get("plan") or {}).get("vertices") or ():
        asked, outcome = str(vertex["description"]), outcomes.get(vertex["id"])
        if outcome is None:
            continue
        if outcome["status"] == "succeeded":
            try:
                shown = render(outcome["value"], outcome["type"], language)
            except ValueError:
                shown = str(outcome["value"])
            sources = dict.fromkeys(evidence[key] for key in outcome["evidence_ids"] if key in evidence)
            found[asked] = KnownValue(value=shown[:LONGEST_VALUE], sources=tuple(sources)[:3])
        elif outcome["status"] == "empty":
            lost.add(asked)
        else:
            trouble = trouble or str((outcome.get("failure") or {}).get("message") or outcome["status"])
    return found, lost, trouble


def _whole_answer(result: Mapping[str, Any]) -> dict[str, KnownValue]:
    """The answer as one value, of a question whose tasks gave none: extracts without a model, say."""
    shown = result.get("extracts") or ()
    texts = [
        extract["text"][start:end] for extract in shown for start, end in extract.get("highlights") or ((0, None),)
    ]
    text = " ".join(" … ".join(texts or [str(result.get("answer") or "")]).split())
    if result.get("status") not in {"complete", "extracts"} or not text:
        return {}
    sources = dict.fromkeys(str(one.get("source") or "") for one in result.get("citations") or ())
    return {WHOLE: KnownValue(value=text[:LONGEST_VALUE], sources=tuple(sources)[:3])}


def describe_change(change: Change) -> str:
    """A change in one line for people, in the language of its question."""
    chinese = detect_language(change.asked) == "zh"
    old = change.old or ("（首次）" if chinese else "(first time)")
    new = change.new or ("（不再找到）" if chinese else "(no longer found)")
    where = ("、" if chinese else ", ").join(change.sources)
    return f"{change.asked} {old} → {new}" + (f" [{where}]" if where else "")


async def _put(memory: MemoryStore, watch: Watch) -> None:
    if not await memory.put("watches", watch.key, watch.model_dump(mode="json")):
        raise WatchError("the store cannot be written; see weiwo doctor")
