"""Consent: before a tool acts, a person allows the call, changes the arguments, or refuses.

A tool acts unless it only reads (`weiwo.tools.registry.may_act`). The question is LangGraph's `interrupt`, in the forms
that plan approval uses too, so it waits without a process. The operator may allow tools beforehand (`allow_tools`,
`allow_acting`), except tools of a server that is not trusted, or with descriptions that address the model.

An answer holds for the shown call: the question carries a hash of the tool and the arguments, and an answer counts only
if the checkpoint holds a question of this very step with that hash. Each question is a step of its own, so that it has
an id of its own, and an answer sent twice does not answer the next question.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from langgraph.types import interrupt

from weiwo.nodes.executor.task_state import Call, TaskState
from weiwo.nodes.shared.human_in_the_loop.approval_answer import ApprovalAnswer, human_in_the_loop, read_answer
from weiwo.nodes.shared.run_context import RunContext
from weiwo.text.localization import localize_message
from weiwo.text.printable import one_line
from weiwo.tools.calling.arguments import check_arguments
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.shown_arguments import list_arguments
from weiwo.tools.tool_identity import hash_call, tool_source
from weiwo.tools.tool_info import ToolInfo

REQUEST: Final = "allow_tool"
"""The `type` of the interrupt's value, by which a client recognises the question."""

_HOW: Final = localize_message("executor.task_calls.consent", "how")
_ASKED: Final = localize_message("executor.task_calls.consent", "asked")
_CHANGED: Final = localize_message("executor.task_calls.consent", "changed")
_UNCLEAR: Final = localize_message("executor.task_calls.consent", "unclear")
_REFUSED: Final = localize_message("executor.task_calls.consent", "refused")


@dataclass(frozen=True)
class ConsentQuestion:
    """A call that waits for a person's permission.

    Attributes:
        call: The call.
        info: The tool.
        number: Number of the call within its task.
        hash: Hash of the tool and the arguments.
    """

    call: Call
    info: ToolInfo
    number: int  # of the call within its task
    hash: str  # of the tool and the arguments

    @property
    def key(self) -> str:
        """Key under which the answer is stored in the task: number and hash."""
        return f"{self.number}:{self.hash}"


@dataclass(frozen=True)
class Verdict:
    """A person's answer to a question for permission. Exactly one attribute is set.

    Attributes:
        allowed: The call, perhaps with changed arguments.
        refused: The reason for a refusal.
        complaint: What is wrong with the answer. The person is told this and asked again.
    """

    allowed: Call | None = None
    refused: str = ""
    complaint: str = ""


async def open_questions(calls: list[Call], state: TaskState, services: RunContext) -> list[ConsentQuestion]:
    """Return a question for each call that acts and has no permission yet, in order.

    Calls that an interrupted run already began are left out, because they are handled where calls are made.
    """
    found = []
    for number, call in enumerate(calls, state.get("attempts", 0)):
        question = _question(call, number, services)
        # One that has begun already is refused, or repeated with its key, where it is made.
        if question is None or question.key in state.get("consents", {}):
            continue
        if not await services.calls.has_begun(call["tool"], state["task"].id, number):
            found.append(question)
    return found


def allowed_calls(calls: list[Call], state: TaskState, services: RunContext) -> list[Call]:
    """Return the calls, with the arguments as changed by a person. Calls that need no permission are unchanged."""
    numbered = enumerate(calls, state.get("attempts", 0))
    questions = [(call, _question(call, number, services)) for number, call in numbered]
    allowed = state.get("consents", {})
    return [call if question is None else allowed.get(question.key, call) for call, question in questions]


def ask_person(question: ConsentQuestion, shown: str, state: TaskState, services: RunContext) -> Verdict:
    """Ask a person about a single call, and return the answer.

    Args:
        question: The call.
        shown: Hash in the question that the checkpoint holds for this step. Empty if no question was asked yet.
        state: The task.
        services: The run's resources.

    Raises:
        GraphInterrupt: The person is asked.
    """
    language = services.language
    answer = interrupt(_consent_request(question, state, services))
    named = answer.get("hash", shown) if isinstance(answer, Mapping) else shown
    if not shown or question.hash not in {shown} & {named}:
        return Verdict(complaint=_CHANGED[language])
    verdict = _read_consent(answer)
    if verdict.kind in {"reject", "refuse"}:
        why = f": {one_line(str(verdict.content), 200)}" if verdict.kind == "reject" else ""
        return Verdict(refused=f"{question.call['tool']}: {_REFUSED[language]}{why}")
    if verdict.kind == "unclear" or verdict.action not in {"", question.info.name}:
        said = one_line(json.dumps(answer, ensure_ascii=False, default=str), 80)
        return Verdict(complaint=_UNCLEAR[language].format(said))
    if verdict.kind != "edit":
        return Verdict(question.call)
    try:
        check_arguments(services.registry.get(question.info.name), verdict.content)
    except ToolCallError as error:
        return Verdict(complaint=error.message)
    return Verdict({"tool": question.call["tool"], "args": dict(verdict.content)})


def _question(call: Call, number: int, services: RunContext) -> ConsentQuestion | None:
    """Return the question about a call, or None if the tool needs no permission."""
    info = services.registry.info(call["tool"])
    settings = services.settings
    allowed = settings.allow_acting or info.name in settings.allow_tools
    if not info.acts or (allowed and not info.always_ask):
        return None
    source = tool_source(services.registry.get(info.name)) if info.available else ""
    return ConsentQuestion(call, info, number, hash_call(info.name, source, info.args_schema, call["args"]))


def _consent_request(question: ConsentQuestion, state: TaskState, services: RunContext) -> dict[str, Any]:
    """Return the value of the interrupt: the call, the server of the tool, and instructions for the answer."""
    call, info, language = question.call, question.info, services.language
    complaints = [told for told in [state.get("complaint", "")] if told]
    server = f" (MCP: {info.server})" if info.server else ""
    asked = _ASKED[language].format(tool=info.name, server=server)
    lines = "\n".join(list_arguments(call["args"]))
    description = "\n\n".join([asked, f"```\n{lines}\n```", *complaints, _HOW[language]])
    return {
        "type": REQUEST,
        "task": state["task"].id,
        "question": state["task"].description,
        "tool": info.name,
        "server": info.server,
        "arguments": call["args"],
        "hash": question.hash,
        "about": one_line(info.description, 300),
        "complaints": complaints,
        "how": _HOW[language],
        **human_in_the_loop(info.name, call["args"], description),
    }


def _read_consent(answer: object) -> ApprovalAnswer:
    """Return the answer of a person or client program in its parsed form. An edit has the new arguments."""
    if isinstance(answer, Mapping) and isinstance(args := answer.get("arguments"), Mapping):
        return ApprovalAnswer("edit", args)
    said = read_answer(answer)
    return ApprovalAnswer("unclear") if said.kind == "edit" and not isinstance(said.content, Mapping) else said
