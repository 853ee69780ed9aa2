"""Passages parsed into sentences, from which the writer chooses what to show."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from weiwo.nodes.writer.subject_match import matching_terms
from weiwo.state import Evidence
from weiwo.text.file_names import name_words
from weiwo.text.language import sentences
from weiwo.text.patterns import lazy
from weiwo.text.records import is_record, split_row

_LONGEST_SENTENCE: Final = 500
_LAST: Final = 6
"""Position from which sentences count as late: the seventh."""
_QUESTION: Final = lazy(r"[?？][\"'”’」』)）*_\s]*$")
_CLAUSE: Final = lazy(r"[,;，；、\n]\s?|\s-\s|\.\.\.\s?|\s")
_RULE: Final = lazy(r"[ \t|]*\n[ \t|]*:?---")
"""Line below the header row of a table, or below an underlined heading."""


@dataclass(slots=True, eq=False)
class PassageSentence:
    """A sentence of a passage.

    Attributes:
        start: Offset of the first character in the passage.
        end: Offset behind the last character.
        terms: Its content words. If the line before is a question, also the words of that question.
        place: Position in the passage, from 0 for the first sentence to 1 for the seventh and later ones.
        is_heading: Whether it is a heading or the header row of a table.
        asks: Whether it is a question.
        typed: Score for a value of the requested type (`ValueWorth`). None until computed.
    """

    start: int
    end: int
    terms: frozenset[str]
    place: float
    is_heading: bool
    asks: bool
    typed: float | None = None


@dataclass(slots=True, eq=False)
class ParsedPassage:
    """A passage with its sentences.

    Attributes:
        evidence: The passage.
        title: Content words of the title, the headings, the file name and the labelled lines of the document.
        sentences: Its sentences.
        relevance: Score of the search from 0 to 1 or, for a look-up, a bonus for rank and question words.
        named: Names in the text that may be titles of other documents. Empty unless shown for a compound question.
        terms: Content words of the title and all sentences.
    """

    evidence: Evidence
    title: frozenset[str]
    sentences: list[PassageSentence]
    relevance: float
    named: frozenset[str] = frozenset()
    terms: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.terms = self.title.union(*(sentence.terms for sentence in self.sentences))


def parse_passage(passage: Evidence, relevance: float, head: str = "") -> ParsedPassage:
    """Return a passage split into sentences. Rows of tables are sentences, too.

    Args:
        passage: The passage.
        relevance: Score of the search, 0 to 1.
        head: Words of the labelled lines at the beginning of the document. They count as title words.
    """
    whole = (span for sentence in sentences(passage.text) for span in _split_records(passage, *sentence))
    spans = [span for item in whole for span in _split_long(passage.text, *item)]
    found: list[PassageSentence] = []
    asked: frozenset[str] = frozenset()  # words of the question on the line above
    for at, (start, end) in enumerate(spans):
        said = passage.text[start:end]
        asks, own = bool(_QUESTION.search(said)), frozenset(matching_terms(said))
        delimited = not start and not said.startswith("|") and bool(split_row(said, (), passage.source))
        named = passage.text[start - 2 : start] == "# " or said.strip(" *_#") in passage.headings
        heading = delimited or named or _RULE.match(passage.text, end) is not None
        found.append(PassageSentence(start, end, own | asked, min(at, _LAST) / _LAST, heading, asks))
        asked = own if asks and passage.text[end : end + 1] == "\n" else frozenset()
    context = f"{passage.heading} {name_words(passage.source, passage.title)} {head}"
    return ParsedPassage(passage, frozenset(matching_terms(context)), found, relevance)


def _split_records(passage: Evidence, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the span of a sentence, or of each of its lines if any line is a table row or a key with a value."""
    said = passage.text[start:end]
    lines = said.splitlines(keepends=True)
    if len(lines) < 2 or not any(is_record(line, passage.source) for line in lines):
        yield start, end
        return
    for line in lines:
        stripped = line.rstrip()
        if stripped.strip(" |:-"):
            yield start, start + len(stripped)
        start += len(line)


def _split_long(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the span of a sentence, split between clauses into parts of at most 500 characters."""
    while end - start > _LONGEST_SENTENCE:
        last = start + _LONGEST_SENTENCE
        cut = max((found.end() for found in _CLAUSE.finditer(text, last - _LONGEST_SENTENCE // 2, last)), default=last)
        yield start, cut
        start = cut
    if any(letter.isalnum() for letter in text[start:end]):
        yield start, end
