"""Check an answer with its proof again, without its thread: quotes, values, calculations, verdicts, documents.

The check is the writer's own (`prove_claim`), over what the file itself holds; with a folder of documents, quotes are
looked for in these, too. What a model judged is not judged again unless one is given.
"""

import hashlib
import json
import math
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from pathlib import Path, PurePath
from typing import Any, Final

from pydantic import ValidationError

from weiwo.app.errors import MisuseError
from weiwo.app.export.proof import (
    CALCULATORS,
    FORMAT,
    Calculation,
    Proof,
    ProvenClaim,
    ProvenSource,
    fill_arguments,
    find_sentences,
    fold_words,
    hash_text,
    is_told,
    prove_claim,
)
from weiwo.models.budget import Budget
from weiwo.models.gateway import ChatModels
from weiwo.nodes.writer.entailment import judge_statement
from weiwo.nodes.writer.sources import render_value
from weiwo.state import DOUBTFUL, JsonValue, Outcome
from weiwo.state.settings import Settings
from weiwo.text.citation_marks import clean_marks, list_cited_numbers
from weiwo.text.localization import localized_section
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.corpus.loading import load_corpus
from weiwo.tools.corpus.source_names import name_source
from weiwo.tools.printable import one_line

_LARGEST: Final = 50_000_000
"""Bytes of a file that is read."""
_MOST_FILES: Final = 200_000
_MOST_PASSAGES: Final = 20_000
_WORDS: Final = localized_section("proof_check")
_TOLERANCE: Final = 1e-9
_PART: Final = re.compile(r"#L\w+$")
"""The mark of a part of a file in the name of a source."""


@dataclass
class ProofReport:
    """What checking a proof came to.

    Attributes:
        proof: The proof.
        findings: What does not hold: its kind (`answer`, `claim`, `quote`, `value`, `calculation`, `document`), its
            place, and why.
        unchecked: What was not checked again: place, and why.
        checked: How many things of each kind were.
    """

    proof: Proof
    findings: list[tuple[str, str, str]] = field(default_factory=list)
    unchecked: list[tuple[str, str]] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)

    def find(self, kind: str, place: str, message: str, *values: object) -> None:
        """Add what does not hold."""
        told = [one_line(str(value), 200) for value in values]
        self.findings.append((kind, one_line(place, 200), _WORDS[self.proof.language][message].format(*told)))

    def leave(self, place: str, message: str, *values: object) -> None:
        """Add what is not checked again."""
        told = [one_line(str(value), 200) for value in values]
        self.unchecked.append((one_line(place, 200), _WORDS[self.proof.language][message].format(*told)))

    def count(self, kind: str) -> None:
        """Count what is checked."""
        self.checked[kind] = self.checked.get(kind, 0) + 1

    def to_json(self) -> dict[str, Any]:
        """The report as one object."""
        return {
            "question": self.proof.question,
            "holds": not self.findings,
            "findings": [{"kind": kind, "place": place, "text": text} for kind, place, text in self.findings],
            "not_checked": [{"place": place, "why": why} for place, why in self.unchecked],
            "checked": self.checked,
        }


