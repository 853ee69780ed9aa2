"""Repeated check of an answer with proof: sentences, quotes, values, calculations.

The check needs no thread. It is the writer's own check (`check_claim`), over the contents of the file. A forged file
can be consistent in itself: only documents show more (`document_check`). Judgements of a model are not repeated unless
a model is given.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from weiwo.app.errors import MisuseError
from weiwo.app.export.answer_coverage import UNVERIFIED, CoveredPart, cover_answer, is_excerpt
from weiwo.app.export.proof import FORMAT, OLDER_FORMAT, Proof, fold_words
from weiwo.models.budget import Budget
from weiwo.models.gateway import ChatModels
from weiwo.nodes.executor.extraction.typed_extraction import extract_value
from weiwo.nodes.executor.reading.quotes import carries
from weiwo.nodes.shared.ledger import list_asked_parts
from weiwo.nodes.shared.planning.references import fill_args, fill_text
from weiwo.nodes.shared.planning.rule_plan import frame_task
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.writer.claims import ClaimSources, check_claim
from weiwo.nodes.writer.closing import find_unchecked, list_part_gaps
from weiwo.nodes.writer.compose import compose_statements
from weiwo.nodes.writer.document import is_code, list_claim_places
from weiwo.nodes.writer.entailment import judge_statement
from weiwo.nodes.writer.pieces import all_supported
from weiwo.nodes.writer.verification.clauses import content_words
from weiwo.state import DOUBTFUL, Claim, JsonValue, Outcome, Plan, Task
from weiwo.state.ledger import Ledger
from weiwo.state.settings import Settings
from weiwo.text.citation_marks import clean_marks, list_cited_numbers
from weiwo.text.lists import join_names
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.compute.calculator import Calculator
from weiwo.tools.compute.date_difference import DateDifference

QUERY_TABLE: Final = "query_table"
"""Name of the tool for requests to tables."""
_CALCULATORS: Final = {tool.name: tool for tool in (Calculator(), DateDifference())}
"""The tools by name that can repeat a calculation without documents."""
_LARGEST: Final = 50_000_000
"""Bytes of a file that is read."""
_WORDS: Final = localized_section("proof_check")
_LEADS: Final = localized_section("writer.rule_answer.leads")
_DOORS: Final = localized_section("writer.rule_answer.doors")
_REFERENCE: Final = re.compile(r"\{\{[^{}]*\}\}")
_FIGURE: Final = re.compile(r"\d+(?:[.,]\d+)*")
_CONSTANTS: Final = frozenset({"0", "1", "2", "100"})
"""Figures of formulas, such as that of a percentage."""
_BY_MODEL: Final = frozenset({"supported", "judgement"})
_PARTICULARS: Final = frozenset({"computed", "matched"})


@dataclass
class ProofReport:
    """Result of checking a proof.

    Attributes:
        proof: The proof.
        findings: The failures: kind (`answer`, `claim`, `quote`, `value`, `calculation`, `part`, `document`), place,
            and reason.
        unchecked: The items that were not checked again: kind (those above, `sentence`, `doubtful`), place, and reason.
        judged: The claims that only a model can judge again.
        requests: The requests to tables that only documents can answer: the arguments, by task.
        checked: The number of checked items of each kind.
        compared: Whether documents were looked into.
        notes: Further remarks on the sources: place, and text.
    """

    proof: Proof
    findings: list[tuple[str, str, str]] = field(default_factory=list)
    unchecked: list[tuple[str, str, str]] = field(default_factory=list)
    judged: list[Claim] = field(default_factory=list)
    requests: dict[str, dict[str, JsonValue]] = field(default_factory=dict)
    checked: Counter[str] = field(default_factory=Counter)
    compared: bool = False
    notes: list[tuple[str, str]] = field(default_factory=list)

    @property
    def unchecked_items(self) -> list[tuple[str, str, str]]:
        """Return the items not checked again, including claims judged by a model."""
        words = _WORDS[self.proof.language]
        kinds = ["model" if claim.verdict in _BY_MODEL else "sentence" for claim in self.judged]
        judged = zip(kinds, self.judged, strict=True)
        told = [(kind, one_line(item.text, 200), words[f"by_{kind}"].format(item.verdict)) for kind, item in judged]
        return [*told, *self.unchecked]

    @property
    def code(self) -> int:
        """Exit code: 1 if a check failed, 0 if all was checked again, with documents, and holds, else 3."""
        if self.findings:
            return 1
        return 3 if self.unchecked_items or not self.compared or self.proof.format == OLDER_FORMAT else 0

    @property
    def closing(self) -> str:
        """Return a summary of the check in a single line."""
        language = self.proof.language
        words = _WORDS[language]
        parts = []
        if self.proof.format == OLDER_FORMAT:
            parts.append(words["older"])
        elif not self.compared:
            parts.append(words["consistent"] if not self.findings else words["not_compared"])
        if self.findings:
            parts.append(words["does_not_hold"].format(len(self.findings)))
        counted = join_names([words[kind].format(count) for kind, count in self.checked.items()], language)
        parts.append(words["again"].format(counted))
        left = Counter(kind for kind, _, _ in self.unchecked_items)
        if by_model := left.pop("model", 0):
            parts.append(words["left_model"].format(by_model))
        if left:
            named = join_names([words[f"left_{kind}"].format(count) for kind, count in left.items()], language)
            parts.append(words["left"].format(named))
        return words["between"].join(parts)

    def find(self, kind: str, place: str, message: str, *values: object) -> None:
        """Add a failure. `message` is the name of a text in the words of this check, `values` fill its placeholders."""
        self.findings.append((kind, one_line(place, 200), self._say(message, *values)))

    def leave(self, kind: str, place: str, message: str, *values: object) -> None:
        """Add an item that could not be checked again. Arguments as for `find`."""
        self.unchecked.append((kind, one_line(place, 200), self._say(message, *values)))

    def _say(self, message: str, *values: object) -> str:
        return _WORDS[self.proof.language][message].format(*(one_line(str(value), 200) for value in values))

    def to_json(self) -> dict[str, Any]:
        """Return the report as a single object."""
        return {
            "question": self.proof.question,
            "holds": self.code == 0,
            "closing": self.closing,
            "compared": self.compared,
            "findings": [{"kind": kind, "place": place, "text": text} for kind, place, text in self.findings],
            "not_checked": [{"kind": kind, "place": place, "why": why} for kind, place, why in self.unchecked_items],
            "checked": self.checked,
            "notes": [{"place": place, "text": text} for place, text in self.notes],
        }


def read_proof(path: Path) -> Proof:
    """Read the file of an answer with proof.

    Raises:
        MisuseError: The file cannot be read or is no proof.
    """
    wrong = (
        f"it is not an answer of the format {FORMAT}, or it is damaged; create a new file with weiwo "
        "ask -o answer.weiwo"
    )
    try:
        if path.stat().st_size > _LARGEST:
            raise MisuseError(f"{str(path)!r} is larger than {_LARGEST:,} bytes, the limit for an answer file")
        return Proof.model_validate(json.loads(path.read_bytes()))
    except OSError as error:
        raise MisuseError(f"{str(path)!r} cannot be read ({error.strerror or error}); choose another file") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = f" at {'.'.join(map(str, first['loc']))}" if first["loc"] else ""
        raise MisuseError(f"{str(path)!r} is invalid{place}: {first['msg']}; {wrong}") from None
    except (ValueError, TypeError, LookupError, RecursionError):
        raise MisuseError(f"{str(path)!r} is not a JSON object; {wrong}") from None


def check_proof(proof: Proof) -> ProofReport:
    """Run all checks possible with the file alone. CPU-bound."""
    report = ProofReport(proof)
    if proof.format == FORMAT and proof.hash != proof.content_hash():
        report.find("answer", "hash", "hash_differs")
    _check_sources(report)
    plan = Plan.read(proof.plan).plan if proof.plan else None
    firm = {}
    for task_id, outcome in proof.values.items():
        check = _check_calculation if outcome.is_computed else _check_value
        if outcome.value is not None and outcome.type != "passages" and check(report, plan, task_id, outcome):
            firm[task_id] = outcome
    _check_answer(report, cover_answer(proof), _tell_again(proof, plan, firm))
    if proof.parts:
        _check_ledger(report)
        _check_parts(report, plan)
    else:
        report.leave("part", proof.question, "part_unknown")
    _check_notes(report)
    return report


def _check_sources(report: ProofReport) -> None:
    """Check the extracts against the passages, and note newer versions of sources."""
    for source in report.proof.sources:
        if source.passage.superseded_by:
            newer = _WORDS[report.proof.language]["superseded"].format(one_line(source.passage.superseded_by, 200))
            report.notes.append((one_line(source.place, 200), newer))
    known = {source.passage.id: (source.n, source.passage) for source in report.proof.sources}
    for extract in report.proof.extracts:
        report.checked["quotes"] += 1
        n, passage = known.get(extract.evidence_id, (0, None))
        if passage is None or not is_excerpt(extract.text, passage.text):
            report.find("quote", extract.source, "quote_missing", extract.text)
        elif (extract.n, extract.source) != (n, passage.source) or (
            (extract.title, extract.locator) != (passage.title, passage.locator)
        ):
            report.find("document", extract.source, "other_title", passage.title)


def _tell_again(proof: Proof, plan: Plan | None, firm: Mapping[str, Outcome]) -> Collection[str]:
    """Return the sentences and table rows composed by rules from confirmed values, each folded by `fold_words`.

    Text of the answer that is among them needs no further check. Empty if they cannot be composed.

    Args:
        proof: The proof.
        plan: The plan, if there is one.
        firm: Outcomes by task id with values that code has read or calculated again.
    """
    titles = [source.passage.title for source in proof.sources]
    try:
        told = compose_statements(plan, firm, proof.language, titles) if plan is not None else []
    except (LookupError, TypeError, ValueError, AttributeError):  # of a file that no Weiwo wrote
        return frozenset()
    found = set[str]()
    for statement in told:
        texts = [statement.text[start:end] for start, end in list_claim_places(statement.text)]
        texts[:1] = [statement.verdict + text for text in texts[:1]]
        found.update(map(fold_words, [*texts, *statement.table.splitlines()]))
    return found


def _check_answer(report: ProofReport, parts: Sequence[CoveredPart], again: Collection[str]) -> None:
    """Check the text of an answer.

    Claims are checked with their sources. Any other text may only be a quotation or a label.
    """
    proof, given = report.proof, report.proof.claim_sources()
    told = [part.claim for part in parts]
    for claim in proof.claims:
        if claim not in told:
            report.find("answer", claim.text, "claim_not_told")
    for part in parts:
        if part.claim is not None:
            _check_claim(report, part.claim, part, given, again)
        elif part.kind == "uncovered" and fold_words(part.text) not in again:
            report.leave("sentence", part.text, "no_claim")
        else:
            report.checked["quotations" if part.kind == "quotation" else "labels"] += 1
    numbers = {source.n for source in proof.sources} | set(proof.calculations.values())
    cited = {n for claim in proof.claims for n in claim.citations}
    for n in sorted(cited.union(list_cited_numbers(proof.answer)) - numbers):
        report.find("answer", f"[{n}]", "no_source")


def _check_claim(
    report: ProofReport, claim: Claim, part: CoveredPart, given: ClaimSources, again: Collection[str]
) -> None:
    """Check a claim again, and add a finding if the verdict differs.

    A claim is left to a model (`judged`) if a model gave the verdict, or if code found only its names, numbers and
    dates.

    Args:
        report: The report that gets the findings.
        claim: The claim.
        part: The part of the answer with the claim.
        given: The sources.
        again: Statements composed from confirmed values, as returned by `_tell_again`.
    """
    report.checked["claims"] += 1
    now = check_claim(claim.text, claim.citations, given, part.row)[0]
    made = now.verdict not in DOUBTFUL and fold_words(part.row or claim.text) in again
    if claim.verdict in DOUBTFUL:
        mark = fold_words(UNVERIFIED[report.proof.language])
        if not is_code(claim.text) and not fold_words(part.text).endswith(mark):
            report.find("claim", claim.text, "not_marked", claim.verdict)
        report.leave("doubtful", claim.text, "doubtful", claim.verdict, claim.reason or now.reason)
    elif claim.verdict in {"quoted", *_PARTICULARS} and claim.verdict not in {now.verdict, "computed" if made else ""}:
        report.find("claim", claim.text, "verdict_differs", now.verdict, claim.verdict, now.reason)
    elif claim.verdict in _BY_MODEL or (claim.verdict in _PARTICULARS and not made):
        report.judged.append(claim)
    elif (claim.verdict != now.verdict and not made) or claim.verdict == "unchecked":
        report.leave("sentence", claim.text, "by_nobody", claim.verdict)
    marked = set(list_cited_numbers(part.text))
    if marked and marked != set(claim.citations) and not part.row and not is_code(claim.text):
        report.find("claim", claim.text, "citations_differ")


def _check_value(report: ProofReport, plan: Plan | None, task_id: str, outcome: Outcome) -> bool:
    """Check the quotes of a value, and report whether code reads the same value from the passages.

    False also if a person set the value, or if code cannot read it.
    """
    proof = report.proof
    passages = {source.passage.id: source.passage for source in proof.sources}
    quoted = [passages.get(quote.evidence_id) for quote in outcome.quotes]
    for quote, passage in zip(outcome.quotes, quoted, strict=True):
        report.checked["quotes"] += 1
        if passage is None or fold_words(quote.text) not in fold_words(passage.text):
            report.find("value", task_id, "quote_missing", quote.text)
    if outcome.detail.set_by_person:
        report.leave("value", task_id, "by_person")
        return False
    report.checked["values"] += 1
    task = plan.task(task_id) if plan is not None and task_id in plan.ids else None
    if task is not None:
        asked = fill_text(task.description, proof.values, proof.language)
        frame = frame_task(task, proof.language) if asked == task.description else parse_question(asked, proof.language)
        read = extract_value(frame, outcome.type, list({item.id: item for item in quoted if item is not None}.values()))
        if read is not None and _equal(read.value, outcome.value):
            return True
        if read is not None and outcome.decided_by == "rule":
            report.find("value", task_id, "other_value", read.value, outcome.value)
            return False
    stated = outcome.basis == "stated" and outcome.type in {"number", "date"} and not outcome.detail.hops
    if not any(carries(quote.text, outcome.value, outcome.type) for quote in outcome.quotes):
        if stated and outcome.quotes:
            report.find("value", task_id, "value_not_quoted", outcome.value)
        else:
            report.leave("value", task_id, "value_not_read", outcome.value)
    return False


def _check_calculation(report: ProofReport, plan: Plan | None, task_id: str, outcome: Outcome) -> bool:
    """Repeat a calculation, and report whether it has the same result.

    A request to a table is stored in `requests` for a check with the documents, and counts as the same until then.
    """
    proof, tool = report.proof, _CALCULATORS.get(outcome.tool)
    task = plan.task(task_id) if plan is not None and task_id in plan.ids else None
    known = tool is not None or outcome.tool == QUERY_TABLE
    if task is None or task.for_each or task.tool != outcome.tool or not known:
        report.leave("calculation", task_id, "not_calculated", outcome.tool)
        return False
    asked = fold_words(f"{proof.question} {proof.standalone}")
    for operand in _list_operands(task):
        if fold_words(operand) not in asked:
            report.leave("calculation", task_id, "not_asked_for", operand)
    try:
        arguments = fill_args(task, proof.values, proof.language, tool.args_schema.model_json_schema() if tool else {})
        if tool is None:
            report.requests[task_id] = arguments
            return True
        artifact = tool.invoke({"name": tool.name, "args": arguments, "id": "1", "type": "tool_call"}).artifact
    except (ToolCallError, ValueError) as error:
        report.find("calculation", task_id, "cannot_calculate", error)
        return False
    return compare_artifact(report, task_id, outcome, artifact)


def _list_operands(task: Task) -> list[str]:
    """Return the operands that must occur in the question: figures, or the filter values of a request to a table.

    `12 * {{task_1.ret}}` gives ["12"]. References, and the figures 0, 1, 2 and 100 of formulas, are left out.
    """
    if task.tool != QUERY_TABLE:
        written = _REFERENCE.sub(" ", " ".join(map(str, task.args.values())))
        return [figure for figure in _FIGURE.findall(written) if figure not in _CONSTANTS]
    filters: Any = task.args.get("filters") or ()
    wanted = [item.get("value") for item in filters if isinstance(item, dict)]
    return [
        str(value) for item in wanted for value in (item if isinstance(item, list) else [item]) if value is not None
    ]


def compare_artifact(report: ProofReport, task_id: str, outcome: Outcome, artifact: Mapping[str, Any]) -> bool:
    """Compare a repeated calculation with the result in the file, and report whether they agree.

    A finding is added for each difference.
    """
    report.checked["calculations"] += 1
    before = len(report.findings)
    noted, given = outcome.detail.computation or {}, {**artifact, **(artifact.get("detail") or {})}
    for key, value in {"value": outcome.value, **noted}.items():
        same = key not in given or _equal(given[key], value) or [given[key]] == value  # a list of one row
        if not same and key != "source":  # which is named after where it lies
            report.find("calculation", task_id, "other_result", given[key], value)
    return len(report.findings) == before


def _equal(value: JsonValue, other: JsonValue) -> bool:
    if isinstance(value, int | float) and isinstance(other, int | float):
        return math.isclose(value, other, abs_tol=1e-9)
    return value == other


def _check_ledger(report: ProofReport) -> None:
    """Check that status, stop reason and gaps follow from the parts of the question, and that each part cites claims.

    The cited claims must exist and must need sources.
    """
    proof = report.proof
    fault = "not_checked" if find_unchecked(proof.claims) else ""
    fault = fault if all_supported(proof.claims) else "unsupported_claims"
    shown = proof.status == "extracts" or (proof.extracts and proof.lead != "answer")
    stops = () if proof.stop_reason in {"finished", "no_source"} else (proof.stop_reason,)
    ledger = Ledger(
        parts=proof.parts,
        gaps=proof.gaps,
        lead=proof.lead,
        basis="knowledge" if proof.status == "unsourced" else "passages" if shown else "sources",
        stops=(*stops, *([fault] if fault and not shown else [])),
    )
    if ledger.verdict != (proof.status, proof.stop_reason):
        report.find("answer", "status", "status_differs", *ledger.verdict, proof.status, proof.stop_reason)
    searched = tuple(part for part in proof.parts if part.outcome != "not_asked")  # of those another part tells
    told = {gap.text for gap in proof.gaps}
    for gap in list_part_gaps(ledger.model_copy(update={"parts": searched}), proof.language):
        if gap.text not in told:
            report.find("part", gap.text, "gap_missing")
    if any(n >= len(proof.claims) or proof.claims[n].verdict == "uncited" for part in proof.parts for n in part.claims):
        report.find("answer", "parts", "part_not_told")


def _check_parts(report: ProofReport, plan: Plan | None) -> None:
    """Check the parts of the question against the question, the tasks and the claims.

    The parts must be those of the question, tasks must ask for them, and claims must mention them.
    """
    proof = report.proof
    question, tasks = proof.standalone or proof.question, plan.tasks if plan is not None else ()
    asked = {pair: set(content_words(" ".join(pair))) for pair in list_asked_parts(question, proof.language)}
    planned = {pair for task in tasks for pair in list_asked_parts(task.description, proof.language)}
    parts = {(part.subject, part.attribute): part for part in proof.parts}
    said = set(content_words(" ".join([question, *(claim.text for claim in proof.claims)])))
    for name in (" ".join(pair) for pair in parts.keys() - asked.keys() - planned):
        if not said.issuperset(content_words(name)):
            report.leave("part", name, "part_unknown")
    for figure in _FIGURE.findall(question):
        if plan is not None and fold_words(figure) not in fold_words(str(proof.plan)):
            report.leave("part", figure, "part_unknown")
    for pair, words in asked.items():
        part, name = parts.get(pair), " ".join(pair)
        whole = not planned or fold_words(pair[1]) in fold_words(question)  # is asked in words that no rule reads
        if part is None or not (whole or pair in planned):
            report.leave("part", name, "part_unknown")
        elif part.is_answered and len(asked) > 1:
            own = words.difference(*(others for other, others in asked.items() if other != pair))
            told_by = [proof.claims[n].text for n in part.claims if n < len(proof.claims)]
            if own and own.isdisjoint(content_words(" ".join(told_by))):
                report.leave("part", name, "part_not_told")


def _check_notes(report: ProofReport) -> None:
    """List the notices and gaps that are neither Weiwo's standard texts nor follow from the parts of the question.

    They are added to the unchecked items of the report.
    """
    proof, language = report.proof, report.proof.language
    ledger = Ledger(parts=proof.parts, gaps=proof.gaps, lead=proof.lead)
    known = {gap.text for gap in list_part_gaps(ledger, language)} | set(_LEADS[language].values())
    doors = _DOORS[language].values()
    chosen = (list(each) for count in range(len(doors)) for each in combinations(doors, count + 1))
    known |= {_LEADS[language]["doors"].format(join_names(each, language, either=True)) for each in chosen}
    for text in (*proof.notices, *(gap.text for gap in proof.gaps)):
        if text not in known:
            report.leave("sentence", text, "no_claim")


async def check_by_model(report: ProofReport, settings: Settings) -> None:
    """Have a model judge again the claims that code cannot judge.

    Raises:
        MisuseError: No usable model is set.
    """
    models = ChatModels(settings, Budget(settings.limits))
    role = next((item for item in ("verifier", "writer") if models.has_decision_model(item)), "")
    if not role:
        raise MisuseError("--model: no usable model is set; give --model provider:model")
    given, left = report.proof.claim_sources(), []
    for claim in report.judged:
        report.checked["judged"] += 1
        verdict = await judge_statement(models, role, clean_marks(claim.text, ()), claim.citations, given)
        if verdict == "unchecked":
            left.append(claim)
        elif verdict in DOUBTFUL:
            report.find("claim", claim.text, "model_differs", verdict, claim.verdict)
    report.judged = left
