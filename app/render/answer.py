"""Output of an answer: on a terminal with sources and a foot line, on a pipe as plain text.

An answer quotes a few lines of each passage. In verbose mode, the passages are shown as their sources have them.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from weiwo.app.errors import model_fault, stop_reason
from weiwo.app.render.labels import describe_place, label
from weiwo.app.render.markdown import Markdown
from weiwo.app.render.plan_tree import duration
from weiwo.app.render.search_results import render_passage
from weiwo.app.render.text_wrapping import Flow
from weiwo.text.citation_marks import seal_marks
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line, printable

_LONGEST_QUOTE: Final = 220
_MOST_ALSO: Final = 3
_WORDS: Final = localized_section("render.answer")
_LEVELS: Final = frozenset({"simple", "moderate", "complex"})
_UNITS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def print_answer(console: Console, result: Mapping[str, Any], *, verbose: bool = False) -> None:
    """Print answer and sources on a terminal.

    Verbose output adds whole passages and the words of every other source.
    """
    extracts = (result.get("extracts") or ()) if verbose else ()
    passages = {int(extract.get("n", 0)): render_passage(extract) for extract in extracts}
    console.print(Markdown(printable(seal_marks(result)), passages))
    citations = result.get("citations") or ()
    if not citations:
        return
    language = str(result.get("language", "en"))
    console.print()
    console.print(Text(label(language, "sources"), "bold"))
    shown = _shown_numbers(result)
    for citation in citations:
        mark = f"[{citation['n']}] "
        console.print(Flow(Text.assemble((mark, "cyan"), _origin(citation, language)), indent=len(mark)))
        if verbose and (also := _also(citation, language)):
            console.print(Flow(Text(" " * len(mark) + also, "dim"), indent=len(mark)))
        if verbose and citation["n"] not in shown and (quote := _quote(citation)):
            console.print(Flow(Text(" " * len(mark) + quote, "dim"), indent=len(mark)))


def plain_answer(result: Mapping[str, Any], *, verbose: bool = False) -> str:
    """Return answer and sources as plain text for a pipe.

    Verbose output adds whole passages below their sources.
    """
    extracts = (result.get("extracts") or ()) if verbose else ()
    passages = {extract.get("n"): printable(str(extract.get("text", ""))).strip() for extract in extracts}
    lines = [printable(str(result.get("answer", ""))).strip()]
    citations = result.get("citations") or ()
    if citations:
        language = str(result.get("language", "en"))
        shown = _shown_numbers(result)
        lines += ["", label(language, "sources")]
        for citation in citations:
            lines.append(f"[{citation['n']}] {_origin(citation, language)}")
            if also := _also(citation, language):
                lines.append(f"    {also}")
            if citation["n"] not in shown and (quote := _quote(citation)):
                lines.append(f"    {quote}")
            lines += [f"    {line}" if line else "" for line in passages.get(citation["n"], "").splitlines()]
    if notices := list_notices(result):
        lines += ["", *notices]
    return "\n".join(lines) + "\n"


def _shown_numbers(result: Mapping[str, Any]) -> set[Any]:
    """Return the source numbers of the extracts in a result."""
    return {extract.get("n") for extract in result.get("extracts") or ()}


def list_notices(result: Mapping[str, Any]) -> list[str]:
    """List the notices to show below the sources, each on a line.

    This includes gaps for unreadable sources and for sources left out by the user's choice. The answer itself names the
    other gaps.
    """
    gaps = [gap for gap in result.get("gaps") or () if gap.get("kind") in {"unread", "restricted", "language"}]
    told = [*(result.get("notices") or ()), *(gap.get("text", "") for gap in gaps)]
    return [one_line(str(line), 600) for line in told]


def describe_age(result: Mapping[str, Any], now: datetime | None = None) -> str:
    """Describe in a line the time and the thread of an earlier answer.

    Returns an empty string if the answer was looked up for this question.
    """
    if not result.get("from_thread"):
        return ""
    words = _WORDS["zh" if result.get("language") == "zh" else "en"]
    seconds = ((now or datetime.now(UTC)) - datetime.fromisoformat(str(result["answered_at"]))).total_seconds()
    unit, length = next(((name, length) for name, length in _UNITS if seconds >= length), ("", 1))
    many = int(seconds // length)
    age = words[f"{unit}s" if many > 1 else unit].format(many) if unit else words["now"]
    return words["told"].format(age, one_line(str(result["from_thread"]), 200))


def foot(result: Mapping[str, Any], decided_by: str = "", *, verbose: bool = False) -> str:
    """Return a localized foot line about the origin of the answer.

    Verbose output adds the internal names.
    """
    usage, language, status = result.get("usage") or {}, str(result.get("language", "en")), result.get("status")
    why, level = stop_reason(language, str(result.get("stop_reason", ""))), str(result.get("level", ""))
    parts = [
        label(language, f"status_{status}", why) if status in {"extracts", "partial", "unsourced", "failed"} else "",
        label(language, f"level_{level}") if level in _LEVELS else "",
        f"{level} · {result.get('team', '')}" if verbose and level else "",
        label(language, f"by_{decided_by}") if verbose and decided_by else "",
        label(language, "model_calls", usage.get("model_calls", 0)),
        f"${usage['cost']:.4f}" if usage.get("cost") else "",
        model_trouble(result),
        duration(float(usage.get("seconds", 0.0))),
        f"thread {result.get('thread_id', '')}",
    ]
    return " · ".join(one_line(part) for part in parts if part)


def model_trouble(result: Mapping[str, Any]) -> str:
    """Describe failed model calls in a line, or return an empty string if no call failed."""
    calls: Sequence[Mapping[str, Any]] = (result.get("usage") or {}).get("calls") or ()
    failed = [call for call in calls if call.get("error")]
    if not failed:
        return ""
    for call in failed:
        if call.get("mode") == "not_sent" and call.get("fault") == "declined":  # the rest was asked without it
            return one_line(str(call["error"]), 200)
    language = str(result.get("language"))
    why = model_fault(language, str(failed[0].get("fault")), one_line(str(failed[0]["error"]), 160))
    return label(language, "stood_in", len(failed), why)


def shortfall(result: Mapping[str, Any]) -> str:
    """Return a line on the incompleteness of an answer, with the reason."""
    language = str(result.get("language", "en"))
    why = stop_reason(language, str(result.get("stop_reason", "")))
    return label(language, "shortfall", label(language, f"status_{result.get('status')}", one_line(why)))


def _origin(citation: Mapping[str, Any], language: str) -> str:
    title, source = one_line(str(citation.get("title", ""))), one_line(str(citation.get("source", "")), 500)
    source = source.removeprefix("task:")  # a calculation is known by its task
    origin = f"{title} · {source}" if title and source and title != source else title or source
    place = describe_place(language, one_line(str(citation.get("locator") or "")))
    return f"{origin} · {place}" if place else origin


def _also(citation: Mapping[str, Any], language: str) -> str:
    """Return further addresses of the same text, in a few words."""
    addresses = [one_line(str(address), 200) for address in citation.get("also") or ()]
    if not addresses:
        return ""
    words = _WORDS["zh" if language == "zh" else "en"]
    left = len(addresses) - _MOST_ALSO
    told = words["also"].format(words["also_comma"].join(addresses[:_MOST_ALSO]))
    return told + (words["also_more"].format(left) if left > 0 else "")


def _quote(citation: Mapping[str, Any]) -> str:
    quote = one_line(str(citation.get("quote", "")), _LONGEST_QUOTE)
    return f"“{quote}”" if quote else ""
