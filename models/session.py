"""Session of an agent with a model: each attempt has a timeout, a budget entry and a named fault."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from weiwo.models.attempt import Attempt, CallDeadline, RepetitionWatch
from weiwo.models.budget import Budget, Reservation
from weiwo.models.context_windows import prompt_tokens, reply_tokens, text_tokens, window_memory
from weiwo.models.endpoint import Endpoint, EndpointBreaker, EndpointMemory
from weiwo.models.errors import (
    BudgetExhaustedError,
    Fault,
    ModelCallError,
    ModelRequestError,
    classify_fault,
    ended_early,
)
from weiwo.models.json_reader import is_json
from weiwo.models.prices import Price, cost_of
from weiwo.models.prompt_reduction import drop_declined, reduce_prompt
from weiwo.models.reasoning_filter import ReasoningFilter, notice_opening, opens_reasoning
from weiwo.models.reply import is_empty, message_text, sent_text, shows_thoughts
from weiwo.models.request_form import (
    MOST_TOKENS,
    bind_bound,
    bound_name,
    most_tokens,
    note_refused_bound,
    notice_thoughts,
    speaks_openai,
    thinking_allowance,
)
from weiwo.models.speed import speed_memory
from weiwo.models.stop_reasons import (
    StopKind,
    accepts_unreported,
    always_tells,
    blocks_prompt,
    kind_of,
    note_reported,
    refuses,
    require_end,
    stop_kind,
    stop_reason,
)
from weiwo.state import ModelCall
from weiwo.state.limits import NOT_SENT

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk, BaseMessage
    from langchain_core.runnables import Runnable, RunnableConfig

_STALL_SECONDS = 20.0
"""Silence after which a stream that has begun is ended as stalled."""
RETRIES = 2
"""Attempts after the first, if the fault may pass."""
_whole: Final = EndpointMemory[None]()
"""Endpoints that returned an empty structured reply, as some proxies do for streams. They are not streamed again."""
_USUAL_REPLY: Final = 300
"""Tokens assumed for a reply if the run has seen none for the purpose."""
_OVERESTIMATE: Final = 1.6
"""Usual factor by which the tokens of a prompt are overestimated at most."""
_SLACK: Final = 2
"""Since tokens are overestimated, a reply is cut only at this multiple of its token limit."""
_NO_WORD: Final = "the reply ended before its first word"
CUT: Final = "cut"
"""Key of a reply's metadata with the reason why it was cut on our side: `repeats`, `long`, or the fault of a deadline.
Empty if it was not."""
_NOSTREAM = ("nostream", "langsmith:nostream")
"""Tags that keep a call's tokens out of LangGraph's `messages` stream: the first is read by
LangGraph itself, the second by chat front ends."""
_PROBE_TOKENS: Final = 16
"""Token limit of the reply to a request that only tests whether a prompt is accepted."""
_PAUSE_SECONDS = 0.5
"""Pause before the first retry, doubled before each further one, if the endpoint names no pause."""


@dataclass(frozen=True)
class ModelSession:
    """Calls of a model by a role, for a purpose."""

    role: str
    purpose: str  # for the trace, such as "plan"
    endpoint: Endpoint
    model: "BaseChatModel"
    budget: Budget
    breaker: EndpointBreaker  # circuit breaker of the endpoint in this run
    seconds: float  # time limit of a call with all its attempts; less if the run has less time left
    price: Price | None = None  # price of the model's tokens, if known
    cached_price: float | None = None  # price of input tokens read from the provider's cache, if known
    retries: int = RETRIES  # attempts after the first; 0 for model objects passed in, which have retries of their own
    streams: bool = False  # whether replies that are needed as a whole are streamed too
    adapts: bool = False  # whether a slow endpoint may take longer than `seconds`
    home: str = ""  # folder in which the endpoint's speed is stored

    async def ask(
        self,
        runnable: "Runnable[Any, Any]",
        mode: str,
        messages: "list[BaseMessage]",
        most: int = MOST_TOKENS,
        *,
        whole: bool = False,
        known: bool = True,
    ) -> "BaseMessage":
        """Make a call and return the reply, never empty.

        If the reply was cut on our side, its metadata gives the reason (`CUT`). A rejected prompt is sent once more
        with half of its passages, or without the passage that a filter declines.

        Args:
            runnable: The model, bound to a mode.
            mode: Mode of the request, for the trace.
            messages: The prompt.
            most: Token limit of the reply, not counting reasoning.
            whole: Accept only a reply that the model itself ended.
            known: Whether the endpoint is known to accept such requests, so that a rejection is due to the prompt.

        Raises:
            BudgetExhaustedError: The run has no budget left for the call.
            ModelRequestError: There was no usable reply.
            ModelCallError: The endpoint's breaker is open, or reading the prompt takes longer than the time left.
        """
        messages = drop_declined(self.endpoint.identity, messages)
        try:
            return await self._ask(runnable, mode, messages, most, whole=whole)
        except ModelRequestError as failure:
            fault = failure.fault
            fewer = await self._reduce_prompt(fault, messages, runnable, known=known)
            if fewer is None:
                raise
        message = await self._ask(runnable, mode, fewer, most, whole=whole)
        # The shorter prompt was accepted, so the endpoint had refused the size.
        if fault.kind == "refused":
            window_memory.learn(self.endpoint.identity, None, prompt_tokens(messages, runnable))
        return message

    async def _ask(
        self, runnable: "Runnable[Any, Any]", mode: str, messages: "list[BaseMessage]", most: int, *, whole: bool
    ) -> "BaseMessage":
        """Make a call, with retries."""
        deadline = self._open_deadline(messages, runnable)
        try:
            for number in count():
                try:
                    return await self._ask_once(runnable, mode, messages, deadline, number, most, whole=whole)
                except ModelRequestError as failure:
                    if failure.pause is None:
                        raise
                    pause = failure.pause
                await asyncio.sleep(pause)
        finally:
            self.breaker.release_call(deadline)
        raise AssertionError("attempts end by themselves")

    async def _reduce_prompt(
        self, fault: Fault, messages: "list[BaseMessage]", runnable: Any, *, known: bool = True
    ) -> "list[BaseMessage] | None":
        """Return a smaller prompt to try after a rejection, or None if there is none or the prompt is not the cause.

        A passage that was left out is recorded in the trace. Arguments as in `ask`.
        """

        async def accepts(prompt: "list[BaseMessage]") -> bool:
            try:
                await self._ask(self.model, "text", prompt, _PROBE_TOKENS, whole=False)
            except ModelRequestError as failure:
                if failure.fault.kind not in {"declined", "empty"}:
                    raise
                return not failure.fault.prompt
            return True

        tokens = prompt_tokens(messages, runnable)
        reduced = await reduce_prompt(self.endpoint.identity, fault, messages, tokens, accepts, known=known)
        if reduced is not None and reduced.left_out:
            words = f"left out, since the provider's filter declines it: {reduced.left_out}"
            call = unsent_call(self.role, self.purpose, self.endpoint.name, words)
            self.budget.record(call.model_copy(update={"fault": "declined"}))
        return None if reduced is None else reduced.messages

    async def _ask_once(
        self,
        runnable: "Runnable[Any, Any]",
        mode: str,
        messages: "list[BaseMessage]",
        deadline: CallDeadline,
        number: int,
        most: int,
        *,
        whole: bool,
    ) -> "BaseMessage":
        """Make a single attempt at a reply as one message, streamed or not. Arguments as in `ask`."""
        with self._attempt(mode, messages, runnable, deadline, number, most) as attempt:
            bound, arguments = self._bind_reply(attempt, runnable)
            streamed = self.streams and self.endpoint.identity not in _whole
            if streamed:
                message = await self._receive(bound, messages, attempt, arguments)
            else:
                async with asyncio.timeout(deadline.seconds_left):
                    message = await bound.ainvoke(messages, self._config(), **arguments)
                attempt.take(message, totals=True)
            notice_opening(self.endpoint.identity, message_text(message))
            silent = stop_kind(message) == "cut" and not sent_text(message).strip()  # cut while it was thinking
            notice_thoughts(self._thinker, seen=silent or shows_thoughts(message))
            if self.streams:
                await self._learn_speed(attempt)
            if not message.response_metadata.get(CUT):
                self._require_end(message, streamed=streamed, whole=whole)
        return message

    def _require_end(self, message: "BaseMessage", *, streamed: bool, whole: bool) -> None:
        """Raise an error for an empty, declined or interrupted reply.

        A complete JSON value counts as a complete reply. Without `whole`, a reply that was cut off passes too.

        Raises:
            ModelRequestError: The reply was rejected.
        """
        empty, reason = is_empty(message), stop_reason(message)
        shown = not whole and not empty and is_json(sent_text(message))
        kind = self._settle_end(stop_kind(message), streamed=streamed, shown=shown)
        if kind == "ended" and empty:
            _whole.remember_fact(self.endpoint.identity, None)
        if empty or whole or kind not in {"cut", "broken"}:
            require_end(kind, reason, empty=empty, prompt=blocks_prompt(message))

    def _settle_end(self, kind: StopKind, *, streamed: bool, shown: bool = False) -> StopKind:
        """Return the kind of a reply's end, with "ended" for an acceptable reply without a stop reason.

        Kinds other than "unreported" are returned unchanged.

        Args:
            kind: Kind of the reply's end.
            streamed: Whether the reply was streamed, since an endpoint may report reasons only in one of the ways.
            shown: Whether the reply is complete JSON.
        """
        endpoint = f"{self.endpoint.identity} {'streamed' if streamed else 'whole'}"
        if kind != "unreported":
            note_reported(endpoint)
        elif shown or accepts_unreported(endpoint, self.model):
            return "ended"
        return kind

    async def _receive(
        self, runnable: "Runnable[Any, Any]", messages: "list[BaseMessage]", attempt: Attempt, arguments: dict[str, Any]
    ) -> "BaseMessage":
        """Receive a streamed reply as one message, ending it at the deadline, in a loop, or far above its token limit.

        The message's metadata gives the reason (`CUT`).
        """
        chunks = aiter(runnable.astream(messages, self._config(), **arguments))
        thinking, watch = ReasoningFilter(opened=opens_reasoning(self.endpoint.identity)), RepetitionWatch()
        parts: list[AIMessageChunk] = []
        finish, cut, tokens = None, "", 0
        try:
            async for chunk in _within_time(chunks, attempt.deadline, whole=True):
                parts.append(chunk)
                finish = stop_reason(chunk) or finish
                attempt.take(chunk, totals=speaks_openai(self.model))
                delta = sent_text(chunk)
                self._require_room(attempt)
                tokens += text_tokens(thinking.feed(delta))
                cut = "repeats" if watch.feed(delta) else "long" if tokens > attempt.most * _SLACK else ""
                if cut:
                    break
        except ModelRequestError as failure:
            if not (attempt.characters and failure.fault.kind in {"late", "deadline"}):
                raise
            cut = failure.fault.words
        finally:
            if close := getattr(chunks, "aclose", None):
                await close()
        if not parts:
            raise ModelRequestError(Fault("malformed", "the reply is not a chat completion"))
        message = parts[0] if len(parts) == 1 else parts[0] + parts[1:]
        message.response_metadata["finish_reason"] = "length" if cut else finish
        message.response_metadata[CUT] = cut
        return message

    def _open_deadline(self, messages: "list[BaseMessage]", runnable: Any) -> CallDeadline:
        """Return the deadline for a call, based on the learned speed of the endpoint.

        Raises:
            ModelCallError: Reading the prompt alone takes longer than the time left.
        """
        identity, prompt = self.endpoint.identity, prompt_tokens(messages, runnable)
        usual = self.budget.longest_reply(self.endpoint.name, self.purpose) or _USUAL_REPLY
        needed = speed_memory.estimate_seconds(identity, prompt, usual) if self.adapts else 0.0
        deadline = CallDeadline.of(self.role, self.seconds, self.budget, needed)
        reading = speed_memory.speed(identity).seconds(prompt, 0) / _OVERESTIMATE
        if reading > deadline.seconds_left:
            words = (
                f"not called, because reading the prompt takes about {reading:.0f} s and only "
                f"{deadline.seconds_left:.0f} s are left"
            )
            self.budget.record(unsent_call(self.role, self.purpose, self.endpoint.name, words))
            if self.budget.remaining_seconds() < reading:
                self.budget.note("max_seconds")
            raise ModelCallError(words)
        return deadline

    async def _learn_speed(self, attempt: Attempt) -> None:
        """Update the endpoint's speed from a streamed reply, unless the model may have been reasoning."""
        if thinking_allowance(self._thinker) == 0 and attempt.began:
            rest = attempt.seconds - attempt.first
            identity = self.endpoint.identity
            speed_memory.learn(
                identity, prompt=attempt.read, first=attempt.first, reply=attempt.reply_tokens, rest=rest
            )
            await speed_memory.keep(self.home, identity)

    @property
    def _thinker(self) -> str:
        """Return a key of the endpoint and the names of extra request parameters, e.g. a switch for reasoning."""
        return f"{self.endpoint.identity} {sorted(getattr(self.model, 'extra_body', None) or {})}"

    async def stream(self, messages: "list[BaseMessage]", most: int = MOST_TOKENS) -> AsyncGenerator[str, None]:
        """Make a call and yield the reply as received, without reasoning.

        Raises:
            BudgetExhaustedError: The run has no budget left for the call.
            ModelRequestError: The stream was cut, stalled or stayed empty. The text received so far has been yielded.
            ModelCallError: The endpoint's breaker is open, or reading the prompt takes longer than the time left.
        """
        messages, fault = drop_declined(self.endpoint.identity, messages), None
        for again in (False, True):
            try:
                async with aclosing(self._stream(messages, most)) as deltas:
                    async for delta in deltas:
                        yield delta
            except ModelRequestError as failure:
                fault = failure.fault
                # After an overflow the window is known, and the writer builds a smaller prompt itself.
                fewer = None if again or fault.kind == "overflow" else await self._reduce_prompt(fault, messages, None)
                if fewer is None:
                    raise
                before, messages = messages, fewer
            else:
                if fault is not None and fault.kind == "refused":
                    window_memory.learn(self.endpoint.identity, None, prompt_tokens(before, self.model))
                return

    async def _stream(self, messages: "list[BaseMessage]", most: int) -> AsyncGenerator[str, None]:
        """Make a streamed call, with retries."""
        deadline = self._open_deadline(messages, self.model)
        try:
            for number in count():
                try:
                    async with aclosing(self._stream_once(messages, deadline, number, most)) as deltas:
                        async for delta in deltas:
                            yield delta
                except ModelRequestError as failure:
                    if failure.pause is None:
                        raise
                    pause = failure.pause
                else:
                    return
                await asyncio.sleep(pause)
        finally:
            self.breaker.release_call(deadline)

    async def _stream_once(
        self, messages: "list[BaseMessage]", deadline: CallDeadline, number: int, most: int
    ) -> AsyncGenerator[str, None]:
        """Make a single attempt at a stream, and yield the text of the reply without reasoning."""
        identity = self.endpoint.identity
        thinking, given = ReasoningFilter(opened=opens_reasoning(identity)), False
        finish, refused, blocked = None, False, False
        said: list[str] = []
        watch = RepetitionWatch()
        with self._attempt("text", messages, self.model, deadline, number, most) as attempt:
            bound, arguments = self._bind_reply(attempt, self.model)
            chunks = aiter(bound.astream(messages, self._config(), **arguments))
            try:
                async for chunk in _within_time(chunks, deadline):
                    finish, refused = stop_reason(chunk) or finish, refused or refuses(chunk)
                    blocked = blocked or blocks_prompt(chunk)
                    attempt.take(chunk, totals=speaks_openai(self.model))
                    self._require_room(attempt)
                    said.append(message_text(chunk))
                    _require_progress(watch, said[-1])
                    if text := thinking.feed(said[-1]):
                        given = True
                        yield text
            except Exception:
                if rest := thinking.break_off():
                    yield rest
                raise
            finally:
                if close := getattr(chunks, "aclose", None):
                    # Closing releases the connection at once if the caller stops reading early.
                    await close()
            notice_opening(identity, "".join(said))
            await self._learn_speed(attempt)
            if rest := thinking.end():
                given = True
                yield rest
            kind = self._settle_end("declined" if refused else kind_of(finish), streamed=True)
            require_end(kind, finish, empty=not given, prompt=blocked)

    @contextmanager
    def _attempt(
        self,
        mode: str,
        messages: "list[BaseMessage]",
        runnable: "Runnable[Any, Any]",
        deadline: CallDeadline,
        number: int,
        most: int = MOST_TOKENS,
    ) -> Iterator[Attempt]:
        """Context manager for an attempt: reserves budget, classifies a failure, and records the call in every case.

        Raises:
            ModelRequestError: The attempt failed. `pause` says whether and when to retry.
            ModelCallError: The call was not admitted, by the breaker or the budget.
        """
        prompt = prompt_tokens(messages, runnable)
        reply = reply_tokens(self.model, self.budget.longest_reply(self.endpoint.name, self.purpose))
        room = Reservation(prompt + reply, cost_of(self.price, prompt, reply))
        self._reserve(room, deadline)
        attempt = Attempt(deadline, number, room, prompt, most)
        fault: Fault | None = None
        error: str | None = "cancelled before it finished"
        try:
            yield attempt
        except GeneratorExit:
            error = "the reply was invalid and was not read to its end"
            raise
        except Exception as failure:  # noqa: BLE001 - each provider's client raises its own
            fault = self._classify_failure(failure, deadline)
            error = fault.words
            raise ModelRequestError(fault, self._learn_from_fault(fault, attempt, mode)) from None
        else:
            error = None
            self.breaker.record_success(deadline)
        finally:
            sent, received = attempt.spent(fault, left=fault is None and error is not None)
            call = ModelCall(
                role=self.role,
                purpose=self.purpose,
                model=self.endpoint.name,
                mode=mode,
                input_tokens=sent,
                output_tokens=received,
                cached_tokens=min(attempt.cached, sent),
                seconds=attempt.seconds,
                ended=round(time.time(), 3),
                error=error,
                fault=fault.kind if fault else None,
            )
            cost = cost_of(self.price, sent, received, call.cached_tokens, self.cached_price)
            self.budget.record(call, cost, room)

    def _bind_reply(self, attempt: Attempt, runnable: Any) -> "tuple[Runnable[Any, Any], dict[str, Any]]":
        """Limit the tokens of the reply by the run's remaining budget, the model and the attempt.

        Returns the runnable to call and the keyword arguments for the call.
        """
        left, _ = self.budget.reply_room(attempt.room, attempt.prompt, self.price)
        size = window_memory.size(self.endpoint.identity)
        most = most_tokens(self.model, size.window, attempt.prompt)
        wanted = attempt.most + thinking_allowance(self._thinker)
        attempt.bound = bound_name(self.endpoint.identity, self.model)
        return bind_bound(self.model, runnable, attempt.bound, max(1, min(left, most, wanted)))

    def _require_room(self, attempt: Attempt) -> None:
        """Raise an error if the reply so far exceeds the tokens or cost that the run has left.

        Raises:
            ModelRequestError: `limit`.
        """
        left, limit = self.budget.reply_room(attempt.room, attempt.prompt, self.price)
        if attempt.reply_tokens > left:
            self.budget.note(limit)
            raise ModelRequestError(Fault("limit", BudgetExhaustedError(limit).reason))

    def _reserve(self, room: Reservation, deadline: CallDeadline) -> None:
        """Ask the breaker and the budget for a call, and record a refusal in the trace.

        Raises:
            ModelCallError: The call was refused.
        """
        try:
            self.breaker.admit(deadline)
            if deadline.seconds_left <= 0:
                self.budget.refuse("max_seconds")
            self.budget.reserve_call(room)
        except ModelCallError as refusal:
            self.budget.record(unsent_call(self.role, self.purpose, self.endpoint.name, refusal.reason))
            raise

    def _retry_pause(self, fault: Fault, attempt: Attempt) -> float | None:
        """Return the seconds to wait before a retry.

        Returns None if a retry is pointless (the fault is permanent, a part of the reply came, or no retries are left),
        or there is no time.
        """
        if not fault.passing or attempt.characters or attempt.number >= self.retries:
            return None
        pause = fault.pause
        if pause is None:
            pause = _PAUSE_SECONDS * 2**attempt.number * random.uniform(0.75, 1.0)  # noqa: S311 - spreads the load
        return pause if pause < attempt.deadline.seconds_left else None

    def _learn_from_fault(self, fault: Fault, attempt: Attempt, mode: str) -> float | None:
        """Record the consequences of a fault, and return the seconds to wait before a retry.

        The breaker counts an outage, the budget notes a deadline, and a refused token limit or a context window is
        remembered. Returns None if there is to be no retry.
        """
        if fault.bound and attempt.bound and not attempt.began:
            note_refused_bound(self.endpoint.identity, self.model, attempt.bound, fault)
            return 0.0
        pause = self._retry_pause(fault, attempt)
        # A model that does not exist when asked in the plainest way will not exist later either.
        hopeless = fault.hopeless or (fault.status == 404 and mode in {"text", "json_text"})
        if pause is None and (fault.outage or hopeless):
            self.breaker.record_failure(attempt.deadline, fault.words, hopeless=hopeless)
        if fault.kind == "deadline":
            self.budget.note("max_seconds")
        if fault.kind == "overflow":
            window_memory.learn(self.endpoint.identity, fault.window, attempt.prompt)
        return pause

    def _classify_failure(self, failure: Exception, deadline: CallDeadline) -> Fault:
        if isinstance(failure, ModelRequestError):
            return failure.fault
        if isinstance(failure, TimeoutError) and deadline.seconds_left <= 0:
            return deadline.overdue()
        if ended_early(failure) and always_tells(self.model) and not speaks_openai(self.model):
            # ChatMistralAI drops an error within a stream, ChatOllama the reply of a cold start.
            return Fault("loading", _NO_WORD)
        return classify_fault(failure)

    def _config(self) -> "RunnableConfig":
        return {
            "run_name": f"{self.role}.{self.purpose}",
            "tags": [*_NOSTREAM, f"role:{self.role}"],
            "metadata": {"role": self.role, "purpose": self.purpose},
        }


