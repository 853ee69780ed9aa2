"""List extraction: the items that one sentence about the subject enumerates whole."""

from collections.abc import Sequence
from typing import Final

from weiwo.nodes.executor.extraction.clauses import Sentence, sentences_of
from weiwo.nodes.executor.extraction.entity_matching import Page, name_key
from weiwo.nodes.executor.extraction.extracted_value import ExtractedValue
from weiwo.state import Evidence, Quote
from weiwo.text.language import HAN
from weiwo.text.lists import split_items
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms

_CUE: Final = lazy(
    r"\b(?:are|were|includes?|namely|consists? of|comprises?)\b:?\s|[:：]\s?"
    r"|(?:包括|包含|分别[是为]|[是为有]|流经|经过)[:：]?"
)
_OPEN_ENDED: Final = lazy(
    r"\b(?:such as|including|among|others|etc|and more|some|not|several)\b|等|之一|部分|例如|如|不"
)
_ITEM: Final = lazy(rf"[\"“《]?[A-Z\d{HAN}][^，,；;：:（()）\n]{{0,40}}")
_NO_ITEM: Final = lazy(r"\b(?:is|was|are|were|which|who|that|has)\b|[是为有经由]")


def enumerated_items(asked: frozenset[str], seen: Sequence[tuple[Evidence, Page]]) -> ExtractedValue | None:
    """The one list that a sentence enumerates whole behind the words asked for."""
    pairs = [(one, sentence) for one, page in seen if page.about for sentence in sentences_of(page)]
    found = [(one, sentence, items) for one, sentence in pairs if asked and (items := _enumerated(sentence, asked))]
    if not found or any({*map(name_key, items)} != {*map(name_key, found[0][2])} for _, _, items in found):
        return None
    passage, sentence, items = found[0]
    return ExtractedValue(
        value=list(items),
        evidence_ids=(passage.id,),
        quotes=(Quote(evidence_id=passage.id, text=sentence.text),),
        shown=("、" if sentence.han else ", ").join(items),
        mechanism="list",
    )


def _enumerated(sentence: Sentence, asked: frozenset[str]) -> list[str]:
    """The items of a sentence's list, if all before it is the subject and what is asked for; none if one may be cut."""
    text = sentence.text.rstrip("。.；; ")
    if _OPEN_ENDED.search(text) or "\n" in text or not (sentence.mentions or sentence.focus):
        return []
    for cue in _CUE.finditer(text):
        items = split_items(text[cue.end() :])
        whole = all(_ITEM.fullmatch(one) and len(one.split()) <= 6 and not _NO_ITEM.search(one) for one in items)
        said = {*terms(text[: cue.end()]), *terms(sentence.page.definition)}
        if len(items) > 1 and whole and asked <= said:
            return items
    return []
