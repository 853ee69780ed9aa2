"""Reuse: repeated questions answered from memory, and similar wordings planned from memory.

An earlier answer is given again to the same words while nothing that shaped it has changed: documents, settings,
models, wishes, this version. It is kept for 30 days, or one day if any of it came from the web. It is stored only if
looking it up again takes a model. A plan template is a plan that led to a complete answer, with names and numbers of
its question as slots, ⟨n1⟩ and ⟨d1⟩. Another question with the same words around its slots is planned by filling them.

Text from a page is never stored. Stored plans are first plans, made before anything was searched, for questions in
their user's own words. An answer is not stored if it rests on a page that gives orders to models, on a tool of
somebody's own, on a conversation, or on rules that stood in for a model.
"""

import asyncio
import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from langchain_core.runnables.config import ensure_config
from pydantic import ConfigDict, ValidationError

from weiwo.nodes.memory.briefing import brief_planner
from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.nodes.shared.prompting.passage_prompt import INSTRUCTIONS
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.question.turn import ConversationTurn
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import REFERENCE, Assessment, Evidence, JsonValue, Language, Outcome, Plan, PlanFormatError, Usage
from weiwo.state.answer import Status
from weiwo.state.query import QueryFrame, Shape
from weiwo.state.search import SearchState
from weiwo.state.settings import answer_settings
from weiwo.state.values import Value
from weiwo.text.language import fold
from weiwo.text.localization import localize_message
from weiwo.text.names import names
from weiwo.text.patterns import lazy, whole_word
from weiwo.text.terms import terms

_DAY: Final = 86_400.0
_WEB_AGE: Final = _DAY
_MOST_AGE: Final = 30 * _DAY
"""Seconds after which a stored answer expires, because dates and "last year" move on."""
_LONGEST_ANSWER: Final = 200_000
"""Most characters of a stored answer, including its result and passages."""
_WEB: Final = frozenset({"web_search", "read_page", "extract_page"})
_SPENDING: Final = frozenset({"max_tokens", "max_cost"})
"""Limits on spending. They do not shape a complete answer, and the rest of a day's budget always differs."""
_POLITE: Final = lazy(r"^(?:please |(?:can|could) you (?:please )?tell me |tell me |请问|请告诉我|告诉我)[,，:： ]*")
_ARTICLE: Final = lazy(r"\b(?:the|an?) ")
_END: Final = " ?？.。!！"

_LONGEST_QUESTION: Final = 400
_MOST_SLOTS: Final = 8
_FEWEST_WORDS: Final = 2
"""Least number of content words of a wording besides its slots."""
_FEWEST_TASKS: Final = 2
_MOST_RUNS: Final = 20
"""Latest successful runs recorded for a template, so that feedback on a run finds the template."""
_NUMBER: Final = lazy(r"(?<![\w.])\d[\d,.]*(?<=\d)(?!\w)|(?<=[^\x00-\x7f])\d+(?:\.\d+)?|\d+(?:\.\d+)?(?=[^\x00-\x7f])")
_SLOT: Final = lazy(r"⟨[nd]\d⟩")
_DIGIT: Final = lazy(r"\d")
_FIXED: Final = frozenset({"id", "tool_binding", "ret", "for_each", "edges"})
"""Fields of a plan in which no slots are put."""
_WHY: Final = localize_message("memory.reuse", "why")


