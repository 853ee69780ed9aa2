"""Reading inside a task: from passages to a typed value with the words that carry it, or what is missing.

With a model, one structured judgement says the value, quotes, confidence, what is missing and the
next move (the searcher of MindSearch, arXiv 2407.20183; `reader_reply` checks it). Without a model the extraction
rules read. Either way it is then weighed against what the other sources say (`weiwo.nodes.executor.source_agreement`).
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict

from weiwo.models.gateway import ChatModels, ModelCallError
from weiwo.nodes.executor.extraction.typed_extraction import extract_value
from weiwo.nodes.executor.prompt import CHAIN, SENTENCE, SYSTEM
from weiwo.nodes.executor.reader_reply import TYPE_HINTS, Move, ReadReply, ShownPassages
from weiwo.nodes.executor.reading import Reading
from weiwo.nodes.executor.source_agreement import LEAST_SHARE, weigh_sources
from weiwo.nodes.shared.markdown.citation_marks import clean_marks
from weiwo.nodes.shared.prompting.context_packing import pack_passages
from weiwo.nodes.shared.prompting.input_guard import safe_note
from weiwo.nodes.shared.prompting.passage_prompt import format_passages, quote_as_data
from weiwo.nodes.shared.run_context import today
from weiwo.state import DecidedBy, Evidence, Hop, Language, Outcome, OutcomeDetail, Quote, ValueType
from weiwo.state.query import QueryFrame

__all__ = ["Judgement", "ReadReply", "TaskProgressNote", "read_passages", "restore_judgement", "reweigh_judgement"]

FIRST_PASSAGES = 5
"""Passages that a turn shows for one value, the best ones; the others come next, should they be needed."""
MORE_PASSAGES = 8
"""The same for a list, a summary, or in a deep search."""
LONGEST_SENTENCE = 400
KEPT_PASSAGES = 3
"""Passages of earlier turns that a later one shows again, where the model named none that it wants to keep."""

STRANGER_CONFIDENCE = 0.4
"""The most that is held of a value whose passage does not name what the task asks about."""

_DOUBT: dict[Language, str] = {"en": "the passage does not name {}", "zh": "所引段落没有提到{}"}


class Judgement(BaseModel):
    """What reading came to: a reading, who made it, and the move that follows.

    Attributes:
        reading: The value, or None with what is missing.
        decided_by: A model or the rules.
        move: What to do next where there is no value.
        queries: The queries of a `search` move.
        opened: The passage whose page or document an `open` move means.
        left_out: Passages that there was no room for in the prompt.
        shown: Ids of the passages that the prompt showed.
        kept: Ids of those that the model wants to see again.
        hops: Of a chain of look-ups, what was found on the way, in this turn and before.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True)
    reading: Reading
    decided_by: DecidedBy
    move: Move
    queries: tuple[str, ...] = ()
    opened: Evidence | None = None
    left_out: int = 0
    shown: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    hops: tuple[Hop, ...] = ()


@dataclass(frozen=True)
class TaskProgressNote:
    """Progress note in the reader's prompt: how far a task has come.

    Attributes:
        whole: The user's question that the task serves.
        tried: Queries already sent.
        turns_left: How often the task may search or open yet.
        nothing_new: Whether the last turn brought no passage that was not known.
        failed: What did not work, such as a page that could not be opened.
        seen: Ids of the passages that earlier turns showed.
        kept: Ids of those that the model wanted to see again.
        deep: Whether the search is a deep one.
        wants_sentence: Whether the task is the whole question, so that its value, in a sentence, is the answer.
        hops: Of a chain of look-ups, what earlier turns found on the way.
        latest: Passages that the last turn found, known ones among them: as many are the first of all.
    """

    whole: str
    tried: Sequence[str]
    turns_left: int
    nothing_new: bool = False
    failed: Sequence[str] = ()
    seen: Collection[str] = ()
    kept: Collection[str] = ()
    deep: bool = False
    wants_sentence: bool = False
    hops: Sequence[Hop] = ()
    latest: int = 0

    def describe_turns(self) -> str:
        """The turns left, in words for the model."""
        if self.turns_left <= 0:
            turns = "This is the last turn: answer or give up."
        else:
            turns = f"You may search or open {'once' if self.turns_left == 1 else f'{self.turns_left} times'} more."
        if self.nothing_new and len(self.tried) > 1:
            turns = f"The last query brought nothing new. {turns}"
        return "\n".join([turns, *(f"Did not work: {message}" for message in self.failed)])

    def describe_hops(self) -> str:
        """What was found on the way, a line each."""
        lines = [f"- {quote_as_data(hop.question, 200)} → {quote_as_data(hop.value, 200)}" for hop in self.hops]
        return "\n".join(["Found on the way:", *lines, ""]) if lines else ""


