"""An answer with its proof as one JSON object: all that checking it again takes, without its thread.

`render_proof` gives the file `answer.weiwo`. Its schema is `Proof.model_json_schema()`; docs/export.md tells it in
words. The check is the writer's own (`check_claim`); what code says of a claim is kept beside the verdict in force.
"""

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from pydantic import Field, ValidationError

from weiwo.app.export.report import Report
from weiwo.nodes.shared.planning.references import fill_args
from weiwo.nodes.writer.claims import CheckedClaim, ClaimSources, check_claim, check_piece, share_of_words
from weiwo.nodes.writer.document import is_code
from weiwo.nodes.writer.sources import PASSAGE_HEAD, render_value
from weiwo.state import DOUBTFUL, Citation, Claim, Evidence, Extract, JsonValue, Language, Outcome, Plan, Verdict
from weiwo.state.answer import Gap
from weiwo.state.kinds import recorded_language
from weiwo.state.values import Value
from weiwo.text.citation_marks import blank_marks
from weiwo.text.localization import localized, localized_section
from weiwo.tools.compute.calculator import Calculator
from weiwo.tools.compute.date_difference import DateDifference

FORMAT: Final = "weiwo.answer/2"
OLDER_FORMAT: Final = "weiwo.answer/1"
"""Of files without a hash over all that they tell."""
BETWEEN: Final = " … "
"""Stands between the quotations of one source."""
_BY_CODE: Final = frozenset({"quoted", "computed", "matched"})
_UNVERIFIED: Final = localized("writer.rendering", "unverified")
_WORDS: Final = localized_section("export.proof")
_NOT_WORDS: Final = re.compile(r"(?:(?!(?<=\d)[.,](?=\d)|(?<!\w)[-−](?=\d)|[%‰])\W)+")
CALCULATORS: Final = {tool.name: tool for tool in (Calculator(), DateDifference())}
"""The tools whose calculations can be done again anywhere."""


class ProvenSource(Value):
    """A passage that the answer rests on, and the words of it that carry something.

    Attributes:
        n: Its number in the text; 0 of one that only a value or a calculation rests on.
        quotes: The words; none where the passage speaks as a whole.
        sha256: Of the passage's text, the neighbourhood in which the words stand.
        passage: The passage, with its document, place, date, and the hash of the document.
    """

    n: int = Field(ge=0)
    quotes: tuple[str, ...] = ()
    sha256: str
    passage: Evidence


class ProvenClaim(Claim):
    """A claim, who judged it, and what code says of it.

    Attributes:
        judged_by: Who gave its verdict: code, a model, or nobody.
        code: The verdict of code.
        code_reason: The particulars that failed there.
        share: The share of its words that the passages it cites have.
        row: Of a cell, the row it stands in.
    """

    judged_by: Literal["code", "model", "nobody"]
    code: Verdict
    code_reason: str = ""
    share: float
    row: str = ""

    def to_claim(self) -> Claim:
        """The claim as it is told."""
        return Claim.model_validate({name: getattr(self, name) for name in Claim.model_fields})


class Calculation(Value):
    """A value that a tool worked out.

    Attributes:
        n: Its number in the text; 0 of one that is not cited.
        task_id: Its task.
        tool: The tool.
        arguments: What the tool was called with.
        inputs: The values filled into them, by task.
        value: What it gave.
        told: The calculation in one line, as the answer cites it.
    """

    n: int = Field(0, ge=0)
    task_id: str
    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    inputs: dict[str, JsonValue] = Field(default_factory=dict)
    value: JsonValue = None
    told: str = ""


class Unjudged(Value):
    """Something the answer says that nobody judged, and why."""

    text: str
    why: str


