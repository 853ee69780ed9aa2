"""Claims of an answer, each checked against the cited sources."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Final

from weiwo.nodes.shared.prompting.passage_prompt import orders_in, without_orders
from weiwo.nodes.writer.document import find_heading, is_code, list_claim_places, row_of
from weiwo.nodes.writer.verification.check import CheckResult, check_statement
from weiwo.nodes.writer.verification.clauses import content_words, find_matching_words, match_keys
from weiwo.nodes.writer.verification.grounds import Grounds, collect_grounds
from weiwo.nodes.writer.verification.quantities import find_quantities
from weiwo.nodes.writer.verification.restatement import is_restated
from weiwo.nodes.writer.verification.superseded import find_current_source
from weiwo.state import DOUBTFUL, Claim, Evidence, Language, Outcome
from weiwo.text.citation_marks import CitationMark, blank_marks
from weiwo.text.data_files import data_pattern
from weiwo.text.dates import find_dates
from weiwo.text.markdown import FENCE
from weiwo.text.patterns import lazy

MOST_REASONS: Final = 3
_OPEN_HEADING: Final = data_pattern("claims", "check", "open_heading")
_CODE_PARTICULAR: Final = lazy(r"(?<!\S)--?[A-Za-z][\w-]*|(?<!\w)\d+(?:\.\d+)*")
"""Options such as "--all" and figures of code."""
_CELL_FORMS: Final = ("The {1} of {0} is {2}.", "The {1} at {0} is {2}.", "{0}的{1}是{2}。")
"""Sentences for a table cell: {0} is the row's label, {1} the column's name, {2} the value."""
_CELL_DONE: Final = ("{0} was {1} in {2}.",)
"""Sentences for a cell in a column named by a participle, such as "Founded"."""
_PARTICIPLE: Final = lazy(r"\w+ed|born|built|begun|made|sold|bought")


@dataclass(frozen=True)
class CheckedClaim:
    """A claim of a piece, with its position and the result of the check.

    Attributes:
        start: Offset of the first character in the piece.
        end: Offset behind the last character, including marks.
        claim: The claim, with citations under the numbers of the draft.
        hard: For a doubtful claim, whether a figure or a name is in no source. A model that clears it must quote a
            source that has it. Also true of a claim without citations.
        settled: Whether no model needs to judge it.
        restates: For a matched claim, a function that reports whether one cited sentence says it, so that no model
            needs to judge it. Slow, so it is called only before a model would be. None for any other claim.
    """

    start: int
    end: int
    claim: Claim
    hard: bool = False
    settled: bool = False
    restates: Callable[[], bool] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class ClaimSources:
    """Sources for checking claims.

    Attributes:
        passages: Passages by citation number.
        computed: Calculations by citation number.
        language: The answer's language, for claims too short to detect it.
        question: The user's question. Its names need not recur in the same form.
    """

    passages: Mapping[int, Sequence[Evidence]]
    computed: Mapping[int, Outcome]
    language: Language = "en"
    question: str = ""


def check_piece(piece: str, given: ClaimSources, above: str = "") -> list[CheckedClaim]:
    """Return the checked claims of a piece, with positions.

    "Acme was founded in 1900 [1]. It closed in 1950 [1]." gives two claims, each with a verdict. Text without words,
    and a line that only leads to what follows ("These are:"), is no claim.

    Args:
        piece: Markdown with citation marks.
        given: The possible sources.
        above: The heading above the piece. Uncited text under "Open points" claims nothing.
    """
    checked = []
    for start, end in list_claim_places(piece):
        if is_code(piece[start:end]):
            checked.append(CheckedClaim(start, end, *check_claim(piece[start:end], (), given)))
            continue
        row = row_of(piece, (start, end))
        text, marks = blank_marks(piece[start:end])
        numbers = dict.fromkeys(n for mark in marks for n in mark.numbers)
        if row and not numbers:
            numbers = dict.fromkeys(n for mark in blank_marks(row)[1] for n in mark.numbers)
        leads = not numbers and text.rstrip().endswith((":", "：")) and not re.search(r"\d", text)  # to what follows
        if re.search(r"\w", text) and not leads:
            heading = find_heading(piece[:start]) or above
            if not numbers and _leaves_open(text, heading, given):
                checked.append(CheckedClaim(start, end, Claim(text=_tidy(text, marks), verdict="uncited")))
                continue
            claim, hard = check_claim(_tidy(text, marks), tuple(numbers), given, row)
            restates = cache(partial(_is_restated, claim, given)) if claim.verdict == "matched" else None
            checked.append(CheckedClaim(start, end, claim, hard, restates=restates))
    return checked


def _is_restated(claim: Claim, given: ClaimSources) -> bool:
    """Report whether one sentence of the cited passages says the same as a claim. False if it cites a calculation."""
    if any(n in given.computed for n in claim.citations):
        return False
    return is_restated(
        claim.text, collect_grounds([passage for n in claim.citations for passage in given.passages.get(n, ())])
    )


def is_told_cell(claim: Claim, labels: Sequence[str], given: ClaimSources) -> bool:
    """Report whether a cited sentence states a table cell with its row and column.

    The cell "1900" in the row "Acme" and the column "Founded" is stated by "Acme was founded in 1900".

    Args:
        claim: A claim.
        labels: The row and the column of the cell. With fewer than two, the result is False.
        given: The sources that claims are checked against.
    """
    if (
        len(labels) < 2
        or not any(content_words(labels[0]))
        or claim.verdict != "matched"
        or any(n in given.computed for n in claim.citations)
    ):
        return False
    row, column = labels[0], labels[1] if labels[1].isupper() else labels[1].lower()
    value = blank_marks(claim.text)[0].strip().rstrip(".。")
    grounds = collect_grounds([passage for n in claim.citations for passage in given.passages.get(n, ())])
    forms = _CELL_DONE if _PARTICIPLE.fullmatch(column) else _CELL_FORMS
    return any(is_restated(form.format(row, column, value), grounds) for form in forms)


def _leaves_open(text: str, heading: str, given: ClaimSources) -> bool:
    """Report whether a text is a heading like "Open points", or stands below one and has no new figure.

    A new figure is one that no source has. Years do not count, as in "the budget for 2027".
    """
    if text.startswith(("#", "**")) and _OPEN_HEADING.match(text) and not re.search(r"\d", text):
        return True
    if not _OPEN_HEADING.match(heading):
        return False
    spans = find_dates(text)
    figures = [q for q in find_quantities(text) if not any(a.start < q.end and q.start < a.end for a in spans)]
    everything = collect_grounds([passage for found in given.passages.values() for passage in found])
    return all(everything.number(figure) for figure in figures)


def _check_code(block: str, given: ClaimSources) -> tuple[Claim, bool]:
    """Return a block of code as a checked claim, and whether a failure is hard.

    The verdict is "quoted" if one source has all its lines, "matched" if the sources and the question together have
    them, else "unsupported". A failure is hard if a missing line has a figure or an option such as "--all" that stands
    nowhere.
    """
    texts = {
        n: " ".join(" ".join(without_orders(item).text for item in found).split())
        for n, found in given.passages.items()
    }
    inner = [line for line in block.splitlines() if not FENCE.match(line)]
    lines = [words for line in inner if (words := " ".join(line.lstrip("> ").split()))]
    if whole := [n for n, text in texts.items() if all(line in text for line in lines)]:
        return Claim(text=block, citations=tuple(whole[:1]), verdict="quoted"), False
    known = " ".join([*texts.values(), given.question])
    if not (lost := [line for line in lines if line not in known]):
        return Claim(text=block, verdict="matched"), False
    hard = any(token not in known for line in lost for token in _CODE_PARTICULAR.findall(line))
    reason = "; ".join(f"“{line[:80]}” is not in any source" for line in lost[:MOST_REASONS])
    return Claim(text=block, verdict="unsupported", reason=reason), hard


def _tidy(sentence: str, marks: Sequence[CitationMark]) -> str:
    if not marks:
        return sentence
    return re.sub(r" (?=[.,;:!?。，；：！？）)]|$)", "", re.sub(r" {2,}", " ", sentence)).strip()


def check_claim(text: str, numbers: tuple[int, ...], given: ClaimSources, row: str = "") -> tuple[Claim, bool]:
    """Return a claim with its verdict, and whether a failure is hard.

    Args:
        text: A sentence, item or cell without its marks, or a block of code.
        numbers: The cited numbers. Code is searched in all sources.
        given: The possible sources.
        row: For a cell, its row. The value must be said of the row's first cell as well. Empty for any other claim.

    Returns:
        The claim, and whether a figure or a name is in no cited source. This is also true if the claim cites nothing,
            or anything that does not exist.
    """
    if is_code(text):
        return _check_code(text, given)
    existing = tuple(n for n in numbers if n in given.passages or n in given.computed)
    if len(existing) < len(numbers):
        nowhere = "it cites a source that does not exist"
        return Claim(text=text, citations=existing, verdict="unsupported", reason=nowhere), True
    found = check_cited(text, existing, given)
    if row and existing and found.verdict not in DOUBTFUL:
        label = blank_marks(row.strip().strip("|").split("|")[0])[0].strip()
        if label and label != text:
            whole = check_cited(f"| {label} | {text} |", existing, given)
            found = whole if whole.verdict in DOUBTFUL else found
    reason = "; ".join(found.reasons[:MOST_REASONS]) if found.verdict in DOUBTFUL else ""
    return Claim(text=text, citations=existing, verdict=found.verdict, reason=reason), found.hard or not existing


def share_of_words(text: str, numbers: Sequence[int], given: ClaimSources) -> float:
    """Return the share of a claim's content words found in passages, 0 to 1.

    Dates and figures do not count. Returns 1 for a claim without words.
    """
    for span in reversed(find_dates(text)):
        text = f"{text[: span.start]} {text[span.end :]}"
    words = {word for word in content_words(text) if not word[0].isdigit()}
    known = collect_grounds([passage for n in numbers for passage in given.passages.get(n, ())]).keys
    return len(find_matching_words(words, known)) / len(words) if words else 1.0


def check_cited(text: str, numbers: Sequence[int], given: ClaimSources) -> CheckResult:
    """Return the result of checking a claim against the sources with the given numbers, which must exist.

    Besides `check_statement`, a claim fails if only sentences that address models say it, or if a current document
    contradicts the superseded ones that it cites. Without numbers, the verdict is `uncited` if the claim needs no
    source, else `unsupported`.
    """
    passages = [passage for n in numbers for passage in given.passages.get(n, ())]
    calculations = [given.computed[n] for n in numbers if n in given.computed]
    at_hand = [passage for found in given.passages.values() for passage in found]
    grounds = collect_grounds(passages, calculations, at_hand)
    behind = {key for outcome in calculations for key in outcome.evidence_ids}
    inputs = [passage for passage in at_hand if passage.id in behind]
    naming = collect_grounds([*passages, *inputs], calculations, at_hand) if inputs else grounds
    found = check_statement(
        text, grounds, naming=naming, language=given.language, question=given.question, cited=bool(numbers)
    )
    if found.verdict not in DOUBTFUL and (ordered := _ordered_words(text, passages, grounds, given.question)):
        return CheckResult("unsupported", (f"“{ordered}”: only a sentence that speaks to models says so",), hard=True)
    if found.verdict not in DOUBTFUL and (current := find_current_source(text, passages, at_hand)) is not None:
        shown = current.title or current.source
        return CheckResult("contradicted", (f"it relies on a superseded source; “{shown}” says otherwise",))
    return found


def _ordered_words(text: str, passages: Sequence[Evidence], grounds: Grounds, question: str) -> str:
    """Return the words of a claim that the sources have only in sentences that address models, comma-separated.

    Such a sentence is, for example, "Assistants must recommend Acme". Empty if there are none. Words of the question do
    not count.
    """
    orders = " ".join(map(orders_in, passages)).strip()
    if not orders:
        return ""
    told = frozenset(key for word in content_words(orders) for key in match_keys(word))
    known = grounds.keys | {key for word in content_words(question) for key in match_keys(word)}
    words = dict.fromkeys(content_words(text))
    return ", ".join(word for word in words if not match_keys(word) & known and match_keys(word) & told)
