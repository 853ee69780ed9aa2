"""Detection of a sentence that several documents share, each with different values.

"The rent is 500 euros a month." and "The rent is 700 euros a month." share "The rent is … euros a month.". Contracts,
minutes and notices made from one form have such sentences. Shown passage by passage, these documents repeat each other,
and those ranked fourth and lower are not seen at all. The sentence is therefore shown once, with a gap for each value
that differs, and below it each document is listed with its own values.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final, NamedTuple

from weiwo.nodes.writer.document_heads import read_heads
from weiwo.nodes.writer.subject_match import matching_terms
from weiwo.state import Evidence, Extract, Language, Quote
from weiwo.text.citation_marks import shield_brackets
from weiwo.text.file_names import name_words
from weiwo.text.language import HAN, sentences
from weiwo.text.localization import localized_section
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line

GAP: Final = "…"
"""Sign that stands for a value in the shared sentence."""
_WORDS: Final = localized_section("writer.shared_sentence")
_TOKEN: Final = lazy(rf"[{HAN}]|[^\W_{HAN}]+(?:[.,'’:/-][^\W_{HAN}]+)*|[^\w\s]|_+")
_HAN: Final = lazy(f"[{HAN}]")
_LEAST_SHARED: Final = 0.6
"""Least share of a sentence's words that all documents must have."""
_FEWEST_SHARED: Final = 2
"""Fewest words that all documents must have. A Chinese character counts as half a word."""
_LONGEST_VALUE: Final = 8
"""Longest value in a gap, in words. A longer difference means another sentence."""
_MOST_TOKENS: Final = 120
_LONGEST_CELL: Final = 200


class _Token(NamedTuple):
    text: str
    start: int
    end: int

    @property
    def weight(self) -> float:
        """Weight of the token in words: half a word for a Chinese character, zero for punctuation."""
        return 0.5 if _HAN.match(self.text) else float(self.text[0].isalnum())


class SharedValue(NamedTuple):
    """A document that has the shared sentence.

    Attributes:
        quote: The sentence as it stands in this document.
        values: The text of this document at each gap, as ("500",). Empty text if it has nothing there.
    """

    quote: Quote
    values: tuple[str, ...]


@dataclass(frozen=True)
class SharedSentence:
    """A sentence shared by several documents, and the values of each.

    Attributes:
        text: The sentence with a gap for each value: "The rent is … euros a month."
        documents: The documents, best first.
    """

    text: str
    documents: tuple[SharedValue, ...]

    @property
    def has_figures(self) -> bool:
        """Report whether each document has a figure in a gap."""
        return all(any(map(str.isdigit, "".join(document.values))) for document in self.documents)

    @property
    def quotes(self) -> list[Quote]:
        """The sentence as it stands in each document."""
        return [document.quote for document in self.documents]


def find_shared_sentence(
    question: str, shown: Sequence[Extract], passages: Sequence[Evidence]
) -> SharedSentence | None:
    """Return a highlighted sentence that further documents have with different values, or None.

    Args:
        question: The question. If it names something that only one of the documents has, it is about that document
            alone, and the sentence is not used.
        shown: The passages to show. The sentences highlighted in them are tried in order.
        passages: All passages that were found.

    Returns:
        The sentence with its documents. Of several sentences, the one with most words of the question. None if no
            sentence is shared.
    """
    by_id = {passage.id: passage for passage in passages}
    current = [passage for passage in passages if not passage.superseded_by]
    asked = frozenset(matching_terms(question))
    found: list[SharedSentence] = []
    for extract in shown:
        passage = by_id.get(extract.evidence_id)
        for start, end in extract.highlights if passage is not None and not passage.superseded_by else ():
            base = Quote(evidence_id=extract.evidence_id, text=extract.text[start:end])
            if shared := _align(base, _list_alike(base, by_id[extract.evidence_id], current)):
                found.append(shared)
    heads = read_heads(passages)
    said = [(len(asked & frozenset(matching_terms(item.text))), item) for item in found]
    fitting = [
        (shared, item)
        for shared, item in said
        if shared and _fits_alike(asked, [by_id[quote.evidence_id] for quote in item.quotes], heads)
    ]
    return max(fitting, key=lambda pair: (pair[0], pair[1].has_figures), default=(0, None))[1]


def format_shared_sentence(shared: SharedSentence, titles: Sequence[str], language: Language) -> list[str]:
    """Return three pieces of Markdown: a lead line, the sentence as a quotation, and a table of the documents' values.

    Args:
        shared: The sentence.
        titles: The title of each document, with its citation mark.
        language: The language of the answer.
    """
    words = _WORDS[language]
    rows = [f"| {words['document']} | {words['value']} |", "| --- | --- |"]
    for title, document in zip(titles, shared.documents, strict=True):
        values = shield_brackets(" · ".join(document.values))
        cells = (one_line(cell, _LONGEST_CELL).replace("|", "\\|") for cell in (title, f"**{values}**"))
        rows.append(f"| {' | '.join(cells)} |")
    return [words["lead"].format(len(titles)), f"> {shield_brackets(' '.join(shared.text.split()))}", "\n".join(rows)]


