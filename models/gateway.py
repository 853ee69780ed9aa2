"""The gateway to chat models, the only one: bounded, counted, and with a rule always behind it.

Every call is taken from the run's budget before it is sent, bounded in time with all its retries, and booked in the
trace whatever comes of it. What goes wrong arrives at the caller as `ModelCallError`, who then decides by rule.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar, Union
from uuid import uuid4

from pydantic import BaseModel

from weiwo.models.budget import Budget
from weiwo.models.context_windows import PER_MESSAGE, ModelSize, measure_model, own_window, prompt_bound, window_memory
from weiwo.models.endpoint import Endpoint, EndpointMemory, endpoint_breaker, resolve_endpoint
from weiwo.models.errors import BudgetExhaustedError, ModelCallError, ModelUnavailableError
from weiwo.models.model_cache import get_chat_model
from weiwo.models.parameters import is_small, learn_size, note_reply
from weiwo.models.prices import cached_price_of, price_of, require_prices
from weiwo.models.reasoning_filter import strip_reasoning
from weiwo.models.reply import message_text
from weiwo.models.request_form import DOUBT_SECONDS, MODES, MOST_TOKENS, can_stream, mode_memory, set_thinking
from weiwo.models.session import RETRIES, ModelSession, unsent_call
from weiwo.models.speed import USUAL_CALL, speed_memory
from weiwo.models.structured import StructuredCall
from weiwo.state.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

__all__ = ["BudgetExhaustedError", "ChatModels", "ModelCallError", "ModelUnavailableError"]

T = TypeVar("T", bound=BaseModel)
Messages = Sequence[Union["BaseMessage", tuple[str, str]]]
"""A conversation: LangChain messages, or pairs of role ("system", "human", "ai") and text."""
_Maker = Callable[[Endpoint, float], Awaitable["BaseChatModel"]]
"""Makes the chat model of an endpoint, given the seconds one request may take."""

_SHARE_OF_BUDGET = 0.5
"""The share of the tokens a run may still spend that passages may fill up to in one prompt."""

_overlooked: Final = EndpointMemory[float]()
"""Until when a role's model is asked one thing at a time (`time.monotonic`), by role and endpoint."""


