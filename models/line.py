"""One agent's line to one model: each attempt bounded in time, booked in the budget, and its failure named."""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from models.breaker import Breaker
from models.budget import Budget, Room
from models.endpoint import Endpoint
from models.errors import BudgetExhausted, LimitReached, ModelFailed
from models.estimate import prompt_tokens, reply_tokens
from models.faults import Fault, RequestFailed, classify
from models.ladder import speaks_openai
from models.prices import Price, cost_of
from models.reply import BLOCKED, LENGTH, finish_reason, is_empty, message_text
from models.request import Request, Span
from models.thinking import ThinkingFilter
from models.windows import windows
from state import ModelCall
from state.limits import NOT_SENT

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable, RunnableConfig

STALL_SECONDS = 20.0
"""Silence after which a stream that has begun is taken to be dead."""
RETRIES = 2
"""Attempts after the first, where what went wrong may pass."""
PAUSE_SECONDS = 0.5
"""Before the first of them, and twice as long before each further one, where the endpoint names no pause."""


@dataclass(frozen=True)
class Line:
    """Asks a model, for a role and a purpose.

    Attributes:
        role: The agent that asks.
        purpose: What for.
        endpoint: Where the model is.
        model: The model.
        budget: What the run may still spend.
        breaker: The endpoint's breaker in this run.
        seconds: Bound of one call with all its attempts; less where the run has less left.
        tags: Tags of the requests.
        price: What the model's tokens cost, if known.
        retries: Attempts after the first; a model made elsewhere has retries of its own.
    """

    role: str
    purpose: str
    endpoint: Endpoint
    model: "BaseChatModel"
    budget: Budget
    breaker: Breaker
    seconds: float
    tags: tuple[str, ...]
    price: Price | None = None
    retries: int = RETRIES

    async def ask(self, runnable: "Runnable[Any, Any]", rung: str, messages: "list[BaseMessage]") -> "BaseMessage":
        """One call and its whole reply, which is not empty.

        Raises:
            BudgetExhausted: The run has no room for it.
            RequestFailed: It brought no reply.
            ModelFailed: The endpoint is known to be down.
        """
        span = Span.of(self.role, self.seconds, self.budget)
        for attempt in count():
            try:
                return await self._asked(runnable, rung, messages, span, attempt)
            except RequestFailed as failure:
                if failure.pause is None:
                    raise
                pause = failure.pause
            await asyncio.sleep(pause)
        raise AssertionError("attempts end by themselves")

    async def _asked(
        self, runnable: "Runnable[Any, Any]", rung: str, messages: "list[BaseMessage]", span: Span, attempt: int
    ) -> "BaseMessage":
        """One attempt at a whole reply."""
        with self._request(rung, messages, runnable, span, attempt) as request:
            async with asyncio.timeout(span.left):
                message: BaseMessage = await runnable.ainvoke(messages, self._config())
            request.take(message, totals=True)
            if is_empty(message):
                raise RequestFailed(Fault("empty", "the reply was empty"))
        return message

    async def stream(self, messages: "list[BaseMessage]") -> AsyncGenerator[str, None]:
        """One call and its reply as it comes, without reasoning.

        Raises:
            BudgetExhausted: The run has no room for it.
            RequestFailed: The stream was cut, stalled or stayed empty; what came has been yielded.
            ModelFailed: The endpoint is known to be down.
        """
        span = Span.of(self.role, self.seconds, self.budget)
        for attempt in count():
            try:
                async with aclosing(self._streamed(messages, span, attempt)) as deltas:
                    async for delta in deltas:
                        yield delta
            except RequestFailed as failure:
                if failure.pause is None:
                    raise
                pause = failure.pause
            else:
                return
            await asyncio.sleep(pause)

    async def _streamed(self, messages: "list[BaseMessage]", span: Span, attempt: int) -> AsyncGenerator[str, None]:
        """One attempt at a stream."""
        thinking, given, finish = ThinkingFilter(), False, None
        with self._request("text", messages, self.model, span, attempt) as request:
            chunks = aiter(self.model.astream(messages, self._config()))
            try:
                async for chunk in _in_time(chunks, span):
                    finish = finish_reason(chunk) or finish
                    request.take(chunk, totals=speaks_openai(self.model))
                    if text := thinking.feed(message_text(chunk)):
                        given = True
                        yield text
            finally:
                if close := getattr(chunks, "aclose", None):
                    await close()  # releases the connection at once when the caller leaves early
            if rest := thinking.end():
                given = True
                yield rest
            if not given and finish not in LENGTH | BLOCKED:
                raise RequestFailed(Fault("empty", "the reply was empty"))
            if finish is None and speaks_openai(self.model):
                raise RequestFailed(Fault("incomplete", "the reply broke off"))
            require_complete(finish)

    @contextmanager
    def _request(
        self, rung: str, messages: "list[BaseMessage]", runnable: "Runnable[Any, Any]", span: Span, attempt: int
    ) -> Iterator[Request]:
        """Take a call from the budget, and book it whatever comes of it; name what goes wrong."""
        prompt = prompt_tokens(messages, runnable)
        reply = reply_tokens(self.model, self.budget.longest_reply(self.endpoint.name, self.purpose))
        room = Room(prompt + reply, cost_of(self.price, prompt, reply))
        self._take(room, span)
        request = Request(span, attempt, room, prompt)
        fault: Fault | None = None
        error: str | None = "left before its end"
        try:
            yield request
        except Exception as failure:  # noqa: BLE001 - each provider's client raises its own
            fault = failure.fault if isinstance(failure, RequestFailed) else self._fault(failure, span)
            error = fault.words
            pause = self._pause(fault, request)
            # A model that does not exist when asked in the plainest way will not exist later either.
            hopeless = fault.kind == "denied" or (fault.status == 404 and rung in {"text", "json_text"})
            if pause is None and (fault.outage or hopeless):
                self.breaker.failed(fault.words, final=hopeless)
            if fault.kind == "deadline":
                self.budget.note("max_seconds")
            if fault.kind == "overflow":
                windows.learn(self.endpoint.identity, fault.window, prompt)
            raise RequestFailed(fault, pause) from None
        else:
            error = None
            self.breaker.succeeded()
        finally:
            sent, received = request.spent(fault, left=fault is None and error is not None)
            call = ModelCall(
                role=self.role,
                purpose=self.purpose,
                model=self.endpoint.name,
                rung=rung,
                input_tokens=sent,
                output_tokens=received,
                seconds=request.seconds,
                error=error,
            )
            self.budget.record(call, cost_of(self.price, sent, received), room)

    def _take(self, room: Room, span: Span) -> None:
        """Take a call from the budget; what stands in its way is in the trace."""
        try:
            self.breaker.admit()
            if span.left <= 0:
                self.budget.refuse("max_seconds")
            self.budget.reserve_call(room)
        except ModelFailed as down:
            self.budget.record(not_sent(self.role, self.purpose, self.endpoint.name, down.reason))
            raise
        except LimitReached as limit:
            exhausted = BudgetExhausted(limit.reason)
            self.budget.record(not_sent(self.role, self.purpose, self.endpoint.name, exhausted.reason))
            raise exhausted from None

    def _pause(self, fault: Fault, request: Request) -> float | None:
        """Seconds until it is worth trying again; None if it is not, or there would be no time left."""
        if not fault.passing or request.began or request.attempt >= self.retries:
            return None
        pause = fault.pause
        if pause is None:
            pause = PAUSE_SECONDS * 2**request.attempt * random.uniform(0.75, 1.0)  # noqa: S311 - spreads the load
        return pause if pause < request.span.left else None

    @staticmethod
    def _fault(failure: Exception, span: Span) -> Fault:
        return span.overdue() if isinstance(failure, TimeoutError) and span.left <= 0 else classify(failure)

    def _config(self) -> "RunnableConfig":
        return {"run_name": f"{self.role}.{self.purpose}", "tags": list(self.tags)}


