"""Rule answerer: statements that code can prove, then passages of the sources word for word.

Small talk is answered without a search.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.writer.context import WriterContext
from weiwo.nodes.writer.entailment import is_open, judge_claims
from weiwo.nodes.writer.pieces import ClaimPlace, Piece, place_claims
from weiwo.nodes.writer.plain_answer import answer_plainly
from weiwo.nodes.writer.rule_answer import RuleAnswer, answer_by_rule, reply_to_small_talk
from weiwo.nodes.writer.shared_sentence import format_shared_sentence
from weiwo.nodes.writer.snippet import format_snippets
from weiwo.nodes.writer.written_answer import Answering, AnswerPart
from weiwo.state import Claim, Extract
from weiwo.text.citation_marks import clean_marks, shield_brackets
from weiwo.text.localization import localize_message

_NOTHING: Final = localize_message("writer.notes", "nothing")


async def answer(context: WriterContext) -> Answering:
    """Emit an answer without a large model: statements by rule, then the closest passages, then the settled part.

    After a draft that broke off, only statements that the draft does not have are added. Below a reader's sentence that
    nothing was found, only passages are shown. A small model words the answer if the rules do not answer the whole
    question and no name of the question is absent from the passages.
    """
    if not context.is_searched:
        for item in _talk(context):
            yield item
        return
    services, written, say = context.services, context.written, context.sanitizer()
    # In a thread, whatever the length: it also looks into the indexes.
    found = await asyncio.to_thread(answer_by_rule, context.state, context.sources, services, written.broken)
    begun = not written.is_empty
    if begun and not written.broken:
        shown, extracts = _show_passages(found, context, say)
        for piece in shown:
            yield piece
        yield AnswerPart(tuple(shown), "rule", extracts=extracts, notices=found.notices)
        return
    pieces, open_claims = _state(found, context, say)
    for piece in pieces:
        yield piece
    plain = None
    if not found.whole and not found.extracts.absent and services.models.answers_plainly("writer"):
        plain = await answer_plainly(context.state["assessment"].frame, context.sources, services, say)
    part = AnswerPart(
        tuple(pieces),
        "rule",
        basis="passages" if found.shows_subject else "sources" if found.told else "none",
        told=found.told,
        lead=found.lead_kind,
        asserted=tuple(found.mechanisms),
        confidence=None if begun or pieces else found.extracts.confidence,
    )
    if plain is not None:
        yield plain
        said = (*pieces, plain)
        part = replace(part, pieces=said, decided_by="model", basis="sources", told=None, lead="answer")
        part = replace(part, confidence=None, is_plain=plain.is_verified)
        if plain.is_verified:
            yield part
            return
    shown, extracts = _show_passages(found, context, say)
    for piece in shown:
        yield piece
    said = (*part.pieces, *shown)
    if open_claims:  # what a model read is judged, whoever words it
        said = tuple(await judge_claims(services, said, context.sources, context.question, open_claims))
    if not said and not begun:
        nothing = _NOTHING[services.language]
        said = (place_claims(nothing, [Claim(text=nothing, verdict="uncited")]),)
        yield said[0]
    yield replace(part, pieces=said, extracts=extracts, notices=found.notices)


def _talk(context: WriterContext) -> Iterator[Piece | AnswerPart]:
    """Yield the reply to small talk, or that no model is available for the request, and the part with it.

    Yields nothing if a draft wrote something.
    """
    written = context.written
    if written.comes_from({"draft"}):
        return
    frame, language = context.state["assessment"].frame, context.services.language
    text = reply_to_small_talk(frame.talk, language, silent_model=bool(written.broken))
    piece = Piece(text if written.is_empty else f"\n\n{text}")
    yield piece
    yield AnswerPart((piece,), "rule", basis="conversation", is_one_claim=True)


def _state(found: RuleAnswer, context: WriterContext, say: AnswerSanitizer) -> tuple[list[Piece], list[ClaimPlace]]:
    """Return pieces for the statements that the answer does not have yet, and the places of claims left to a model.

    These are the open claims of values that a model read.
    """
    said = clean_marks(context.written.text, ())
    plan = context.state.get("plan")
    heads = 0 if plan and len(plan.final_ids) > 1 else 1  # a conclusion stands above the values it rests on
    pieces: list[Piece] = []
    open_claims: list[ClaimPlace] = []
    for n, (segment, claims, by_model) in enumerate(found.statements):
        if clean_marks(segment, ()) not in said and (spoken := say(segment)):
            text = ("\n" if n else "") + f"- {spoken}" if n >= heads else spoken
            pieces.append(place_claims(text, claims))
            places = enumerate(pieces[-1].checked if by_model else ())
            open_claims += [ClaimPlace(len(pieces) - 1, position) for position, item in places if is_open(item)]
    return pieces, open_claims


def _show_passages(
    found: RuleAnswer, context: WriterContext, say: AnswerSanitizer
) -> tuple[list[Piece], tuple[Extract, ...]]:
    """Return the pieces that show passages, and the shown passages under draft numbers.

    A sentence shared by several documents comes first, with a table of their values. The lead and the closest passages
    follow.
    """
    pieces: list[Piece] = []
    extracts = [
        item.model_copy(update={"n": context.sources.numbers_of((item.evidence_id,), ())[0]})
        for item in found.extracts.items
    ]
    alone = extracts
    if found.shared is not None:
        grouped, alone = extracts[: len(found.shared.documents)], extracts[len(found.shared.documents) :]
        titles = [f"{shield_brackets(extract.title)} [{extract.n}]" for extract in grouped]
        lead, quote, table = format_shared_sentence(found.shared, titles, found.language)
        pieces += [place_claims(f"\n\n{lead}"), place_claims(f"\n\n{say(quote)}"), Piece(f"\n\n{say(table)}")]
    if found.lead and (alone or found.shared is None):
        pieces.append(place_claims(f"\n\n{found.lead}"))
    snippets = format_snippets([(item, f"[{item.n}]") for item in alone], bold=not found.extracts.absent)
    said = {extract.n: shown for extract, snippet in zip(alone, snippets, strict=True) if (shown := say(snippet))}
    pieces += [Piece(f"\n\n{shown.strip()}") for shown in said.values()]
    return pieces, tuple(extract for extract in extracts if extract not in alone or extract.n in said)