class Proof(Value):
    """An answer with its proof.

    Attributes:
        format: The version of this form.
        question: The question, as asked.
        standalone: The question as it stands alone, where that differs.
        language: The language of the answer.
        status: `complete`, `extracts`, `partial` or `failed`.
        stop_reason: Why it is not complete, or "finished".
        answer: The answer as Markdown with citation marks.
        plan: The plan in its interchange form.
        claims: Its claims.
        sources: The passages it rests on.
        values: What each task came to, with the quotes that carry it.
        calculations: What was worked out.
        extracts: Passages it shows as they are.
        gaps: What it leaves open.
        never_judged: What it says that nobody judged.
        hash: SHA-256 over all of this but itself, in canonical form.
    """

    format: Literal["weiwo.answer/1", "weiwo.answer/2"] = FORMAT
    question: str
    standalone: str = ""
    language: Language = "en"
    status: str
    stop_reason: str = ""
    answer: str
    plan: dict[str, JsonValue] | None = None
    claims: tuple[ProvenClaim, ...] = ()
    sources: tuple[ProvenSource, ...] = ()
    values: dict[str, Outcome] = Field(default_factory=dict)
    calculations: tuple[Calculation, ...] = ()
    extracts: tuple[Extract, ...] = ()
    gaps: tuple[Gap, ...] = ()
    never_judged: tuple[Unjudged, ...] = ()
    hash: str = ""

    def content_hash(self) -> str:
        """SHA-256 over all that is told: JSON with sorted keys and no spaces, without the hash itself."""
        whole = self.model_dump(mode="json", exclude={"hash"})
        return hash_text(json.dumps(whole, sort_keys=True, ensure_ascii=False, separators=(",", ":")))

    def claim_sources(self) -> ClaimSources:
        """What its claims are checked against: passages by number, those that are not cited below 0."""
        passages = {one.n or -at: (one.passage,) for at, one in enumerate(self.sources, 1)}
        computed = {
            one.n: self.values[one.task_id] for one in self.calculations if one.n and one.task_id in self.values
        }
        return ClaimSources(passages, computed, self.language, self.standalone or self.question)


def render_proof(report: Report) -> bytes:
    """Render a result with its proof."""
    return (build_proof(report.result).model_dump_json(indent=1) + "\n").encode("utf-8", "backslashreplace")


def build_proof(result: Mapping[str, Any]) -> Proof:
    """Put together the proof of a result, as `app/result.schema.json` says."""
    language = recorded_language(result.get("language"))
    values = dict(_read_values(result.get("outcomes") or {}))
    citations = [_read_citation(one) for one in result.get("citations") or ()]
    sources = tuple(_read_sources(result.get("evidence") or (), citations, values))
    proof = Proof(
        question=str(result.get("question") or ""),
        standalone=str(result.get("standalone") or ""),
        language=language,
        status=str(result.get("status") or ""),
        stop_reason=str(result.get("stop_reason") or ""),
        answer=str(result.get("answer") or ""),
        plan=result.get("plan"),
        sources=sources,
        values=values,
        calculations=tuple(_read_calculations(result.get("plan"), values, citations, language)),
        extracts=tuple(Extract.model_validate(one) for one in result.get("extracts") or ()),
        gaps=tuple(Gap.model_validate(one) for one in result.get("gaps") or ()),
    )
    rows = _rows_of_claims(result)
    claims = [Claim.model_validate(one) for one in result.get("claims") or ()]
    given = proof.claim_sources()
    proven = tuple(prove_claim(claim, given, rows.get(at, "")) for at, claim in enumerate(claims))
    proof = proof.model_copy(update={"claims": proven})
    proof = proof.model_copy(update={"never_judged": tuple(_list_unjudged(proof))})
    proof = Proof.model_validate(proof.model_dump(mode="json"))  # as it is read back, so that the hash is the same
    return proof.model_copy(update={"hash": proof.content_hash()})


def prove_claim(claim: Claim, given: ClaimSources, row: str = "") -> ProvenClaim:
    """A claim with what code says of it, and who gave its verdict."""
    found, _ = check_claim(claim.text, claim.citations, given, row)
    own = found.verdict == claim.verdict or (found.verdict in DOUBTFUL and claim.verdict in DOUBTFUL)
    by_code = claim.verdict in _BY_CODE or (own and claim.verdict in {*DOUBTFUL, "uncited"})
    nobody = claim.verdict in {"unchecked", "uncited"}
    return ProvenClaim(
        **claim.model_dump(),
        judged_by="code" if by_code else "nobody" if nobody else "model",
        code=found.verdict,
        code_reason=found.reason,
        share=round(share_of_words(claim.text, claim.citations, given), 4),
        row=row,
    )


def _list_unjudged(proof: Proof) -> Iterator[Unjudged]:
    """What an answer says that nobody judged: claims, and sentences that are none."""
    words = _WORDS[proof.language]
    for claim in proof.claims:
        if claim.judged_by == "nobody":
            yield Unjudged(text=claim.text, why=claim.reason or words["needs_no_source"])
    known = {fold_words(claim.text) for claim in proof.claims}
    for one in find_sentences(proof):
        if not is_told(one.claim.text, known, proof.language):
            yield Unjudged(text=one.claim.text, why=words["no_claim"])


def find_sentences(proof: Proof) -> list[CheckedClaim]:
    """The sentences, items and cells of the answer as it stands, its marks read anew."""
    return check_piece(proof.answer, proof.claim_sources())