def _list_alike(base: Quote, own: Evidence, passages: Iterable[Evidence]) -> Iterator[Quote]:
    """Yield the sentences of other documents that share a base sentence, one per document.

    Such a sentence has at least half of the words of the base sentence and can be aligned with it (`_align`).

    Args:
        base: The base sentence.
        own: Its passage. Other passages of this document are skipped.
        passages: The passages to search.
    """
    words = {token.text.casefold() for token in _tokenize(base.text)}
    seen = {own.source}
    for passage in passages:
        if passage.source in seen:
            continue
        for start, end in sentences(passage.text):
            other = {token.text.casefold() for token in _tokenize(passage.text[start:end])}
            if 2 * len(words & other) >= len(words):
                quote = Quote(evidence_id=passage.id, text=passage.text[start:end])
                if _align(base, [quote]) is not None:
                    seen.add(passage.source)
                    yield quote
                    break


def _tokenize(text: str) -> list[_Token]:
    return [_Token(found[0], found.start(), found.end()) for found in _TOKEN.finditer(text)][:_MOST_TOKENS]


def _align(base: Quote, others: Iterable[Quote]) -> SharedSentence | None:
    """Return what sentences share, with gaps where they differ.

    None if too few words are common, if text in a gap is no value in some sentence, or if all values are equal.

    Args:
        base: The sentence whose words are looked for in the others.
        others: The other sentences.
    """
    tokens = _tokenize(base.text)
    places: list[dict[int, int]] = []  # of each sentence the tokens of the base that it has, and where
    quotes = [base, *others]
    read = [_tokenize(quote.text) for quote in quotes]
    for other in read:
        matcher = SequenceMatcher(None, [token.text for token in tokens], [item.text for item in other], autojunk=False)
        places.append({a + n: b + n for a, b, size in matcher.get_matching_blocks() for n in range(size)})
    common = set.intersection(*map(set, places)) | {-1, len(tokens)}
    # A sign with a value on either side is part of one: "7|A", "1-B".
    shared = [n for n in sorted(common)[1:-1] if tokens[n].weight or {n - 1, n + 1} & common]
    weight, most = (sum(item.weight for item in some) for some in ([tokens[n] for n in shared], tokens))
    if len(quotes) < 2 or weight < max(_FEWEST_SHARED, _LEAST_SHARED * most):
        return None
    edges = [-1, *shared, len(tokens)]
    gaps = [(a, b) for a, b in pairwise(edges) if b - a > 1 or _differs(a, b, places, read)]
    documents = [
        SharedValue(quote, tuple(_cut_value(quote.text, a, b, place, own) for a, b in gaps))
        for quote, place, own in zip(quotes, places, read, strict=True)
    ]
    columns = list(zip(*(document.values for document in documents), strict=True))
    if not all(map(_are_values, columns)) or not any(len(set(column)) > 1 for column in columns):
        return None
    text, position = "", 0
    for a, b in gaps:
        text += base.text[position : tokens[a + 1].start if b - a > 1 else tokens[b].start] + GAP
        position = tokens[b - 1].end if b - a > 1 else tokens[b].start
    return SharedSentence((text + base.text[position:]).strip(), tuple(documents))


def _differs(a: int, b: int, places: Sequence[dict[int, int]], read: Sequence[Sequence[_Token]]) -> bool:
    """Report whether any sentence has words between the tokens `a` and `b` of the base, which are neighbours there.

    Args:
        a: Index of the first token. -1 for the beginning.
        b: Index of the second token.
        places: For each sentence, its index of each token of the base that it has.
        read: The tokens of each sentence.
    """
    return any(place.get(b, len(own)) - place.get(a, -1) > 1 for place, own in zip(places, read, strict=True))


def _cut_value(text: str, a: int, b: int, place: dict[int, int], own: Sequence[_Token]) -> str:
    """Return the text of a sentence between the tokens `a` and `b` of the base, or "".

    Args:
        text: The sentence.
        a: Index of the first token. -1 for the beginning.
        b: Index of the second token.
        place: The index in the sentence of each token of the base that it has.
        own: The tokens of the sentence.
    """
    inside = own[place.get(a, -1) + 1 : place.get(b, len(own))]
    return text[inside[0].start : inside[-1].end] if inside else ""


def _are_values(column: Sequence[str]) -> bool:
    """Report whether the texts at a gap are values: all with a figure, or all beginning like a name.

    A capital letter or a Chinese character begins a name. False if a text is empty or longer than eight words.
    """
    kinds = [
        (any(map(str.isdigit, value)), value[:1].isupper() or bool(_HAN.match(value)))
        for value in column
        if value and sum(token.weight for token in _tokenize(value)) <= _LONGEST_VALUE
    ]
    return len(kinds) == len(column) and any(all(kind) for kind in zip(*kinds, strict=True))


def _fits_alike(asked: frozenset[str], passages: Iterable[Evidence], heads: Mapping[str, str]) -> bool:
    """Report whether all passages have the same words of the question, so that it is about none of them in particular.

    File name, headings and labelled lines of the document count.

    Args:
        asked: The terms of the question.
        passages: The passages.
        heads: The labelled lines at the beginning of each document, by source.
    """
    texts = (f"{name_words(item.source)} {item.heading} {heads.get(item.source, '')} {item.text}" for item in passages)
    return len({asked & frozenset(matching_terms(text)) for text in texts}) == 1
