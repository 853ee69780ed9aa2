"""Check an answer with its proof again, without its thread: sentences, quotes, values, calculations, documents.

The check is the writer's own (`prove_claim`), over what the file itself holds; with a folder of documents, passages are
looked for in these, and requests to tables are made again. A file that was made to fit can be consistent: only
documents show more. What a model judged is not judged again unless one is given.
"""

import hashlib
import json
import math
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from pathlib import Path, PurePath
from typing import Any, Final, Literal

from pydantic import ValidationError

from weiwo.app.errors import MisuseError
from weiwo.app.export.answer_coverage import Part, cover_answer
from weiwo.app.export.proof import (
    CALCULATORS,
    FORMAT,
    OLDER_FORMAT,
    Calculation,
    Proof,
    ProvenClaim,
    ProvenSource,
    fill_arguments,
    fold_words,
    hash_text,
    prove_claim,
)
from weiwo.models.budget import Budget
from weiwo.models.gateway import ChatModels
from weiwo.nodes.writer.claims import ClaimSources, check_claim
from weiwo.nodes.writer.entailment import judge_statement
from weiwo.nodes.writer.sources import render_value
from weiwo.state import DOUBTFUL, Evidence, JsonValue, Outcome
from weiwo.state.settings import Settings
from weiwo.text.citation_marks import clean_marks, list_cited_numbers
from weiwo.text.lists import join_names
from weiwo.text.localization import localized_section
from weiwo.tools.built_in import explain_no_tables
from weiwo.tools.calling.call_context import CallContext, set_current_call
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.corpus.base import Corpus
from weiwo.tools.corpus.loading import load_corpus
from weiwo.tools.corpus.source_names import name_source
from weiwo.tools.printable import one_line

_LARGEST: Final = 50_000_000
"""Bytes of a file that is read."""
QUERY_TABLE: Final = "query_table"
_MOST_FILES: Final = 200_000
_MOST_PASSAGES: Final = 20_000
_WORDS: Final = localized_section("proof_check")
_TOLERANCE: Final = 1e-9
_PART: Final = re.compile(r"#L\w+$")
"""The mark of a part of a file in the name of a source."""


UncheckedKind = Literal["model", "sentence", "value", "calculation", "document"]


