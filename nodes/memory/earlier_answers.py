"""Earlier answers: a question that was answered completely before is answered so again, with the age of the answer.

The same question is one of the same words. Its answer counts as long as nothing that shaped it has changed: documents,
settings, models, wishes, this version; what came from the web counts for a day. It is kept only where looking it up
again would take a model, for whoever asked, and never where a model was down, where it rests on a page that gives
orders to models, on a tool of somebody's own, or on what was said before in a conversation.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, NamedTuple

from langchain_core.runnables.config import ensure_config
from pydantic import ConfigDict, ValidationError

from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.nodes.shared.prompting.passage_prompt import INSTRUCTIONS
from weiwo.nodes.shared.question.turn import ConversationTurn
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Assessment, Evidence, Language, Outcome, Plan, PlanFormatError, Usage
from weiwo.state.search import SearchState
from weiwo.state.values import Value
from weiwo.text.language import fold
from weiwo.text.patterns import lazy

DAY: Final = 86_400.0
WEB_AGE: Final = DAY
"""Seconds for which an answer from the web counts."""
MOST_AGE: Final = 30 * DAY
"""Seconds for which any answer counts: dates and "last year" move on."""
LONGEST: Final = 200_000
"""Characters of an answer, with all behind it, that is kept."""

_WEB: Final = frozenset({"web_search", "read_page", "extract_page"})
_SHAPING: Final = (
    *("models", "thinking", "embeddings", "depth", "form", "words", "context_tokens", "web", "search", "allow_hosts"),
    *("filter", "tools", "mcp", "procedures", "max_tools", "limits"),
)
"""The settings that shape an answer."""
_SPENDING: Final = frozenset({"max_tokens", "max_cost"})
"""Limits of what is spent: a complete answer did not reach them, and what is left of a day's budget always differs."""
_POLITE: Final = lazy(r"^(?:please |(?:can|could) you (?:please )?tell me |tell me |请问|请告诉我|告诉我)[,，:： ]*")
_ARTICLE: Final = lazy(r"\b(?:the|an?) ")
_END: Final = " ?？.。!！"


class EarlierAnswer(Value):
    """An answer as it is kept.

    Attributes:
        question: The question, as it was asked.
        thread_id: The thread on which it was answered.
        run: The run that answered it.
        at: When, in seconds since 1970.
        context: Identity of what shaped it.
        from_web: Whether any of it came from the web.
        assessment: How the question was judged.
        result: The result.
        message: The answer as a chat message.
    """

    model_config = ConfigDict(extra="ignore")

    question: str
    thread_id: str
    run: str
    at: float
    context: str
    from_web: bool
    assessment: Assessment
    result: dict[str, Any]
    message: str

    @property
    def key(self) -> str:
        """The identity of its question."""
        return question_key(self.question, self.assessment.language)

    def counts(self, context: str, now: float) -> bool:
        """Whether it still answers its question, where this shapes an answer now."""
        return self.context == context and 0 <= now - self.at <= (WEB_AGE if self.from_web else MOST_AGE)


class RecalledAnswer(NamedTuple):
    """An earlier answer as a run's own.

    Attributes:
        assessment: How the question was judged then.
        plan: The plan that was run.
        outcomes: What its tasks came to.
        evidence: The passages it rests on.
        result: The result, with `from_thread` and `answered_at`; this run has used nothing.
        message: The answer as a chat message.
    """

    assessment: Assessment
    plan: Plan | None
    outcomes: dict[str, Outcome]
    evidence: dict[str, Evidence]
    result: dict[str, Any]
    message: str


def question_key(question: str, language: Language) -> str:
    """The identity of a question: its words, without case, punctuation at its end, articles and courtesies."""
    words = _ARTICLE.sub("", _POLITE.sub("", fold(question)).strip(_END))
    return hashlib.sha256(f"{language}:{words}".encode()).hexdigest()[:16]


