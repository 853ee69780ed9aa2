"""Answers in the making: a stream of tokens cut into sentences, and the draft that takes those that hold."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field

from nodes.citation_marks import citation_marks, clean_marks, find_marks, renumber
from nodes.claims import check_claims
from nodes.sources import Sources
from state import Claim, DecidedBy
from text.language import sentences

_OPEN_END = re.compile(r"(?:[\[【［][^\]】］\n]{0,120}|\]\([^()\s]{0,500})$")
"""A mark, or its link, that may still be coming; a bracket open for longer than any mark is none."""
UNVERIFIED = {"en": "(unverified)", "zh": "（未核实）"}


async def segments(deltas: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """Yield whole sentences as soon as the next one has begun; joined, they are the text.

    An exception of the source passes through, and what was left of an unfinished sentence is dropped with it.
    """
    buffer = ""
    async for delta in deltas:
        buffer += delta
        while (end := _first_end(buffer)) is not None:
            yield buffer[:end]
            buffer = buffer[end:]
    if buffer.strip():
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
    """

    sources: Sources
    decided_by: DecidedBy = "rule"
    spoken: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    broken: str = ""

    def check(self, segment: str, question: str) -> list[Claim]:
        """The claims of a piece of the draft, citations under draft numbers."""
        return check_claims(
            segment,
            sources=self.sources.passages,
            computed=self.sources.computed,
            language=self.sources.language,
            question=question,
        )

    def accept(self, segment: str, claims: Sequence[Claim]) -> str:
        """Take a checked piece into the answer under final numbers; returns it as it is to be spoken."""
        known = {source.n for source in self.sources.items}
        numbers = self.sources.numbered([n for n in citation_marks(segment) if n in known])
        text = self._joined(renumber(clean_marks(segment, known), numbers))
        if any(claim.verdict == "unsupported" for claim in claims):
            body = text.rstrip()
            text = f"{body} {UNVERIFIED[self.sources.language]}{text[len(body) :]}"
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


def supported(claims: Sequence[Claim]) -> bool:
    """Whether none of these claims failed the check."""
    return all(claim.verdict != "unsupported" for claim in claims)
