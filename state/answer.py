"""Reflection's decisions and the writer's answer."""

from operator import not_
from typing import Annotated, Final, Literal

from pydantic import Field

from weiwo.state.evidence import Address, MonitorReport
from weiwo.state.kinds import DecidedBy
from weiwo.state.values import Value

Decision = Literal["finish", "retry", "replan", "deepen", "abort"]
Status = Literal["complete", "extracts", "partial", "unsourced", "failed"]
"""`extracts`: passages are shown, and nothing beyond their words is asserted. `unsourced`: nothing was found, and a
model answered from its own knowledge."""
Verdict = Literal[
    "quoted", "computed", "supported", "matched", "judgement", "unchecked", "unsupported", "contradicted", "uncited"
]
"""Result of the check of a claim.

`quoted`: a source says it in these words; `computed`: it follows from a calculation; `supported`: a model judged that
its sources support it; `matched`: code found its names, numbers and dates there, and nothing against it; `judgement`:
the writer's own view, based on cited claims; `unchecked`: code found nothing against it, and the model that was to
judge it did not; `unsupported`: no source supports it; `contradicted`: a source says otherwise; `uncited`: it states
nothing that needs a source.
"""
DOUBTFUL: Final = frozenset({"unsupported", "contradicted"})
"""Verdicts of claims that the answer marks as doubtful."""


class Reflection(Value):
    """Result of reflecting on an execution, or on tasks replaced during an execution.

    Attributes:
        decision: `finish`, `retry` (the same tasks again), `replan` (another way to what failed),
            `deepen` (tasks for what is missing) or `abort`.
        reason: The reason, in one line.
        decided_by: A model or a rule.
        task_ids: The tasks concerned.
        missing: Information still to be found, for `replan` and `deepen`.
        revision: The plan revision that was reviewed.
        report: The monitor's report on the execution. None if there was no plan, or while the plan still runs.
        draft_checks: Set if the draft has to say whether every part of the question is answered. An unanswered part
            is either planned (`deepen`) or named in the answer (`name`).
    """

    decision: Decision
    reason: str
    decided_by: DecidedBy
    task_ids: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    revision: int = 0
    report: MonitorReport | None = None
    draft_checks: Literal["", "name", "deepen"] = ""


GapKind = Literal[
    "uncovered",
    "failed",
    "assumed",
    "implied",
    "doubted",
    "disputed",
    "inconsistent",
    "unread",
    "restricted",
    "in_part",
    "language",
]


class Gap(Value):
    """An open point of an answer.

    Attributes:
        kind: The kind of gap, as listed below. Any other kind says why a value is not reliable.

            - `uncovered`: a part of the question has no answer
            - `failed`: a tool or agent did not work
            - `assumed`: a value was set by a person
            - `inconsistent`: values contradict each other
            - `unread`: pages could not be read, or a search got no reply
            - `restricted`: sources were left out as the user wished
            - `in_part`: documents were not read in full
            - `language`: passages are in another language than the question, and no model read them
        text: One line for people, in the language of the answer.
        task_id: The task that produced the value. Empty for a part of the question.
    """

    kind: GapKind
    text: str = Field(json_schema_extra={"minLength": 1})
    task_id: str = ""


class Citation(Value):
    """A numbered source of an answer.

    Attributes:
        n: Number of the source in the text, from 1.
        source: URL or file.
        title: Title.
        quote: The words that support the claim.
        evidence_id: Id of the passage.
        locator: Position within the source, such as "page 2" or "lines 3-7". Empty if the source needs no locator.
        also: Further URLs of the same text.
    """

    n: int = Field(ge=1)
    source: str
    title: str
    quote: str
    evidence_id: str
    locator: str = ""
    also: tuple[Address, ...] = Field((), exclude_if=not_, json_schema_extra={"uniqueItems": True})


class Mark(Value):
    """A citation mark in an answer.

    Other brackets in the text belong to its sources.

    Attributes:
        n: The number of the source.
        start: Offset of the start of the mark in the text of the answer, in characters.
        end: Offset of the end of the mark.
    """

    n: int = Field(ge=1)
    start: int = Field(ge=0)
    end: int = Field(ge=1)


class Claim(Value):
    """A sentence, list item or table cell of an answer, with the result of the check.

    Attributes:
        text: The sentence, without its citation marks.
        citations: Numbers of the cited sources.
        verdict: The result of the check.
        reason: The words that failed, and why. For an unchecked claim, why nobody judged it. Else empty.
    """

    text: str
    citations: tuple[Annotated[int, Field(ge=1)], ...] = ()
    verdict: Verdict
    reason: str = Field("", exclude_if=not_)


BlockKind = Literal["heading", "paragraph", "list", "table", "code", "quote", "rule"]


class Block(Value):
    """A block of an answer, a Markdown document.

    Attributes:
        kind: The kind of block.
        text: The block as Markdown.
        level: Level of a heading, 1 to 6. 0 for any other block.
        language: Of code: the language its fence names.
        rows: Of a table: its cells, the header row first.
        claims: Its claims, as positions in the claims of the answer.
    """

    kind: BlockKind
    text: str
    level: int = Field(0, exclude_if=not_)
    language: str = Field("", exclude_if=not_)
    rows: tuple[tuple[str, ...], ...] = Field((), exclude_if=not_)
    claims: tuple[int, ...] = Field((), exclude_if=not_)


class Extract(Value):
    """A passage quoted unchanged from a source, with the best-matching sentences highlighted.

    Attributes:
        n: Number on the screen, from 1.
        source: URL or file.
        title: Title.
        text: The passage, or a readable part of a long passage, with "…" at each cut.
        highlights: The sentences that match best, as character offsets `(start, end)` into `text`, in order and
            without overlap. Empty if the passage needs no highlight.
        score: Share of the question that the passage covers, 0 to 1.
        evidence_id: The passage.
        locator: Position within the source, such as "page 2" or "lines 3-7". Empty if the source needs no locator.
        headings: Heading path of the passage, outermost first, without the title.
        context: Further known facts by name, as in `Evidence.context`.
    """

    n: int
    source: str
    title: str
    text: str
    highlights: tuple[tuple[int, int], ...] = ()
    score: float = 0.0
    evidence_id: str
    locator: str = ""
    headings: tuple[str, ...] = Field((), exclude_if=not_)
    context: dict[str, str] = Field(default_factory=dict, exclude_if=not_)


class Answer(Value):
    """The answer a reader gets.

    Attributes:
        text: The answer with citation marks such as [1].
        marks: These marks, in order.
        claims: Its sentences, checked.
        citations: Its numbered sources.
        status: `complete`, `extracts`, `partial` (something asked for was not found or not supported), `unsourced` or
            `failed`.
        stop_reason: The reason why the answer is not complete, or "finished".
        decided_by: The author: a model or a rule.
        notices: Notes for the reader beside the answer, a line each.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    status: Status
    stop_reason: str
    decided_by: DecidedBy
    notices: tuple[str, ...] = ()
