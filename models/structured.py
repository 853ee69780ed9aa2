"""The walk down the ladder, and the one repair turn at the end of it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import BaseModel

from models.errors import ModelFailed
from models.faults import RequestFailed
from models.ladder import RUNGS, Rung, bind, rungs, speaks_openai
from models.line import Line
from models.reply import Reading, message_text, one_line, read, sent_text
from models.schema import json_schema, schema_name, schema_prompt

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

T = TypeVar("T", bound=BaseModel)

LAST = RUNGS[-1]
_MAX_QUOTED = 6000
"""Characters of a bad reply that are quoted back to its model."""
_LONG = 50_000
"""Characters from which a reply is read in a thread."""


@dataclass(frozen=True)
class Judgement(Generic[T]):
    """One judgement to be had over a line.

    Attributes:
        line: Whom to ask.
        messages: The prompt.
        schema: What is wanted.
        check: What the schema cannot say: words for the model, or None.
    """

    line: Line
    messages: "list[BaseMessage]"
    schema: type[T]
    check: Callable[[T], str | None] | None = None

    async def make(self) -> T:
        """Ask, from the rung where the endpoint last held.

        Raises:
            ModelFailed: There is no usable reply.
        """
        identity = self.line.endpoint.identity
        known = rungs.known(identity)
        certain = known in (None, RUNGS[0])  # nothing was skipped but what the endpoint refuses now
        skipping = False
        for rung in RUNGS[RUNGS.index(known or RUNGS[0]) :]:
            runnable = None if skipping and rung != LAST else bind(self.line.model, rung, self.schema)
            if runnable is None:
                continue
            prompt = self._told() if rung == LAST else self.messages
            try:
                message = await self.line.ask(runnable, rung, prompt)
            except RequestFailed as failure:
                kind = failure.fault.kind
                # Some servers break on a response format instead of refusing it: one that
                # never held above is given one plain request before it counts as down.
                broken = kind == "server" and known is None
                if rung == LAST or not (kind in {"refused", "empty"} or broken):
                    raise
                certain, skipping = certain and kind == "refused", broken
                continue
            reading = await self._read(message)
            if reading.verdict == "prose" and rung != LAST:
                certain = False  # it took the request and ignored its form
                continue
            rungs.holds(identity, self._lesson(rung, reading), certain=certain)
            if reading.verdict == "good" and reading.value is not None:
                return reading.value
            return await self._repair(rung, message, reading)
        raise ModelFailed("the model takes no request of this kind")

    def _lesson(self, rung: Rung, reading: Reading[T]) -> Rung:
        """Where to start next time: below a strict schema that the reply plainly was not held to."""
        if rung == RUNGS[0] and reading.structural and speaks_openai(self.line.model) and json_schema(self.schema)[1]:
            return LAST
        return rung

    async def _repair(self, rung: Rung, message: "BaseMessage", reading: Reading[T]) -> T:
        """Send a bad reply back once, with what is wrong with it."""
        from langchain_core.messages import AIMessage, HumanMessage  # noqa: PLC0415 - heavy

        if reading.verdict == "refused":
            raise ModelFailed("the model declined to answer")
        if self._lesson(rung, reading) != rung:
            rung = LAST
        prompt = self._told()
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
            again = await self.line.ask(bind(self.line.model, rung, self.schema) or self.line.model, "repair", prompt)
            second = await self._read(again)
            if second.verdict == "good" and second.value is not None:
                return second.value
            words = second.words or "the model declined to answer"
        except ModelFailed:
            if reading.value is None:
                raise
        if reading.value is not None:
            return reading.value  # cut off, but valid as far as it goes
        raise ModelFailed(f"the reply did not fit {schema_name(self.schema)} after a repair: {one_line(words)}")

    async def _read(self, message: "BaseMessage") -> Reading[T]:
        if len(message_text(message)) > _LONG:
            return await asyncio.to_thread(read, message, self.schema, self.check)
        return read(message, self.schema, self.check)

    def _told(self) -> "list[BaseMessage]":
        """The prompt with the schema in it, at its end: some chat templates allow one system message, at the start."""
        from langchain_core.messages import HumanMessage  # noqa: PLC0415 - heavy

        words = schema_prompt(self.schema)
        *before, last = self.messages
        if isinstance(last, HumanMessage) and isinstance(last.content, str):
            return [*before, HumanMessage(content=f"{last.content}\n\n{words}")]
        return [*before, last, HumanMessage(content=words)]
