"""Elicitation: what an MCP server asks the user in mid-call, and what their answer means.

The call has ended with its request, which lies in the task's state. The question is LangGraph's `interrupt`, in the
forms that consent uses too, so it waits without a process; the answer goes to the server when the call is made again.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from langgraph.types import interrupt

from weiwo.nodes.executor.task_state import TaskState
from weiwo.nodes.shared.human_in_the_loop.approval_answer import REFUSING, agrees
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Language, Task
from weiwo.tools.calling.elicitation import Elicitation, ElicitationAnswer, check_content, choices_of
from weiwo.tools.printable import one_line

REQUEST: Final = "elicit"
"""The `type` of the interrupt's value, by which a client knows what is asked."""
_LONGEST_REPLY: Final = 20_000
_DECLINING: Final = REFUSING | {"decline", "declined", "refuse", "谢绝"}
_LEAVING: Final = frozenset({"cancel", "cancelled", "abort", "取消", "放弃"})
_PAIR: Final = re.compile(r"\s*([A-Za-z_][\w.-]{0,59})\s*[=:：＝]\s*(.{0,2000}?)\s*")
_FORM_TYPES: Final = {"string": "text", "number": "number", "integer": "whole number", "boolean": "true/false"}

_WORDS: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "form": "The MCP server **{server}** asks, in mid-call of **{tool}**. These are its words, not Weiwo's:",
        "url": "The MCP server **{server}** wants you to open a page of **{host}**, in mid-call of **{tool}**."
        " These are its words, not Weiwo's:",
        "careful": "Give no password, key or code; open a page only if you know its host.",
        "acts": "The tool may change something. It was broken off when it asked, and is called again with your answer:"
        " what it did before it asked may be done twice.",
        "how_form": 'Resume with {"reply": "VALUE"} or {"reply": "name=VALUE; name=VALUE"}, with {"action": "accept",'
        ' "content": {…}}, or with "decline" or "cancel".',
        "how_url": 'Open the page, then resume with "accept"; or with "decline" or "cancel".',
        "declined": "{}: the user declined what its server asked",
        "cancelled": "{}: the user broke off the call when its server asked something",
        "unclear": "the answer is neither a value, nor accept, decline or cancel",
        "named": "several fields are asked for; write name=VALUE; name=VALUE",
    },
    "zh": {
        "form": "MCP 服务器 **{server}** 在调用 **{tool}** 时提问。以下是它的原话，不是帷幄说的：",
        "url": "MCP 服务器 **{server}** 在调用 **{tool}** 时要您打开 **{host}** 的页面。以下是它的原话，不是帷幄说的：",
        "careful": "请勿提供密码、密钥或验证码；只打开您认识的网站。",
        "acts": "这个工具可能会造成改动。它提问时调用已中断，得到回答后会重新调用：提问之前做过的事可能会再做一次。",
        "how_form": '用 {"reply": "值"} 或 {"reply": "名称=值; 名称=值"}、{"action": "accept", "content": {…}} 回答；'
        '或用 "decline" 谢绝，"cancel" 取消。',
        "how_url": '打开页面后用 "accept" 继续；或用 "decline" 谢绝，"cancel" 取消。',
        "declined": "{}：用户谢绝了服务器的提问",
        "cancelled": "{}：服务器提问时，用户取消了调用",
        "unclear": "回答既不是值，也不是 accept、decline 或 cancel",
        "named": "有多个栏目；请写成 名称=值; 名称=值",
    },
}


def seek_answers(state: TaskState, services: RunContext) -> tuple[list[ElicitationAnswer], str]:
    """The user's answers to what was asked in the calls of a turn; for the last the run waits in an `interrupt`.

    Returns:
        The answers; and why the calls are not made again, in one line, or nothing where they are.

    Raises:
        GraphInterrupt: Somebody is asked.
    """
    given = list(state.get("elicited", ()))
    if (left := state.get("asked")) is None:
        return given, ""
    asked = Elicitation(**left)  # type: ignore[arg-type]
    words, acts = _WORDS[services.language], services.registry.info(asked.tool).acts
    complaints: list[str] = []
    while True:
        request = elicitation_request(asked, state["task"], services.language, complaints, acts=acts)
        answer, complaints = read_reply(interrupt(request), asked, services.language)
        if answer is None:
            continue
        if answer["action"] == "cancel":
            return given, words["cancelled"].format(asked.tool)
        if answer["action"] == "decline" and acts:  # to tell it so, it would have to be called again
            return given, words["declined"].format(asked.tool)
        return [*given, answer], ""


