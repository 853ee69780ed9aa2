"""An answer with proof as a single JSON object, sufficient for checking without the thread.

`render_proof` gives the file `answer.weiwo`. Its schema is `Proof.model_json_schema()`, described in docs/export.md.
`proof_check` derives verdicts of code, arguments of calculations and the parts of the answer again.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, Final, Literal

from pydantic import Field, ValidationError, model_validator

from weiwo.app.export.report import Report
from weiwo.nodes.writer.claims import ClaimSources
from weiwo.state import Claim, Evidence, Extract, JsonValue, Language, Outcome
from weiwo.state.answer import Gap
from weiwo.state.kinds import recorded_language
from weiwo.state.ledger import Lead, QuestionPart
from weiwo.state.values import Value
from weiwo.text.citation_marks import blank_marks

FORMAT: Final = "weiwo.answer/2"
OLDER_FORMAT: Final = "weiwo.answer/1"
"""Format of older files, which have no hash over their whole content."""
_TOKEN: Final = re.compile(
    r"[\u3400-\u9fff]|(?:(?<!\w)[-−])?\d+(?:[.,]\d+)*"
    r"|(?:[^\W\d_\u3400-\u9fff]|[\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0900-\u109f])+"
    r"|[%‰$?？]|~~|[^\w\s\x00-\x7f«»¿¡·\u2010-\u2015\u2018-\u201f\u2022\u2026\u2039\u203a\u3000-\u303f\uff01-\uff0f\uff1a-\uff1f]|(?:[<≤≥=±~≈]|(?<=\S)\s>|>)(?=\d)|(?:[<≤≥=±~≈]|(?<=\S)\s>)(?=\s\d)"
)
"""A word, a number with its sign, a Chinese character, or a sign that changes a number's meaning, like "%" or "<"."""


class ProvenSource(Value):
    """A passage behind the answer.

    Attributes:
        n: Its number in the text, or 0 if only a value rests on it.
        passage: The passage, with its document, place, date, and the hash of the document.
    """

    n: int = Field(ge=0)
    passage: Evidence

    @property
    def place(self) -> str:
        """Location of the passage for a reader: number, source and locator."""
        mark = f"[{self.n}] " if self.n else ""
        return f"{mark}{self.passage.source} {self.passage.locator}".strip()


class Proof(Value):
    """An answer with proof.

    Attributes:
        format: The version of this form.
        question: The question, as asked.
        standalone: The question as it stands alone, if different.
        language: The language of the answer.
        status: `complete`, `extracts`, `partial`, `unsourced` or `failed`.
        stop_reason: Why it is not complete, or "finished".
        lead: The kind of opening of the answer.
        answer: The answer as Markdown with citation marks.
        plan: The plan in its interchange form.
        claims: Its claims.
        sources: The passages it rests on.
        values: The outcome of each task, with the quotes that support it.
        calculations: The citation number of each calculated value in the text, by task.
        extracts: Passages it shows as they are.
        parts: The parts of the question, and the outcome of each.
        gaps: The open questions.
        notices: The notices below it.
        hash: SHA-256 over all of this except the hash, in canonical form.
    """

    format: Literal["weiwo.answer/1", "weiwo.answer/2"] = FORMAT
    question: str
    standalone: str = ""
    language: Language = "en"
    status: str
    stop_reason: str = ""
    lead: Lead = "neutral"
    answer: str
    plan: dict[str, JsonValue] | None = None
    claims: tuple[Claim, ...] = ()
    sources: tuple[ProvenSource, ...] = ()
    values: dict[str, Outcome] = Field(default_factory=dict)
    calculations: dict[str, int] = Field(default_factory=dict)
    extracts: tuple[Extract, ...] = ()
    parts: tuple[QuestionPart, ...] = ()
    gaps: tuple[Gap, ...] = ()
    notices: tuple[str, ...] = ()
    hash: str = ""

    @model_validator(mode="before")
    @classmethod
    def _read_older(cls, given: Any) -> Any:
        """Convert the older format by dropping derivable data."""
        if not isinstance(given, dict) or given.get("format") != OLDER_FORMAT:
            return given
        known = _select_known_fields(given, cls)
        known["claims"] = [_select_known_fields(claim, Claim) for claim in given.get("claims") or ()]
        known["sources"] = [_select_known_fields(source, ProvenSource) for source in given.get("sources") or ()]
        calculations = given.get("calculations") or ()
        known["calculations"] = {item["task_id"]: item["n"] for item in calculations if item["n"]}
        return known

    def content_hash(self) -> str:
        """Compute the SHA-256 of the content as JSON with sorted keys, without the hash itself."""
        whole = self.model_dump(mode="json", exclude={"hash"})
        canonical = json.dumps(whole, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()

    def claim_sources(self) -> ClaimSources:
        """Return the sources by number, for checking the claims again. Passages without a number get one below 0."""
        passages = {source.n or -at: (source.passage,) for at, source in enumerate(self.sources, 1)}
        computed = {n: self.values[task_id] for task_id, n in self.calculations.items() if task_id in self.values}
        return ClaimSources(passages, computed, self.language, self.standalone or self.question)


def render_proof(report: Report) -> bytes:
    """Render a report as an answer with proof, the file `answer.weiwo`.

    Raises:
        ValidationError: The result was written in another form, for example by another version.
    """
    return (build_proof(report.result).model_dump_json(indent=1) + "\n").encode("utf-8", "backslashreplace")


def build_proof(result: Mapping[str, Any]) -> Proof:
    """Build the proof from a result of the schema `app/result.schema.json`.

    Raises:
        ValidationError: The result has another form.
    """
    values = dict(_read_values(result.get("outcomes") or {}))
    numbers = {str(citation["evidence_id"]): citation for citation in result.get("citations") or ()}
    passages = {str(passage["id"]): _select_known_fields(passage, Evidence) for passage in result.get("evidence") or ()}
    rest = [(*value.evidence_ids, *(quote.evidence_id for quote in value.quotes)) for value in values.values()]
    cited = dict.fromkeys([*numbers, *chain.from_iterable(rest)])
    found = {
        **{name: value for name, value in _select_known_fields(result, Proof).items() if value is not None},
        "language": recorded_language(result.get("language")),
        "values": {task_id: outcome.model_dump(mode="json") for task_id, outcome in values.items()},
        "sources": [
            {"n": numbers.get(key, {"n": 0})["n"], "passage": passages[key]} for key in cited if key in passages
        ],
        "calculations": {key: number["n"] for key, number in numbers.items() if number["source"] == f"task:{key}"},
    }
    proof = Proof.model_validate(found)
    return proof.model_copy(update={"hash": proof.content_hash()})


@lru_cache(maxsize=1024)
def fold_words(text: str) -> str:
    """Reduce a text to words and figures in lower case, each between blanks, so that `in` finds whole words.

    "Rome, 5 km [1]" gives " rome 5 km ". Empty for a text without words and figures.
    """
    found = " ".join("".join(token.split()) for token in _TOKEN.findall(blank_marks(text)[0]))
    return f" {found.casefold()} " if found else ""


def _select_known_fields(given: Mapping[str, Any], model: type[Value]) -> dict[str, Any]:
    """Return the fields of an object known to a model."""
    return {name: value for name, value in given.items() if name in model.model_fields}


def _read_values(outcomes: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Outcome]]:
    """Yield `(task id, outcome)` for the outcomes of a result. Outcomes in the form of another version are left out."""
    for task_id, data in outcomes.items():
        try:
            yield task_id, Outcome.model_validate({**data, "task_id": task_id})
        except ValidationError:
            continue
