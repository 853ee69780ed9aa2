"""Gateway for all chat model calls.

Every call is reserved in the run's budget before it is sent, limited in time with all its retries, and recorded in the
trace in every case. Failures reach the caller as `ModelCallError`, and the caller then falls back on rules.
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
"""Creates the chat model of an endpoint, with a time limit of a request in seconds."""

_SHARE_OF_BUDGET = 0.5
"""Share of the run's remaining tokens that a prompt with passages may use."""

_overlooked: Final = EndpointMemory[float]()
"""Time (`time.monotonic`) until which a role's model gets a single task per request, by role and endpoint."""


class ChatModels:
    """Chat models of a run, by role.

    Args:
        settings: Settings of the run, with the model of each role.
        budget: Budget that every call is reserved in.
        run_id: Id of the run. Circuit breakers of endpoints are shared by all objects with the same id.
        given: Chat models by role, which override the settings.
        make: Creates a chat model.

    Raises:
        SettingsError: The run has a limit on cost, and the price of a model is not known.
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
        distinct = {id(model): model for model in self._given.values()}
        # Endpoint and context window by the model's identity; a model can have several roles.
        self._given_models = {key: (_given_endpoint(model), own_window(model)) for key, model in distinct.items()}
        configured = (name for role, name in settings.models.items() if role not in self._given)
        require_prices(settings, [*(where.name for where, _ in self._given_models.values()), *configured])

    def has_decision_model(self, role: str) -> bool:
        """Report whether a role has a model that is not small. Otherwise, rules make the decisions of the role."""
        return self._has(role) and not is_small(self._size(role)[0])

    def answers_plainly(self, role: str) -> bool:
        """Report whether a role has a small model (up to about 3 billion parameters).

        A small model is used only to answer a single plain question, and rules make the decisions.
        """
        return self._has(role) and is_small(self._size(role)[0])

    def note_reply(self, role: str, *, usable: bool) -> None:
        """Record whether a reply of a role's model was usable.

        A model counts as small if two of its first three replies are unusable.
        """
        note_reply(self._size(role)[0], usable=usable)

    def _has(self, role: str) -> bool:
        return role in self._given or role in self.settings.models

    async def learn_sizes(self) -> None:
        """Determine for each model whether it is small, once per endpoint. Only local servers are asked."""
        await asyncio.gather(*map(learn_size, self._endpoints().values()))

    async def usual_seconds(self) -> float:
        """Return the seconds that a typical call takes on the slowest model, by measured speed, or 0 if unknown."""
        await speed_memory.load(self.settings.home)
        return max((speed_memory.speed(endpoint).seconds(*USUAL_CALL) for endpoint in self._endpoints()), default=0.0)

    def _endpoints(self) -> dict[str, Endpoint]:
        roles = dict.fromkeys((*self._given, *self.settings.models))
        return {where.identity: where for role in roles if (where := self._size(role)[0])}

    def holds_schemas(self, role: str, *others: str) -> bool:
        """Report whether a single request may combine the tasks of several roles.

        This requires that the model makes decisions, is not known to need its format described in the prompt, and has
        not overlooked a part of such a request recently.

        Args:
            role: Role that makes the request.
            others: Further roles with tasks in the request. They must have the same model.
        """
        where = self._size(role)[0].identity
        same = all(self.has_decision_model(other) and self._size(other)[0].identity == where for other in others)
        lapses = (_overlooked.get(f"{other} {self._size(other)[0].identity}", 0.0) for other in (role, *others))
        lapsed = any(time.monotonic() < until for until in lapses)
        return self.has_decision_model(role) and same and mode_memory.recall_mode(where) != MODES[-1] and not lapsed

    def note_overlooked(self, role: str) -> None:
        """Record that a role's model overlooked a part of a combined request (see `holds_schemas`)."""
        _overlooked.remember_fact(f"{role} {self._size(role)[0].identity}", time.monotonic() + DOUBT_SECONDS)

    async def ready(self, role: str) -> None:
        """Create a role's model, so that `room` and `count` use its window and tokenizer instead of estimates.

        A model that cannot be created is ignored here. Its next call reports the error.
        """
        try:
            await self._model(role)
        except ModelUnavailableError:
            # The next call to this model reports the error.
            return

    def room(self, role: str, *prompt: str) -> int:
        """Return how many tokens of passages a prompt to a role's model may have, never negative.

        The whole prompt may fill a share of the context window (see `prompt_bound`), and at most half of the run's
        remaining tokens, because more calls follow.

        Args:
            role: The role.
            prompt: Texts of the rest of the prompt, without passages.
        """
        where, size = self._size(role)
        bound = prompt_bound(
            window_memory.window(where.identity, self.settings.context_tokens or size.window), size.reply
        )
        left = self.budget.tokens_left(price_of(self.settings, where.name))
        bound = min(bound, int(left * _SHARE_OF_BUDGET) - size.reply)
        return max(0, bound - sum(PER_MESSAGE + size.count(text) for text in prompt))

    def reading_seconds(self, role: str, tokens: int) -> float:
        """Return the seconds that a role's model takes to read a prompt of some tokens, by measured speed."""
        return speed_memory.speed(self._size(role)[0].identity).seconds(tokens, 0)

    def count(self, role: str, text: str) -> int:
        """Count the tokens of a text for a role's model, exactly or as an upper estimate without a tokenizer."""
        return self._size(role)[1].count(text)

    def _size(self, role: str) -> tuple[Endpoint, ModelSize]:
        """Return a role's endpoint and the known sizes of the model, or estimates."""
        if role in self._given:
            where, window = self._given_models[id(self._given[role])]
            return where, replace(window_memory.size(where.identity), window=window)
        try:
            where = resolve_endpoint(self.settings.models.get(role, ""))
        except ModelUnavailableError:
            return Endpoint(role, ""), ModelSize()
        return where, window_memory.size(where.identity)

    def with_budget(self, budget: Budget) -> "ChatModels":
        """Return the same models with a different budget, for example a child of the current budget."""
        other = copy(self)
        other.budget = budget
        return other

    async def request_structured_reply(
        self,
        role: str,
        purpose: str,
        messages: Messages,
        schema: type[T],
        check: Callable[[T], str | None] | None = None,
    ) -> T:
        """Request a reply from a model as an instance of a pydantic model.

        The modes are tried in the order JSON schema, function call, JSON in text, starting from the mode that the
        endpoint last accepted. A reply in the wrong shape is repaired if possible without guessing, and otherwise sent
        back once with the errors.

        Args:
            role: The calling role.
            purpose: Purpose of the call for the trace, such as "plan".
            messages: The prompt, without instructions on the format of the reply.
            schema: The wanted type. Its docstring and field descriptions are part of the prompt.
            check: Checks beyond the schema. Returns the error, as an instruction to the model, or None.

        Raises:
            ModelCallError: There is no usable reply. The message gives the reason.
        """
        session = await self._open_session(role, purpose, structured=True)
        return await StructuredCall(session, _convert_messages(messages), schema, check).run()

    async def text(self, role: str, purpose: str, messages: Messages) -> str:
        """Request a reply as plain text, without reasoning.

        Args:
            role: The calling role.
            purpose: Purpose of the call for the trace, such as "plan".
            messages: The prompt.

        Raises:
            ModelCallError: There is no reply, or it is empty or cut off.
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
        """Stream the text of a reply without reasoning.

        A caller that leaves early should close the iterator (`contextlib.aclosing`).

        Args:
            role: The calling role.
            purpose: Purpose of the call for the trace, such as "report".
            messages: The prompt.
            most: Limit of the reply in tokens, not counting reasoning.

        Raises:
            ModelCallError: The stream was refused, cut, stalled, timed out or stayed empty. The text before that has
                been yielded, and the caller decides whether to use it.
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
            return await self._measure(self._size(role)[0], self._given[role])
        name = self.settings.models.get(role)
        if name is None:
            raise ModelUnavailableError(f"no model is configured for the {role}; set WEIWO_MODEL to provider:model")
        where = resolve_endpoint(name)
        return await self._measure(where, await self._make(where, self.settings.model_seconds))

    async def _measure(self, where: Endpoint, model: "BaseChatModel") -> "tuple[Endpoint, BaseChatModel]":
        """Determine the sizes of a model once per endpoint, for `room` and `count`. Returns the arguments unchanged."""
        if where.identity not in window_memory.sizes:
            window_memory.sizes.remember_fact(where.identity, await asyncio.to_thread(measure_model, model, where.name))
        return where, model


def _given_endpoint(model: "BaseChatModel") -> Endpoint:
    """Return an endpoint `given:NAME` for a model object passed in, with the object's own name of the model."""
    name = getattr(model, "model_name", None) or getattr(model, "model", None) or type(model).__name__
    return Endpoint(f"given:{name}", "given", instance=id(model))


def _convert_messages(messages: Messages) -> "list[BaseMessage]":
    from langchain_core.messages import convert_to_messages  # noqa: PLC0415 - heavy

    return convert_to_messages(messages)
