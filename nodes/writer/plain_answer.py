"""Answer of a small model: a plain question over the found passages, answered in a sentence.

Code finds the passages that support the sentence, checks it against them and cites them. An unsupported sentence is
marked, and the extracts are shown with it. A reply saying "not found" is not an answer: then the extracts are shown
alone. A reply with only a value is checked as the answer to the question.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from itertools import combinations
from typing import Final

from langchain_core.messages import HumanMessage

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.shared.prompting.context_packing import pack_passages
from weiwo.nodes.shared.prompting.passage_prompt import INSTRUCTIONS
from weiwo.nodes.shared.prompting.sanitizer import AnswerSanitizer
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.claims import CheckedClaim, ClaimSources, check_cited, share_of_words
from weiwo.nodes.writer.pieces import Piece, add_marks
from weiwo.nodes.writer.prompt import plain_prompt
from weiwo.nodes.writer.sources import CitableSources
from weiwo.nodes.writer.subject_match import matching_terms, question_terms
from weiwo.nodes.writer.verification.check import says_not_found
from weiwo.state import DOUBTFUL, Claim, Evidence
from weiwo.state.query import QueryFrame
from weiwo.text.citation_marks import clean_marks
from weiwo.text.language import HAN, fold, sentences, word_set
from weiwo.text.mentions import mentions, title_key
from weiwo.text.names import names

_ROLE: Final = "writer"
_MOST_PASSAGES: Final = 5
_MOST_TOKENS: Final = 2_400
"""Room for passages, in the careful estimates of `context_windows`: some 1,500 tokens of a small model."""
_MOST_CHARACTERS: Final = 600
"""Most characters of a reply that are read. A model that goes on repeats itself."""
_MOST_SENTENCES: Final = 2
_SHORTEST: Final = 24
"""Fewest characters of a sentence, because initials have stops, too."""
_LEAST_SHARE: Final = 0.5
"""Least share of the words of question and sentence that a passage must have close together, title included."""
_LEAST_IN_SENTENCE: Final = 0.5
"""Least share of the reply's words, and of those not in the question, that one sentence of a passage must have.

With both shares, of 131 sentences of a model of 1.5 billion parameters, 68 of them right, 17 right ones are doubted,
and 20 false ones are not.
"""
_MOST_WINDOWS: Final = 60
"""Most sentences of a passage that are compared."""
_TRIED: Final = 6
"""Most passages tried as sources, the nearest first, alone and in pairs."""
_STOPS: Final = (".", "!", "?", "。", "！", "？")
_LABEL: Final = re.compile(r"(?i)^\s*(?:(?:the )?(?:final )?answer(?: is)?|答案?|回答)\s*[:：]\s*")
_WORD: Final = re.compile(rf"[^\W_{HAN}]{{2,}}")
_LEFT_OUT: Final = word_set("mr mrs ms dr prof sir president inc ltd co corp")
"""Words of a name that a passage may leave out."""
_MARKUP: Final = re.compile(r"<[^<>]{0,200}>|```\w*|^[^\S\n]*+#++\s*|\*\*", re.MULTILINE)


async def answer_plainly(
    frame: QueryFrame, sources: CitableSources, services: RunContext, say: AnswerSanitizer
) -> Piece | None:
    """Return a small model's answer to the question in a sentence or two, checked by code.

    Args:
        frame: The parsed question.
        sources: The citable sources.
        services: The models.
        say: Sanitizes a sentence.

    Returns:
        The answer as one claim with its citations, doubtful if no passage supports it. None if there are no passages or
            no reply, or if the reply says "not found" or repeats the question.
    """
    shown = [passage for passage in sources.evidence if INSTRUCTIONS not in passage.flags][:_MOST_PASSAGES]
    if not shown:
        return None
    sentence = clean_marks(say(await _ask(frame, shown, services)), ()).strip()
    said, asked = (fold(text).strip(" ?？.。") for text in (sentence, frame.question))
    if not re.search(r"\w", sentence) or says_not_found(sentence) or said == asked:
        return None
    return _cite(sentence, frame, shown, sources)


async def _ask(frame: QueryFrame, shown: Sequence[Evidence], services: RunContext) -> str:
    """Ask the model and return the first two sentences of its reply.

    Returns an empty string if there is no reply.
    """
    models = services.models
    await models.ready(_ROLE)
    room = min(_MOST_TOKENS, models.room(_ROLE, plain_prompt(frame, (), services.language)))
    packed = pack_passages(shown, frame.question, room, lambda text: models.count(_ROLE, text))
    prompt = plain_prompt(frame, packed.shown, services.language)
    reply = ""
    try:
        async with aclosing(models.stream(_ROLE, "plain", [HumanMessage(prompt)])) as deltas:
            async for delta in deltas:
                reply += delta
                if len(reply) > _MOST_CHARACTERS:
                    break
    except ModelCallError:  # in the trace; the whole sentences that came before it are read
        reply = reply[: max((end for _, end in sentences(reply) if reply[:end].rstrip().endswith(_STOPS)), default=0)]
    return _first_sentences(reply)


def _first_sentences(reply: str) -> str:
    """Return the first two sentences of a reply's first paragraph, without Markdown and a label like "Answer:"."""
    bare = _LABEL.sub("", _MARKUP.sub("", reply[:_MOST_CHARACTERS]).strip())
    paragraph = bare.partition("\n")[0].strip()
    ends = [end for _, end in sentences(paragraph) if end >= _SHORTEST][:_MOST_SENTENCES]
    return " ".join(paragraph[: ends[-1]].split()) if ends else paragraph


