"""Assessment of a question: how complex it is, by features and, if a model is set up, by the model.

Complexity = 0.4 · static + 0.6 · semantic, levels at 0.3 and 0.7 (AI Search Paradigm, arXiv 2506.17188, section 3). The
static part is `weiwo.nodes.master.complexity`. The semantic part is one structured call. Without a model the static
score stands alone. Questions about fresh or local facts are never answered from memory.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.master.clarify import frame_meaning, read_clarification
from weiwo.nodes.master.complexity import (
    COMPLEX_FROM,
    SIMPLE_BELOW,
    classify_level,
    compute_static_score,
    extract_static_features,
    minimum_score,
)
from weiwo.nodes.master.followup import resolve_follow_up
from weiwo.nodes.master.prompt import (
    PLAN,
    TOOLS,
    AssessmentReply,
    PlannedAssessmentReply,
    ToolAssessmentReply,
    assessment_messages,
)
from weiwo.nodes.memory.reuse import has_plan
from weiwo.nodes.shared.planning.plan_rules import planning_instructions, summarize_corpus
from weiwo.nodes.shared.planning.rule_plan import Choices, choose_search_tool, list_searches
from weiwo.nodes.shared.planning.tool_choice import offer_tools, read_choice
from weiwo.nodes.shared.prompting.input_guard import safe_note, safe_query
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.question.turn import ConversationTurn
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.shared.strategy import LEVELS, Way, choose_strategy, compares_few, takes_hops
from weiwo.state import Assessment, Language, Level, QueryFrame
from weiwo.text.language import fold
from weiwo.text.language_detection import is_in_language
from weiwo.tools.template import read_template

STATIC_SHARE, SEMANTIC_SHARE = 0.4, 0.6
_ONE_SEARCHER = 0.69
"""Score of a question that a single task answers in several steps: just below `COMPLEX_FROM`, so no plan is made."""
_MOST_WHOLE, _WHOLE_TOKENS, _WHOLE_SECONDS = 40, 8_000, 10
"""Passages, tokens and seconds of reading up to which all documents at hand are read whole."""
_MOST_WORDS = 20_000
_MOST_QUERIES = 3
"""Most queries taken from the model's reply."""
_SHAPED = frozenset({"table", "list", "report"})
"""Forms of an answer with rows, columns or sections."""
_MOST_PARTS = 8
"""Most parts of a question taken from the model's reply."""
_MOST_TITLES = 5
"""Most document titles shown to the model that assesses a question."""


class _QuestionJudgement(NamedTuple):
    """The master's judgement of a question.

    Attributes:
        assessment: The assessment.
        sketch: The plan that a model gave with its judgement. Empty if it was not asked for a plan or gave none.
        choices: The call chosen by a model, keyed by question. Empty if the model chose none, None if it was not asked
            for one.
    """

    assessment: Assessment
    sketch: dict[str, Any]
    choices: Choices | None


async def _request_judgement(
    turn: ConversationTurn, question: str, services: RunContext, wishes: Sequence[str]
) -> tuple[AssessmentReply | None, bool]:
    """Return the model's judgement of a question, and whether all documents fit one prompt.

    The judgement is None without a model, or after a failed call, which is in the trace: features then decide alone.
    """
    if not services.models.has_decision_model("master"):
        return None, False
    whole = await _fits_whole(question, services)
    planning = "" if whole else await asyncio.to_thread(_promises_plan, question, services)  # lists the documents
    if planning and await has_plan(question, services, wishes):
        planning = ""
    more = planning
    schema: type[AssessmentReply] = PlannedAssessmentReply
    if not planning:
        corpus = await asyncio.to_thread(summarize_corpus, services, _MOST_TITLES)
        offered = await offer_tools(question, services) if services.models.holds_schemas("master") else ""
        more = (TOOLS.format(tools=offered) if offered else "") + (f"\n{corpus}" if corpus else "")
        schema = ToolAssessmentReply if offered else AssessmentReply
    messages = assessment_messages(turn, more, wishes)
    try:
        return await services.models.request_structured_reply("master", "assess", messages, schema), whole
    except ModelCallError:
        return None, whole


