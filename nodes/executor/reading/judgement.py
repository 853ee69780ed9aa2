"""The judgement of a turn of reading, and one made earlier weighed anew once further sources were heard."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from weiwo.nodes.executor.reading.reader_reply import AheadAnswer, Move
from weiwo.nodes.executor.reading.reading import Reading
from weiwo.nodes.executor.reading.source_agreement import LEAST_SHARE, weigh_sources
from weiwo.state import DecidedBy, Evidence, Hop, Outcome, ValueType
from weiwo.state.query import QueryFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
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
        ahead: Values that the model gave of tasks that wait for this one; nobody has checked them yet.
    """

    reading: Reading
    decided_by: DecidedBy
    move: Move
    queries: tuple[str, ...] = ()
    opened: Evidence | None = None
    left_out: int = 0
    shown: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    hops: tuple[Hop, ...] = ()
    ahead: tuple[AheadAnswer, ...] = ()


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

    Returns:
        The judgement; None where more sources say otherwise by now, so that all is to be read anew.
    """
    before = judgement.reading
    alone = replace(before, confidence=before.confidence / (LEAST_SHARE if before.rivals else 1))
    reading = await asyncio.to_thread(weigh_sources, alone, frame, ret, passages, before.rivals)
    if any(len(rival.evidence_ids) > reading.support for rival in reading.rivals):
        return None
    return replace(judgement, reading=reading)