def _cite(sentence: str, frame: QueryFrame, shown: Sequence[Evidence], sources: CitableSources) -> Piece:
    """Return a sentence as a piece that cites the fewest passages that support it.

    If none does, its claim is doubtful and cites the nearest passage.

    Args:
        sentence: The reply.
        frame: The parsed question.
        shown: The passages that the model read.
        sources: The citable sources.
    """
    given = sources.for_claims(frame.question)
    words = _as_statement(sentence, frame)
    asked = frozenset(question_terms(frame))
    numbers = sources.numbers_of([passage.id for passage in shown], ())
    nearest = sorted(numbers, key=lambda n: -share_of_words(words, [n], given))[:_TRIED]
    passage = {source.n: source.evidence for source in sources.items if source.evidence is not None}
    options: list[tuple[int, ...]] = [(n,) for n in nearest]
    pairs = combinations(nearest, 2) if words == sentence else ()
    beside = frame.shape in {"comparison", "difference", "same", "several"}
    options += [(a, b) for a, b in pairs if beside or _are_linked(passage[a], passage[b], frame.question)]
    carrying: tuple[int, ...] = ()
    for option in options:
        if _halves_name(words, frame.question, [passage[n] for n in option]):
            continue
        if _share_told_together(asked, matching_terms(sentence), [passage[n] for n in option]) >= _LEAST_SHARE:
            found = check_cited(words, option, given)
            if found.verdict not in {*DOUBTFUL, "uncited"}:
                carrying, verdict = option, found.verdict
                break
    if carrying:
        claim = Claim(text=sentence, citations=carrying, verdict=verdict)
    else:
        found = check_cited(words, nearest[:1], given)
        reason = "; ".join(found.reasons[:3]) or "no passage has its words"
        claim = Claim(text=sentence, citations=tuple(nearest[:1]), verdict="unsupported", reason=reason)
    text = add_marks(sentence, "".join(f"[{n}]" for n in claim.citations), sources.language)
    return Piece(text, (CheckedClaim(0, len(text), claim),))


