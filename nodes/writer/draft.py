"""Answers in the making: a stream of tokens cut into sentences, and the draft that takes those that hold."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from weiwo.nodes.shared.citation_marks import clean_marks, find_marks, list_cited_numbers, renumber_marks
from weiwo.nodes.writer.claims import check_claims
from weiwo.nodes.writer.sources import CitableSources
from weiwo.state import Claim, DecidedBy, Extract, Language, Status
from weiwo.text.language import sentences
from weiwo.text.patterns import lazy

_SOURCE_LIST = lazy(
    r"\s*(?:[*#_]+\s*)?(?:sources?|references?|citations?|来源|参考(?:资料|文献)?|引用)\s*[*_]*\s*[:：]", re.IGNORECASE
)
_OPEN_END = lazy(r"(?:[\[【［][^\]】］\n]{0,120}|\]\([^()\s]{0,500})$")
"""A mark, or its link, that may still be coming; a bracket open for longer than any mark is none."""
LONGEST_SENTENCE = 5_000
"""Characters after which what has no end is taken for a sentence."""
MOST_RECITED = 6
"""Sources tried for a sentence that cites the wrong one."""
UNVERIFIED = {"en": "(unverified)", "zh": "（未核实）"}


async def split_segments(deltas: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """Yield whole sentences as soon as the next one has begun; joined, they are the text.

    An exception of the source passes through, and what was left of an unfinished sentence is dropped with it. A list
    of sources at the end is left out: the answer gets its own.
    """
    buffer = ""
    async for delta in deltas:
        buffer += delta
        while (end := _first_end(buffer)) is not None:
            if _SOURCE_LIST.match(buffer):
                return
            yield buffer[:end]
            buffer = buffer[end:]
        if len(buffer) > LONGEST_SENTENCE:  # each delta is looked for an end: work would grow with the square
            yield buffer
            buffer = ""
    if buffer.strip() and not _SOURCE_LIST.match(buffer):
        yield buffer


def _first_end(text: str) -> int | None:
    """Where the first sentence ends, marks included, if another has certainly begun after it."""
    spans = sentences(text)
    if len(spans) < 2 or _OPEN_END.search(text):
        return None
    end = spans[0][1]
    for mark in find_marks(text):
        if mark.start >= end and not text[end : mark.start].strip():
            end = mark.end
    end += len(text[end:]) - len(text[end:].lstrip())
    return end if end < len(text) else None


@dataclass
class Draft:
    """An answer in the making: what has been spoken, and its checked claims.

    Attributes:
        sources: What may be cited.
        decided_by: Who wrote it.
        spoken: Text that went out.
        claims: Its sentences.
        broken: Why the model's draft ended early, or "".
        asserted: Mechanisms of the rules that assert something in it.
        extracts: The passages it shows as they are.
        ruled: Of an answer by rule, the status and stop reason it amounts to; None of a model's.
    """

    sources: CitableSources
    decided_by: DecidedBy = "rule"
    spoken: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    broken: str = ""
    asserted: list[str] = field(default_factory=list)
    extracts: list[Extract] = field(default_factory=list)
    ruled: tuple[Status, str] | None = None

    def check(self, segment: str, question: str) -> list[Claim]:
        """The claims of a piece of the draft, citations under draft numbers."""
        return check_claims(
            segment,
            sources=self.sources.passages,
            computed=self.sources.computed,
            language=self.sources.language,
            question=question,
        )

    def fix_citations(self, segment: str, question: str) -> str | None:
        """A failing sentence under citations that carry it, if there are such.

        Models often state what is true and cite the wrong number, or none: its own citations with a calculation added
        are tried first (those that lead nowhere left out), then the sources that outcomes rest on, alone and in pairs.
        """
        if len(self.check(segment, question)) != 1:
            return None
        known = {source.n for source in self.sources.items}
        given = [n for n in dict.fromkeys(list_cited_numbers(segment)) if n in known]
        body = clean_marks(segment, ()).rstrip()
        grounded = [source.n for source in self.sources.items if source.quote][:MOST_RECITED]
        options = [given, *([*given, n] for n in self.sources.computed)]
        options += [[n] for n in grounded] + [list(pair) for pair in combinations(grounded, 2)]
        for numbers in options:
            marks = "".join(f"[{n}]" for n in numbers)
            candidate = add_marks(body, marks, self.sources.language) + segment[len(segment.rstrip()) :]
            claims = self.check(candidate, question)
            if all(claim.verdict in {"supported", "computed"} for claim in claims):
                return candidate
        return None

    def accept(self, segment: str, claims: Sequence[Claim]) -> str:
        """Take a checked piece into the answer under final numbers; returns it as it is to be spoken."""
        known = {source.n for source in self.sources.items}
        numbers = self.sources.assign_numbers([n for n in list_cited_numbers(segment) if n in known])
        text = self._joined(renumber_marks(clean_marks(segment, known), numbers))
        if any(claim.verdict == "unsupported" for claim in claims):
            body = text.rstrip().rstrip("。.!！?？")
            gap = " " if self.sources.language == "en" else ""
            text = f"{body}{gap}{UNVERIFIED[self.sources.language]}{text[len(body) :]}"
        self.claims += [
            claim.model_copy(update={"citations": tuple(numbers[n] for n in claim.citations if n in numbers)})
            for claim in claims
        ]
        self.spoken.append(text)
        return text

    def _joined(self, text: str) -> str:
        """A piece with one blank before it where its language wants one, and none at the beginning."""
        if not self.spoken or self.spoken[-1][-1:].isspace():
            return text.lstrip()
        return f" {text}" if self.sources.language == "en" and not text[:1].isspace() else text


def add_marks(sentence: str, marks: str, language: Language) -> str:
    """A sentence, or a half of one, with its marks before the stop that ends it, where readers look for them."""
    if not marks:
        return sentence
    body = sentence.rstrip("。.!！?？;；")
    return f"{body}{' ' if language == 'en' else ''}{marks}{sentence[len(body) :]}"


def all_supported(claims: Sequence[Claim]) -> bool:
    """Whether none of these claims failed the check."""
    return all(claim.verdict != "unsupported" for claim in claims)
