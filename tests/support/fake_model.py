"""A chat model played by a script, for tests without sockets.

    model = fake(AssessmentReply={...}, draft="Paris is the capital of France [1].")
    build_graph(models=model)

A script has, for each schema that may be asked for by name and for plain text as `draft`, a reply or a list of
replies given one a request, the last one for ever. A reply is a dict (a function call), a string (text), an
exception (raised), a function of the request, or, for a stream, a tuple of strings and exceptions.
"""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field

PIECE = 7
"""Characters in one piece of a stream."""


@dataclass(frozen=True)
class Request:
    """What the model was asked."""

    schema: str  # name of the schema wanted, or "draft" for plain text
    messages: tuple[BaseMessage, ...]  # the conversation

    @property
    def text(self) -> str:
        """All of it."""
        return "\n\n".join(str(message.text) for message in self.messages)


class ScriptedError(Exception):
    """Something went wrong at the model's end."""


class FakeModel(BaseChatModel):
    """The model; `requests` holds what it was asked."""

    script: dict[str, list[Any]]
    requests: list[Request] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "fake"

    def asked(self, schema: str) -> list[Request]:
        """The requests for one schema."""
        return [request for request in self.requests if request.schema == schema]

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, Any]:
        return self.bind(tools=tools, **kwargs)

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise AssertionError("agents are asynchronous")

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        tools = kwargs.get("tools")
        if tools:
            name = tools[0].get("title") or tools[0]["function"]["name"]
        else:
            name = self.requests[-1].schema if self.requests else "draft"  # asked again, in words
        reply = self._reply(name, messages)
        if isinstance(reply, dict):
            reply = AIMessage(content="", tool_calls=[{"name": name, "args": reply, "id": "1"}])
        elif isinstance(reply, str):
            reply = AIMessage(content=reply)
        return ChatResult(generations=[ChatGeneration(message=reply)])

    async def _astream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        reply = self._reply("draft", messages)
        if isinstance(reply, str):
            reply = check_parts(reply, "\n".join(str(message.text) for message in messages))
            reply = [reply[start : start + PIECE] for start in range(0, len(reply), PIECE)]
        for piece in reply:
            if isinstance(piece, Exception):
                raise piece
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))

    def _reply(self, name: str, messages: list[BaseMessage]) -> Any:
        request = Request(name, tuple(messages))
        self.requests.append(request)
        replies = self.script.get(name)
        if not replies:
            raise ScriptedError(f"no script for {name}")
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        reply = reply(request) if callable(reply) else reply
        if isinstance(reply, Exception):
            raise reply
        return reply


def agree(request: Request) -> dict[str, Any]:
    """A verifier's reply: every claim that code does not doubt is supported, of the others nothing is said."""
    listed = re.findall(r"(?m)^(\d+)\. .*\n?(   Doubt)?", request.text.split("\nClaims:\n")[-1])
    return {"verdicts": [{"n": int(n), "verdict": "supported"} for n, doubt in listed if not doubt]}


def check_parts(draft: str, prompt: str) -> str:
    """A draft with the line before it that its prompt may ask for; one that has it, or begins with a line end, stays."""
    says = "MISSING:" in draft[:20] or draft.startswith("\n")
    return draft if says or "`MISSING:`" not in prompt else f"MISSING: none\n{draft}"


def fake(**script: Any) -> FakeModel:
    """A model with this script; unless told otherwise it verifies what code does not doubt, and repairs nothing."""
    script = {"RepairReply": {"vertices": []}, "EntailmentReply": agree} | script
    return FakeModel(script={name: list(r) if isinstance(r, list) else [r] for name, r in script.items()})


def assessed(question: str, steps: float = 0.0, outside: float = 1.0, **more: Any) -> dict[str, Any]:
    """A master's judgement."""
    return {
        "standalone_question": question,
        "multi_step": steps,
        "external_information": outside,
        "tool_use": outside,
        "comparison_or_calculation": 0.0,
        "reason": "as scripted",
        **more,
    }


def found(value: Any, quote: str, passage: int = 1, **more: Any) -> dict[str, Any]:
    """A reader's find."""
    return {
        "next": "answer",
        "value": value,
        "quotes": [{"passage": passage, "text": quote}],
        "confidence": 0.9,
        **more,
    }