class ChatModels:
    """The chat models of a run, by role; those that are given were made elsewhere, and win over the settings.

    An endpoint that was found dead stays so for the run that `run_id` names; without one, for this object.

    Raises:
        SettingsError: The run has a limit on cost, and the price of one of the models is not known.
    """

    def __init__(
        self,
        settings: Settings,
        budget: Budget,
        run_id: str = "",
        *,
        given: Mapping[str, "BaseChatModel"] | None = None,
        make: _Maker = get_chat_model,
    ) -> None:
        self.settings = settings
        self.budget = budget
        self._run_id = run_id or uuid4().hex
        self._given = dict(given or {})
        self._make = make
        configured = (name for role, name in settings.models.items() if role not in self._given)
        require_prices(settings, [*map(_given_name, self._given.values()), *configured])

    def configured(self, role: str) -> bool:
        """Whether a role has a model that decides. If not, the rules do; a small model decides nothing."""
        return self._has(role) and not is_small(self._size(role)[0])

    def answers_plainly(self, role: str) -> bool:
        """Whether a role has a small model: it is asked one plain question, and nothing else."""
        return self._has(role) and is_small(self._size(role)[0])

    def note_reply(self, role: str, *, usable: bool) -> None:
        """Take note whether anything was to be done with a reply; two of the first three without make a small model."""
        note_reply(self._size(role)[0], usable=usable)

    def _has(self, role: str) -> bool:
        return role in self._given or role in self.settings.models

    async def learn_sizes(self) -> None:
        """Find out how large the models are, once for each endpoint; servers elsewhere are not asked."""
        await asyncio.gather(*map(learn_size, self._endpoints().values()))

    async def usual_seconds(self) -> float:
        """Seconds that a usual call of the slowest model takes, by its measured speed; 0 where none is known."""
        await speed_memory.load(self.settings.home)
        return max((speed_memory.speed(one).seconds(*USUAL_CALL) for one in self._endpoints()), default=0.0)

    def _endpoints(self) -> dict[str, Endpoint]:
        roles = dict.fromkeys((*self._given, *self.settings.models))
        return {where.identity: where for role in roles if (where := self._size(role)[0])}

    def holds_schemas(self, role: str, *others: str) -> bool:
        """Whether one request may ask a role's model for several things at once.

        It may where it takes schemas, as far as is known: a model that has to be told its format in the prompt is
        better asked one thing at a time, and so is one that has overlooked such a thing lately. Other roles whose work
        is asked for too must have the same model.
        """
        where = self._size(role)[0].identity
        same = all(self.configured(other) and self._size(other)[0].identity == where for other in others)
        lapsed = any(self._overlooks(one) for one in (role, *others))
        return self.configured(role) and same and mode_memory.known(where) != MODES[-1] and not lapsed

    def note_overlooked(self, role: str) -> None:
        """Remember for a while that a role's model left out what was asked of it beside its work."""
        _overlooked.put(f"{role} {self._size(role)[0].identity}", time.monotonic() + DOUBT_SECONDS)

    def _overlooks(self, role: str) -> bool:
        until = _overlooked.get(f"{role} {self._size(role)[0].identity}")
        return until is not None and time.monotonic() < until

    async def ready(self, role: str) -> None:
        """Make a role's model, so that `room` and `count` know it; without this they go by careful estimates."""
        try:
            await self._model(role)
        except ModelUnavailableError:
            return  # the call that follows says so

    def room(self, role: str, *prompt: str) -> int:
        """Tokens left for passages in a prompt to a role's model beside the rest of it, never negative.

        A share of the model's window is used (`context_windows`), what the reply needs kept free, and of what the run
        may still spend at most half: more is to come.
        """
        where, size = self._size(role)
        bound = prompt_bound(
            window_memory.window(where.identity, self.settings.context_tokens or size.window), size.reply
        )
        left = self.budget.tokens_left(price_of(self.settings, where.name))
        bound = min(bound, int(left * _SHARE_OF_BUDGET) - size.reply)
        return max(0, bound - sum(PER_MESSAGE + size.count(text) for text in prompt))

    def reading_seconds(self, role: str, tokens: int) -> float:
        """Seconds that a role's model takes to read a prompt, by its measured speed."""
        return speed_memory.speed(self._size(role)[0].identity).seconds(tokens, 0)

    def count(self, role: str, text: str) -> int:
        """Tokens of a text for a role's model: with its tokenizer where it is at hand, else at most, as a rule."""
        return self._size(role)[1].count(text)

    def _size(self, role: str) -> tuple[Endpoint, ModelSize]:
        """A role's endpoint and what is known of its model; estimates where nothing is."""
        if role in self._given:
            where = _given_endpoint(self._given[role])
            return where, replace(window_memory.size(where.identity), window=own_window(self._given[role]))
        try:
            where = resolve_endpoint(self.settings.models.get(role, ""))
        except ModelUnavailableError:
            return Endpoint(role, ""), ModelSize()
        return where, window_memory.size(where.identity)

    def with_budget(self, budget: Budget) -> "ChatModels":
        """The same models, at the expense of another budget, such as a child of this one."""
        other = copy(self)
        other.budget = budget
        return other

    async def structured(
        self,
        role: str,
        purpose: str,
        messages: Messages,
        schema: type[T],
        check: Callable[[T], str | None] | None = None,
    ) -> T:
        """One judgement, as an instance of a pydantic model.

        Goes through the modes JSON schema, function call, JSON in text, from the one that the endpoint last took; what
        comes in the wrong shape is mended where that takes no guessing, and else sent back once with what is wrong.

        Args:
            role: The agent that asks.
            purpose: What for, such as "plan".
            messages: The prompt, without a word on the form of the reply.
            schema: What is wanted. Its docstring and field descriptions are part of the prompt.
            check: Judges what the schema cannot; returns what is wrong, in words for the model, or None.

        Raises:
            ModelCallError: There is no usable reply, for the reason it names.
        """
        session = await self._open_session(role, purpose, structured=True)
        return await StructuredCall(session, _convert_messages(messages), schema, check).run()

    async def text(self, role: str, purpose: str, messages: Messages) -> str:
        """A reply as plain text, whole, without reasoning.

        Raises:
            ModelCallError: There is none, it is empty, or it was cut off.
        """
        session = await self._open_session(role, purpose)
        message = await session.ask(session.model, "text", _convert_messages(messages), whole=True)
        text = strip_reasoning(message_text(message)).strip()
        if not text:
            raise ModelCallError("the reply was reasoning and nothing else")
        return text

    async def stream(
        self,
        role: str,
        purpose: str,
        messages: Messages,
        *,
        most: int = MOST_TOKENS,
    ) -> AsyncGenerator[str, None]:
        """The text of a reply as it comes, without reasoning, of `most` tokens at most, thoughts apart.

        Whoever leaves early should close the iterator (`contextlib.aclosing`).

        Raises:
            ModelCallError: The stream was refused, cut, stalled, timed out or stayed empty.
                What came before has been yielded; the caller decides what it is worth.
        """
        session = await self._open_session(role, purpose, streaming=True)
        async with aclosing(session.stream(_convert_messages(messages), most)) as deltas:
            async for delta in deltas:
                yield delta

    async def _open_session(
        self,
        role: str,
        purpose: str,
        *,
        streaming: bool = False,
        structured: bool = False,
    ) -> ModelSession:
        try:
            where, model = await self._model(role)
        except ModelUnavailableError as unavailable:
            if (name := self.settings.models.get(role)) is not None:
                self.budget.record(unsent_call(role, purpose, name, unavailable.reason))
            raise
        await speed_memory.load(self.settings.home)
        received = structured and role not in self._given and can_stream(model)
        if not (streaming or received):
            # A streaming callback up the stack, as LangGraph's `messages` mode sets one,
            # would turn a plain request into a streamed one.
            model = model.model_copy(update={"disable_streaming": True})
        return ModelSession(
            role=role,
            purpose=purpose,
            endpoint=where,
            model=model if role in self._given else set_thinking(model, self.settings.thinking, role),
            budget=self.budget,
            breaker=endpoint_breaker(self._run_id, where.identity),
            seconds=self.settings.model_seconds,
            price=price_of(self.settings, where.name),
            cached_price=cached_price_of(self.settings, where.name),
            retries=0 if role in self._given else RETRIES,
            streams=received,
            adapts=self.settings.model_seconds == Settings.model_seconds,
            home=self.settings.home,
        )

    async def _model(self, role: str) -> "tuple[Endpoint, BaseChatModel]":
        if role in self._given:
            model = self._given[role]
            return await self._measure(_given_endpoint(model), model)
        name = self.settings.models.get(role)
        if name is None:
            raise ModelUnavailableError(f"no model is configured for the {role}; set WEIWO_MODEL to provider:model")
        where = resolve_endpoint(name)
        return await self._measure(where, await self._make(where, self.settings.model_seconds))

    async def _measure(self, where: Endpoint, model: "BaseChatModel") -> "tuple[Endpoint, BaseChatModel]":
        """The same, its size known from now on."""
        if where.identity not in window_memory.sizes:
            window_memory.sizes.put(where.identity, await asyncio.to_thread(measure_model, model, where.name))
        return where, model


def _given_endpoint(model: "BaseChatModel") -> Endpoint:
    return Endpoint(_given_name(model), "given", instance=id(model))


def _given_name(model: "BaseChatModel") -> str:
    """What a model goes by that was made elsewhere."""
    name = getattr(model, "model_name", None) or getattr(model, "model", None) or type(model).__name__
    return f"given:{name}"


def _convert_messages(messages: Messages) -> "list[BaseMessage]":
    from langchain_core.messages import convert_to_messages  # noqa: PLC0415 - heavy

    return convert_to_messages(messages)