def not_sent(role: str, purpose: str, model: str, reason: str) -> ModelCall:
    """The trace of a call that could not be made, so that a rule standing in for it is never silent."""
    return ModelCall(role=role, purpose=purpose, model=model, rung=NOT_SENT, error=reason)


def require_complete(finish: str | None) -> None:
    """Refuse a reply that its model did not end by itself.

    Raises:
        RequestFailed: It was cut at the length limit, or filtered.
    """
    if finish in LENGTH:
        raise RequestFailed(Fault("incomplete", "the reply was cut off at the model's length limit"))
    if finish in BLOCKED:
        raise RequestFailed(Fault("incomplete", "the model declined, or a filter did"))


async def _in_time(chunks: "AsyncIterator[Any]", span: Span) -> "AsyncIterator[Any]":
    """The chunks, each bounded by the span's end and, once the first is there, by the time a stream may pause."""
    began = False
    while True:
        left = span.left
        bound = min(left, STALL_SECONDS) if began else left
        try:
            async with asyncio.timeout(bound):
                chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        except TimeoutError:
            if began and bound == STALL_SECONDS:
                raise RequestFailed(Fault("late", f"the reply stopped coming for {bound:.3g} s")) from None
            raise RequestFailed(span.overdue("whole reply")) from None
        yield chunk
        began = True