def fold_words(text: str) -> str:
    """A sentence by its words and figures: letters, digits, and what makes another figure of these."""
    return _NOT_WORDS.sub("", blank_marks(text)[0]).casefold()


def is_told(text: str, known: Collection[str], language: Language) -> bool:
    """Whether a sentence is among those known, the mark of a doubtful one aside."""
    folded = fold_words(text)
    return folded in known or folded.removesuffix(fold_words(_UNVERIFIED[language])) in known


def _read_citation(data: Mapping[str, Any]) -> Citation:
    return Citation.model_validate({name: one for name, one in data.items() if name in Citation.model_fields})


def _read_values(outcomes: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Outcome]]:
    """The outcomes of a result, without those that another version wrote in another form."""
    for task_id, data in outcomes.items():
        try:
            yield task_id, Outcome.model_validate({**data, "task_id": task_id})
        except ValidationError:
            continue


def _read_sources(
    evidence: Sequence[Mapping[str, Any]], citations: Sequence[Citation], values: Mapping[str, Outcome]
) -> Iterator[ProvenSource]:
    """The passages that are cited, then those that values and calculations rest on."""
    passages = {}
    for data in evidence:
        passages[str(data.get("id"))] = Evidence.model_validate(
            {name: one for name, one in data.items() if name in Evidence.model_fields}
        )
    cited = {one.evidence_id: one for one in citations}
    quoted: dict[str, list[str]] = {}
    for outcome in values.values():
        for key in outcome.evidence_ids:
            quoted.setdefault(key, [])
        for quote in outcome.quotes:
            quoted.setdefault(quote.evidence_id, []).append(quote.text)
    for key in dict.fromkeys((*cited, *quoted)):
        if (passage := passages.get(key)) is None:
            continue
        whole = key in cited and cited[key].quote == passage.text[:PASSAGE_HEAD]
        shown = cited[key].quote.split(BETWEEN) if key in cited and not whole else []
        quotes = tuple(dict.fromkeys(filter(None, (*shown, *quoted.get(key, ())))))
        n = cited[key].n if key in cited else 0
        yield ProvenSource(n=n, quotes=quotes, sha256=hash_text(passage.text), passage=passage)


def hash_text(text: str) -> str:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read_calculations(
    plan: Mapping[str, Any] | None, values: Mapping[str, Outcome], citations: Sequence[Citation], language: Language
) -> Iterator[Calculation]:
    numbers = {one.evidence_id: one for one in citations if one.source.startswith("task:")}
    for task_id, outcome in values.items():
        if not outcome.computed:
            continue
        cited = numbers.get(task_id)
        yield Calculation(
            n=cited.n if cited else 0,
            task_id=task_id,
            tool=outcome.tool,
            arguments=fill_arguments(plan, task_id, values, language),
            inputs={one: values[one].value for one in _list_inputs(plan, task_id) if one in values},
            value=outcome.value,
            told=cited.quote if cited else render_value(outcome, language),
        )


def fill_arguments(
    plan: Mapping[str, Any] | None, task_id: str, values: Mapping[str, Outcome], language: Language
) -> dict[str, JsonValue]:
    """The arguments of a calculation, the values it builds on filled in; none where they cannot be told."""
    read = Plan.read(plan).plan if plan else None
    task = read.task(task_id) if read is not None and task_id in read.ids else None
    tool = CALCULATORS.get(values[task_id].tool)
    if task is None or task.for_each or (tool is not None and task.tool != tool.name):
        return {}
    schema = tool.args_schema.model_json_schema() if tool is not None else {}
    try:
        return fill_args(task, values, language, schema)
    except ValueError:
        return {}


def _list_inputs(plan: Mapping[str, Any] | None, task_id: str) -> tuple[str, ...]:
    read = Plan.read(plan).plan if plan else None
    return read.task(task_id).references if read is not None and task_id in read.ids else ()


def _rows_of_claims(result: Mapping[str, Any]) -> dict[int, str]:
    """By the position of a claim that is a cell, its row."""
    found: dict[int, str] = {}
    claims = result.get("claims") or ()
    for block in result.get("blocks") or ():
        cells = [(fold_words(cell), row) for row in (block.get("rows") or ())[1:] for cell in row[1:]]
        at = 0
        for position in block.get("claims") or () if cells else ():
            text = str(claims[position]["text"])
            where = next((n for n in range(at, len(cells)) if cells[n][0].startswith(fold_words(text))), None)
            if where is not None and not is_code(text):
                found[position], at = f"| {' | '.join(cells[where][1])} |", where + 1
    return found
