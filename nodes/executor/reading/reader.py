"""Reading inside a task: a typed value with quotes from the task's passages, or what is missing.

With a model, one structured reply gives the value, quotes, confidence, missing information and the next step (as in
MindSearch, arXiv 2407.20183). `shown_passages` checks it. Without a model the extraction rules read. Either way the
result is then weighed against the other sources (`source_agreement`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from langchain_core.messages import HumanMessage, SystemMessage

from weiwo.models.gateway import ChatModels, ModelCallError
from weiwo.nodes.executor.extraction.typed_extraction import extract_value
from weiwo.nodes.executor.prompt import HOPS, OF_ANOTHER_TYPE, SYSTEM, TYPE_HINTS, TaskProgressNote, describe_task
from weiwo.nodes.executor.reading.entity_check import may_speak_of
from weiwo.nodes.executor.reading.quotes import has_part
from weiwo.nodes.executor.reading.reading import (
    Judgement,
    Reading,
    SentenceCheck,
    carries_nothing,
    restore_judgement,
)
from weiwo.nodes.executor.reading.shown_passages import ShownPassages, find_winner
from weiwo.nodes.executor.reading.source_agreement import LEAST_SHARE, values_conflict, weigh_sources
from weiwo.nodes.executor.replies import AheadHopReadReply, AheadReadReply, HopReadReply, ReadReply, ValueAnswer
from weiwo.nodes.executor.task_state import TaskState, is_opening_call, query_key
from weiwo.nodes.shared.planning.rule_plan import VALUE_TYPES
from weiwo.nodes.shared.prompting.context_packing import pack_passages
from weiwo.nodes.shared.prompting.input_guard import safe_note
from weiwo.nodes.shared.prompting.passage_prompt import format_passages, without_orders
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.shared.strategy import COMPARED, MANY_PASSAGES
from weiwo.state import Evidence, Hop, JsonValue, OutcomeDetail, Quote, Rival, ValueType
from weiwo.state.query import QueryFrame
from weiwo.text.citation_marks import clean_marks
from weiwo.text.foreign_values import plain_values
from weiwo.text.language import fold
from weiwo.text.language_detection import resolve_language
from weiwo.text.localization import localize_message
from weiwo.text.names import names
from weiwo.text.offloading import offload_reading
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms

_LONGEST_SENTENCE = 400
_ESTIMATE: Final = lazy(r"(?i)\b(?:about|approximately|around|roughly|circa|ca?\.|c\.)(?!\w)|大约|大概|约|左右|前后")
_STRANGER_CONFIDENCE = 0.4
"""Highest confidence of a value from a passage that does not name the subject of the task."""

_DOUBT: Final = localize_message("executor.reading.reader", "doubt")
_SCHEMAS: Final[Mapping[tuple[bool, bool], type[ReadReply]]] = {
    (False, False): ReadReply,
    (True, False): HopReadReply,
    (False, True): AheadReadReply,
    (True, True): AheadHopReadReply,
}
"""Schema of the reply, by two flags: whether the task takes several look-ups, and whether tasks wait for its value."""


async def judge_turn(
    state: TaskState,
    frame: QueryFrame,
    progress: TaskProgressNote,
    services: RunContext,
    carries: SentenceCheck = carries_nothing,
) -> Judgement:
    """Return the judgement of a task's passages in one turn.

    A model is asked only if there is a passage that it was not shown. Before it gives up, it is shown further relevant
    ones.
    """
    ret, passages = state["task"].ret, state.get("passages", [])
    if "best" in state:
        again = await _reweigh_judgement(restore_judgement(state["best"]), frame, ret, passages)
        if again is not None:
            return again
    if (known := _nothing_to_read(state, services)) is not None:
        return known
    judgement = await read_passages(frame, ret, passages, services.models, progress, carries)
    unread = _list_unread(judgement, frame.question, passages, progress)
    if not unread:
        return judgement
    seen = [*progress.seen, *judgement.shown]
    rest = replace(progress, seen=seen, hops=judgement.hops, latest=0, most=MANY_PASSAGES)
    worth = [passage for passage in passages if passage.id in seen or passage in unread]
    more = await read_passages(frame, ret, worth, services.models, rest, carries)
    return replace(more, shown=(*judgement.shown, *more.shown))


def _list_unread(
    judgement: Judgement, question: str, passages: Sequence[Evidence], progress: TaskProgressNote
) -> list[Evidence]:
    """Return the relevant passages that no model was shown, if the model gives up. Empty if its judgement stands.

    A passage is relevant if it has a part of a name of the question and another word of it.
    """
    ends = judgement.move == "give_up" or (judgement.move == "search" and not judgement.queries)
    if judgement.decided_by != "model" or not ends or not judgement.shown:
        return []
    shown = {*progress.seen, *judgement.shown}
    asked = " ".join((question, *(hop.value for hop in judgement.hops)))
    named = {term for name in names(asked) for term in terms(name.text)}
    words = {*terms(question)} - named
    left = (passage for passage in passages if passage.id not in shown and may_speak_of(asked, passage))
    return [item for item in left if not words or not words.isdisjoint(terms(f"{item.heading} {item.text}"))]


def _nothing_to_read(state: TaskState, services: RunContext) -> Judgement | None:
    """Return a judgement without a value if the turn brought nothing new to show, else None.

    The model is then not asked again. A repeated search may leave passages to show, and in a chain of look-ups the same
    passage may answer the next question.
    """
    seen, passages = set(state.get("seen", ())), state.get("passages", ())
    if not (seen and passages) or "best" in state:
        return None
    shown = not state.get("hops") and all(passage.id in seen for passage in passages)
    if not shown and (state.get("fresh", 1) or not is_opening_call(state["call"], services)):
        return None
    return Judgement(reading=Reading(value=None, missing=state.get("missing", "")), decided_by="model", move="search")


async def _reweigh_judgement(
    judgement: Judgement, frame: QueryFrame, ret: ValueType, passages: Sequence[Evidence]
) -> Judgement | None:
    """Return an earlier judgement with its value weighed against the sources found since. No model is asked.

    None if more sources now contradict the value than support it, so that all must be read anew.
    """
    before = judgement.reading
    alone = replace(before, confidence=before.confidence / (LEAST_SHARE if before.rivals else 1))
    reading = await offload_reading(passages, weigh_sources, alone, frame, ret, passages, before.rivals)
    if any(len(rival.evidence_ids) > reading.support for rival in reading.rivals):
        return None
    return replace(judgement, reading=reading)


async def read_passages(
    frame: QueryFrame,
    ret: ValueType,
    passages: Sequence[Evidence],
    models: ChatModels,
    progress: TaskProgressNote,
    carries: SentenceCheck = carries_nothing,
) -> Judgement:
    """Return the judgement of passages for a single task, by rules and by a model if there is one."""
    unreadable: list[str] = []
    reading = await offload_reading(passages, _by_rule, frame, ret, passages)
    if passages and models.has_decision_model("executor"):
        try:
            judgement = await _by_model(frame, ret, passages, models, progress, carries, unreadable=unreadable)
        except ModelCallError:
            # The trace already has the failed call with its error. The rules read the passages instead.
            pass
        else:
            return _with_proof(judgement, reading)
    if reading.value is None and unreadable:
        # The model's words are more specific than "nothing found".
        reading = replace(reading, missing=unreadable[-1])
    return Judgement(reading=reading, decided_by="rule", move="give_up" if reading.value is None else "answer")


def _with_proof(judgement: Judgement, proved: Reading) -> Judgement:
    """Return a model's judgement combined with a value that rules proved.

    The proved value is used if the model found no value, or a different value in other sentences, which is then a
    rival. A correction of the question, and a value reached by several look-ups, stay as the model gave them.
    """
    read = judgement.reading
    if proved.value is None or judgement.move == "premise_wrong":
        return judgement
    if proved.detail.mechanism == COMPARED and fold(str(proved.value)) in fold(str(read.value)):
        detail = read.detail.model_copy(update={"mechanism": COMPARED})
        return replace(judgement, reading=replace(read, detail=detail))
    if read.value is None:
        return replace(judgement, reading=proved, decided_by="rule", move="answer", queries=(), opened=None)
    same = any(own.text in its.text or its.text in own.text for own in read.quotes for its in proved.quotes)
    alike = replace(read, detail=proved.detail)  # the model gives no unit, so the proved value's is used
    if judgement.hops or same or not values_conflict(alike, proved):
        return judgement
    other = Rival(value=read.value, evidence_ids=read.evidence_ids, quotes=read.quotes)
    against = (other, *(rival for rival in proved.rivals if rival.value != read.value))
    disputed = replace(proved, rivals=against, confidence=proved.confidence * LEAST_SHARE)
    return replace(judgement, reading=disputed, decided_by="rule", ahead=())


def _by_rule(frame: QueryFrame, ret: ValueType, passages: Sequence[Evidence]) -> Reading:
    passages = [without_orders(passage) for passage in _current(passages, ()) or passages]
    if frame.shape == "comparison" and frame.parts:
        return _compare_by_rule(frame, passages)
    found = extract_value(frame, ret, passages)
    return Reading(value=None) if found is None else weigh_sources(found, frame, ret, passages)


def _compare_by_rule(frame: QueryFrame, passages: Sequence[Evidence]) -> Reading:
    """Return the winner of a comparison by values that rules proved, as a reading.

    Without a value if any is missing.
    """
    found = [(part, extract_value(part, VALUE_TYPES.get(part.answer_type, "text"), passages)) for part in frame.parts]
    read = [(part, item) for part, item in found if item is not None and not item.rivals]
    hops = [
        Hop(
            question=part.question,
            value=item.detail.shown or str(item.value),
            evidence_ids=item.evidence_ids,
            quotes=item.quotes,
        )
        for part, item in read
    ]
    winner = find_winner(frame, hops) if len(read) == len(found) else ""
    quotes = [quote for _, item in read for quote in item.quotes]
    return Reading(
        value=winner or None,
        evidence_ids=tuple(dict.fromkeys(quote.evidence_id for quote in quotes)),
        quotes=tuple(quotes),
        confidence=min((item.confidence for _, item in read), default=0.0),
        detail=OutcomeDetail(mechanism=COMPARED),
    )


async def _by_model(
    frame: QueryFrame,
    ret: ValueType,
    passages: Sequence[Evidence],
    models: ChatModels,
    progress: TaskProgressNote,
    carries: SentenceCheck,
    *,
    unreadable: list[str],
) -> Judgement:
    """Return the judgement of a model that was shown the passages.

    If its value cannot be read as the wanted type, the reason is appended to `unreadable`.
    """
    hopping = finds_hops(frame, ret)
    prompt, now = describe_task(frame, ret, progress, hopping=hopping)
    await models.ready("executor")
    room = models.room("executor", SYSTEM, prompt + now)
    chosen = _choose_passages(passages, progress, ret, frame)
    fitted = await offload_reading(
        chosen,
        pack_passages,
        chosen,
        frame.question,
        room,
        lambda t: models.count("executor", t),
    )
    whole = {passage.id: passage for passage in passages}
    shown = ShownPassages(frame, ret, [whole[passage.id] for passage in fitted.shown], passages, progress.hops)
    objected = False

    def check(reply: ReadReply) -> str | None:
        nonlocal objected
        try:
            known = shown.after_hops(reply)
            objection = known.find_objection(_read_for_content(reply, known, carries), strangers=not objected)
        except ValueError as error:
            unreadable.append(str(error))
            objection = OF_ANOTHER_TYPE.format(error, TYPE_HINTS[ret])
        objected = objected or objection is not None
        return objection

    new = {passage.id for passage in fitted.shown}.difference(progress.seen) if progress.seen else ()
    messages = [SystemMessage(SYSTEM), HumanMessage(f"{prompt}\n{format_passages(fitted.shown, new)}\n\n{now}")]
    schema = _SCHEMAS[hopping, bool(progress.waiting)]
    reply = await models.request_structured_reply("executor", "read", messages, schema, check=check)
    shown = shown.after_hops(reply)
    reply = _read_for_content(reply, shown, carries)
    tried = {query_key(query) for query in progress.tried}
    asked = (reply.all_queries or (frame.question,)) if reply.next == "search" else ()
    queries = tuple(query for query in asked if query_key(query) not in tried)
    models.note_reply("executor", usable=reply.next != "search" or bool(queries))
    return await _judge_reply(reply, shown, passages, progress, queries, fitted.left_out)


async def _judge_reply(
    reply: ReadReply,
    shown: ShownPassages,
    passages: Sequence[Evidence],
    progress: TaskProgressNote,
    queries: tuple[str, ...],
    left_out: int,
) -> Judgement:
    """Return a checked reply as a judgement: a value with its reading, or the next step without a value."""
    ids = tuple(passage.id for passage in shown.passages)
    if reply.next in {"answer", "premise_wrong"} and reply.value is not None:
        sentence = _sentence(reply) if progress.wants_sentence else ""
        reading = await offload_reading(passages, _reading, reply, shown, passages, shown.frame, sentence)
        return Judgement(
            reading=reading,
            decided_by="model",
            move=reply.next,
            left_out=left_out,
            shown=ids,
            hops=tuple(shown.hops),
            ahead=tuple(reply.ahead) if isinstance(reply, AheadReadReply) and reply.next == "answer" else (),
        )
    return Judgement(
        reading=_without_value(reply, shown, progress),
        decided_by="model",
        move="give_up" if reply.next in {"answer", "premise_wrong"} else reply.next,
        queries=queries,
        opened=shown.opened_passage(reply) if reply.next == "open" else None,
        left_out=left_out,
        shown=ids,
        kept=shown.kept_passages(reply),
        hops=tuple(shown.hops),
    )


def _read_for_content(reply: ReadReply, shown: ShownPassages, carries: SentenceCheck) -> ReadReply:
    """Return a reply as an answer if it has a value that is supported, although it asks for a further step.

    Its quotes must be found, and code must find that they support its sentence. Otherwise the reply is returned
    unchanged.
    """
    if reply.next in {"answer", "premise_wrong"} or reply.value is None or not reply.sentence.strip():
        return reply
    answer = reply.model_copy(update={"next": "answer"})
    try:
        if shown.find_objection(answer, strangers=True) is not None:
            return reply
    except ValueError:
        return reply
    quoted = {quote.evidence_id for quote in shown.locate_quotes(answer)}
    passages = [without_orders(passage) for passage in shown.passages if passage.id in quoted]
    told = has_part(reply.sentence, shown.read_value(answer), "")
    return answer if passages and told and carries(reply.sentence, passages, shown.frame) else reply


def _choose_passages(
    passages: Sequence[Evidence], progress: TaskProgressNote, ret: ValueType, frame: QueryFrame
) -> list[Evidence]:
    """Return the passages to show.

    At first these are the best passages, later the kept ones and the best that were not shown yet. In a chain of
    look-ups each turn asks something else, and a passage shown before may answer it: then they are the kept ones and
    those found by the latest searches, shown before or not.
    """
    several = ret == "passages" or ret.startswith("list") or frame.shape == "comparison"
    most = MANY_PASSAGES if several else progress.most
    if progress.hops and progress.latest:
        latest = passages[: min(progress.latest, most)]
        found = {passage.id for passage in latest}
        return [*(passage for passage in passages if passage.id in progress.kept and passage.id not in found), *latest]
    new = [passage for passage in passages if passage.id not in progress.seen]
    return [*(passage for passage in passages if passage.id in progress.kept), *new[:most]] or [*passages[:most]]


async def judge_answer(
    answer: ValueAnswer,
    frame: QueryFrame,
    ret: ValueType,
    shown: Sequence[Evidence],
    passages: Sequence[Evidence],
    *,
    wants_sentence: bool,
) -> Judgement | None:
    """Return the judgement of a value from a prompt shared by several tasks, or None if it fails the checks.

    The checks are those of a task read alone. It also fails if it cites a passage that the task did not find itself.

    Args:
        answer: The value with its quotes.
        frame: The question of the task.
        ret: The wanted type.
        shown: The passages in the prompt. Quotes refer to them by number, from 1.
        passages: The passages that the task found.
        wants_sentence: Whether the value's sentence is kept.
    """
    fields = answer.model_dump(include={"value", "confidence", "basis", "sentence"})
    reply = ReadReply(next="answer", quotes=answer.quotes, **fields)
    seen = ShownPassages(frame, ret, shown, passages)
    try:
        if seen.find_objection(reply, strangers=True) is not None:
            return None
    except ValueError:
        return None
    sentence = _sentence(reply) if wants_sentence else ""
    reading = await offload_reading(passages, _reading, reply, seen, passages, frame, sentence)
    own = {passage.id for passage in passages}
    if not own.issuperset(reading.evidence_ids):  # a task keeps only passages that it found itself
        return None
    return Judgement(reading=reading, decided_by="model", move="answer", shown=tuple(evidence.id for evidence in shown))


def finds_hops(frame: QueryFrame, ret: ValueType) -> bool:
    """Report whether a task needs several look-ups, as a chain or comparison, and so has intermediate values."""
    return frame.shape in HOPS and ret != "passages" and not ret.startswith("list")


def _sentence(reply: ReadReply) -> str:
    """Return the one-sentence answer of a reply without citation marks, which code adds.

    Empty if over 400 characters.
    """
    said = clean_marks(safe_note(reply.sentence, _LONGEST_SENTENCE + 1), ()).strip()
    return said if len(said) <= _LONGEST_SENTENCE else ""


def _without_value(reply: ReadReply, shown: ShownPassages, progress: TaskProgressNote) -> Reading:
    """Return a reading without a value, which says what is missing.

    If a model gives up the user's whole question, the reading also has its sentence and the supporting quotes.
    """
    sentence = _sentence(reply) if progress.wants_sentence and reply.next == "give_up" else ""
    told = [hop for hop in shown.hops if fold(hop.value) in fold(sentence)]
    quotes = [*shown.locate_quotes(reply), *(quote for hop in told for quote in hop.quotes)] if sentence else []
    return Reading(
        value=None,
        missing=safe_note(reply.missing),
        evidence_ids=tuple(dict.fromkeys(quote.evidence_id for quote in quotes)),
        quotes=tuple(dict.fromkeys(quotes)),
        detail=OutcomeDetail(sentence=sentence),
    )


def _current(passages: Sequence[Evidence], quotes: Sequence[Quote]) -> list[Evidence]:
    """Return the passages that are not outdated, and the quoted ones. Others must not count against the value read."""
    quoted = {quote.evidence_id for quote in quotes}
    return [passage for passage in passages if not passage.is_outdated or passage.id in quoted]


def _is_told(value: JsonValue, quotes: Sequence[Quote], passages: Sequence[Evidence], frame: QueryFrame) -> bool:
    """Report whether quotes or headings have a part of a number, date or name. True for any other value."""
    quoted = {quote.evidence_id for quote in quotes}
    cited = [passage for passage in passages if passage.id in quoted]
    language = resolve_language("\n".join(passage.text for passage in cited), (frame.language,))
    told = "\n".join([*(quote.text for quote in quotes), *(passage.heading for passage in cited)])
    said = plain_values(value, frame.language) if isinstance(value, str) else value
    return has_part(plain_values(told, language), said, frame.question)


def _reading(
    reply: ReadReply, shown: ShownPassages, passages: Sequence[Evidence], frame: QueryFrame, sentence: str
) -> Reading:
    """Return a model's answer as a reading, weighed against the other sources."""
    own = shown.locate_quotes(reply)
    quotes = list(dict.fromkeys([*own, *(quote for hop in shown.hops for quote in hop.quotes)]))
    stranger = shown.find_unmentioned_name(own, reply.value)
    doubt = _DOUBT[frame.language].format(stranger) if stranger else ""
    note = safe_note(reply.missing)
    if _ESTIMATE.fullmatch(note.strip(" .。")) and _ESTIMATE.search(sentence):
        note = ""  # the note is only "about", which the sentence says too
    reading = Reading(
        value=shown.read_value(reply),
        evidence_ids=tuple(dict.fromkeys(quote.evidence_id for quote in quotes)),
        quotes=tuple(quotes),
        confidence=min(1.0, max(0.0, reply.confidence)),
        missing="; ".join(words for words in (doubt, note) if words),
        basis=reply.basis if _is_told(shown.read_value(reply), quotes, passages, frame) else "implied",
        detail=OutcomeDetail(sentence=sentence, hops=tuple(shown.hops)),
    )
    if reply.next == "premise_wrong":
        premise = safe_note(reply.missing) or frame.question
        return replace(reading, missing=doubt, basis="stated", premise=premise)
    if shown.hops:  # who else gives the value is not to be told from the question, which names none of what leads there
        rivals = tuple(shown.list_rivals(reply))
        reading = replace(reading, rivals=rivals, confidence=reading.confidence * (LEAST_SHARE if rivals else 1))
        return replace(reading, confidence=min(_STRANGER_CONFIDENCE, reading.confidence)) if stranger else reading
    found = weigh_sources(reading, frame, shown.ret, _current(passages, quotes), shown.list_rivals(reply))
    return replace(found, confidence=min(_STRANGER_CONFIDENCE, found.confidence)) if stranger else found