async def assess_question(
    turn: ConversationTurn, services: RunContext, wishes: Sequence[str] = ()
) -> _QuestionJudgement:
    """Return the judgement of a question: its level, strategy, and what a model gave with it."""
    language = services.asked_in
    question = resolve_follow_up(turn.question, turn.history, language)
    reply, whole = await _request_judgement(turn, question, services, wishes)
    if reply is not None and turn.history and _plausible(reply.standalone_question, turn.question, language):
        question = reply.standalone_question.strip()
    frame = _with_queries(_set_form(_with_compared(parse_question(question, language), reply), reply, services), reply)
    clarification, assumed = read_clarification(reply.clarify if reply is not None else None, turn, services)
    frame = frame_meaning(frame, assumed) if assumed else frame
    frame = await _with_slots(frame, services)
    features = extract_static_features(frame)
    static = compute_static_score(features)
    semantic = _compute_semantic_score(reply) if reply is not None else None
    blended = static if semantic is None else STATIC_SHARE * static + SEMANTIC_SHARE * semantic
    choices = _read_choices(reply, frame, services)
    # Facts are searched, not answered from the model's memory.
    searched = choices or (features["facts"] and not turn.history)
    score = max(blended, minimum_score(features), SIMPLE_BELOW if searched else 0.0)
    score = COMPLEX_FROM if services.settings.template else score
    level = classify_level(score)
    way = _find_way(frame, reply, services)
    if services.settings.template:
        way = ""
    elif whole and not (way or choices or _wants_one_value(frame)):
        way = "folder"
    strategy = choose_strategy(level, services.settings.depth, services.models.has_decision_model, way)
    if takes_hops(strategy) or strategy.searcher == "folder":
        frame = frame.model_copy(update={"shape": "chain", "parts": ()}) if way == "chain" else frame
        if way == "folder" and frame.form in _SHAPED:  # no rule can tell its rows and columns from parts
            frame = frame.model_copy(update={"parts": ()})
        features, score = {**features, "one_searcher": 1.0}, _ONE_SEARCHER
    elif LEVELS[strategy.plan] != level:
        features, score = {**features, "deep": 1.0}, COMPLEX_FROM
    level = LEVELS[strategy.plan]
    if level == "simple":
        clarification, assumed = None, ""  # nothing is searched
    reason = reply.reason if reply is not None and reply.reason else _reason(features, level)
    sketch = reply.sketch() if isinstance(reply, PlannedAssessmentReply) and not services.settings.template else {}
    judged = Assessment(
        frame=frame,
        features=features,
        static_score=static,
        semantic_score=semantic,
        score=score,
        level=level,
        reason=" ".join(reason.split())[:300],
        decided_by="rule" if reply is None else "model",
        parts=tuple(part for named in reply.parts[:_MOST_PARTS] if (part := safe_note(named))) if reply else (),
        clarification=clarification,
        assumed=assumed,
        # Fresh and local facts always need sources, regardless of the model's judgement.
        needs_sources=reply is None or bool(reply.external_information or reply.tool_use or frame.fresh or frame.local),
        strategy=strategy,
        answer_language=services.language if services.language != language else "",
    )
    return _QuestionJudgement(judged, sketch, choices)


def _promises_plan(question: str, services: RunContext) -> str:
    """Return the prompt text that asks for a plan along with the judgement, or "" if none is asked for.

    A plan is asked for if the features alone promise a plan, and if a single model judges and plans, sees all tools,
    and supports schemas.
    """
    tools = services.registry.names()
    if services.strategy.deepens or len(tools) > services.settings.max_tools:
        return ""
    if not services.models.holds_schemas("master", "planner"):
        return ""
    frame = parse_question(question, services.asked_in)
    features = extract_static_features(frame)
    narrow = features["chain"] > features["listing"] or _compares_few(frame, services)
    wide = classify_level(compute_static_score(features)) == "complex" and not narrow
    return PLAN.format(rules=planning_instructions(tools, services)) if wide else ""


async def _fits_whole(question: str, services: RunContext) -> bool:
    """Report whether all local documents fit into a short prompt that is quick to read, so that no search is needed.

    False for a deep search, for a question that compares or calculates, with a filter, and if other search tools are
    set up.
    """
    corpus, models = services.registry.corpus, services.models
    if corpus is None or services.strategy.deepens or services.settings.filter:
        return False
    computed = parse_question(question, services.asked_in).shape in {"comparison", "difference", "calculation"}
    if computed or not models.has_decision_model("writer") or len(list_searches(services.registry.names())) > 1:
        return False
    size, sources = await asyncio.to_thread(lambda: (corpus.size, corpus.documents))
    if not 0 < size <= _MOST_WHOLE:
        return False
    found = await asyncio.gather(*(corpus.open(source, k=_MOST_WHOLE) for source in sources))
    tokens = sum(models.count("writer", passage.text) for passages in found for passage in passages)
    few = tokens <= _WHOLE_TOKENS and 2 * tokens <= models.room("writer")
    return few and models.reading_seconds("writer", tokens) <= _WHOLE_SECONDS


