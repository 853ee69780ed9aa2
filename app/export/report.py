"""A result prepared for exporters: question, limitations, document, sources and plan."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, get_args
from urllib.parse import urlsplit

from weiwo.app.errors import stop_reason
from weiwo.app.export.chart import Block, add_charts
from weiwo.app.export.document import parse_document, plain
from weiwo.nodes.writer.sources import PASSAGE_HEAD
from weiwo.state import REFERENCE
from weiwo.state.answer import DOUBTFUL, Status
from weiwo.state.evidence import FILE_DATE
from weiwo.state.kinds import Language, recorded_language
from weiwo.state.ledger import PartOutcome
from weiwo.text.citation_marks import seal_marks
from weiwo.text.localization import localized_section
from weiwo.text.markdown import Node, Run
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line, printable
from weiwo.text.values import render as render_value
from weiwo.tools.corpus.retrieval.superseded import read_version

_WORDS: Final = localized_section("export.words")
_PLACE: Final = lazy(r"(page|line)s? ([\d-]+)")
_THREAD_DAY: Final = lazy(r"(\d{4})(\d{2})(\d{2})-\d{6}-\w+")
_LONGEST_VALUE: Final = 300
_SHORT_PASSAGE: Final = 120
"""Largest number of characters of a passage that is shown as a quotation in full."""
_LONGEST_FILLED: Final = 60
"""Limit of a value that is filled into a question, in characters."""
_LEAST_PARTS: Final = 2
"""Least number of parts for a table. For a single part, the answer and its status say enough."""
_LONGEST_IN_TABLE: Final = 120
"""Characters of a question or a value in the table of the plan."""


def word(language: Language, name: str, *values: object) -> str:
    """Return a localized word or phrase for the text around an answer."""
    return _WORDS[language][name].format(*values)


def status_word(report: "Report") -> str:
    """Return the word for the status of an answer, or the raw status if unknown."""
    return word(report.language, report.status) if report.status in get_args(Status) else report.status


_NAMED: Final = 3
"""Number of authors that are named. Further authors become "et al."."""


@dataclass(frozen=True)
class Source:
    """A numbered source.

    Attributes:
        n: Its number.
        title: Its title, or its address if it has none.
        address: URL or file. Empty for a calculation.
        url: The address if a reader may follow it: http or https.
        locator: Its place within the source.
        quote: The words that support the claim. Empty if only the passage is known.
        passage: The passage they stand in. Empty if unknown.
        date: ISO date, or empty.
        file_date: Whether that is only the date of the file.
        version: Its version, as its name tells it.
        superseded_by: The newer version of the same document, if one is known.
        also: Further addresses of the same text.
        authors: Of a scholarly work, as printed.
        venue: Where it appeared.
        doi: Its DOI.
    """

    n: int
    title: str
    address: str = ""
    url: str = ""
    locator: str = ""
    quote: str = ""
    passage: str = ""
    date: str = ""
    file_date: bool = False
    version: str = ""
    superseded_by: str = ""
    also: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    venue: str = ""
    doi: str = ""

    def particulars(self, language: Language) -> list[str]:
        """Return the distinguishing details of a document: authors, venue, DOI, date, version.

        A newer version is named too. These details tell a document from other versions and copies.
        """
        named = ", ".join(self.authors[:_NAMED]) + (" et al." if self.authors[_NAMED:] else "")
        parts = [
            named,
            self.venue,
            f"doi:{self.doi}" if self.doi else "",
            word(language, "file_dated" if self.file_date else "dated", self.date) if self.date else "",
            word(language, "version", self.version) if self.version else "",
            word(language, "superseded", self.superseded_by) if self.superseded_by else "",
        ]
        return [part for part in parts if part]

    def description(self, language: Language) -> str:
        """Return a line with the address of the document, unless it is the title, and the details."""
        address = [self.address] if self.address not in {"", self.title} else []
        return " · ".join([*address, *self.particulars(language)])

    def place(self, language: Language) -> str:
        """Return the place within the document in words of the language: "page 3" as 第 3 页. Empty if it has none."""
        found = _PLACE.fullmatch(self.locator) if language == "zh" else None
        return f"第 {found[2]} {'页' if found[1] == 'page' else '行'}" if found else self.locator


@dataclass(frozen=True)
class Step:
    """A task of the plan, for a picture or a table.

    Attributes:
        id: Id of the task.
        text: The question of the task, with the values of other tasks filled in.
        tool: The planned tool, or the tool that served the task.
        state: `succeeded`, `empty`, `failed` or `blocked`. Empty if the task did not run.
        value: The value of the task, formatted for people.
    """

    id: str
    text: str
    tool: str
    state: str
    value: str


@dataclass(frozen=True)
class Report:
    """A result for exporters.

    Attributes:
        language: The language of the words around the answer.
        title: The title given by the answer, or else the question.
        question: The question, as asked.
        answer: The answer, as Markdown.
        status: The status of the answer.
        day: ISO date of the answer. Empty if unknown.
        notes: The limitations of the answer, a line each.
        nodes: The answer, without its title.
        claims: Its claims, as the result has them.
        sources: Its sources.
        steps: The tasks of its plan.
        edges: The dependencies: pairs of task ids.
        about: The date and the cost of the answer, on one line.
        result: The result object that it was read from.
    """

    language: Language
    title: str
    question: str
    answer: str
    status: str
    day: str
    notes: tuple[str, ...]
    nodes: tuple[Block, ...]
    claims: Sequence[Mapping[str, Any]]
    sources: tuple[Source, ...]
    steps: tuple[Step, ...]
    edges: tuple[tuple[str, str], ...]
    about: str
    result: Mapping[str, Any]

    @property
    def verdicts(self) -> dict[str, int]:
        """Number of claims by verdict, in a fixed order. Claims that need no source are not counted."""
        told = [str(claim.get("verdict")) for claim in self.claims]
        order = ("quoted", "supported", "matched", "computed", "judgement", "unchecked", "unsupported", "contradicted")
        return {verdict: told.count(verdict) for verdict in order if verdict in told}

    @property
    def question_below(self) -> str:
        """Line with the question, shown below the title. Empty if the question is the title."""
        asked = " ".join(self.question.split())
        return word(self.language, "question", asked) if self.title != self.question else ""

    def is_doubtful(self, run: Run) -> bool:
        """Report whether a run belongs to an unsupported or contradicted claim."""
        return run.claim >= 0 and self.claims[run.claim].get("verdict") in DOUBTFUL

    @property
    def documents(self) -> list[list[Source]]:
        """Sources by document, in the order of the first citation. Each calculation stands alone."""
        found: dict[str, list[Source]] = {}
        for source in self.sources:
            found.setdefault(source.address or f"task {source.n}", []).append(source)
        return list(found.values())

    @property
    def part_rows(self) -> list[list[str]]:
        """Rows of a table of the parts of the question, header row first.

        Each row has a part, and its outcome with the reason. Empty if the question has fewer than two parts.
        """
        parts = self.result.get("parts") or ()
        if len(parts) < _LEAST_PARTS:
            return []
        rows = [[word(self.language, name) for name in ("part", "outcome")]]
        for part in parts:
            name = " · ".join(filter(None, (str(part.get("subject") or ""), str(part.get("attribute") or ""))))
            outcome = str(part.get("outcome"))
            became = word(self.language, f"outcome_{outcome}") if outcome in get_args(PartOutcome) else outcome
            why = ": ".join(filter(None, (str(part.get("component") or ""), str(part.get("cause") or ""))))
            told = f"{became} ({why})" if why else became
            rows.append([one_line(name, _LONGEST_IN_TABLE), one_line(told, 2 * _LONGEST_IN_TABLE)])
        return rows

    @property
    def plan_rows(self) -> list[list[str]]:
        """Rows of a table of the plan, header row first. Each has a task and its value, or why the value is missing."""
        named = {"empty": "not_found", "failed": "failed", "blocked": "blocked", "succeeded": "succeeded"}
        rows = [[word(self.language, name) for name in ("task", "result")]]
        for step in self.steps:
            came_to = word(self.language, named[step.state]) if step.state in named else ""
            rows.append([one_line(step.text, _LONGEST_IN_TABLE), one_line(step.value or came_to, _LONGEST_IN_TABLE)])
        return rows


def read_result(result: Mapping[str, Any]) -> Report:
    """Convert a result of the schema `app/result.schema.json` to a report. Missing fields get defaults."""
    language = recorded_language(result.get("language"))
    passages = {str(passage.get("id")): passage for passage in result.get("evidence") or ()}
    sources = tuple(
        _read_source(citation, passages.get(str(citation.get("evidence_id")), {}))
        for citation in result.get("citations") or ()
    )
    claims = result.get("claims") or ()
    steps, edges = _read_plan(result.get("plan"), result.get("outcomes") or {}, language)
    usage = result.get("usage") or {}
    # A generated thread id begins with the day of the answer; a thread named by its user has none.
    generated = _THREAD_DAY.fullmatch(str(result.get("thread_id") or ""))
    day = "-".join(generated.groups()) if generated else ""
    made = word(language, "made", day) if day else word(language, "by")
    spent = word(language, "spent", int(usage.get("model_calls") or 0), int(usage.get("tool_calls") or 0))
    answer = str(result.get("answer") or "")
    nodes = parse_document(seal_marks(result), claims, {source.n: source.url for source in sources})
    question = printable(str(result.get("question") or "")).strip()
    title, nodes = _split_title(nodes)
    return Report(
        language=language,
        title=title or question,
        question=question,
        answer=answer,
        status=one_line(str(result.get("status") or "failed")),
        day=day,
        notes=tuple(dict.fromkeys(_list_notes(result, sources, language))),
        nodes=add_charts(nodes, claims, question),
        claims=claims,
        sources=sources,
        steps=steps,
        edges=edges,
        about=f"{made} · {spent}",
        result=result,
    )


def _split_title(nodes: tuple[Node, ...]) -> tuple[str, tuple[Node, ...]]:
    """Return the title of an answer with sections, and the remaining blocks with headings raised to level 1.

    The title is the first block if that is the only heading of level 1 and further headings follow. Else it is empty,
    and the blocks are unchanged.
    """
    levels = [node.level for node in nodes if node.kind == "heading"]
    if not nodes or nodes[0].kind != "heading" or levels.count(1) != 1 or levels[0] != 1 or len(levels) == 1:
        return "", nodes
    above = min(levels[1:]) - 1
    rest = (replace(node, level=node.level - above) if node.kind == "heading" else node for node in nodes[1:])
    return plain(nodes[0].runs).strip(), tuple(rest)


def _web_address(source: str) -> str:
    """Return the address if safe to follow, else an empty string.

    The address must be http or https, with a host and without invisible characters or user names.
    """
    try:
        parts = urlsplit(source)
        host = parts.hostname
    except ValueError:
        return ""
    clean = not re.search(r"[\s\x00-\x20\x7f-\xa0\"<>\\^`{|}]", source) and printable(source) == source
    return source if clean and host and parts.scheme in {"http", "https"} and not parts.username else ""


def _read_source(citation: Mapping[str, Any], passage: Mapping[str, Any]) -> Source:
    address = one_line(str(citation.get("source") or ""), 2_000)
    computed = address.startswith("task:")
    title = one_line(str(citation.get("title") or "")) or address.removeprefix("task:")
    url = _web_address(str(citation.get("source") or ""))
    version = () if url or computed else read_version(address).version
    work: Mapping[str, Any] = passage.get("publication") or {}
    text, quote = str(passage.get("text") or ""), str(citation.get("quote") or "")
    if quote == text[:PASSAGE_HEAD] and len(text) > _SHORT_PASSAGE:  # stands in where none is known
        quote = ""
    return Source(
        n=int(citation["n"]),
        title=title,
        address="" if computed else address,
        url=url,
        locator=one_line(str(citation.get("locator") or "")),
        quote=one_line(quote, 2_000),
        passage=printable(text).strip(),
        date=one_line(str(passage.get("date") or "")),
        file_date=FILE_DATE in (passage.get("flags") or ()),
        version=".".join(map(str, version)),
        superseded_by=one_line(str(passage.get("superseded_by") or "")),
        also=tuple(one_line(str(other)) for other in citation.get("also") or ()),
        authors=tuple(one_line(str(name), 200) for name in work.get("authors") or ()),
        venue=one_line(str(work.get("venue") or ""), 300),
        doi=one_line(str(work.get("doi") or ""), 200),
    )


def _list_notes(result: Mapping[str, Any], sources: Sequence[Source], language: Language) -> list[str]:
    """Return the limitations and notices that a reader needs beside the answer, a line each."""
    status, notes = str(result.get("status")), []
    stopped = one_line(str(result.get("stop_reason") or ""))
    doubtful = sum(claim.get("verdict") in DOUBTFUL for claim in result.get("claims") or ())
    told_below = doubtful and stopped == "unsupported_claims"
    if status in {"partial", "unsourced", "failed"} and not told_below:
        notes.append(word(language, f"note_{status}", stop_reason(language, stopped)))
    notes += [one_line(str(line), 600) for line in result.get("notices") or ()]
    notes += [one_line(str(gap.get("text") or ""), 600) for gap in result.get("gaps") or ()]
    if doubtful:
        notes.append(word(language, "note_doubtful", doubtful))
    notes += [
        word(language, "note_superseded", source.n, source.superseded_by) for source in sources if source.superseded_by
    ]
    if any(call.get("error") for call in (result.get("usage") or {}).get("calls") or ()):
        notes.append(word(language, "note_rules"))
    return notes


def _read_plan(
    plan: Mapping[str, Any] | None, outcomes: Mapping[str, Mapping[str, Any]], language: Language
) -> tuple[tuple[Step, ...], tuple[tuple[str, str], ...]]:
    vertices = (plan or {}).get("vertices") or ()
    values = {task_id: _describe_value(outcome, language) for task_id, outcome in outcomes.items()}
    steps = []
    for vertex in vertices:
        task_id = str(vertex.get("id"))
        outcome = outcomes.get(task_id, {})
        text = REFERENCE.sub(
            lambda found: one_line(values.get(found[1], ""), _LONGEST_FILLED) or f"‹{found[1]}›",
            str(vertex.get("description") or ""),
        )
        steps.append(
            Step(
                id=one_line(task_id, 60),
                text=one_line(text) or one_line(task_id, 60),
                tool=one_line(str(outcome.get("tool") or vertex.get("tool_binding") or ""), 60),
                state=str(outcome.get("status") or ""),
                value=values.get(task_id, ""),
            )
        )
    ids = {step.id for step in steps}
    edges = dict.fromkeys((str(a), str(b)) for a, b in (plan or {}).get("edges") or ())
    return tuple(steps), tuple(edge for edge in edges if edge[0] in ids and edge[1] in ids)


def _describe_value(outcome: Mapping[str, Any], language: Language) -> str:
    """Return the value of a task for people, or an empty string without a value or for a list of passages."""
    if outcome.get("status") != "succeeded" or outcome.get("type") == "passages":
        return ""
    shown = (outcome.get("detail") or {}).get("shown")
    if shown:
        return one_line(str(shown), _LONGEST_VALUE)
    try:
        return one_line(render_value(outcome.get("value"), outcome.get("type") or "text", language), _LONGEST_VALUE)
    except (TypeError, ValueError):
        return one_line(str(outcome.get("value")), _LONGEST_VALUE)
