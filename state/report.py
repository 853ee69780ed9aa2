"""A report in progress: outline, and sections as written and checked."""

from weiwo.state.answer import Claim
from weiwo.state.values import Value


class OutlinedSection(Value):
    """A planned section of a report.

    Attributes:
        title: The heading.
        covers: The content of the section, in a line.
        sources: Numbers of the sources used, in the numbering shared by all sections of the report.
        words: The length, in words (English) or characters (Chinese).
    """

    title: str
    covers: str = ""
    sources: tuple[int, ...]
    words: int


class Outline(Value):
    """The outline of a report.

    Attributes:
        title: The title of the report.
        sections: The sections, in order. Empty if the report is written in one draft.
        limit: The limit of the run that shortened the report. Empty if none did.
    """

    title: str = ""
    sections: tuple[OutlinedSection, ...] = ()
    limit: str = ""


class SectionPiece(Value):
    """A piece of a section, with checked claims.

    Attributes:
        text: Markdown, citations under the report's numbers.
        claims: The claims of the piece.
        places: Start and end of each claim in `text`.
    """

    text: str
    claims: tuple[Claim, ...] = ()
    places: tuple[tuple[int, int], ...] = ()


class Section(Value):
    """A section as written.

    Attributes:
        pieces: The text of the section, without its heading.
        broken: The reason if the section ends early or is empty. Empty if the section is whole.
    """

    pieces: tuple[SectionPiece, ...] = ()
    broken: str = ""