def unsent_call(role: str, purpose: str, model: str, reason: str) -> ModelCall:
    """Return the trace entry of a call that was not made, so that the trace shows why a rule replaced the model."""
    return ModelCall(role=role, purpose=purpose, model=model, mode=NOT_SENT, error=reason)


def _require_progress(watch: RepetitionWatch, delta: str) -> None:
    """Add new text to a watch.

    Raises:
        ModelRequestError: `incomplete`, if the reply is in a loop.
    """
    if watch.feed(delta):
        raise ModelRequestError(Fault("incomplete", "the reply repeats itself"))


async def _within_time(
    chunks: "AsyncIterator[Any]", deadline: CallDeadline, *, whole: bool = False
) -> "AsyncIterator[Any]":
    """Yield the chunks of a stream until the deadline, and with a limit on the silence after the first chunk.

    Args:
        chunks: The stream.
        deadline: Deadline of the call.
        whole: Whether the caller needs the whole reply. Only changes the message before the first chunk.

    Raises:
        ModelRequestError: `late` if the stream stalls after its first chunk, or passes the deadline of the call.
            `deadline` if it passes the deadline, and the run's own time is over with it.
    """
    began = False
    while True:
        left = deadline.seconds_left
        bound = min(left, _STALL_SECONDS) if began else left
        try:
            async with asyncio.timeout(bound):
                chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        except TimeoutError:
            if began and bound == _STALL_SECONDS:
                raise ModelRequestError(Fault("late", f"the reply stalled for {bound:.3g} s")) from None
            raise ModelRequestError(
                deadline.overdue("whole reply" if began or not whole else "reply", slow=began)
            ) from None
        yield chunk
        began = True