async def read_passages(
    frame: QueryFrame,
    ret: ValueType,
    passages: Sequence[Evidence],
    models: ChatModels,
    progress: TaskProgressNote,
) -> Judgement:
    """Read passages for one task.

    Args:
        frame: The task, its references filled.
        ret: The wanted type.
        passages: What was found so far, best first.
        models: The chat models; the executor's is asked if there is one.
        progress: How far the task has come.
    """
    unreadable: list[str] = []
    if passages and models.configured("executor"):
        try:
            return await _by_model(frame, ret, passages, models, progress, unreadable=unreadable)
        except ModelCallError:
            pass  # the call is in the trace with its error; the rules read instead
    reading = await asyncio.to_thread(_by_rule, frame, ret, passages)
    if reading.value is None and unreadable:
        reading = replace(reading, missing=unreadable[-1])  # what was said says more than "nothing found"
    return Judgement(reading=reading, decided_by="rule", move="give_up" if reading.value is None else "answer")


def restore_judgement(outcome: Outcome) -> Judgement:
    """Rebuild the judgement that an outcome came of."""
    reading = Reading(
        value=outcome.value,
        evidence_ids=outcome.evidence_ids,
        quotes=outcome.quotes,
        confidence=outcome.confidence,
        detail=outcome.detail.model_copy(update={"cached": False}),  # of that turn
        missing=outcome.note,
        support=outcome.support,
        rivals=outcome.rivals,
        basis=outcome.basis,
        premise=outcome.premise,
    )
    move: Move = "premise_wrong" if outcome.premise else "answer"
    return Judgement(reading=reading, decided_by=outcome.decided_by, move=move)


async def reweigh_judgement(
    judgement: Judgement, frame: QueryFrame, ret: ValueType, passages: Sequence[Evidence]
) -> Judgement | None:
    """What was read, weighed anew now that further sources were heard; nothing is read again, nor a model asked.

    Args:
        judgement: What was read before in one source, whether another stood against it or none.
        frame: The task, its references filled.
        ret: The wanted type.
        passages: What was found so far, best first.

    Returns:
        The judgement; None where more sources say otherwise by now, so that all is to be read anew.
    """
    before = judgement.reading
    alone = replace(before, confidence=before.confidence / (LEAST_SHARE if before.rivals else 1))
    reading = await asyncio.to_thread(weigh_sources, alone, frame, ret, passages, before.rivals)
    if any(len(rival.evidence_ids) > reading.support for rival in reading.rivals):
        return None
    return judgement.model_copy(update={"reading": reading})


def _by_rule(frame: QueryFrame, ret: ValueType, passages: Sequence[Evidence]) -> Reading:
    passages = _current(passages, ()) or passages
    found = extract_value(frame, ret, passages)
    return Reading(value=None) if found is None else weigh_sources(Reading.from_extracted(found), frame, ret, passages)


async def _by_model(
    frame: QueryFrame,
    ret: ValueType,
    passages: Sequence[Evidence],
    models: ChatModels,
    progress: TaskProgressNote,
    *,
    unreadable: list[str],
) -> Judgement:
    """The model's judgement; a value it gave that cannot be read as the wanted type is told in `unreadable`."""
    queries = "; ".join(query for query in progress.tried if query)
    whole_question = "" if progress.whole == frame.question else f"Question of the user: {progress.whole}\n"
    prompt = (
        f"Today: {today()}\n{whole_question}Task: {frame.question}\nWanted: {TYPE_HINTS[ret]}\n"
        f"{CHAIN * is_chain(frame, ret)}{SENTENCE * progress.wants_sentence}"
    )
    # What changes from turn to turn comes last: a provider keeps what prompts begin with alike.
    now = f"{progress.describe_hops()}Queries tried: {queries or 'none'}\n{progress.describe_turns()}"
    await models.ready("executor")
    room = models.room("executor", SYSTEM, prompt + now)
    fitted = await asyncio.to_thread(
        pack_passages,
        _worth_showing(passages, progress, ret),
        frame.question,
        room,
        lambda t: models.count("executor", t),
    )
    whole = {passage.id: passage for passage in passages}
    shown = ShownPassages(frame.question, ret, [whole[passage.id] for passage in fitted.shown], passages, progress.hops)
    objected = False

    def check(reply: ReadReply) -> str | None:
        nonlocal objected
        try:
            objection = shown.after_hops(reply).find_objection(reply, strangers=not objected)
        except ValueError as error:
            unreadable.append(str(error))
            objection = f"value: {error}; wanted: {TYPE_HINTS[ret]}"
        objected = objected or objection is not None
        return objection

    new = {passage.id for passage in fitted.shown} - set(progress.seen) if progress.seen else ()
    messages = [SystemMessage(SYSTEM), HumanMessage(f"{prompt}\n{format_passages(fitted.shown, new)}\n\n{now}")]
    reply = await models.structured("executor", "read", messages, ReadReply, check=check)
    ids = tuple(passage.id for passage in fitted.shown)
    shown = shown.after_hops(reply) if is_chain(frame, ret) else shown
    if reply.next in {"answer", "premise_wrong"} and reply.value is not None:
        sentence = _sentence(reply) if progress.wants_sentence else ""
        reading = await asyncio.to_thread(_reading, reply, shown, passages, frame, sentence)
        return Judgement(
            reading=reading,
            decided_by="model",
            move=reply.next,
            left_out=fitted.left_out,
            shown=ids,
            hops=tuple(shown.hops),
        )
    return Judgement(
        reading=Reading(value=None, missing=safe_note(reply.missing)),
        decided_by="model",
        move="give_up" if reply.next in {"answer", "premise_wrong"} else reply.next,
        queries=reply.all_queries if reply.next == "search" else (),
        opened=shown.opened_passage(reply) if reply.next == "open" else None,
        left_out=fitted.left_out,
        shown=ids,
        kept=shown.kept_passages(reply),
        hops=tuple(shown.hops),
    )