async def recall_answer(turn: ConversationTurn, wishes: Sequence[str], services: RunContext) -> RecalledAnswer | None:
    """The earlier answer to the question that opens a conversation; None where there is none that still counts."""
    memory, settings = _memory(services), services.settings
    if memory is None or turn.history or settings.fresh or settings.approve_plan or settings.answer_memory == "renew":
        return None
    kept = await memory.read("answers", question_key(turn.question, services.language), EarlierAnswer)
    if kept is None or not kept.counts(await asyncio.to_thread(_context, wishes, services), time.time()):
        return None
    result = dict(kept.result)
    plan = result.get("plan")
    try:
        outcomes = {key: Outcome.model_validate({**one, "task_id": key}) for key, one in result["outcomes"].items()}
        evidence = {one["id"]: Evidence.model_validate(one) for one in result["evidence"]}
        recalled = None if plan is None else Plan.from_json(plan)
    except (ValidationError, PlanFormatError, KeyError, TypeError):  # another version's
        return None
    result |= {
        "question": turn.question,
        "usage": Usage().model_dump(mode="json"),
        "thread_id": str(ensure_config().get("configurable", {}).get("thread_id") or ""),
        "from_thread": kept.thread_id,
        "answered_at": datetime.fromtimestamp(kept.at, UTC).isoformat(timespec="seconds"),
    }
    return RecalledAnswer(kept.assessment, recalled, outcomes, evidence, result, kept.message)


async def keep_answer(state: SearchState, result: Mapping[str, Any], message: str, services: RunContext) -> None:
    """Keep a complete answer to a question that opened a conversation, if it may be given again."""
    memory, assessment = _memory(services), state["assessment"]
    if memory is None or result["status"] != "complete" or len(state.get("messages", [])) > 1:
        return
    frame, plan, evidence = assessment.frame, state.get("plan"), state.get("evidence", {})
    used = {outcome.tool for outcome in state.get("outcomes", {}).values()}
    used |= {task.tool for task in plan.tasks} if plan is not None else set()
    used |= {passage.tool for passage in evidence.values() if passage.tool}
    told = any(INSTRUCTIONS in passage.flags for passage in evidence.values())
    if assessment.level == "simple" or frame.fresh or assessment.assumed or told:
        return
    if not all(_is_ours(name, services) for name in used):
        return
    if any(call.get("error") for call in result["usage"]["calls"]):
        return  # rules stood in for a model that was down: it may do better the next time
    context = await asyncio.to_thread(_context, state.get("wishes", []), services)
    kept = EarlierAnswer(
        question=state["question"],
        thread_id=str(result["thread_id"]),
        run=services.run,
        at=time.time(),
        context=context,
        from_web=bool(used & _WEB),
        assessment=assessment,
        result={**result, "evidence": _cited(result)},
        message=message,
    )
    value = kept.model_dump(mode="json")
    if context and len(json.dumps(value, ensure_ascii=False)) <= LONGEST:
        await memory.put("answers", kept.key, value)


async def forget_answers(memory: MemoryStore, *, run: str = "", thread_id: str = "") -> bool:
    """Forget the answers of a run, which was bad, or of a thread, which is deleted; whether any was kept."""
    found = [
        one.key
        for one in await memory.list("answers")
        if (run and one.value.get("run") == run) or (thread_id and one.value.get("thread_id") == thread_id)
    ]
    for key in found:
        await memory.delete("answers", key)
    return bool(found)


def _memory(services: RunContext) -> MemoryStore | None:
    """Where answers are kept; None where they are not: without a model, looking anew takes no longer."""
    return services.memory if services.settings.answer_memory and services.with_model else None


def _context(wishes: Sequence[str], services: RunContext) -> str:
    """The identity of what shapes an answer beside its question; empty where it cannot be known. Blocks."""
    corpus = services.registry.corpus
    documents = corpus.version if corpus is not None else "none"
    if not documents:
        return ""
    known = asdict(services.settings)
    settings = {name: known[name] for name in _SHAPING}
    settings["limits"] = {name: most for name, most in settings["limits"].items() if name not in _SPENDING}
    shaped = [_version(), documents, sorted(services.registry.names()), settings, list(wishes)]
    return hashlib.sha256(json.dumps(shaped, sort_keys=True).encode()).hexdigest()[:16]


def _version() -> str:
    try:
        return version("weiwo")
    except PackageNotFoundError:  # run from its folder
        return ""


def _is_ours(name: str, services: RunContext) -> bool:
    """Whether a tool is a built-in one, and not somebody's own of the same name: what that knows may always change."""
    return name in services.registry.names() and type(services.registry.get(name)).__module__.startswith("weiwo.")


def _cited(result: Mapping[str, Any]) -> list[Any]:
    """The passages that an answer cites or its outcomes rest on."""
    wanted = {one["evidence_id"] for one in result["citations"]}
    wanted |= {key for outcome in result["outcomes"].values() for key in outcome["evidence_ids"]}
    return [passage for passage in result["evidence"] if passage["id"] in wanted]
