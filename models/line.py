"""One agent's line to one model: each request bounded in time, booked in the budget, and its failure named."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from models.breaker import Breaker
from models.budget import Budget
from models.catalog import waiting_until
from models.endpoint import Endpoint
from models.errors import BudgetExhausted, LimitReached, ModelFailed
from models.faults import Fault, RequestFailed, classify
from models.ladder import speaks_openai
from models.reply import BLOCKED, LENGTH, finish_reason, is_empty, message_text, tokens
from models.thinking import ThinkingFilter
from state import ModelCall
from state.limits import NOT_SENT

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable, RunnableConfig

STALL_SECONDS = 20.0
"""Silence after which a stream that has begun is taken to be dead."""


@dataclass
class _Request:
    """What is known of a request while it is under way."""

    started: float
    bound: float
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def until(self) -> float:
        return self.started + self.bound


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
        seconds: Bound of one request; half of what the run has left, if that is less.
        tags: Tags of the requests.
        price: US dollars of a call.
    """

    role: str
    purpose: str
    endpoint: Endpoint
    model: "BaseChatModel"
    budget: Budget
    breaker: Breaker
    seconds: float
    tags: tuple[str, ...]
    price: Callable[[ModelCall], float] | None = None

    async def ask(self, runnable: "Runnable[Any, Any]", rung: str, messages: "list[BaseMessage]") -> "BaseMessage":
        """One request and its whole reply, which is not empty.

        Raises:
            BudgetExhausted: The run has no room for it.
            RequestFailed: It brought no reply.
            ModelFailed: The endpoint is known to be down.
        """
        with self._request(rung) as request:
            with waiting_until(request.until):
                async with asyncio.timeout(request.bound):
                    message: BaseMessage = await runnable.ainvoke(messages, self._config())
            request.input_tokens, request.output_tokens = tokens(message)
            if is_empty(message):
                raise RequestFailed(Fault("empty", "the reply was empty"))
        return message

    async def stream(self, messages: "list[BaseMessage]") -> AsyncGenerator[str, None]:
        """One request and its reply as it comes, without reasoning.

        Raises:
            BudgetExhausted: The run has no room for it.
            RequestFailed: The stream was cut, stalled or stayed empty; what came has been yielded.
            ModelFailed: The endpoint is known to be down.
        """
        thinking, given, finish = ThinkingFilter(), False, None
        with self._request("text") as request:
            chunks = aiter(self.model.astream(messages, self._config()))
            try:
                async for chunk in _in_time(chunks, request):
                    finish = finish_reason(chunk) or finish
                    self._count(request, chunk)
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

    def _count(self, request: _Request, chunk: "BaseMessage") -> None:
        """Add a chunk's tokens. OpenAI-like servers report totals, some of them in every chunk; others report parts."""
        sent, received = tokens(chunk)
        if speaks_openai(self.model):
            request.input_tokens = max(request.input_tokens, sent)
            request.output_tokens = max(request.output_tokens, received)
        else:
            request.input_tokens += sent
            request.output_tokens += received

    @contextmanager
    def _request(self, rung: str) -> Iterator[_Request]:
        """Take a call from the budget, and book it whatever comes of it; name what goes wrong."""
        try:
            self.breaker.admit()
            self.budget.reserve_call()
        except ModelFailed as down:
            self.budget.record(not_sent(self.role, self.purpose, self.endpoint.name, down.reason))
            raise
        except LimitReached as limit:
            exhausted = BudgetExhausted(limit.reason)
            self.budget.record(not_sent(self.role, self.purpose, self.endpoint.name, exhausted.reason))
            raise exhausted from None
        request = _Request(time.monotonic(), min(self.seconds, self.budget.remaining_seconds() / 2))
        error: str | None = None
        try:
            yield request
        except Exception as failure:  # noqa: BLE001 - each provider's client raises its own
            fault = failure.fault if isinstance(failure, RequestFailed) else self._fault(failure, request)
            error = fault.words
            # A model that does not exist when asked in the plainest way will not exist later either.
            hopeless = fault.kind == "denied" or (fault.status == 404 and rung in {"text", "json_text"})
            if fault.outage or hopeless:
                self.breaker.failed(fault.words, final=hopeless)
            raise RequestFailed(fault) from None
        except BaseException:
            error = "left before its end"
            raise
        else:
            self.breaker.succeeded()
        finally:
            call = ModelCall(
                role=self.role,
                purpose=self.purpose,
                model=self.endpoint.name,
                rung=rung,
                input_tokens=request.input_tokens,
                output_tokens=request.output_tokens,
                seconds=time.monotonic() - request.started,
                error=error,
            )
            self.budget.record(call, self.price(call) if self.price else 0.0)

    @staticmethod
    def _fault(failure: Exception, request: _Request) -> Fault:
        if isinstance(failure, TimeoutError) and time.monotonic() >= request.until:
            return Fault("unreachable", f"no reply within {request.bound:.3g} s")
        return classify(failure)

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


async def _in_time(chunks: "AsyncIterator[Any]", request: _Request) -> "AsyncIterator[Any]":
    """The chunks, each bounded by the request's end and, once the first is there, by the time a stream may pause."""
    began = False
    while True:
        left = max(0.0, request.until - time.monotonic())
        bound = min(left, STALL_SECONDS) if began else left
        try:
            with waiting_until(request.until):
                async with asyncio.timeout(bound):
                    chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        except TimeoutError:
            words = (
                f"the reply stopped coming for {bound:.3g} s"
                if began and bound == STALL_SECONDS
                else (f"no whole reply within {request.bound:.3g} s")
            )
            raise RequestFailed(Fault("unreachable", words)) from None
        yield chunk
        began = True
