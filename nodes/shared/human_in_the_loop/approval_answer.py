"""Parsing of a person's answer to a plan or a tool call, in any client's format.

    the command, an SDK       "approve" · {"plan": {…}} · {"reject": "…"} · any words
    LangChain's middleware    {"decisions": [{"type": "approve" | "edit" | "reject" | "respond", …}]}
    Agent Inbox               [{"type": "accept" | "edit" | "response" | "ignore", "args": …}]

Words that only agree are an approval. Any other words are for the planner.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from weiwo.state import Complaint
from weiwo.text.language import clean


def human_in_the_loop(action: str, args: dict[str, Any], description: str) -> dict[str, Any]:
    """Return the keys of an interrupt by which LangChain's middleware and Agent Inbox can show it.

    Args:
        action: The name of the action that is asked about.
        args: Its arguments.
        description: The text shown to the person.
    """
    return {
        "action_requests": [{"name": action, "args": args, "description": description}],
        "review_configs": [{"action_name": action, "allowed_decisions": ["approve", "edit", "reject"]}],
        "action_request": {"action": action, "args": args},
        "config": {"allow_accept": True, "allow_edit": True, "allow_respond": True, "allow_ignore": False},
        "description": description,
    }


LONGEST_WORDS: Final = 4_000
_LONGEST_AGREEMENT: Final = 80

_AGREEING: Final = """
approve, approved, i approve, yes, y, yep, yeah, ok, okay, k, true, sure, fine, perfect, great, good, right, correct
go, go ahead, go on, go for it, proceed, continue, start, do it, run it, lgtm, agreed, i agree, accept, accepted
confirm, confirmed, looks good, looks great, looks fine, sounds good, all good, good to go, that works, works
that is fine, that's fine, this is fine, it's fine, no problem, no objection, no objections
批准, 同意, 可以, 好, 好的, 好吧, 是, 是的, 行, 确认, 没问题, 没有问题, 继续, 执行, 开始, 开始吧, 就这样, 就这么办, 照办
赞成, 通过, 不错, 很好, 对, 对的, 没意见
"""
_FILLING: Final = """
to me, for me, with me, with it, with this, with this plan, with the plan, the plan, this plan, plan, it, this, that
please, thanks, thank you, then, now, very, all, as is
请, 谢谢, 吧, 了, 的, 啊, 呀, 这个, 这个计划, 计划, 按计划, 我, 就, 来, 做
"""
"""Words that may stand beside words of agreement."""

_FILLERS: Final = frozenset(re.split(r"[,\n] ?", _FILLING.strip()))
_PHRASES: Final = sorted({*re.split(r"[,\n] ?", _AGREEING.strip()), *_FILLERS}, key=len, reverse=True)
_BETWEEN: Final = re.compile(r"[\s,.!;:，。！；：、~～👍✅]+")

_REFUSING: Final = frozenset({"no", "n", "reject", "rejected", "false", "驳回", "拒绝", "不", "不行", "不同意", "否"})
"""Refusals without a reason."""


class ApprovalAnswer(NamedTuple):
    """Parsed answer of a person.

    Attributes:
        kind: `refuse` is a refusal without a reason, which is enough for a call. `unclear` is an answer that cannot be
            acted on.
        content: For `edit` the plan in interchange form or the arguments of a tool call, for `reject` the person's
            words, for `refuse` and `unclear` a `Complaint` about the answer. None for `approve`.
        action: The tool that an edit names. Empty if it names none.
    """

    kind: Literal["approve", "edit", "reject", "refuse", "unclear"]
    content: Any = None
    action: str = ""


def read_answer(answer: object) -> ApprovalAnswer:
    """Return the parsed answer of a person or client program: "ok" approves, "change task 2" rejects with these words.

    Args:
        answer: The resume value: text, a bool, an object, or a list with one decision.
    """
    if isinstance(answer, str):
        return _read_words(answer)
    if isinstance(answer, bool):
        return ApprovalAnswer("approve") if answer else _rejection("")
    if isinstance(answer, Mapping):
        return _read_object(answer)
    if isinstance(answer, list | tuple) and len(answer) == 1 and isinstance(answer[0], Mapping) and "type" in answer[0]:
        return _read_decision(answer[0])
    return _unclear(answer)


def _read_object(answer: Mapping[str, Any]) -> ApprovalAnswer:
    if "vertices" in answer or "plan" in answer:
        return ApprovalAnswer("edit", answer if "vertices" in answer else answer["plan"])
    if "reject" in answer:
        return _rejection(answer["reject"])
    if isinstance(decisions := answer.get("decisions"), list) and decisions:
        return read_answer(decisions)
    if "type" in answer:
        return _read_decision(answer)
    if answer.get("decision") in {"approve", "reject", "ignore"}:
        return _read_decision({"type": answer["decision"], "message": answer.get("message", "")})
    return _unclear(answer)


def _read_decision(decision: Mapping[str, Any]) -> ApprovalAnswer:
    """Parse a decision of LangChain's middleware or an answer of Agent Inbox."""
    kind, args = decision["type"], decision.get("args")
    if kind in {"approve", "accept"}:
        return ApprovalAnswer("approve")
    if kind == "edit":
        action = decision.get("edited_action", args)
        edited = action.get("args", action) if isinstance(action, Mapping) else action
        named = action.get("name") or action.get("action") if edited is not action else ""
        plan = edited["plan"] if isinstance(edited, Mapping) and "plan" in edited else edited
        return ApprovalAnswer("edit", plan, str(named or ""))
    if kind == "reject":
        return _rejection(decision.get("message", args))
    if kind in {"response", "respond"}:
        said = decision.get("message", args)
        return _read_words(said) if isinstance(said, str) else _rejection(said)
    if kind == "ignore":
        said = "ignore: the plan needs a decision; approve it, edit it or say what to change"
        return ApprovalAnswer("refuse", Complaint(said, "ignore：计划仍在等待；请批准、修改，或说明哪里要改"))
    return _unclear(decision)


