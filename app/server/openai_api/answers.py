"""Answers for clients of further protocols: progress, streamed text, then the whole with sources."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import orjson

from weiwo.app.records import Event, RunRecord
from weiwo.app.server.engine import Backend
from weiwo.app.server.runs.graph_stream import RunTail
from weiwo.app.server.wire import text_of
from weiwo.text.citation_marks import recorded_marks
from weiwo.text.printable import one_line

_WAITS: Final = {
    "en": "A request waits for your answer: continue thread {} on the page, or with weiwo resume.",
    "zh": "这里需要人来确认：请在页面上继续会话 {}，或使用 weiwo resume。",
}
CORRECTED: Final = {"en": "Corrected after checking:", "zh": "核查后更正："}
_LONGEST_STEP: Final = 200


@dataclass(frozen=True)
class _AnswerEvent:
    """A step of a run in progress."""

    # `wait` while nothing happens, `progress` for a line of progress, `text` for the next piece of the answer.
    kind: Literal["wait", "progress", "text"]
    text: str = ""  # the line or the piece


@dataclass(frozen=True)
class ProtocolAnswer:
    """Final answer of a run, for clients of OpenAI's API."""

    text: str  # the whole of it, in Markdown, with its list of sources
    language: str = "en"
    status: str = "failed"  # how it ended, as results say; `waiting` where a person is asked; `failed`
    error: str = ""  # the reason for a missing answer, in one line. Empty if there is an answer
    citations: Sequence[Mapping[str, Any]] = ()  # the result's citations
    marks: Sequence[Mapping[str, int]] = ()  # its citation marks: `n`, `start`, `end`
    usage: tuple[int, int] = (0, 0)  # input and output tokens
    lead: str = ""  # the kind of its opening, as in results
    parts: Sequence[Mapping[str, Any]] = ()  # the parts of the question, as results say

    def annotations(self, offset: int = 0) -> list[dict[str, Any]]:
        """Return the citation marks as OpenAI's `url_citation`. Marks of sources without a URL are left out.

        `offset` is added to their positions, for an answer that follows other text.
        """
        known = {int(citation["n"]): citation for citation in self.citations if citation.get("url")}
        return [
            {
                "start_index": offset + mark["start"],
                "end_index": offset + mark["end"],
                "title": str(known[n].get("title") or known[n]["source"]),
                "url": known[n]["url"],
            }
            for mark in self.marks
            if (n := mark["n"]) in known
        ]


AnswerSteps = AsyncIterator[_AnswerEvent | ProtocolAnswer]
"""The steps of a run in order. The last item is the answer."""


def _address(source: str) -> str:
    """Return a web address as it is, a `file:` address for a file, or an empty string for any other source."""
    if source.startswith(("http://", "https://")):
        return source
    with suppress(OSError):  # raised for a source that cannot be a path, such as a very long name
        if source.startswith("/") or Path(source).is_file():
            return Path(source).absolute().as_uri()
    return ""


async def follow_answer(backend: Backend, run: RunRecord) -> AnswerSteps:
    """Yield the steps of a run, and finally the answer."""
    tail = RunTail()
    async for event in backend.events(run):
        if event is None:
            yield _AnswerEvent("wait")
            continue
        tail.add(event)
        if (step := _read_step(event)).text:
            yield step
    error = str(orjson.loads(tail.error).get("message", "")) if tail.error else ""
    yield await asyncio.to_thread(read_answer, orjson.loads(tail.values or b"{}"), error, run.thread_id)


def _read_step(event: Event) -> _AnswerEvent:
    """Convert an event to a step: a progress line, or the next text of the answer.

    An event that adds nothing gives a step with an empty text.
    """
    if event.name == "custom":
        return _AnswerEvent("progress", _progress(orjson.loads(event.data)))
    if event.name == "messages":
        message, metadata = orjson.loads(event.data)
        if metadata.get("langgraph_node") == "writer" and message.get("type") == "AIMessageChunk":
            return _AnswerEvent("text", text_of(message.get("content")))
    return _AnswerEvent("wait")


def read_answer(values: Mapping[str, Any], error: str, thread_id: str) -> ProtocolAnswer:
    """Read the answer of a state, or the reason for a missing answer.

    Blocks, because it looks sources up on the disk.
    """
    result = values.get("result") or {}
    language = "zh" if (result or values.get("assessment") or {}).get("language") == "zh" else "en"
    if error:
        return ProtocolAnswer("", language, error=error)
    if values.get("__interrupt__"):
        said = values.get("messages") or [{}]
        asks = (said[-1].get("additional_kwargs") or {}).get("asks")  # a question back, answered by the next message
        text = text_of(said[-1].get("content")) if asks else _WAITS[language].format(thread_id)
        return ProtocolAnswer(text, language, "waiting")
    if not result:
        return ProtocolAnswer("", language, error="the run ended without an answer; ask again")
    usage = result.get("usage") or {}
    said = text_of(values["messages"][-1].get("content")) if values.get("messages") else str(result.get("answer") or "")
    tokens = (int(usage.get("input_tokens", 0)), int(usage.get("output_tokens", 0)))
    marks = recorded_marks(result) if said.startswith(str(result.get("answer") or "")) else ()
    citations = [{**citation, "url": _address(str(citation["source"]))} for citation in result.get("citations") or ()]
    # A result of version 0.1 has neither lead nor parts.
    lead, parts = str(result.get("lead") or ""), result.get("parts") or ()
    return ProtocolAnswer(said, language, str(result.get("status")), "", citations, marks, tokens, lead, parts)


def _progress(event: Mapping[str, Any]) -> str:
    """Return the progress line for a stream event, or an empty string for events that are not shown.

    The first call of a task gives `web_search: height of the tower`, for example.
    """
    match event.get("type"):
        case "planned":
            tasks = [one_line(str(item.get("description", "")), _LONGEST_STEP) for item in event["plan"]["vertices"]]
            return "\n".join(f"- {task}" for task in tasks[:20])
        case "task_started" | "task_progress" if event.get("tool") and not event.get("note"):
            asked = (event.get("args") or {}).get("query") or event.get("description", "")
            return one_line(f"{event['tool']}: {asked}", _LONGEST_STEP)
        case "task_finished" if event.get("value"):
            return one_line(f"{event['task_id']} → {event['value']}", _LONGEST_STEP)
        case "reflected":
            return one_line(str(event.get("reason", "")), _LONGEST_STEP)
    return ""
