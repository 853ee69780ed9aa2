"""Run requests of clients, read from the body sent by LangGraph's SDKs, and checked before a start."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from langgraph.types import Command, Send, StateSnapshot
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from weiwo.app.server.access.profiles import named_corpora
from weiwo.app.server.errors import RequestError, not_found
from weiwo.app.server.wire import ASSISTANT_ID, GRAPH_ID, read_metadata, read_place, read_text
from weiwo.app.session.runs import read_options
from weiwo.app.session.waiting import AnswerError, Waiting
from weiwo.nodes.shared.question.validation import QuestionError, check_question
from weiwo.state.search import SearchState
from weiwo.state.settings import (
    Context,
    Settings,
    SettingsError,
    check_client_fields,
    describe_validation_error,
)

_StreamMode = Literal["values", "updates", "custom", "messages-tuple", "messages", "tasks", "checkpoints", "debug"]
_CHECKPOINT: Final = frozenset({"checkpoint_id", "checkpoint_ns"})
_CorpusChoice = Callable[[Sequence[str]], list[str]]
"""Maps the corpus names given by a user to storage names."""
_EDITORS: Final = ("planner", "executor", "writer")
"""The nodes that a client may go on at, or change the state in the name of: a question begins with an input alone."""
_KEPT: Final = frozenset({"usage", "run"})
"""Fields of the state by which the limits of a run hold."""
_FIELDS: Final = frozenset(SearchState.__annotations__)
_ABSENT: Final = {"webhook": "calls no other server", "after_seconds": "starts runs at once"}


class RunRequest(BaseModel):
    """A run as requested by a client."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    input: dict[str, Any] | None = None  # the graph's input. None: continue from the checkpoint
    command: dict[str, Any] | None = None  # `resume`, `update` and `goto`, in place of an input
    context: dict[str, Any] = Field(default_factory=dict)  # the fields of the run's `Context`
    checkpoint: dict[str, str] = Field(default_factory=dict)  # `checkpoint_id`, where not from the newest
    modes: list[_StreamMode] = ["values"]  # the stream modes requested by the client that began the run
    subgraphs: bool = False  # whether events of subgraphs are streamed, too
    interrupt_before: list[str] | Literal["*"] | None = None  # nodes to stop before
    interrupt_after: list[str] | Literal["*"] | None = None  # nodes to stop after
    metadata: dict[str, Any] = Field(default_factory=dict)  # metadata set by the client
    multitask: Literal["reject", "interrupt", "enqueue"] = "enqueue"  # what to do while another run works on the thread
    temporary: bool = False  # whether the thread is deleted when the run has ended
    # Storage names of the corpora that the user chose for this run. Empty: the default corpora.
    corpora: list[str] = Field(default_factory=list)
    # Documents sent with the question, to be searched in this run, each with `name` and `text`.
    attached: list[dict[str, str]] = Field(default_factory=list)

    @classmethod
    def of(
        cls, body: Mapping[str, Any], *, stateless: bool = False, choose: _CorpusChoice | None = None
    ) -> "RunRequest":
        """Parse a request body.

        Args:
            body: The body.
            stateless: Whether the run has a thread of its own, which is deleted at the end unless `on_completion` is
                "keep".
            choose: Finds the named corpora among the user's. None: `corpus` is an ordinary field of the context.

        Raises:
            RequestError: The request is impossible, or sets a field that clients may not set.
        """
        if (assistant := read_text(body, "assistant_id")) not in {"", GRAPH_ID, ASSISTANT_ID}:
            raise not_found("assistant_id", assistant)
        for field, why in _ABSENT.items():
            if body.get(field):
                raise RequestError(422, f"{field} is not supported, because this server {why}; leave it out")
        if body.get("input") is not None and body.get("command") is not None:
            raise RequestError(422, "input and command cannot be combined; leave one out")
        config = body.get("config") if isinstance(body.get("config"), Mapping) else {}
        configurable = config.get("configurable") if isinstance(config, Mapping) else None
        configurable = configurable if isinstance(configurable, Mapping) else {}
        context, corpora = body.get("context") or configurable, []
        if choose is not None and isinstance(context, Mapping):
            corpora = choose(named_corpora(context))
            context = {name: value for name, value in context.items() if name != "corpus"}
        modes = body.get("stream_mode") or ["values"]
        given = {
            "input": body.get("input"),
            "command": body.get("command"),
            "context": read_context(context),
            "checkpoint": {key: value for key, value in read_place(body).items() if key in _CHECKPOINT},
            "modes": [modes] if isinstance(modes, str) else modes,
            "subgraphs": bool(body.get("stream_subgraphs")),
            "interrupt_before": body.get("interrupt_before"),
            "interrupt_after": body.get("interrupt_after"),
            "metadata": read_metadata(body),
            "multitask": body.get("multitask_strategy") or "enqueue",
            "corpora": corpora,
            "temporary": stateless and body.get("on_completion", "delete") == "delete",
        }
        try:
            request = cls.model_validate(given)
        except ValidationError as error:
            raise RequestError(422, describe_validation_error(error)) from None
        request.check_input()
        request.check_command()
        return request

    def check_input(self) -> None:
        """Require an input with a question or messages.

        Raises:
            RequestError: The input has neither.
        """
        if self.input is None:
            return
        if (question := self.input.get("question")) is not None:
            try:
                check_question(str(question))
            except QuestionError as error:
                raise RequestError(422, str(error)) from None
        elif not self.input.get("messages"):
            raise RequestError(422, "input must have a question or messages")

    def check_command(self) -> None:
        """Require a command within the permissions of a client.

        Raises:
            RequestError: The command is empty or changes or begins something that a client may not.
        """
        if (command := self.graph_command()) is None:
            return
        if command.resume is None and not command.update and not command.goto:
            raise RequestError(422, "command: resume must not be null; give an answer, or leave it out")
        check_edit(command.update, "command.update")
        if unknown := sorted(map(str, (command.update or {}).keys() - _FIELDS)):
            raise RequestError(422, f"command.update: {unknown[0][:60]!a} is not a field of the state; leave it out")
        for place in self._places():
            if isinstance(place, Send):
                check_edit(place.arg, "command.goto")
            check_editor(place.node if isinstance(place, Send) else place, "command.goto")

    @property
    def changes_course(self) -> bool:
        """Report whether the request gives an input, names a checkpoint, or changes the state or the next node.

        False if it only answers a waiting request, or continues from the thread's current state.
        """
        command = self.command or {}
        return bool(self.input is not None or self.checkpoint or command.get("update") or command.get("goto"))

    @property
    def answers(self) -> bool:
        """Report whether the request answers a question that waits for a person."""
        return self.command is not None and self.command.get("resume") is not None

    def address_answer(self, thread_id: str, waiting: Waiting) -> "RunRequest":
        """Address the answer, if any, to the interrupt of the thread waiting for an answer.

        Raises:
            RequestError: The answer fits nothing that waits.
        """
        if not self.answers:
            return self
        try:
            resume = waiting.address((self.command or {}).get("resume"))
        except AnswerError as error:
            told = "没有等待答复的事项；请重新载入本页"
            raise RequestError(409, f"thread {thread_id}: {error}", told) from None
        return self.model_copy(update={"command": {**(self.command or {}), "resume": resume}})

    def context_on(self, snapshot: StateSnapshot) -> Mapping[str, Any]:
        """Return the context of the run: the fields set by the client.

        A run that continues without any has the options with which the run began, reduced to fields that a client may
        set.
        """
        if self.context or self.input is not None:
            return self.context
        return allowed_fields(read_options(snapshot.metadata).model_dump(mode="json", exclude_none=True))

    def graph_command(self) -> Command[Any] | None:
        """Return the command in LangGraph's form.

        Raises:
            RequestError: The command is malformed.
        """
        if self.command is None:
            return None
        return Command(update=self.command.get("update"), goto=self._places(), resume=self.command.get("resume"))

    def _places(self) -> list[str | Send]:
        goto = (self.command or {}).get("goto") or ()
        try:
            return [
                item if isinstance(item, str) else Send(item["node"], item["input"])
                for item in (goto if isinstance(goto, list | tuple) else [goto])
            ]
        except (KeyError, TypeError):
            raise RequestError(422, "command.goto must be names of nodes, or {node, input}") from None