def elicitation_request(
    asked: Elicitation, task: Task, language: Language, complaints: list[str], *, acts: bool
) -> dict[str, Any]:
    """The value of the interrupt: who asks, what, in which form, and how to answer.

    Beside these it has Agent Inbox's keys, by which the arguments are edited. LangChain's `action_requests` it has not:
    what they offer is to approve a call.
    """
    words, fields = _WORDS[language], asked.schema.get("properties", {})
    host = urlsplit(asked.url).hostname or ""
    how = words[f"how_{asked.mode}"]
    warnings = [words["careful"], *([words["acts"]] if acts else [])]
    asks = words[asked.mode].format(server=asked.server, tool=asked.tool, host=host)
    shown = [asked.url] if asked.url else [field_line(name, asked.schema) for name in fields]
    described = [asks, f"> {asked.message}", "\n".join(f"- `{one}`" for one in shown), *warnings, *complaints, how]
    return {
        "type": REQUEST,
        "task": task.id,
        "question": task.description,
        "tool": asked.tool,
        "server": asked.server,
        "mode": asked.mode,
        "message": asked.message,
        "from_outside": True,
        "schema": dict(asked.schema),
        "url": asked.url,
        "host": host,
        "acts": acts,
        "warnings": warnings,
        "complaints": complaints,
        "how": how,
        "action_request": {"action": asked.tool, "args": {name: one.get("default") for name, one in fields.items()}},
        "config": {
            "allow_accept": asked.mode == "url",
            "allow_edit": asked.mode == "form",
            "allow_respond": True,
            "allow_ignore": True,
        },
        "description": "\n\n".join(filter(None, described)),
    }


def read_reply(
    reply: object, asked: Elicitation, language: Language = "en"
) -> tuple[ElicitationAnswer | None, list[str]]:
    """Read what a person, or a program for them, resumed with.

    It may be MCP's `{"action", "content"}`, `{"reply": words}`, words alone, values by name, or Agent Inbox's answer.

    Returns:
        The answer; or None, and what is wrong with the reply, a line each.
    """
    words = _WORDS[language]
    if isinstance(reply, Mapping) and "decisions" in reply:
        reply = reply["decisions"]
    if isinstance(reply, list | tuple) and len(reply) == 1:
        reply = reply[0]
    given: Any = reply
    if isinstance(reply, Mapping):
        if (action := _action_of(reply)) in {"decline", "cancel"}:
            return _answer(asked, action), []
        given = _content_of(reply)
    if isinstance(given, bool):
        given = "accept" if given else "decline"
    if isinstance(given, str):
        said = given.strip().casefold().rstrip(".!。！")
        if said in _DECLINING | _LEAVING and not _is_value(said, asked):
            return _answer(asked, "cancel" if said in _LEAVING else "decline"), []
        given = _values(given.strip()[:_LONGEST_REPLY], asked)
    if not isinstance(given, Mapping):
        return None, [words["named" if len(asked.schema.get("properties", ())) > 1 else "unclear"]]
    content, wrong = check_content(asked.schema, given)
    return (None, [one_line(one, 300) for one in wrong]) if wrong else (_answer(asked, "accept", content), [])


def _answer(asked: Elicitation, action: Any, content: Mapping[str, Any] | None = None) -> ElicitationAnswer:
    return {"key": asked.key, "action": action, "content": dict(content or {})}


def _action_of(reply: Mapping[str, Any]) -> str:
    """What a reply says to do, as MCP, the command or Agent Inbox write it; empty where it says nothing of that."""
    if "reject" in reply:
        return "decline"
    said = reply.get("action", reply.get("type"))
    return {"ignore": "cancel", "reject": "decline"}.get(str(said), str(said or ""))


def _content_of(reply: Mapping[str, Any]) -> Any:
    """The values or the words of a reply."""
    if "reply" in reply:
        return reply["reply"]
    if isinstance(content := reply.get("content"), Mapping) or reply.get("action") == "accept":
        return content or {}
    if "type" in reply:
        args = reply.get("args")
        return args["args"] if isinstance(args, Mapping) and isinstance(args.get("args"), Mapping) else args or "accept"
    return reply


def _values(text: str, asked: Elicitation) -> Any:
    """The values that words give: JSON, names with values, or the value of the only field; None where they are none."""
    fields = asked.schema.get("properties", {})
    if text.startswith("{"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return None
    if not text:
        return None
    agreed = text.casefold() in {"accept", "accepted"} or agrees(text)
    if asked.mode == "url":
        return {} if agreed else None
    pairs = [_PAIR.fullmatch(one) for one in re.split(r"[;；\n]", text) if one.strip()]
    if all(one is not None and one[1] in fields for one in pairs):
        return {one[1]: one[2] for one in pairs if one is not None}
    if len(fields) == 1:
        (name,) = fields
        return {name: text}
    return {} if agreed and not asked.schema.get("required") else None


def _is_value(text: str, asked: Elicitation) -> bool:
    """Whether a word of refusal is what the only field takes, such as no."""
    fields = asked.schema.get("properties", {})
    return len(fields) == 1 and all(
        rule["type"] == "boolean" or text.casefold() in {title.casefold() for _, title in choices_of(rule)}
        for rule in fields.values()
    )


def field_line(name: str, schema: Mapping[str, Any]) -> str:
    """A field in a line: its name, what it takes, whether it must be."""
    rule = schema["properties"][name]
    choices = " | ".join(title for _, title in choices_of(rule)) or _FORM_TYPES.get(rule["type"], rule["type"])
    about = rule.get("description") or rule.get("title") or ""
    default = f" = {rule['default']}" if "default" in rule else ""
    must = " *" if name in schema.get("required", ()) else ""
    return f"{name}{must}: {choices}{default}{f' ({about})' if about else ''}".replace("`", "'")