def _read_choices(reply: AssessmentReply | None, frame: QueryFrame, services: RunContext) -> Choices | None:
    """Return the call chosen by a model, keyed by question.

    Empty if it chose none, None if it was not asked for one.
    """
    if not isinstance(reply, ToolAssessmentReply):
        return None
    call = read_choice(reply.tool, reply.args, frame, services) if reply.tool and frame.shape != "chain" else None
    return {} if call is None else {frame.question: call}


def _find_way(frame: QueryFrame, reply: AssessmentReply | None, services: RunContext) -> Way:
    """Return the way in which a single task can answer the question without a plan: `comparison` or `chain`.

    Empty if the question may need a plan.
    """
    if reply is None:
        return ""
    if _compares_few(frame, services):
        return "comparison"
    one_value = frame.shape in {"look_up", "chain"} and not frame.parts
    misread = frame.shape == "several" and len(reply.parts) == 1  # the parts are steps of a chain
    return "chain" if reply.chain and (one_value or misread) else ""


def _wants_one_value(frame: QueryFrame) -> bool:
    """Report whether a question asks for a single value.

    Such a question is searched even if all documents fit one prompt, because each step is then checked, while a draft
    would be checked as a whole.
    """
    return frame.shape in {"look_up", "chain"} and not (frame.parts or frame.form or frame.words)


def _compares_few(frame: QueryFrame, services: RunContext) -> bool:
    """Report whether a single task can compare the subjects of a question."""
    at_hand = choose_search_tool(services.registry.names()) == "corpus_search"
    return compares_few(frame, at_hand=at_hand) and services.models.holds_schemas("executor")


def _set_form(frame: QueryFrame, reply: AssessmentReply | None, services: RunContext) -> QueryFrame:
    """Return a parsed question with form and length: from the settings, else the user's words, else the model."""
    settings = services.settings
    form = settings.form or frame.form or (reply.form if reply is not None else "")
    words = settings.words or frame.words or (min(max(reply.words, 0), _MOST_WORDS) if reply is not None else 0)
    return frame.model_copy(update={"form": form, "words": words})


async def _with_slots(frame: QueryFrame, services: RunContext) -> QueryFrame:
    """Return a parsed question with a part for each slot of the answer template. Unchanged without a template."""
    if not services.settings.template:
        return frame
    template = await asyncio.to_thread(read_template, services.settings.template, services.settings.limits.max_tasks)
    asked = [parse_question(slot.ask(frame.question, frame.subjects), frame.language) for slot in template.slots]
    # Each slot is one look-up, so that its place among the parts is that in the template.
    single = {"parts": (), "shape": "look_up"}
    parts = tuple(part.model_copy(update=single) if part.parts else part for part in asked)
    return frame.model_copy(update={"shape": "several", "parts": parts, "form": ""})


def _with_compared(frame: QueryFrame, reply: AssessmentReply | None) -> QueryFrame:
    """Return a parsed question as a comparison of subjects that the model named, if it has at least two of them."""
    asked = fold(frame.question)
    named = (
        tuple(dict.fromkeys(name for name in reply.compare if name.strip() and fold(name) in asked)) if reply else ()
    )
    if len(named) < 2 or frame.shape not in {"look_up", "open", "chain", "several"}:
        return frame
    return frame.model_copy(update={"shape": "comparison", "subjects": named, "parts": ()})


def _with_queries(frame: QueryFrame, reply: AssessmentReply | None) -> QueryFrame:
    """Return a parsed question with the model's first search queries, at most three."""
    said = reply.queries[:_MOST_QUERIES] if reply is not None else ()
    queries = tuple(query for item in said if (query := safe_query(item, frame.question, ())))
    return frame.model_copy(update={"queries": queries})


def _compute_semantic_score(reply: AssessmentReply) -> float:
    """Return a score from 0 to 1 from four judgements of the model.

    A need for outside facts alone gives 0.45 (moderate), and several steps on top of it give 1.0 (complex).
    """
    outside = float(reply.external_information or reply.tool_use)
    steps = float(reply.multi_step or reply.comparison_or_calculation)
    return 0.45 * outside + 0.55 * steps * max(outside, 0.5)


def _plausible(rewritten: str, question: str, language: Language) -> bool:
    """Report whether a rewritten question is in the same language and not much longer than the question."""
    text = rewritten.strip()
    return 0 < len(text) <= 4 * len(question) + 400 and is_in_language(text, language)


def _reason(features: dict[str, float], level: Level) -> str:
    strongest = [name for name, value in sorted(features.items(), key=lambda pair: -pair[1]) if value >= 0.5][:3]
    return f"{level}: {', '.join(strongest).replace('_', ' ') or 'no sign of more'}"