class EarlierAnswer(Value):
    """A stored answer.

    Attributes:
        question: The question.
        thread_id: The conversation in which it was answered.
        run: The run that answered it.
        at: Time of storing, in seconds since 1970.
        context: Hash of everything besides the question that shaped the answer.
        from_web: Whether any of it came from the web.
        assessment: The assessment of the question.
        result: The result as JSON, with only the passages that it uses.
        message: The text of the answer.
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
        """Key of the answered question."""
        return _question_key(self.question, self.assessment.language)

    def counts(self, context: str, now: float) -> bool:
        """Report whether the answer is still valid, given the current `context` and time."""
        return self.context == context and 0 <= now - self.at <= (_WEB_AGE if self.from_web else _MOST_AGE)


class PlanTemplate(Value):
    """A plan and the wording of its question, both with slots in place of names and numbers.

    Attributes:
        wording: The wording, in lower case.
        language: The language of the question.
        shape: The shape of the question. A question of another shape is not planned with it.
        plan: The plan in interchange form.
        context: Hash of everything else that the planner was told. Empty if that was nothing.
        wins: Number of complete answers from this plan.
        losses: Number of uses that led to no complete answer.
        model_calls: Model calls of the latest success.
        seconds: Duration of the latest success.
        runs: The latest successful runs.
        at: Time of the latest success, in seconds since 1970.
        pinned: Whether a person wants it used in any case.
        bad: Whether a person rejected an answer from it.
    """

    wording: str
    language: Language
    shape: Shape
    plan: dict[str, JsonValue]
    context: str = ""
    wins: int = 1
    losses: int = 0
    model_calls: int = 0
    seconds: float = 0.0
    runs: tuple[str, ...] = ()
    at: float = 0.0
    pinned: bool = False
    bad: bool = False

    @property
    def key(self) -> str:
        """Key of the wording."""
        return wording_key(self.wording, self.language)

    @property
    def tools(self) -> tuple[str, ...]:
        """Tools of the tasks."""
        vertices: Any = self.plan.get("vertices") or ()
        return tuple(dict.fromkeys(str(vertex.get("tool_binding")) for vertex in vertices))

    @property
    def is_trusted(self) -> bool:
        """Report whether the template may be filled without asking a planner.

        It must not be marked bad. Unless pinned, it must have succeeded more than twice as often as it failed.
        """
        return not self.bad and (self.pinned or self.wins > 2 * self.losses)


def _question_key(question: str, language: Language) -> str:
    """Return the key under which the answer to a question is stored: a hash of its words.

    Case, punctuation at the end, articles and courtesies do not count.
    """
    return _hash(f"{language}:{_ARTICLE.sub('', _POLITE.sub('', fold(question)).strip(_END))}")


async def recall_answer(
    turn: ConversationTurn, wishes: Sequence[str], services: RunContext
) -> tuple[EarlierAnswer, dict[str, Any]] | None:
    """Return the earlier answer to a conversation's first question, with its `plan`, `outcomes` and `evidence`.

    Its result says `from_thread` and `answered_at`, and that this run used nothing. None if there is no valid answer,
    if reuse is off, or if a new answer or a look at the plan is wanted.

    Args:
        turn: The turn.
        wishes: The user's standing wishes.
        services: The run's resources.
    """
    memory, settings = _answer_memory(services), services.settings
    if memory is None or turn.history or settings.fresh or settings.approve_plan or settings.answer_memory == "renew":
        return None
    kept = await memory.read("answers", _question_key(turn.question, services.language), EarlierAnswer)
    if kept is None or not kept.counts(await asyncio.to_thread(_answer_context, wishes, services), time.time()):
        return None
    try:
        outcomes = {key: {**value, "task_id": key} for key, value in kept.result["outcomes"].items()}
        found = {
            "plan": None if (plan := kept.result.get("plan")) is None else Plan.from_json(plan),
            "outcomes": {key: Outcome.model_validate(outcome) for key, outcome in outcomes.items()},
            "evidence": {item["id"]: Evidence.model_validate(item) for item in kept.result["evidence"]},
        }
    except (ValidationError, PlanFormatError, KeyError, TypeError):  # stored by another version
        return None
    result = kept.result | {
        "question": turn.question,
        "usage": Usage().model_dump(mode="json"),
        "thread_id": str(ensure_config().get("configurable", {}).get("thread_id") or ""),
        "from_thread": kept.thread_id,
        "answered_at": datetime.fromtimestamp(kept.at, UTC).isoformat(timespec="seconds"),
    }
    return kept.model_copy(update={"result": result}), found


async def keep_answer(state: SearchState, result: Mapping[str, Any], message: str, services: RunContext) -> None:
    """Store a complete answer to a conversation's first question, if it may be given again.

    It may not if it is cheap to find or changes from day to day, if it rests on an assumed meaning, on a page that
    gives orders to models, or on a user's tool, or if a model call failed.

    Args:
        state: The state of the run.
        result: The result as JSON.
        message: The text of the answer.
        services: The run's resources.
    """
    memory, assessment = _answer_memory(services), state["assessment"]
    if memory is None or result["status"] != "complete" or len(state.get("messages", [])) > 1:
        return
    plan, evidence = state.get("plan"), state.get("evidence", {}).values()
    used = {outcome.tool for outcome in state.get("outcomes", {}).values()}
    used |= {task.tool for task in plan.tasks} if plan is not None else set()
    used |= {passage.tool for passage in evidence if passage.tool}
    ordered = any(INSTRUCTIONS in passage.flags for passage in evidence)
    # After a failed model call, another run may give a better answer.
    failed = any(call.get("error") for call in result["usage"]["calls"])
    if assessment.level == "simple" or assessment.frame.fresh or assessment.assumed or ordered or failed:
        return
    if not all(_is_built_in(name, services) for name in used):
        return
    context = await asyncio.to_thread(_answer_context, state.get("wishes", []), services)
    # The passages cited by the answer or supporting the outcomes.
    wanted = {item["evidence_id"] for item in result["citations"]}
    wanted |= {key for outcome in result["outcomes"].values() for key in outcome["evidence_ids"]}
    cited = [passage for passage in result["evidence"] if passage["id"] in wanted]
    kept = EarlierAnswer(
        question=state["question"],
        thread_id=str(result["thread_id"]),
        run=services.run,
        at=time.time(),
        context=context,
        from_web=bool(used & _WEB),
        assessment=assessment,
        result={**result, "evidence": cited},
        message=message,
    )
    value = kept.model_dump(mode="json")
    if context and len(json.dumps(value, ensure_ascii=False)) <= _LONGEST_ANSWER:
        await memory.store_entry("answers", kept.key, value)


async def forget_answers(memory: MemoryStore, *, run: str = "", thread_id: str = "") -> bool:
    """Delete the answers of a run or a thread, and report whether any existed.

    Called if a person calls the run's answer bad, or if the thread is deleted.
    """
    wanted = {("run", run), ("thread_id", thread_id)} - {("run", ""), ("thread_id", "")}
    entries = await memory.list("answers")
    found = [entry.key for entry in entries if any(entry.value.get(field) == value for field, value in wanted)]
    for key in found:
        await memory.delete("answers", key)
    return bool(found)


async def fill_from_memory(frame: QueryFrame, services: RunContext, context: str = "") -> Plan | None:
    """Return the stored plan of a question with the same wording, filled with this question's names and numbers.

    None if there is no trusted one, if plans are not stored, or if the filled form is no plan.

    Args:
        frame: The parsed question.
        services: The run's resources.
        context: Hash of everything else that a planner would be told. A plan made under another one does not count.
    """
    memory = _plan_memory(services)
    if memory is None:
        return None
    wording, slots = _take_out_slots(frame.question)
    template = await memory.read("plans", wording_key(wording, frame.language), PlanTemplate)
    if template is None or not template.is_trusted or (template.shape, template.context) != (frame.shape, context):
        return None
    try:
        plan = _fill_template(template, slots)
    except PlanFormatError:
        return None
    return plan.model_copy(update={"thought": _WHY[services.language].format(template.wins)})


async def has_plan(question: str, services: RunContext, wishes: Sequence[str] = ()) -> bool:
    """Report whether a question is planned from memory or by a procedure, so that no other sketch is needed."""
    briefing = await brief_planner(question, services, wishes, quiet=True)
    if briefing.procedures:
        return True
    return await fill_from_memory(parse_question(question, services.asked_in), services, briefing.key) is not None


async def learn_plan(state: SearchState, status: Status, services: RunContext) -> None:
    """Store the plan of a completely answered question as a template, or record how a plan from memory fared.

    Only a model's first plan of two or more tasks for a question in the user's own words is stored.
    """
    plan, memory, frame = state.get("plan"), _plan_memory(services), state["assessment"].frame
    if plan is None or memory is None:
        return
    replanned = bool(earlier := state.get("revisions", []))
    whole = status == "complete" and not replanned
    usage = state.get("usage", Usage()) + services.budget.delta()
    fared = {"at": time.time(), "model_calls": usage.model_calls, "seconds": round(usage.seconds, 1)}
    key = wording_key(_take_out_slots(frame.question)[0], frame.language)
    known = await memory.read("plans", key, PlanTemplate)
    if (earlier or [plan])[0].decided_by == "memory":
        if known is not None:
            won = {"wins": known.wins + 1, "runs": (*known.runs, services.run)[-_MOST_RUNS:], **fared}
            await _store_template(memory, known.model_copy(update=won if whole else {"losses": known.losses + 1}))
        return
    own_words = " ".join(state["question"].split()) == " ".join(frame.question.split())
    made_first = plan.decided_by == "model" and plan.revision == 0 and not (plan.wish or plan.perspectives)
    if not (whole and own_words and made_first and len(plan.tasks) >= _FEWEST_TASKS):
        return
    briefing = await brief_planner(frame.question, services, state.get("wishes", []), quiet=True)
    template = _make_template(frame, plan, context=briefing.key, runs=(services.run,), **fared)
    if template is not None and (known is None or not (known.pinned or known.bad)):
        await _store_template(memory, template)


async def mark_bad(memory: MemoryStore, run: str) -> bool:
    """Mark the templates of a run as bad and unpin them, so that they are not used again.

    Report whether there were any.

    Only runs with a complete answer are known to a template.
    """
    found = [template for template in await list_templates(memory) if run and run in template.runs]
    for item in found:
        await _store_template(memory, item.model_copy(update={"bad": True, "pinned": False}))
    return bool(found)


async def list_templates(memory: MemoryStore) -> tuple[PlanTemplate, ...]:
    """List all templates, most recently changed first.

    Unreadable templates, such as those of another version, are left out.
    """
    return await memory.read_all("plans", PlanTemplate)


async def set_pinned(memory: MemoryStore, template: PlanTemplate, *, pinned: bool) -> None:
    """Pin or unpin a template. A pinned template is used in spite of failures, and is no longer marked bad."""
    await _store_template(memory, template.model_copy(update={"pinned": pinned, "bad": template.bad and not pinned}))


def wording_key(wording: str, language: Language) -> str:
    """Return the key of a wording: 12 hexadecimal digits."""
    return _hash(f"{language}:{wording}")[:12]


def _take_out_slots(question: str) -> tuple[str, dict[str, str]]:
    """Return a question's wording with slots for names and numbers, in lower case, and the values of the slots.

    The values are given by slot, such as "⟨n1⟩".
    """
    text = " ".join(question.split()).strip(_END)
    spans = [(name.start, name.end, "n") for name in names(text)]
    spans += [
        (found.start(), found.end(), "d")
        for found in _NUMBER.finditer(text)
        if all(found.end() <= start or found.start() >= end for start, end, kind in spans if kind == "n")
    ]
    slots: dict[str, str] = {}
    parts: list[str] = []
    at = 0
    for start, end, kind in sorted(spans):
        if start < at:
            continue
        value = text[start:end]
        if value not in slots:
            slots[value] = f"⟨{kind}{sum(slot[1] == kind for slot in slots.values()) + 1}⟩"
        parts += [text[at:start].casefold(), slots[value]]
        at = end
    return "".join([*parts, text[at:].casefold()]), {slot: value for value, slot in slots.items()}


def _make_template(frame: QueryFrame, plan: Plan, **more: Any) -> PlanTemplate | None:
    """Return a template made of a successful plan. None if the plan fits this question alone.

    It does if the question is long, has no slots, too many of them or hardly any other words, or if the plan leaves a
    slot out or names something else.

    Args:
        frame: The parsed question.
        plan: The plan.
        more: Other attributes of the template.
    """
    wording, slots = _take_out_slots(frame.question)
    words = set(terms(_SLOT.sub(" ", wording)))
    if len(frame.question) > _LONGEST_QUESTION or not 0 < len(slots) <= _MOST_SLOTS or len(words) < _FEWEST_WORDS:
        return None
    slot_of = {value.casefold(): slot for slot, value in slots.items()}
    said_alone = re.compile("|".join(map(whole_word, sorted(slots.values(), key=len, reverse=True))), re.IGNORECASE)
    form = plan.to_json()
    vertices = [{name: value for name, value in item.items() if name != "thought"} for item in form["vertices"]]
    form = {"vertices": vertices, "edges": form["edges"]}
    form = _map_texts(form, lambda text: said_alone.sub(lambda found: slot_of.get(found[0].casefold(), found[0]), text))
    said = json.dumps(form, ensure_ascii=False)
    if any(slot not in said for slot in slots) or any(map(_knows_more, form["vertices"])):
        return None
    return PlanTemplate(wording=wording, language=frame.language, shape=frame.shape, plan=form, **more)


def _fill_template(template: PlanTemplate, slots: Mapping[str, str]) -> Plan:
    """Fill the slots of a template and return the plan.

    Raises:
        PlanFormatError: The stored form is not a plan.
    """
    form = _map_texts(template.plan, lambda text: _SLOT.sub(lambda found: slots.get(found[0], found[0]), text))
    return Plan.from_json(form).model_copy(update={"decided_by": "memory"})


def _answer_memory(services: RunContext) -> MemoryStore | None:
    """Return the store if answers are kept in it, else None.

    None are kept if the user turned it off, or without a model, since a new search is then as quick.
    """
    return services.memory if services.settings.answer_memory and services.with_model else None


def _plan_memory(services: RunContext) -> MemoryStore | None:
    """Return the store if plans are kept in it, else None.

    None are kept if the user turned it off, if no model plans, or in a deep search, since its plans depend on more than
    the question.
    """
    settings = services.settings
    on = settings.plan_memory and settings.depth != "deep" and services.models.has_decision_model("planner")
    return services.memory if on else None


async def _store_template(memory: MemoryStore, template: PlanTemplate) -> None:
    await memory.store_entry("plans", template.key, template.model_dump(mode="json"))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _answer_context(wishes: Sequence[str], services: RunContext) -> str:
    """Return a hash of everything besides the question that shapes an answer. Blocks.

    Empty if the version of the documents is not known.
    """
    corpus = services.registry.corpus
    documents = corpus.version if corpus is not None else "none"
    if not documents:
        return ""
    known = asdict(services.settings)
    settings = {name: known[name] for name in answer_settings()}
    settings["limits"] = {name: most for name, most in settings["limits"].items() if name not in _SPENDING}
    try:
        ours = version("weiwo")
    except PackageNotFoundError:  # run from the source folder
        ours = ""
    return _hash(
        json.dumps([ours, documents, sorted(services.registry.names()), settings, list(wishes)], sort_keys=True)
    )


def _is_built_in(name: str, services: RunContext) -> bool:
    """Report whether a tool is built in rather than a user's tool of equal name.

    The knowledge of a user's tool may always change.
    """
    return name in services.registry.names() and type(services.registry.get(name)).__module__.startswith("weiwo.")


def _knows_more(vertex: Mapping[str, Any]) -> bool:
    """Report whether a task has a name or number that is no slot. Numbers in formulas are allowed."""
    texts = [str(vertex.get("description") or "")]
    for name, value in (vertex.get("args") or {}).items():
        if isinstance(value, str):
            plain = REFERENCE.sub(" ", value)
            texts.append(_NUMBER.sub(" ", plain) if name == "expression" else plain)
    bare = [_SLOT.sub(" ", REFERENCE.sub(" ", text)) for text in texts]
    return any(_DIGIT.search(text) or names(text) for text in bare)


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a plan's form with a function applied to its texts, except ids, tools, types and edges."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: inner if key in _FIXED else _map_texts(inner, change) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_map_texts(inner, change) for inner in value]
    return value
