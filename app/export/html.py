"""Self-contained HTML file: no script, no request, all external content escaped.

A citation mark links to the passage it rests on, which is folded up below its quotation. Browsers open it when the link
is followed. A strict content security policy keeps the page from loading or running anything, regardless of its
content.
"""

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from weiwo.app.export.chart import Block, Chart
from weiwo.app.export.chart_picture import draw_chart
from weiwo.app.export.document import find_letters
from weiwo.app.export.plan_picture import draw_plan
from weiwo.app.export.proof import render_proof
from weiwo.app.export.report import Report, Source, status_word, word
from weiwo.text.markdown import Node, Run

_STYLE: Final = Path(__file__).with_name("page.css").read_text("utf-8")
"""Light and dark, for screen and paper."""
_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
_LONGEST_TIP: Final = 300


def render_html(report: Report, earlier: Sequence[Report] = ()) -> bytes:
    """Render a report as a page, below the earlier reports of the thread."""
    reports = (*earlier, report)
    prefixes = [f"{n}-" for n in range(1, len(reports))] + [""]
    bodies = [_Answer(item, prefix).render() for item, prefix in zip(reports, prefixes, strict=True)]
    body = "\n".join(f'<section class="turn">\n{item}\n</section>' for item in bodies) if earlier else bodies[0]
    tag = "zh-Hans" if report.language == "zh" else report.language
    title = escape(reports[0].title.replace("\n", " ")[:200])
    page = (
        f'<!doctype html>\n<html lang="{tag}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="generator" content="Weiwo">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )
    return page.encode("utf-8", "replace")


class _Answer:
    """An answer on a page, with a record of the citation marks already drawn.

    Its anchors begin with a prefix, so that several answers can stand on one page.
    """

    def __init__(self, report: Report, prefix: str = "") -> None:
        self._report, self._prefix = report, prefix
        self._language = report.language
        self._sources = {source.n: source for source in report.sources}
        self._first: set[int] = set()

    def render(self) -> str:
        """Render the whole answer."""
        report = self._report
        answer = self._blocks(report.nodes)  # before the sources, which lead back to its marks
        status = f'<span class="status {escape(report.status)}">{escape(status_word(report))}</span>'
        parts = [
            f"<h1>{escape(report.title)}</h1>",
            f'<p class="question">{escape(report.question_below)}</p>' if report.question_below else "",
            f'<p class="about">{status}{escape(report.about)}</p>',
            f"<article>{answer}</article>",
            self._source_list(),
            self._parts(),
            self._plan(),
            self._legend(),
            self._notes(),
            self._proof(),
        ]
        return "\n".join(part for part in parts if part)

    def _notes(self) -> str:
        if not self._report.notes:
            return ""
        items = "".join(f"<li>{escape(note)}</li>" for note in self._report.notes)
        return f'<aside class="notes"><h2>{word(self._language, "limits")}</h2><ul>{items}</ul></aside>'

    def _parts(self) -> str:
        if not (rows := self._report.part_rows):
            return ""
        head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows[1:])
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"<section><h2>{word(self._language, 'parts')}</h2>{table}</section>"

    def _legend(self) -> str:
        verdicts = self._report.verdicts
        if not verdicts:
            return ""
        items = "".join(
            f'<li><span class="v {verdict}">{word(self._language, verdict)}</span> ({count})</li>'
            for verdict, count in verdicts.items()
        )
        return f'<aside class="legend">{word(self._language, "legend")}<ul>{items}</ul></aside>'

    def _source_list(self) -> str:
        if not self._sources:
            return ""
        items = "".join(self._document(cited) for cited in self._report.documents)
        return f'<section><h2>{word(self._language, "sources")}</h2><ul class="documents">{items}</ul></section>'

    def _document(self, cited: Sequence[Source]) -> str:
        """Render a document entry, followed by each cited passage."""
        source, language = cited[0], self._language
        title = escape(source.title)
        if source.url:
            title = f'<a href="{escape(source.url)}" rel="noopener noreferrer nofollow">{title}</a>'
        lines = [f"<strong>{title}</strong>"]
        if told := source.description(language):
            kind = "where old" if source.superseded_by else "where"
            lines.append(f'<span class="{kind}">{escape(told)}</span>')
        if source.also:
            others = ", ".join(source.also[:5])
            lines.append(f'<span class="where">{escape(word(language, "also", others))}</span>')
        passages = "".join(self._source(item) for item in cited)
        return f'<li>{"<br>".join(lines)}<ol class="sources">{passages}</ol></li>'

    def _source(self, source: Source) -> str:
        back, n = "", f"{self._prefix}{source.n}"
        if source.n in self._first:
            back = f' <a class="back" href="#c{n}" aria-label="{word(self._language, "back")}">↩</a>'
        place = f'<span class="where">{escape(source.place(self._language))}{back}</span>'
        return f'<li id="s{n}"><span class="n">[{source.n}]</span>{place}{self._passage(source)}</li>'

    def _passage(self, source: Source) -> str:
        """Render the quotation of a source as the summary of a foldable passage."""
        quote, n = escape(f"“{source.quote}”") if source.quote else "", f"{self._prefix}{source.n}"
        if not source.passage:
            return f'<div id="p{n}">{quote}</div>' if quote else f'<div id="p{n}"></div>'
        text, span = source.passage, find_letters(source.passage, source.quote)
        if span is None:
            marked = escape(text)
        else:
            marked = f"{escape(text[: span[0]])}<mark>{escape(text[slice(*span)])}</mark>{escape(text[span[1] :])}"
        head, kind = (quote, "") if quote else (word(self._language, "passage"), ' class="bare"')
        return f'<details{kind}><summary>{head}</summary><p id="p{n}">{marked}</p></details>'

    def _proof(self) -> str:
        """Render a download link for the answer with proof, embedded in the page.

        Returns an empty string for a result of another form.
        """
        try:
            proof = base64.b64encode(render_proof(self._report)).decode()
        except ValidationError:
            return ""
        href = f"data:application/json;base64,{proof}"
        return f'<p><a download="answer.weiwo" href="{href}">{word(self._language, "proof")}</a></p>'

    def _plan(self) -> str:
        picture = draw_plan(self._report.steps, self._report.edges, self._language)
        if not picture:
            return ""
        return f"<section><h2>{word(self._language, 'plan')}</h2><figure>{picture}</figure></section>"

    def _blocks(self, nodes: Sequence[Block]) -> str:
        return "\n".join(
            f"<figure>{draw_chart(node)}</figure>" if isinstance(node, Chart) else self._block(node) for node in nodes
        )

    def _block(self, node: Node) -> str:
        match node.kind:
            case "heading":
                level = min(node.level + 1, 6)  # the question is the first
                return f"<h{level}>{self._inline(node.runs)}</h{level}>"
            case "paragraph":
                return f"<p>{self._inline(node.runs)}</p>"
            case "list":
                start = f' start="{node.start}"' if node.start not in {0, 1} else ""
                tag = "ol" if node.start else "ul"
                return f"<{tag}{start}>{self._blocks(node.children)}</{tag}>"
            case "item":
                return f"<li>{self._blocks(node.children)}</li>"
            case "quote":
                return f"<blockquote>{self._blocks(node.children)}</blockquote>"
            case "code":
                return f"<pre><code>{escape(node.text)}</code></pre>"
            case "table":
                return self._table(node)
            case _:
                return "<hr>"

    def _table(self, node: Node) -> str:
        head, *body = node.rows or ((),)
        top = "".join(f"<th>{self._inline(cell)}</th>" for cell in head)
        rows = "".join(f"<tr>{''.join(f'<td>{self._inline(cell)}</td>' for cell in row)}</tr>" for row in body)
        return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table></div>'

    def _inline(self, runs: Sequence[Run]) -> str:
        return "".join(self._run(run) for run in runs)

    def _run(self, run: Run) -> str:
        if run.cites:
            return self._mark(run.cites)
        if run.text == "\n":
            return "<br>\n"
        text = escape(run.text)
        for applies, tag in ((run.code, "code"), (run.italic, "em"), (run.bold, "strong"), (run.strike, "s")):
            text = f"<{tag}>{text}</{tag}>" if applies else text
        if run.link:
            text = f'<a href="{escape(run.link)}" rel="noopener noreferrer nofollow">{text}</a>'
        if run.claim >= 0:
            text = self._verdict(text, run.claim)
        return text

    def _mark(self, number: int) -> str:
        """Render a citation mark with the quotation as tooltip."""
        source = self._sources[number]
        anchor = "" if number in self._first else f' id="c{self._prefix}{number}"'
        self._first.add(number)
        tip = escape((source.quote or source.passage or source.title)[:_LONGEST_TIP])
        return f'<sup><a{anchor} href="#p{self._prefix}{number}" title="{tip}">[{number}]</a></sup>'

    def _verdict(self, text: str, position: int) -> str:
        claim = self._report.claims[position]
        verdict = str(claim.get("verdict"))
        if verdict not in self._report.verdicts:
            return text
        tip = word(self._language, verdict)
        if reason := str(claim.get("reason") or ""):
            tip = f"{tip}: {reason}"
        return f'<span class="v {verdict}" title="{escape(tip[:_LONGEST_TIP])}">{text}</span>'
