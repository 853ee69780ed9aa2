"""Structured call: a reply as an instance of a pydantic model, with several modes and a single repair turn."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from pydantic import BaseModel

from weiwo.models.errors import ModelCallError, ModelRequestError
from weiwo.models.reply import ParsedReply, clip_line, message_text, parse_reply, sent_text
from weiwo.models.request_form import MODES, StructuredMode, bind_mode, mode_memory, speaks_openai
from weiwo.models.schema import json_schema, schema_name, schema_prompt
from weiwo.models.session import CUT, ModelSession

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

T = TypeVar("T", bound=BaseModel)

_LAST = MODES[-1]
_MAX_QUOTED = 6000
"""Limit of an invalid reply that is quoted back to the model, in characters."""
_LONG = 50_000
"""Length in characters above which a reply is parsed in a thread."""


_MOST: Final = 2_000
"""Token limit of a reply if the schema has no attribute `tokens`."""
_WORDS: Final = {"repeats": "the reply repeated itself"}


def _ended_here(message: "BaseMessage") -> bool:
    """Report whether a reply was cut at the deadline or in a loop, so that a repair turn is pointless."""
    return message.response_metadata.get(CUT, "") not in {"", "long"}


@dataclass(frozen=True)
class StructuredCall(Generic[T]):
    """Request for a reply as an instance of a pydantic model."""

    session: ModelSession
    messages: "list[BaseMessage]"  # the prompt, without the schema
    schema: type[T]  # the wanted type
    check: Callable[[T], str | None] | None = None  # returns an error beyond the schema, for the model, or None

    async def run(self) -> T:
        """Run the call, starting from the mode last accepted by the endpoint for the schema.

        Raises:
            ModelCallError: There is no usable reply.
        """
        identity = self.session.endpoint.identity
        name = schema_name(self.schema)
        known = mode_memory.recall_mode(identity, name)
        # The mode is certain if every mode above was refused by the endpoint in this call.
        certain = known in (None, MODES[0])
        skipping = emptied = False
        for mode in MODES[MODES.index(known or MODES[0]) :]:
            runnable = None if skipping and mode != _LAST else bind_mode(self.session.model, mode, self.schema)
            if runnable is None:
                continue
            prompt = self._prompt_with_schema() if mode == _LAST else self.messages
            try:
                taken = mode in {_LAST, known}
                message = await self.session.ask(runnable, mode, prompt, self._most, known=taken)
            except ModelRequestError as failure:
                kind = failure.fault.kind
                # Some servers break on a response format instead of refusing it: one that
                # never held above is given one plain request before it counts as down.
                broken = kind == "server" and known is None
                if mode == _LAST or emptied or not (kind in {"refused", "empty"} or broken):
                    raise
                emptied = kind == "empty"
                certain, skipping = certain and kind == "refused", broken
                continue
            reading = await self._parse(message)
            if reading.verdict == "prose" and mode != _LAST:
                # The endpoint accepted the request, but ignored the response format.
                certain = False
                continue
            mode_memory.remember(identity, self._mode_to_remember(mode, reading), name, certain=certain)
            if reading.value is not None and (reading.verdict == "good" or _ended_here(message)):
                # The reply may be cut off, but its value is valid.
                return reading.value
            if _ended_here(message):
                raise ModelCallError(_WORDS.get(message.response_metadata[CUT], message.response_metadata[CUT]))
            return await self._repair(mode, message, reading)
        raise ModelCallError("the model takes no request of this kind")

    @property
    def _most(self) -> int:
        """Return the token limit of a reply, not counting reasoning, as declared by the schema."""
        return int(getattr(self.schema, "tokens", _MOST))

    def _mode_to_remember(self, mode: StructuredMode, reading: ParsedReply[T]) -> StructuredMode:
        """Return the mode in which to start the next call: "json_text" if a strict schema was ignored, else this mode.

        An endpoint ignored it if a field is missing, unknown or of another type although the mode was "json_schema".
        """
        if (
            mode == MODES[0]
            and reading.structural
            and speaks_openai(self.session.model)
            and json_schema(self.schema)[1]
        ):
            return _LAST
        return mode

    async def _repair(self, mode: StructuredMode, message: "BaseMessage", reading: ParsedReply[T]) -> T:
        """Send an invalid reply back once, with its errors, and return the value of the second reply.

        If the second fails and the first was only cut off, the valid part of the first counts.

        Raises:
            ModelCallError: There is no valid reply.
        """
        from langchain_core.messages import AIMessage, HumanMessage  # noqa: PLC0415 - heavy

        if reading.verdict == "refused":
            raise ModelCallError("the model declined to answer")
        if self._mode_to_remember(mode, reading) != mode:
            mode = _LAST
        prompt = self._prompt_with_schema()
        if quoted := sent_text(message)[:_MAX_QUOTED]:
            prompt.append(AIMessage(content=quoted))
        prompt.append(
            HumanMessage(
                content=f"That cannot be used: {reading.words}\n"
                "Correct it and send the whole JSON object again, and nothing else."
            )
        )
        words = reading.words
        try:
            again = await self.session.ask(
                bind_mode(self.session.model, mode, self.schema) or self.session.model, "repair", prompt, 2 * self._most
            )
            second = await self._parse(again)
            if second.verdict == "good" and second.value is not None:
                return second.value
            words = second.words or "the model declined to answer"
        except ModelCallError:
            if reading.value is None:
                raise
        if reading.value is not None:
            # The reply is cut off, but its value is valid.
            return reading.value
        raise ModelCallError(
            f"the reply is not a valid {schema_name(self.schema)}, even after a repair: {clip_line(words)}"
        )

    async def _parse(self, message: "BaseMessage") -> ParsedReply[T]:
        if len(message_text(message)) > _LONG:
            return await asyncio.to_thread(parse_reply, message, self.schema, self.check)
        return parse_reply(message, self.schema, self.check)

    def _prompt_with_schema(self) -> "list[BaseMessage]":
        """Return the prompt with the schema at the end, in a human message.

        It is no system message, because some chat templates allow only one, at the start.
        """
        from langchain_core.messages import HumanMessage  # noqa: PLC0415 - heavy

        words = schema_prompt(self.schema)
        *before, last = self.messages
        if isinstance(last, HumanMessage) and isinstance(last.content, str):
            return [*before, HumanMessage(content=f"{last.content}\n\n{words}")]
        return [*before, last, HumanMessage(content=words)]