def check_editor(node: Any, field: str) -> None:
    """Require a node from the list open to clients.

    Raises:
        RequestError: The node is not in the list.
    """
    if node not in _EDITORS:
        raise RequestError(422, f"{field}: {str(node)[:40]!a} cannot be used by a client; use {', '.join(_EDITORS)}")


def check_edit(values: Any, field: str) -> None:
    """Require a client's change of the state to leave the counters for limits untouched.

    Raises:
        RequestError: The change touches them, or is no object.
    """
    if values is None:
        return
    if not isinstance(values, Mapping):
        raise RequestError(422, f"{field} must be an object with fields of the state")
    outcomes = values.get("outcomes")
    spent = isinstance(outcomes, Mapping) and any(
        isinstance(item, Mapping) and "usage" in item for item in _all(outcomes)
    )
    if kept := sorted(_KEPT & values.keys()) or (["outcomes.usage"] if spent else []):
        raise RequestError(422, f"{field}.{kept[0]} is set by the graph itself; leave it out")


def _all(outcomes: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the outcomes of an update, and those inside an overwriting update (`{"__overwrite__": {…}}`)."""
    for key, outcome in outcomes.items():
        yield from outcome.values() if key in {"__overwrite__", "value"} and isinstance(outcome, Mapping) else ()
        yield outcome


def read_context(given: Any) -> dict[str, Any]:
    """Validate the context of a client's run, and return the fields that are set, as JSON values.

    Raises:
        RequestError: A field is malformed, or clients may not set it.
    """
    if not isinstance(given, Mapping):
        raise RequestError(422, "context must be an object such as {depth: quick}")
    try:
        context = Context.model_validate(dict(given))
        Settings.resolve(context, from_client=True)
    except ValidationError as error:
        raise RequestError(422, f"context.{describe_validation_error(error)}") from None
    except SettingsError as error:
        raise RequestError(422, str(error)) from None
    return context.model_dump(mode="json", exclude_none=True)


def allowed_fields(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those options of a thread that a client may set. Other fields have the operator's values."""
    allowed = {}
    for field, value in options.items():
        try:
            check_client_fields({field: value}, os.environ)
        except SettingsError:
            continue
        allowed[field] = value
    return allowed
