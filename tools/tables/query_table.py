"""The `query_table` tool: counts, sums, extremes and rows of a table, with source rows."""

from typing import Any, Final

from pydantic import Field

from weiwo.state import Evidence, JsonValue, ValueType, passage_id
from weiwo.state.source_filter import SourceFilter
from weiwo.text.cell_values import CURRENCY_UNITS
from weiwo.tools.async_tool import AsyncTool
from weiwo.tools.calling.call_context import current_call
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.corpus.base import Corpus
from weiwo.tools.passages import as_artifact, as_text
from weiwo.tools.tables.catalog import open_catalog
from weiwo.tools.tables.engine_pool import EngineError
from weiwo.tools.tables.notes import describe_notes
from weiwo.tools.tables.request import TableRequest, TableRequestError

_DESCRIPTION: Final = (
    "Count, filter, group and add up the rows of a table in the local documents (CSV, sheets, JSON records), or give "
    "the highest or lowest of them: how many, total, average, top."
)
_MONEY: Final = {"$": "USD", "¥": "元", "€": "EUR", "£": "GBP"}


class QueryTable(AsyncTool):
    """Tool for querying a table of the corpus.

    The artifact is `{"value", "type", "detail", "passages"}`. The value is a number, date or text for a result of one
    cell, a list for one column, and for several columns a list of lines "a – b", or of the figures if the request has
    measures and no groups. The detail is the calculation. The passages are up to 20 of the rows.
    """

    name: str = "query_table"
    description: str = _DESCRIPTION
    args_schema: Any = TableRequest
    corpus: Any = Field(exclude=True, repr=False)
    """The `Corpus` whose tables are queried."""
    within: SourceFilter = Field(default_factory=SourceFilter, exclude=True, repr=False)
    """Filter by folder and date. Tables of other documents are not found."""

    async def _arun(self, **given: Any) -> tuple[str, dict[str, JsonValue]]:
        request = TableRequest.model_validate(given)
        corpus: Corpus = self.corpus
        try:
            call = current_call()
            result = await open_catalog(corpus).query(request, self.within, call.user or call.run)
        except TableRequestError as error:
            raise ToolCallError("bad_arguments", f"{self.name}: {error}") from None
        except EngineError as error:
            raise ToolCallError("crash", f"{self.name}: {error}") from None
        return _answer(result, figures=bool(request.measures) and not request.group_by)


def _answer(result: dict[str, Any], *, figures: bool) -> tuple[str, dict[str, JsonValue]]:
    header, rows = result["header"], result["rows"]
    passages = [_as_passage(item, result["table"]) for item in result["cited"]]
    value, kind = _value_of(result, figures=figures)
    counted = f"{result['counted']:,} of {result['of']:,} rows counted"
    notes = describe_notes(result["notes"])
    kept = (
        "expression",
        "source",
        "of",
        "notes",
        "variants",
        "parts",
        "measures",
        "conditions",
        "groups",
        "order",
        "columns",
        "computed",
        "assumed",
        "unused",
    )
    detail: dict[str, JsonValue] = {name: result[name] for name in kept}
    detail |= {"rows": result["counted"], "title": result["table"], "kind": result["types"][0] if header else ""}
    if len(result["measures"]) == 1 and result["measures"][0][0] == "mean" and isinstance(value, int | float):
        detail["rounded"] = round(value, 2) if abs(value) >= 1 else value
    if len(rows) == 1 and len(header) == 1 and result["units"][0]:
        detail["unit"] = _MONEY.get(result["units"][0], result["units"][0])
        if result["units"][0] in CURRENCY_UNITS:
            detail["currency"] = result["units"][0]
    if len(header) > 1 or len(rows) > 1:
        detail["header"], detail["table"] = header, rows
    lines = [" | ".join(map(str, header)), *(" | ".join(_format_cell(cell) for cell in row) for row in rows)]
    content = "\n".join(
        [
            result["expression"],
            counted,
            *notes,
            *_describe_variants(result),
            "",
            *lines,
            "",
            as_text(passages, "no row"),
        ]
    )
    artifact: dict[str, JsonValue] = {"value": value, "type": kind, "detail": detail}
    return content, {**artifact, "passages": list[JsonValue](as_artifact(passages))}


def _describe_variants(result: dict[str, Any]) -> list[str]:
    """Return a line for each variant of a result, like "with 3 hidden rows: 120". Empty without variants."""
    lines = []
    for item in result["variants"]:
        rows = "; ".join(" | ".join(_format_cell(cell) for cell in row) for row in item["rows"]) or "the same"
        what = (
            f"with {item['count']} hidden rows" if item["kind"] == "hidden" else f"without {', '.join(item['places'])}"
        )
        lines.append(f"{what}: {rows}")
    return lines


def _as_passage(cited: dict[str, str], title: str) -> Evidence:
    return Evidence(
        id=passage_id(f"{cited['source']} {cited['place']}\n{cited['text']}"),
        text=cited["text"],
        source=cited["source"],
        title=title,
        locator=cited["place"],
        tool="query_table",
    )


def _value_of(result: dict[str, Any], *, figures: bool) -> tuple[JsonValue, ValueType]:
    """Return the value of a result and the value's type, as described in `QueryTable`.

    Args:
        result: The result of the engine.
        figures: Whether the result is a row of measures, whose cells become a list.
    """
    rows, types = result["rows"], result["types"]
    if len(types) == 1:
        values = [row[0] for row in rows if row[0] is not None]
        if len(values) == 1:
            return values[0], "text" if types[0] == "date" and "T" in values[0] else _name_type(types[0])
        return values, f"list[{_name_type(types[0])}]"  # type: ignore[return-value]  # of a column's type
    if figures and len(rows) == 1:
        return [_format_cell(cell) for cell in rows[0]], "list[text]"
    return [" – ".join(_format_cell(cell) for cell in row) for row in rows], "list[text]"


def _name_type(column_type: str) -> ValueType:
    """Return the value type of a column type. Times, durations and versions are given as text."""
    return column_type if column_type in {"number", "date"} else "text"  # type: ignore[return-value]  # literal


def _format_cell(cell: Any) -> str:
    return "" if cell is None else f"{round(cell, 6):,}" if isinstance(cell, int | float) else str(cell)