def read_proof(path: Path) -> Proof:
    """Read a file of an answer with its proof.

    Raises:
        MisuseError: It is none.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise MisuseError(f"{str(path)!r}; it is over {_LARGEST:,} bytes; no answer is")
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise MisuseError(f"{str(path)!r}; it cannot be read ({error.strerror or error}); name another") from None
    except (ValueError, RecursionError):
        raise MisuseError(
            f"{str(path)!r}; it is no JSON; weiwo ask -o answer.weiwo writes what can be checked"
        ) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise MisuseError(f"{str(path)!r}; it is no answer of the form {FORMAT}; write it by weiwo ask -o answer.weiwo")
    try:
        return Proof.model_validate(data)
    except (ValidationError, RecursionError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else {"loc": ("the file",), "msg": "too deep"}
        where = ".".join(map(str, first["loc"]))
        raise MisuseError(f"{str(path)!r}; {where}: {first['msg']}; it is damaged, or of another version") from None


def check_proof(proof: Proof) -> ProofReport:
    """Check all that code can check with the file alone. CPU-bound."""
    report = ProofReport(proof)
    _check_sources(report)
    _check_answer(report)
    for claim in proof.claims:
        _check_claim(report, claim)
    for task_id, outcome in proof.values.items():
        _check_value(report, task_id, outcome)
    for calculation in proof.calculations:
        _check_calculation(report, calculation)
    return report


def _check_sources(report: ProofReport) -> None:
    """Each passage is what its hash says, and holds the words that are quoted of it."""
    for source in report.proof.sources:
        place = _place_of(source)
        if hash_text(source.passage.text) != source.sha256:
            report.find("quote", place, "passage_changed")
        text = fold_words(source.passage.text)
        for quote in source.quotes:
            report.count("quotes")
            if fold_words(quote) not in text:
                report.find("quote", place, "quote_missing", quote)
    texts = {one.passage.id: fold_words(one.passage.text) for one in report.proof.sources}
    for extract in report.proof.extracts:
        report.count("quotes")
        known = texts.get(extract.evidence_id, "")
        if any(fold_words(part) not in known for part in extract.text.split("…")):
            report.find("quote", extract.source, "quote_missing", extract.text)


def _place_of(source: ProvenSource) -> str:
    mark = f"[{source.n}] " if source.n else ""
    return f"{mark}{source.passage.source} {source.passage.locator}".strip()


def _check_answer(report: ProofReport) -> None:
    """The text says its claims, cites what they cite, and says nothing beside them that is not told to be unjudged."""
    proof = report.proof
    known = {fold_words(claim.text): claim for claim in proof.claims}
    unjudged = {fold_words(one.text) for one in proof.never_judged}
    whole = fold_words(proof.answer)
    for claim in proof.claims:
        if fold_words(claim.text) not in whole:
            report.find("answer", claim.text, "claim_not_told")
    for sentence in find_sentences(proof):
        text = sentence.claim.text
        if not is_told(text, known.keys() | unjudged, proof.language):
            report.find("answer", text, "sentence_added")
    numbers = {one.n for one in proof.sources} | {one.n for one in proof.calculations}
    cited = {n for claim in proof.claims for n in claim.citations}
    for n in sorted(cited.union(list_cited_numbers(proof.answer)) - numbers):
        report.find("answer", f"[{n}]", "no_source")


def _check_claim(report: ProofReport, claim: ProvenClaim) -> None:
    """A claim gets from code what is written of it, and what code gave still holds."""
    report.count("claims")
    now = prove_claim(claim.to_claim(), report.proof.claim_sources(), claim.row)
    if now.code != claim.code or now.code_reason != claim.code_reason:
        report.find("claim", claim.text, "verdict_differs", now.code, claim.code, now.code_reason or claim.code_reason)
    elif now.judged_by == "code" and now.code != claim.verdict and {now.code, claim.verdict} - DOUBTFUL:
        report.find("claim", claim.text, "verdict_differs", now.code, claim.verdict, now.code_reason)
    elif now.judged_by != claim.judged_by:
        report.find("claim", claim.text, "judge_differs", claim.judged_by, claim.verdict)
    elif not math.isclose(now.share, claim.share, abs_tol=1e-3):
        report.find("claim", claim.text, "share_differs", round(100 * now.share), round(100 * claim.share))
    elif claim.judged_by == "model":
        report.leave(claim.text, "by_model", claim.verdict)
    elif claim.judged_by == "nobody":
        report.leave(claim.text, "by_nobody", claim.verdict)
    marked = _marks_of(report.proof, claim)
    if marked is not None and marked != set(claim.citations):
        report.find("claim", claim.text, "citations_differ")


def _marks_of(proof: Proof, claim: ProvenClaim) -> set[int] | None:
    """The numbers that stand at a claim in the text; None where it is told several times, or code."""
    places = [one for one in find_sentences(proof) if is_told(one.claim.text, {fold_words(claim.text)}, proof.language)]
    if len(places) != 1 or claim.text.lstrip().startswith(("```", "~~~")):
        return None
    return set(list_cited_numbers(proof.answer[places[0].start : places[0].end])) or set(places[0].claim.citations)


def _check_value(report: ProofReport, task_id: str, outcome: Outcome) -> None:
    """The quotes of a value stand in their passages, and carry it as far as code can tell."""
    passages = {one.passage.id: one.passage for one in report.proof.sources}
    for quote in outcome.quotes:
        report.count("values")
        passage = passages.get(quote.evidence_id)
        if passage is None or fold_words(quote.text) not in fold_words(passage.text):
            report.find("value", task_id, "quote_missing", quote.text)


def _check_calculation(report: ProofReport, calculation: Calculation) -> None:
    """A calculation done again gives its value, from the values that its task builds on."""
    proof, name = report.proof, calculation.task_id
    outcome, tool = proof.values.get(name), CALCULATORS.get(calculation.tool)
    if outcome is None or outcome.value != calculation.value:
        report.find("calculation", name, "other_value", calculation.value, outcome and outcome.value)
        return
    for task_id, value in calculation.inputs.items():
        if task_id not in proof.values or proof.values[task_id].value != value:
            report.find("calculation", name, "other_input", task_id, value)
    filled = fill_arguments(proof.plan, name, proof.values, proof.language)
    if filled != calculation.arguments:
        report.find("calculation", name, "other_arguments", json.dumps(calculation.arguments, ensure_ascii=False))
    if tool is None or not calculation.arguments:
        report.leave(name, "not_calculated", calculation.tool)
        return
    report.count("calculations")
    _compare_calculation(report, calculation, outcome)


def _compare_calculation(report: ProofReport, calculation: Calculation, outcome: Outcome) -> None:
    call = {"name": calculation.tool, "args": calculation.arguments, "id": "1", "type": "tool_call"}
    try:
        artifact = CALCULATORS[calculation.tool].invoke(call).artifact
    except (ToolCallError, ValueError) as error:
        report.find("calculation", calculation.task_id, "cannot_calculate", error)
        return
    if not _equal(artifact["value"], calculation.value):
        report.find("calculation", calculation.task_id, "other_result", artifact["value"], calculation.value)
        return
    noted = outcome.detail.computation or {}
    for key in noted.keys() & artifact.keys():
        if not _equal(artifact[key], noted[key]):
            report.find("calculation", calculation.task_id, "other_result", artifact[key], noted[key])
    told = render_value(outcome, report.proof.language)
    if told and calculation.told and not calculation.told.endswith(told):
        report.find("calculation", calculation.task_id, "other_result", told, calculation.told)


def _equal(one: JsonValue, other: JsonValue) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return one == other


async def check_documents(report: ProofReport, folder: Path) -> None:
    """Look for the documents of an answer in a folder: whether they have changed, and say what is quoted of them."""
    files = _list_files(folder)
    found: dict[Path, list[ProvenSource]] = {}
    for source in report.proof.sources:
        name = source.passage.source
        if "://" in name or name.startswith("task:"):
            report.leave(name, "not_a_document")
        elif (file := _locate(name, files) or _locate(name.rpartition("#")[0], files)) is not None:
            found.setdefault(file, []).append(source)
        else:
            report.leave(name, "document_missing", folder)
    words = await _read_words(list(found)) if found else {}
    for file, cited in found.items():
        report.count("documents")
        known = next((one.passage.document for one in cited if one.passage.source.endswith(file.name)), "")
        if known and known != _hash_file(file):
            report.find("document", cited[0].passage.source, "document_changed")
        for source in cited:
            for text in source.quotes or source.passage.text.splitlines():
                if fold_words(text) not in words[file]:
                    report.find("quote", _place_of(source), "not_in_document", text)


def _list_files(folder: Path) -> dict[str, list[Path]]:
    """The files of a folder by their names."""
    found: dict[str, list[Path]] = {}
    for file in islice((one for one in folder.rglob("*") if one.is_file()), _MOST_FILES):
        found.setdefault(file.name, []).append(file)
    return found


def _locate(source: str, files: Mapping[str, Sequence[Path]]) -> Path | None:
    """The file that shares most of the end of its path with a source."""
    parts = PurePath(source).parts[::-1]

    def count_shared(file: Path) -> int:
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(parts, file.parts[::-1], strict=False)))

    return max(files.get(parts[0], ()), key=count_shared, default=None) if parts else None


def _hash_file(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


async def _read_words(files: Sequence[Path]) -> dict[Path, str]:
    """All that each file says, by its letters and digits; nothing of one that cannot be read."""
    with tempfile.TemporaryDirectory(prefix="weiwo-check-") as home:
        settings = replace(Settings.resolve(), home=home, embeddings=None, telemetry=False, corpus_by_name=False)
        corpus = await load_corpus(map(str, files), settings=settings, tell=lambda _: None)
        said: dict[str, str] = {}
        for name in corpus.documents:
            passages = await corpus.open(name, "", _MOST_PASSAGES)
            file = name_source(Path(_PART.sub("", name)))
            said[file] = said.get(file, "") + "".join(fold_words(one.text) for one in passages)
        return {file: said.get(name_source(file), "") for file in files}


async def check_by_model(report: ProofReport, settings: Settings) -> None:
    """Have a model judge anew what a model judged."""
    models = ChatModels(settings, Budget(settings.limits))
    role = next((one for one in ("verifier", "writer") if models.configured(one)), "")
    if not role:
        raise MisuseError("--model; no model is configured; name one as provider:model")
    given, left = report.proof.claim_sources(), []
    by_model = {one_line(one.text, 200): one for one in report.proof.claims if one.judged_by == "model"}
    for place, why in report.unchecked:
        if (claim := by_model.get(place)) is None:
            left.append((place, why))
            continue
        report.count("judged")
        verdict = await judge_statement(models, role, clean_marks(claim.text, ()), claim.citations, given)
        if verdict == "unchecked":
            left.append((place, why))
        elif (verdict in DOUBTFUL) != (claim.verdict in DOUBTFUL):
            report.find("claim", claim.text, "model_differs", verdict, claim.verdict)
    report.unchecked = left