async def judge_reply(
    reply: ReadReply, shown: ShownPassages, passages: Sequence[Evidence], frame: QueryFrame
) -> Judgement:
    """The judgement that an answer comes to which was found to hold.

    Args:
        reply: The answer.
        shown: The passages it was made from.
        passages: All that the task found, best first.
        frame: The task, its references filled.
    """
    reading = await asyncio.to_thread(_reading, reply, shown, passages, frame, "")
    return Judgement(reading=reading, decided_by="model", move="answer", shown=tuple(p.id for p in shown.passages))


def _worth_showing(passages: Sequence[Evidence], progress: TaskProgressNote, ret: ValueType) -> list[Evidence]:
    """The best passages at first; later the ones that were kept, then the best of those not shown yet.

    On the way of a chain each turn asks something else, of which a passage shown before may tell: then the best are
    those that the latest searches found, shown before or not.
    """
    if progress.hops and progress.latest:
        latest = passages[: min(progress.latest, FIRST_PASSAGES)]
        found = {passage.id for passage in latest}
        return [*(one for one in passages if one.id in progress.kept and one.id not in found), *latest]
    known = [passage for passage in passages if passage.id in progress.seen]
    new = [passage for passage in passages if passage.id not in progress.seen]
    kept = [passage for passage in known if passage.id in progress.kept] or known[:KEPT_PASSAGES]
    several = progress.deep or ret == "passages" or ret.startswith("list")
    return [*kept, *new[: MORE_PASSAGES if several else FIRST_PASSAGES]]


def is_chain(frame: QueryFrame, ret: ValueType) -> bool:
    """Whether a task goes from one value to the next by itself, so that it has values on the way."""
    return frame.shape == "chain" and ret != "passages" and not ret.startswith("list")


def _sentence(reply: ReadReply) -> str:
    """The answer in one sentence that came with a value; its marks are for code to make."""
    said = clean_marks(safe_note(reply.sentence, LONGEST_SENTENCE + 1), ()).strip()
    return said if len(said) <= LONGEST_SENTENCE else ""


def _current(passages: Sequence[Evidence], quotes: Sequence[Quote]) -> list[Evidence]:
    """The passages that say what holds now, and those that are quoted: what was superseded is no rival."""
    quoted = {quote.evidence_id for quote in quotes}
    return [passage for passage in passages if not passage.superseded_by or passage.id in quoted]


def _reading(
    reply: ReadReply, shown: ShownPassages, passages: Sequence[Evidence], frame: QueryFrame, sentence: str
) -> Reading:
    """What a model's answer comes to, beside what the other sources say."""
    own = shown.locate_quotes(reply)
    quotes = list(dict.fromkeys([*own, *(quote for hop in shown.hops for quote in hop.quotes)]))
    stranger = shown.find_unmentioned_name(own, reply.value)
    doubt = _DOUBT[frame.language].format(stranger) if stranger else ""
    reading = Reading(
        value=shown.read_value(reply),
        evidence_ids=tuple(dict.fromkeys(quote.evidence_id for quote in quotes)),
        quotes=tuple(quotes),
        confidence=min(1.0, max(0.0, reply.confidence)),
        missing="; ".join(words for words in (doubt, safe_note(reply.missing)) if words),
        basis=reply.basis,
        detail=OutcomeDetail(sentence=sentence, hops=tuple(shown.hops)),
    )
    if reply.next == "premise_wrong":
        premise = safe_note(reply.missing) or frame.question
        return replace(reading, missing=doubt, basis="stated", premise=premise)
    if shown.hops:  # who else gives the value is not to be told from the question, which names none of what leads there
        rivals = tuple(shown.list_rivals(reply))
        reading = replace(reading, rivals=rivals, confidence=reading.confidence * (LEAST_SHARE if rivals else 1))
        return replace(reading, confidence=min(STRANGER_CONFIDENCE, reading.confidence)) if stranger else reading
    found = weigh_sources(reading, frame, shown.ret, _current(passages, quotes), shown.list_rivals(reply))
    return replace(found, confidence=min(STRANGER_CONFIDENCE, found.confidence)) if stranger else found