@dataclass
class ProofReport:
    """What checking a proof came to.

    Attributes:
        proof: The proof.
        findings: What does not hold: its kind (`answer`, `claim`, `quote`, `value`, `calculation`, `document`), its
            place, and why.
        unchecked: What was not checked again: kind, place, and why.
        checked: How many things of each kind were.
        compared: Whether documents were looked into.
        notes: What else a reader should know of the sources: place, and what.
    """

    proof: Proof
    findings: list[tuple[str, str, str]] = field(default_factory=list)
    unchecked: list[tuple[UncheckedKind, str, str]] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)
    compared: bool = False
    notes: list[tuple[str, str]] = field(default_factory=list)

    @property
    def older(self) -> bool:
        """Whether the file is of the form without a hash, of which nothing more than consistency is told."""
        return self.proof.format == OLDER_FORMAT

    @property
    def code(self) -> int:
        """The exit code: 0 where every sentence was checked again and holds, 1 where something does not, else 3."""
        if self.findings:
            return 1
        return 3 if self.unchecked or not self.compared or self.older else 0

    @property
    def closing(self) -> str:
        """What was done, in one line, and no more."""
        language = self.proof.language
        words = _WORDS[language]
        parts = []
        if self.older:
            parts.append(words["older"])
        elif not self.compared:
            parts.append(words["consistent"] if not self.findings else words["not_compared"])
        if self.findings:
            parts.append(words["does_not_hold"].format(len(self.findings)))
        counted = join_names([words[kind].format(count) for kind, count in self.checked.items()], language)
        parts.append(words["again"].format(counted))
        left = Counter(kind for kind, _, _ in self.unchecked)
        if by_model := left.pop("model", 0):
            parts.append(words["left_model"].format(by_model))
        if left:
            named = join_names([words[f"left_{kind}"].format(count) for kind, count in left.items()], language)
            parts.append(words["left"].format(named))
        return words["between"].join(parts)

    def find(self, kind: str, place: str, message: str, *values: object) -> None:
        """Add what does not hold."""
        told = [one_line(str(value), 200) for value in values]
        self.findings.append((kind, one_line(place, 200), _WORDS[self.proof.language][message].format(*told)))

    def leave(self, kind: UncheckedKind, place: str, message: str, *values: object) -> None:
        """Add what is not checked again."""
        told = [one_line(str(value), 200) for value in values]
        self.unchecked.append((kind, one_line(place, 200), _WORDS[self.proof.language][message].format(*told)))

    def count(self, kind: str) -> None:
        """Count what is checked."""
        self.checked[kind] = self.checked.get(kind, 0) + 1

    def to_json(self) -> dict[str, Any]:
        """The report as one object."""
        return {
            "question": self.proof.question,
            "holds": self.code == 0,
            "closing": self.closing,
            "compared": self.compared,
            "findings": [{"kind": kind, "place": place, "text": text} for kind, place, text in self.findings],
            "not_checked": [{"kind": kind, "place": place, "why": why} for kind, place, why in self.unchecked],
            "checked": self.checked,
            "notes": [{"place": place, "text": text} for place, text in self.notes],
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
    if not isinstance(data, dict) or data.get("format") not in {FORMAT, OLDER_FORMAT}:
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
    if not report.older and proof.hash != proof.content_hash():
        report.find("answer", "hash", "hash_differs")
    _check_sources(report)
    parts = cover_answer(proof)
    _check_answer(report, parts)
    given = proof.claim_sources()
    for claim in proof.claims:
        _check_claim(report, claim, given, parts)
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
        if source.passage.superseded_by:
            said = _WORDS[report.proof.language]["superseded"].format(one_line(source.passage.superseded_by, 200))
            report.notes.append((one_line(place, 200), said))
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


def _check_answer(report: ProofReport, parts: Sequence[Part]) -> None:
    """The text says its claims, cites what they cite, and what else it says is a quotation, a label or not checked."""
    proof = report.proof
    told = {fold_words(part.claim.text) for part in parts if part.claim is not None}
    for claim in proof.claims:
        if fold_words(claim.text) not in told:
            report.find("answer", claim.text, "claim_not_told")
    unjudged = {fold_words(one.text) for one in proof.never_judged}
    for part in parts:
        if part.kind == "quotation":
            report.count("quotations")
        elif part.kind == "label":
            report.count("labels")
        elif part.kind == "uncovered":
            known = any(one in fold_words(part.text) or fold_words(part.text) in one for one in unjudged if one)
            if report.older and not known:
                report.find("answer", part.text, "sentence_added")
            else:
                report.leave("sentence", part.text, "no_claim")
    numbers = {one.n for one in proof.sources} | {one.n for one in proof.calculations}
    cited = {n for claim in proof.claims for n in claim.citations}
    for n in sorted(cited.union(list_cited_numbers(proof.answer)) - numbers):
        report.find("answer", f"[{n}]", "no_source")


def _check_claim(report: ProofReport, claim: ProvenClaim, given: ClaimSources, parts: Sequence[Part]) -> None:
    """A claim gets from code what is written of it, and what code gave still holds."""
    report.count("claims")
    now = prove_claim(claim.to_claim(), given, claim.row)
    if now.code != claim.code or now.code_reason != claim.code_reason:
        report.find("claim", claim.text, "verdict_differs", now.code, claim.code, now.code_reason or claim.code_reason)
    elif now.judged_by == "code" and now.code != claim.verdict and {now.code, claim.verdict} - DOUBTFUL:
        report.find("claim", claim.text, "verdict_differs", now.code, claim.verdict, now.code_reason)
    elif now.judged_by != claim.judged_by:
        report.find("claim", claim.text, "judge_differs", claim.judged_by, claim.verdict)
    elif not math.isclose(now.share, claim.share, abs_tol=1e-3):
        report.find("claim", claim.text, "share_differs", round(100 * now.share), round(100 * claim.share))
    elif claim.verdict in DOUBTFUL:
        report.find("claim", claim.text, "doubtful", claim.verdict, claim.reason or claim.code_reason)
    elif claim.judged_by == "model":
        report.leave("model", claim.text, "by_model", claim.verdict)
    elif claim.judged_by == "nobody":
        report.leave("sentence", claim.text, "by_nobody", claim.verdict)
    marked = _marks_of(claim, parts)
    if marked is not None and marked != set(claim.citations):
        report.find("claim", claim.text, "citations_differ")


def _marks_of(claim: ProvenClaim, parts: Sequence[Part]) -> set[int] | None:
    """The numbers that stand at a claim in the text; None where it is told several times, or code, or a cell."""
    places = [one for one in parts if one.claim is not None and one.claim.text == claim.text]
    if len(places) != 1 or claim.row or claim.text.lstrip().startswith(("```", "~~~")):
        return None
    return set(list_cited_numbers(places[0].text)) or None


def _check_value(report: ProofReport, task_id: str, outcome: Outcome) -> None:
    """The quotes of a value stand in their passages, and the value in its quotes, as the code reads it."""
    proof = report.proof
    passages = {one.passage.id: one.passage for one in proof.sources}
    for quote in outcome.quotes:
        passage = passages.get(quote.evidence_id)
        if passage is None or fold_words(quote.text) not in fold_words(passage.text):
            report.find("value", task_id, "quote_missing", quote.text)
    if outcome.value is None or outcome.computed or outcome.type == "passages":
        return
    if outcome.detail.set_by_person:
        report.leave("value", task_id, "by_person")
        return
    if not outcome.quotes:
        if outcome.evidence_ids:
            report.leave("value", task_id, "no_quote")
        return
    report.count("values")
    said = " ".join(quote.text for quote in outcome.quotes)
    told = render_value(outcome, proof.language)
    if fold_words(told) in fold_words(said) or fold_words(str(outcome.value)) in fold_words(said):
        return
    quoted = next(iter(passages.values())).model_copy(update={"text": said})
    given = ClaimSources({1: (quoted,)}, {}, proof.language, "")
    verdict = check_claim(f"{told}.", (1,), given, "")[0].verdict
    if verdict in DOUBTFUL:
        report.find("value", task_id, "value_not_quoted", told)
    elif verdict not in {"quoted", "matched", "computed"}:
        report.leave("value", task_id, "value_not_read", told)


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
    if calculation.tool == QUERY_TABLE:
        return  # which only documents can answer
    if tool is None or not calculation.arguments:
        report.leave("calculation", name, "not_calculated", calculation.tool)
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
    _compare_artifact(report, calculation, outcome, artifact)


def _compare_artifact(
    report: ProofReport, calculation: Calculation, outcome: Outcome, artifact: Mapping[str, Any]
) -> None:
    """What a calculation gives now is what the file says that it gave."""
    if not _equal(artifact["value"], calculation.value):
        report.find("calculation", calculation.task_id, "other_result", artifact["value"], calculation.value)
        return
    noted, given = outcome.detail.computation or {}, {**artifact, **(artifact.get("detail") or {})}
    for key in noted.keys() & given.keys():
        if not _equal(given[key], noted[key]) and key != "source":  # which is named after where it lies
            report.find("calculation", calculation.task_id, "other_result", given[key], noted[key])
    told = render_value(outcome, report.proof.language)
    if told and calculation.told and not calculation.told.endswith(told):
        report.find("calculation", calculation.task_id, "other_result", told, calculation.told)


def _equal(one: JsonValue, other: JsonValue) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return one == other


async def check_documents(report: ProofReport, folder: Path) -> None:
    """Look for the documents of an answer in a folder: whether they have changed, and hold its passages at their place.

    Requests to tables are made again over them.
    """
    report.compared = True
    files = _list_files(folder)
    found: dict[Path, list[ProvenSource]] = {}
    for source in report.proof.sources:
        name = source.passage.source
        if "://" in name or name.startswith("task:"):
            report.leave("document", name, "not_a_document")
        elif (file := _locate(name, files) or _locate(name.rpartition("#")[0], files)) is not None:
            found.setdefault(file, []).append(source)
        else:
            report.leave("document", name, "document_missing", folder)
    with tempfile.TemporaryDirectory(prefix="weiwo-check-") as home:
        settings = replace(Settings.resolve(), home=home, embeddings=None, telemetry=False, corpus_by_name=False)
        corpus = await load_corpus(map(str, found), settings=settings, tell=lambda _: None) if found else None
        rows = await _ask_tables(report, corpus)
        said = await _read_passages(corpus, list(found)) if corpus is not None else {}
    for file, cited in found.items():
        report.count("documents")
        known = next((one.passage.document for one in cited if one.passage.source.endswith(file.name)), "")
        if known and known != _hash_file(file):
            report.find("document", cited[0].passage.source, "document_changed")
        for source in cited:
            _check_passage(report, source, said[file], rows)


def _check_passage(
    report: ProofReport, source: ProvenSource, passages: Sequence[Evidence], rows: Mapping[str, set[str]] | None
) -> None:
    """A passage stands in its document, whole and at its place; a row of a table comes of its request made again."""
    passage = source.passage
    if passage.tool == "query_table":
        if rows is None:
            report.leave("document", _place_of(source), "no_duckdb")
        elif passage.locator not in rows.get(passage.text, ()):
            report.find("quote", _place_of(source), "not_in_document", passage.text)
        return
    report.count("passages")
    same = [one for one in passages if one.text == passage.text]
    if same:
        if passage.locator and passage.locator not in {one.locator for one in same}:
            report.find("quote", _place_of(source), "other_place", same[0].locator)
        if passage.title not in {one.title for one in same}:
            report.find("document", _place_of(source), "other_title", same[0].title)
        return
    whole = "".join(fold_words(one.text) for one in passages)
    if fold_words(passage.text) not in whole:
        lines = [line for line in passage.text.splitlines() if fold_words(line) not in whole]
        report.find("quote", _place_of(source), "not_in_document", lines[0] if lines else passage.text)


async def _ask_tables(report: ProofReport, corpus: Corpus | None) -> dict[str, set[str]] | None:
    """Make the requests to tables again.

    Returns:
        The places of the rows that they gave, by the text of the row; None where no table can be asked here.
    """
    asked = [one for one in report.proof.calculations if one.tool == QUERY_TABLE]
    if corpus is None or not asked:
        return {}
    if why_not := explain_no_tables():
        for calculation in asked:
            report.leave("calculation", calculation.task_id, "not_asked", why_not)
        return None
    from weiwo.tools.tables.query_table import QueryTable  # noqa: PLC0415 - heavy

    tool, rows = QueryTable(corpus=corpus), dict[str, set[str]]()
    for calculation in asked:
        outcome = report.proof.values.get(calculation.task_id)
        if outcome is None or not calculation.arguments:
            report.leave("calculation", calculation.task_id, "not_calculated", calculation.tool)
            continue
        set_current_call(CallContext("check", task=calculation.task_id, tool=QUERY_TABLE))
        call = {"name": QUERY_TABLE, "args": calculation.arguments, "id": "1", "type": "tool_call"}
        try:
            artifact = (await tool.ainvoke(call)).artifact
        except (ToolCallError, ValueError) as error:
            report.find("calculation", calculation.task_id, "cannot_calculate", error)
            continue
        report.count("calculations")
        for one in artifact["passages"]:
            rows.setdefault(str(one["text"]), set()).add(str(one.get("locator", "")))
        _compare_artifact(report, calculation, outcome, artifact)
    return rows


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


async def _read_passages(corpus: Corpus, files: Sequence[Path]) -> dict[Path, list[Evidence]]:
    """All passages of each file; none of one that cannot be read."""
    said: dict[str, list[Evidence]] = {}
    for name in corpus.documents:
        file = name_source(Path(_PART.sub("", name)))
        said.setdefault(file, []).extend(await corpus.open(name, "", _MOST_PASSAGES))
    return {file: said.get(name_source(file), []) for file in files}


async def check_by_model(report: ProofReport, settings: Settings) -> None:
    """Have a model judge anew what a model judged."""
    models = ChatModels(settings, Budget(settings.limits))
    role = next((one for one in ("verifier", "writer") if models.configured(one)), "")
    if not role:
        raise MisuseError("--model; no model is configured; name one as provider:model")
    given, left = report.proof.claim_sources(), []
    by_model = {one_line(one.text, 200): one for one in report.proof.claims if one.judged_by == "model"}
    for kind, place, why in report.unchecked:
        if kind != "model" or (claim := by_model.get(place)) is None:
            left.append((kind, place, why))
            continue
        report.count("judged")
        verdict = await judge_statement(models, role, clean_marks(claim.text, ()), claim.citations, given)
        if verdict == "unchecked":
            left.append((kind, place, why))
        elif (verdict in DOUBTFUL) != (claim.verdict in DOUBTFUL):
            report.find("claim", claim.text, "model_differs", verdict, claim.verdict)
    report.unchecked = left