def _read_words(answer: str) -> ApprovalAnswer:
    text = answer.strip()
    if text[:1] in {"{", "[", '"'}:  # some clients can send only text
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError) as error:
            if text.startswith("{"):
                said = f"answer: it looks like a plan, but is not valid JSON ({error})"
                return ApprovalAnswer("unclear", Complaint(said, f"答复：看来是计划，但不是 JSON（{error}）"))
        else:
            return read_answer(parsed)
    if agrees(text):
        return ApprovalAnswer("approve")
    return _rejection(text) if any(map(str.isalnum, text)) else _unclear(answer)


def agrees(text: str) -> bool:
    """Report whether a text only agrees: "ok, go ahead", but not "please" or "ok but change task 2"."""
    if len(text) > _LONGEST_AGREEMENT:
        return False
    left = _BETWEEN.sub(" ", text.casefold().replace("’", "'")).strip()
    agreed = "👍" in text or "✅" in text
    while left:
        found = next((phrase for phrase in _PHRASES if left.startswith(phrase) and not _goes_on(phrase, left)), None)
        if found is None:
            return False
        agreed = agreed or found not in _FILLERS
        left = left[len(found) :].lstrip()
    return agreed


def _goes_on(word: str, text: str) -> bool:
    """Report whether an English word goes on in the text behind its end, as "ok" in "okay"."""
    return word[-1].isascii() and text[len(word) : len(word) + 1].isalnum() and text[len(word)].isascii()


def _rejection(words: object) -> ApprovalAnswer:
    text = clean(words)[:LONGEST_WORDS] if isinstance(words, str) else ""
    if text.casefold().rstrip(".!。！") in _REFUSING or not any(map(str.isalnum, text)):
        said = "reject: the comment is empty; say what to change"
        return ApprovalAnswer("refuse", Complaint(said, "退回：没有说明；请写明哪里要改"))
    return ApprovalAnswer("reject", text)


def _unclear(answer: object) -> ApprovalAnswer:
    shown = json.dumps(answer, ensure_ascii=False, default=str)[:80]
    said = f"answer: {shown} is neither an approval, nor a plan, nor words"
    return ApprovalAnswer("unclear", Complaint(said, f"答复：{shown} 既不是批准，也不是计划或文字"))
