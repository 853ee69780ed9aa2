"""Consent: before a tool acts, a person sees the call and allows it, changes its arguments, or refuses.

A tool acts unless it only reads (`weiwo.tools.registry.may_act`). The question is LangGraph's `interrupt`, in the forms
that plan approval uses too, so it waits without a process. The operator may allow tools beforehand (`allow_tools`,
`allow_acting`); not those of a server that is not trusted, or whose descriptions address the model.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from langgraph.types import interrupt

from weiwo.nodes.executor.task_state import Call, TaskState
from weiwo.nodes.shared.human_in_the_loop.approval_answer import ApprovalAnswer, human_in_the_loop, read_answer
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Language, Task
from weiwo.text.localization import localized
from weiwo.tools.calling.arguments import check_arguments
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.printable import one_line
from weiwo.tools.tool_info import ToolInfo

REQUEST: Final = "allow_tool"
"""The `type` of the interrupt's value, by which a client knows what is asked."""
_LONGEST_SHOWN: Final = 4_000

_HOW: Final = localized("executor.task_calls.consent", "how")
_ASKED: Final = localized("executor.task_calls.consent", "asked")
_UNCLEAR: Final = localized("executor.task_calls.consent", "unclear")
_REFUSED: Final = localized("executor.task_calls.consent", "refused")


@dataclass(frozen=True)
class Consent:
    """What a person said about the calls of a turn.

    Attributes:
        calls: The calls to make, with the arguments they are allowed with.
        refused: Why none is made, in one line; empty where they may be.
    """

    calls: tuple[Call, ...]
    refused: str = ""


async def seek_consent(calls: list[Call], state: TaskState, services: RunContext) -> Consent:
    """Ask a person about each call that acts and is not allowed yet.

    The run waits in LangGraph's `interrupt`.

    Raises:
        GraphInterrupt: Somebody is asked.
    """
    task = state["task"]
    allowed: list[Call] = []
    for number, call in enumerate(calls, state.get("attempts", 0)):
        info = services.registry.info(call["tool"])
        if not _is_to_be_asked(info, services) or await services.calls.has_begun(call["tool"], task.id, number):
            allowed.append(call)  # one that has begun already is refused, or repeated with its key, where it is made
            continue
        verdict = _ask(call, info, task, services)
        if verdict.kind in {"reject", "refuse"}:
            why = f": {one_line(str(verdict.content), 200)}" if verdict.kind == "reject" else ""
            return Consent((), f"{call['tool']}: {_REFUSED[services.language]}{why}")
        allowed.append({"tool": call["tool"], "args": dict(verdict.content)} if verdict.kind == "edit" else call)
    return Consent(tuple(allowed))


def _is_to_be_asked(info: ToolInfo, services: RunContext) -> bool:
    settings = services.settings
    return info.acts and (info.always_ask or not (settings.allow_acting or info.name in settings.allow_tools))


def _ask(call: Call, info: ToolInfo, task: Task, services: RunContext) -> ApprovalAnswer:
    """Ask until the answer is one."""
    complaints: list[str] = []
    while True:
        answer = interrupt(_consent_request(call, info, task, services.language, complaints))
        verdict = _read_consent(answer)
        if verdict.kind == "unclear":
            shown = one_line(json.dumps(answer, ensure_ascii=False, default=str), 80)
            complaints = [_UNCLEAR[services.language].format(shown)]
            continue
        if verdict.kind == "edit":
            try:
                check_arguments(services.registry.get(info.name), verdict.content)
            except ToolCallError as error:
                complaints = [error.message]
                continue
        return verdict


def _consent_request(
    call: Call, info: ToolInfo, task: Task, language: Language, complaints: list[str]
) -> dict[str, Any]:
    """The value of the interrupt: the call, whose tool it is, and how to answer."""
    shown = json.dumps(call["args"], ensure_ascii=False, indent=2, default=str)[:_LONGEST_SHOWN]
    server = f" (MCP: {info.server})" if info.server else ""
    asked = _ASKED[language].format(tool=info.name, server=server)
    description = "\n\n".join([asked, f"```json\n{shown}\n```", *complaints, _HOW[language]])
    return {
        "type": REQUEST,
        "task": task.id,
        "question": task.description,
        "tool": info.name,
        "server": info.server,
        "arguments": call["args"],
        "about": one_line(info.description, 300),
        "complaints": complaints,
        "how": _HOW[language],
        **human_in_the_loop(info.name, call["args"], description),
    }


def _read_consent(answer: object) -> ApprovalAnswer:
    """Read what a person, or a program for them, resumed with; an edit gives the arguments."""
    if isinstance(answer, Mapping) and isinstance(args := answer.get("arguments"), Mapping):
        return ApprovalAnswer("edit", args)
    said = read_answer(answer)
    return ApprovalAnswer("unclear") if said.kind == "edit" and not isinstance(said.content, Mapping) else said
