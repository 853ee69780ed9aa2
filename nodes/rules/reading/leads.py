"""What a thing is, in the words its own page opens with."""

from collections.abc import Iterator, Sequence
from typing import Final

from nodes.rules.reading.candidates import Candidate
from nodes.rules.reading.results import Reading, with_value
from nodes.rules.reading.standing import LONGEST_SENTENCE, View, heading
from nodes.rules.reading.subject import Subject
from nodes.rules.reading.wants import thing_asked
from state import Evidence
from text.language import HAN, sentences
from text.patterns import lazy

_SURE: Final = 0.9
_EARLY: Final = 40
_SHORT: Final = 60
"""Characters under which a first sentence is followed by the second; a Chinese one says as much in a third."""

_ACCOUNT: Final = lazy(r"(?i)\b(?:tell|describe|overview|about)\b|介绍|简介|描述|讲讲|说说|谈谈")
_IS: Final = lazy(r"\b(?:is|was|are|were|refers to|means)\b|是|指|为|，")
_ADVERBIAL: Final = lazy(r"(?i)(?:in|on|at|after|before|by|with|from|when|as|during|since|under)\b|.*[,，；;]")
_HEADING: Final = lazy(r"\s*(?:#{1,6} [^\n]*\n\s*)+")
_HAN: Final = lazy(f"[{HAN}]")


def lead(text: str, passages: Sequence[Evidence]) -> Reading | None:
    """The first sentence, or two, of the page on the thing that a question asks about.

    Args:
        text: A question such as "What is the Danube?" or 张衡是谁？
        passages: The passages, best first.

    Returns:
        The words as they stand in the passage; None where the question asks for something else, or no passage opens
        the page on that thing.
    """
    thing = thing_asked(text)
    if not thing:
        return None
    subject = Subject(thing)
    if not subject.tokens:
        return None
    matches = [(subject.title_match(heading(passage)), place) for place, passage in enumerate(passages)]
    # The passage that carries the page's own heading is its beginning.
    matches.sort(key=lambda pair: (-pair[0], not passages[pair[1]].text.startswith("# "), pair[1]))
    for match, place in matches:
        if match < _SURE:
            return None
        opening = list(_opening(passages[place]))
        if not opening or not _introduces(subject, opening[0][1]):
            continue
        (start, first), *more = opening
        end = start + len(first)
        short = _ACCOUNT.search(text) is not None or len(first) * (3 if _HAN.search(first) else 1) < _SHORT
        if more and short:
            end = more[0][0] + len(more[0][1])
        value = passages[place].text[start:end]
        view = View(passages[place], place, start, value, 1.0, titled=match)
        return with_value(value, [Candidate(value, match, view, 0, len(value))], match)
    return None


def _opening(passage: Evidence) -> Iterator[tuple[int, str]]:
    """The first two sentences of a passage's first paragraph, below its headings."""
    above = _HEADING.match(passage.text)
    body = above.end() if above else 0
    paragraph = passage.text.find("\n\n", body)
    end = paragraph if paragraph > 0 else len(passage.text)
    for start, stop in sentences(passage.text[body:end])[:2]:
        yield body + start, passage.text[body + start : min(body + stop, body + start + LONGEST_SENTENCE)]


def _introduces(subject: Subject, sentence: str) -> bool:
    mentions = subject.mentions(sentence, known=True)
    if not mentions or mentions[0][0] > _EARLY or _ADVERBIAL.match(sentence[: mentions[0][0]]):
        return False
    return _IS.search(sentence, mentions[0][1]) is not None
