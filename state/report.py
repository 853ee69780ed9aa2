"""A report in the making: its outline, and the sections as they were written and checked."""

from weiwo.state.answer import Claim
from weiwo.state.values import Value


class OutlinedSection(Value):
    """A section that is to be written.

    Attributes:
        title: Its heading.
        covers: What it is to say, in a line.
        sources: Numbers of the sources it rests on, as all sections of the report count them.
        words: Its length, in words (English) or characters (Chinese).
    """

    title: str
    covers: str = ""
    sources: tuple[int, ...]
    words: int


class Outline(Value):
    """The outline of a report.

    Attributes:
        title: Its title.
        sections: Its sections, in order; none where the report is written in one draft.
        limit: The limit of the run that made it shorter than it would be; empty where none did.
    """

    title: str = ""
    sections: tuple[OutlinedSection, ...] = ()
    limit: str = ""


class SectionPiece(Value):
    """A piece of a section, its claims checked.

    Attributes:
        text: Markdown, citations under the report's numbers.
        claims: Its claims.
        places: Where each begins and ends in `text`.
    """

    text: str
    claims: tuple[Claim, ...] = ()
    places: tuple[tuple[int, int], ...] = ()


class Section(Value):
    """A section as it was written.

    Attributes:
        pieces: What it says, without its heading.
        broken: Why it ends early, or is empty; empty where it is whole.
    """

    pieces: tuple[SectionPiece, ...] = ()
    broken: str = ""