def _halves_name(statement: str, question: str, passages: Sequence[Evidence]) -> bool:
    """Report whether passages have only some words of a name that is in the question and in the statement.

    The passages may then be about somebody else: about Ann Roe instead of Ann Lee.
    """
    said = set(_WORD.findall(fold(statement)))
    told = set(
        _WORD.findall(fold(" ".join(f"{passage.heading} {passage.source} {passage.text}" for passage in passages)))
    )
    named = [set(_WORD.findall(fold(name.text))) - _LEFT_OUT for name in names(question)]
    shared = [item for item in named if not item.isdisjoint(said)]
    return any(not item.isdisjoint(told) for item in shared) and not all(item <= told for item in shared)


def carries_sentence(sentence: str, passages: Sequence[Evidence], frame: QueryFrame) -> bool:
    """Report whether passages support a sentence about the question's subject, as far as code can tell.

    False if the sentence says "not found" or has less than half of the subject's words.
    """
    said, asked = frozenset(matching_terms(sentence)), frozenset(question_terms(frame))
    named = frozenset(term for subject in frame.subjects for term in matching_terms(subject)) or asked
    spoken_of = 2 * len(named & said) >= len(named) and not _halves_name(sentence, frame.question, passages)
    if says_not_found(sentence) or not spoken_of:
        return False
    given = ClaimSources(dict(enumerate(((passage,) for passage in passages), 1)), {}, frame.language, frame.question)
    together = _share_told_together(asked, matching_terms(sentence), passages)
    return together >= _LEAST_SHARE and check_cited(sentence, [*given.passages], given).verdict in {"quoted", "matched"}


def _share_told_together(asked: frozenset[str], said: Sequence[str], passages: Sequence[Evidence]) -> float:
    """Return the share of the words of question and answer that stand close together in passages, 0 to 1.

    In one passage, these are the words of a sentence, its neighbours and the title. The sentence itself must have half
    of the answer's words, and half of those that the question does not have. A second passage may add one sentence with
    its neighbours.

    Args:
        asked: The terms of the question.
        said: The terms of the answer.
        passages: The passages.
    """
    stated = frozenset(said)
    wanted, answering = asked | stated, stated - asked
    best = 0.0
    for first in passages:
        others = [passage for passage in passages if passage is not first]
        for terms_, window in _windows(first):
            if min(_share(answering, terms_), _share(stated, terms_)) >= _LEAST_IN_SENTENCE:
                found = (window | more for other in others for _, more in _windows(other)) if others else (window,)
                best = max(best, *(_share(wanted, item) for item in found))
    return best


def _share(wanted: frozenset[str], found: frozenset[str]) -> float:
    """Return the share of wanted words that were found, 0 to 1. 1 if none are wanted."""
    return len(wanted & found) / len(wanted) if wanted else 1.0


def _windows(passage: Evidence) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield, for each sentence of a passage, its words, and its words with those of its neighbours and the title."""
    found = [frozenset(matching_terms(passage.text[start:end])) for start, end in sentences(passage.text)]
    title = frozenset(matching_terms(passage.title))
    for at, own in enumerate(found[:_MOST_WINDOWS]):
        yield own, title.union(*found[max(0, at - 1) : at + 2])


def _are_linked(evidence: Evidence, other: Evidence, question: str) -> bool:
    """Report whether either of two passages mentions a name from the title of the other.

    Names in the question do not count.
    """
    asked = mentions(question)
    return any(
        not ((mentions(this.title) | {title_key(this.title)}) & mentions(that.text)) - asked <= {""}
        for this, that in ((evidence, other), (other, evidence))
    )


def _as_statement(sentence: str, frame: QueryFrame) -> str:
    """Return a reply in a form that can be checked as the answer.

    This is the reply if it shares a word with the question, else "question: reply", as in "Who founded Acme: Tom Roe".
    """
    asked = {*question_terms(frame), *(term for subject in frame.subjects for term in matching_terms(subject))}
    if not asked.isdisjoint(matching_terms(sentence)):
        return sentence
    return f"{frame.question.rstrip('?？ ')}: {sentence}"
