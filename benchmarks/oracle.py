"""Scripted chat model with counted calls. `player.py` produces the replies.

Every call takes the same time. Tokens are taken at four characters each (messages, tools and schemas), with those of
the prompt that a provider with prefix caching would have kept from an earlier call (from 1,024 on, in steps of 128).
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from player import Player
from weak_player import WeakPlayer

SECONDS: Final = 2
"""What a call takes, of virtual time."""


@dataclass
class Ledger:
    """Calls of a question.

    Attributes:
        prompts: The prompts sent, as text.
        prompt: Tokens sent.
        cached: Those of them that a provider would have kept.
        reply: Tokens received.
        spans: The begin and end of each call.
        purposes: The purpose of each call.
    """

    prompts: list[str] = field(default_factory=list)
    prompt: int = 0
    cached: int = 0
    reply: int = 0
    spans: list[tuple[float, float]] = field(default_factory=list)
    purposes: list[str] = field(default_factory=list)

    def seconds(self) -> float:
        """Return the wall time from the begin of the first call to the end of the last.

        Only calls move this clock.
        """
        return max(end for _, end in self.spans) - min(began for began, _ in self.spans)


_EXTRAS: Final = frozenset({"vertices", "edges", "chain", "queries", "hops", "ahead", "sentence"})
"""Fields by which a good model saves calls; a plan that is asked for by itself is none."""
_SCHEMA: Final = re.compile(r'JSON schema "(\w+)":\n(\{.*\})')


class Oracle(BaseChatModel):
    """Scripted model for a single question.

    Its habit is "schemaless" (it calls no function and writes its JSON into prose and a fence), "mediocre" (it gives
    nothing that saves a call: no plan with its judgement, no values on the way or ahead, no sentence), "weak" (it
    answers from memory, cites the wrong passage, and finds that everything is supported: `weak_player.py`) or "" for
    none. In a loop it sends at most `at_once` searches a turn.
    """

    case: Any
    ledger: Any
    habit: str = ""
    at_once: int = 1

    def _player(self, messages: list[BaseMessage], said: str, tools: Sequence[Any]) -> Player:
        kind = WeakPlayer if self.habit == "weak" else Player
        return kind(self.case, messages, said, tools, self.at_once)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, Any]:
        """Take function calls."""
        kwargs.pop("tool_choice", None)
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise TypeError("asynchronous only")

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        tools = kwargs.get("tools") or []
        said = "\n".join(str(message.text) for message in messages)
        name = tools[0]["function"]["name"] if tools else "draft"
        calls: list[Any] = []
        if self.habit == "schemaless" and name != "search":
            name, text = self._write(messages, said, asked=bool(tools))
        else:
            text, calls = self._player(messages, said, tools).play(name)
        if self.habit == "mediocre" and name not in {"search", "PlanReply"}:
            calls = [{**c, "args": {k: v for k, v in c["args"].items() if k not in _EXTRAS}} for c in calls]
        usage = await self._count(messages, tools, name, text + "".join(json.dumps(c["args"]) for c in calls))
        message = AIMessage(text, tool_calls=calls, usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _write(self, messages: list[BaseMessage], said: str, *, asked: bool) -> tuple[str, str]:
        """Return the purpose and the text of a reply without function calls."""
        wanted = _SCHEMA.search(said)
        if wanted is None:
            return ("unheard", "I would look that up first.") if asked else ("draft", self._draft_text(messages, said))
        schema = {"function": {"name": wanted[1], "parameters": json.loads(wanted[2])}}
        _, calls = self._player(messages, said, [schema]).play(wanted[1])
        return wanted[1], f"Sure, here it is:\n\n```json\n{json.dumps(calls[0]['args'], ensure_ascii=False)}\n```"

    def _draft_text(self, messages: list[BaseMessage], said: str) -> str:
        return self._player(messages, said, []).play("draft")[0]

    async def _astream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        said = "\n".join(str(message.text) for message in messages)
        text = self._draft_text(messages, said)
        usage = await self._count(messages, [], "draft", text)
        yield ChatGenerationChunk(message=AIMessageChunk(text))
        last = AIMessageChunk("", usage_metadata=usage, response_metadata={"finish_reason": "stop"})
        yield ChatGenerationChunk(message=last)

    async def _count(self, messages: list[BaseMessage], tools: list[Any], purpose: str, reply: str) -> Any:
        rows = [json.dumps(tools, ensure_ascii=False)] if tools else []
        for message in messages:
            rows.append(str(message.text))
            rows += [json.dumps(call["args"], ensure_ascii=False) for call in getattr(message, "tool_calls", [])]
        prompt, ledger = "\n".join(rows), self.ledger
        kept = max((_common(prompt, other) for other in ledger.prompts), default=0) // 4
        kept = kept // 128 * 128 if kept >= 1024 else 0
        ledger.prompts.append(prompt)
        ledger.purposes.append(purpose)
        sent, received = len(prompt) // 4, len(reply) // 4
        ledger.prompt, ledger.cached, ledger.reply = ledger.prompt + sent, ledger.cached + kept, ledger.reply + received
        clock = asyncio.get_running_loop()
        began = clock.time()
        await asyncio.sleep(SECONDS)
        ledger.spans.append((began, clock.time()))
        return {
            "input_tokens": sent,
            "output_tokens": received,
            "total_tokens": sent + received,
            "input_token_details": {"cache_read": kept},
        }


def _common(text: str, other: str) -> int:
    """Return the length of the common prefix of two prompts in characters."""
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if text[:middle] == other[:middle] else (low, middle - 1)
    return low
