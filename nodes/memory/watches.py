"""Standing questions: asked anew at intervals; each run tells only which values changed, from what, and by whose word.

However many runs were missed, one makes up for them. A value that could not be looked up is no change: what was known
stays, and the trouble is told. A run has a thread before it begins, so that one that was broken off is finished, not
made again, unless it is as old as the interval.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, Final, NamedTuple

from pydantic import ConfigDict, Field

from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.state.errors import WeiwoError
from weiwo.state.kinds import Language
from weiwo.state.values import Value
from weiwo.text.language import detect_language
from weiwo.text.patterns import lazy
from weiwo.text.values import render

MOST_VALUES: Final = 50
LONGEST_VALUE: Final = 600
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


class Watch(Value):
    """A standing question.

    Attributes:
        question: The question.
        every: Seconds between its runs.
        options: The options it is asked with, as JSON.
        last: When it was asked last, in seconds since 1970; 0 before the first time.
        running: The thread of a run that has begun and not ended; empty where none has.
        began: When that began, in seconds since 1970.
        thread_id: The thread of its last run.
        values: What is known, by what was asked.
        changes: What changed last.
        changed: When that was seen, in seconds since 1970; 0 where nothing ever was.
        problem: What the last run could not look up, and why; empty where there was nothing.
        paused: Whether it is not to be asked for now.
    """

    model_config = ConfigDict(extra="ignore")  # another version may have kept more

    question: str
    every: float = Field(gt=0)
    options: str = "{}"
    last: float = 0.0
    running: str = ""
    began: float = 0.0
    thread_id: str = ""
    values: dict[str, KnownValue] = Field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    changed: float = 0.0
    problem: str = ""
    paused: bool = False

    @property
    def key(self) -> str:
        """Its identity: the question."""
        return hashlib.sha256(self.question.encode()).hexdigest()[:8]

    def is_due(self, now: float) -> bool:
        """Whether it is to be asked; however many runs were missed, once."""
        return now >= self.last + self.every


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


def format_interval(seconds: float) -> str:
    """An interval as it is written."""
    units = (("w", 604_800.0), ("d", 86_400.0), ("h", 3_600.0), ("m", 60.0))
    return next(f"{seconds / unit:g}{name}" for name, unit in units if seconds % unit == 0 or unit == SHORTEST)


async def add_watch(memory: MemoryStore, watch: Watch) -> Watch:
    """Keep a standing question; one kept already gets the new interval and options, keeps its values and is not paused.

    Raises:
        WatchError: The store does not take it.
    """
    known = await memory.read("watches", watch.key, Watch)
    if known is not None:
        watch = known.model_copy(update={"every": watch.every, "options": watch.options, "paused": False})
    await _put(memory, watch)
    return watch


async def list_watches(memory: MemoryStore) -> tuple[Watch, ...]:
    """All standing questions, those that changed last first."""
    return await memory.read_all("watches", Watch)


async def pause_watch(memory: MemoryStore, key: str, *, paused: bool) -> Watch | None:
    """Ask a standing question no more for now, or again; what is kept of it, None where there is none of that key.

    Raises:
        WatchError: The store does not take it.
    """
    known = await memory.read("watches", key, Watch)
    if known is not None:
        known = known.model_copy(update={"paused": paused})
        await _put(memory, known)
    return known


Hold = Callable[[Watch], AbstractAsyncContextManager[bool]]
"""Keeps other processes from running a standing question; false where one of them does."""


def _hold_alone(_: Watch) -> AbstractAsyncContextManager[bool]:
    return nullcontext(enter_result=True)


async def run_due(
    memory: MemoryStore,
    ask: Callable[[Watch], Awaitable[Mapping[str, Any]]],
    now: float,
    *,
    everything: bool = False,
    hold: Hold = _hold_alone,
) -> list[WatchRun]:
    """Ask the standing questions that are due, one after the other.

    Args:
        memory: Whose questions.
        ask: Asks one on the thread that it names as `running`, or finishes that thread, and returns its result; a
            `WeiwoError` is told as a problem.
        now: Seconds since 1970.
        everything: Ask those that are not due, too.
        hold: Held from before it is known that one is due until its run is kept.
    """
    runs = []
    for listed in reversed(await list_watches(memory)):
        if listed.paused or not (everything or listed.is_due(now)):
            continue
        async with hold(listed) as held:
            watch = await memory.read("watches", listed.key, Watch) if held else None  # another may have run it
            if watch is not None and (watch.is_due(now) or (everything and watch.last == listed.last)):
                runs.append(await _run(memory, watch, ask, now))
    return runs


async def _run(
    memory: MemoryStore, watch: Watch, ask: Callable[[Watch], Awaitable[Mapping[str, Any]]], now: float
) -> WatchRun:
    """Ask one, and keep what it came to."""
    begun = watch
    if not watch.running or now - watch.began >= watch.every:  # what was found so long ago is no news
        begun = watch.model_copy(update={"running": f"watch-{watch.key}-{now * 1000:.0f}", "began": now})
    await _put(memory, begun)
    ended: dict[str, Any] = {"last": now, "running": "", "thread_id": begun.running}
    changes: tuple[Change, ...] = ()
    try:
        values, changes, problem = compare_result(watch, await ask(begun))
        ended |= {"values": values}
    except WeiwoError as error:
        problem = str(error)
    if changes:
        ended |= {"changes": changes, "changed": now}
    asked = watch.model_copy(update={**ended, "problem": problem})
    if (kept := await memory.read("watches", watch.key, Watch)) is not None:  # it may have been removed meanwhile
        await _put(memory, asked.model_copy(update={"paused": kept.paused}))
    return WatchRun(asked, changes, problem)


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
            unit = (outcome.get("detail") or {}).get("unit") or ""
            shown += f" {unit}" if unit and unit != "person" else ""
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


def describe_change(change: Change, question: str = "") -> str:
    """A change in one line for people, in the language of its question; that is left out where it is this one."""
    chinese = detect_language(change.asked) == "zh"
    old = change.old or ("（首次）" if chinese else "(first time)")
    new = change.new or ("（不再找到）" if chinese else "(no longer found)")
    where = ("、" if chinese else ", ").join(change.sources)
    asked = f"{change.asked} " if change.asked != question else ""
    return f"{asked}{old} → {new}" + (f" [{where}]" if where else "")


async def _put(memory: MemoryStore, watch: Watch) -> None:
    if not await memory.put("watches", watch.key, watch.model_dump(mode="json")):
        raise WatchError("the store cannot be written; see weiwo doctor")
