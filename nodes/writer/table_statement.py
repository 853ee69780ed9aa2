"""Sentences for the results of table requests: "The total amount in orders is 900 (3 of 3 rows)"."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from weiwo.nodes.writer.sources import render_value
from weiwo.state import JsonValue, Language, Outcome
from weiwo.text.lists import join_names
from weiwo.text.localization import localized_section
from weiwo.text.numbers import format_number
from weiwo.tools.tables.notes import describe_notes

_WORDS: Final = localized_section("writer.table")
_MOST_NOTES: Final = 3
_DATED: Final = frozenset({"date", "datetime", "time"})
_DATE_OPERATORS: Final = frozenset({"<", "<=", ">", ">="})


def tell_table_result(result: Outcome, language: Language) -> str:
    """Return a table result as a sentence: what was asked, its value, and how many rows were counted.

    Conditions, assumed columns and notes on unreadable cells are added.
    """
    made: Mapping[str, Any] = result.detail.computation or {}
    words = _WORDS[language]
    value = _show_value(result, result.value, made, language)
    where = _tell_conditions(made.get("conditions") or (), language)
    within = {"table": made.get("title", ""), "where": where, "v": value}
    text = _choose_sentence(result, words, within, language)
    variants = list(made.get("variants") or ())
    counted = any(item["kind"] == "hidden" and item["rows"] for item in variants)  # which says of how many rows
    told = text if counted else f"{text}{words['counted'].format(n=made['rows'], m=made['of'])}"
    for variant in variants:
        told += _tell_variant(result, variant, made, language)
    if len(made.get("parts") or ()) > 1:
        told += words["parts"].format(names=join_names([str(name) for name in made["parts"]], language))
    if computed := [" ".join(map(str, (name, "=", *rest))) for name, *rest in made.get("computed") or ()]:
        told += words["notes"].format(notes=words["between_notes"].join(computed))
    if assumed := [_tell_assumption(item) for item in made.get("assumed") or ()]:
        told += words["assumed"].format(names=words["between_notes"].join(assumed[:_MOST_NOTES]))
    if unused := [str(item) for item in made.get("unused") or ()]:
        told = words["unused"].format(words=join_names(unused, language), told=told)
    if notes := describe_notes(made.get("notes") or (), language)[:_MOST_NOTES]:
        told += words["notes"].format(notes=words["between_notes"].join(notes))
    return told


def _choose_sentence(result: Outcome, words: Mapping[str, str], within: Mapping[str, str], language: Language) -> str:
    """Return the main sentence of a result, worded by the kind of request.

    The kinds are a single figure, several figures, figures of groups, the first rows of an order, and plain rows.

    Args:
        result: The outcome of the request.
        words: The templates in the language of the answer.
        within: The texts for their placeholders: table, conditions and value.
        language: The language of the answer.
    """
    made: Mapping[str, Any] = result.detail.computation or {}
    measures, groups, order = (list(made.get(name) or ()) for name in ("measures", "groups", "order"))
    columns = [str(name) for name in made.get("columns") or ()]
    if groups:
        figures = [_name_figure(measure, words) for measure in measures or [("count", "")]]
        named = {
            "figure": join_names(figures, language),
            "groups": join_names([str(group) for group in groups], language),
        }
        return words["grouped"].format(**within, **named)
    if len(measures) == 1:
        function, column = measures[0]
        key = f"{function}_one" if result.value == 1 and f"{function}_one" in words else function
        way = _name_end(str(made.get("kind", "")), last=function == "max")
        return words[key].format(**within, column=column, way=words[way])
    if measures:
        figures = [_name_figure(measure, words) for measure in measures]
        return words["figures"].format(**within, figures=join_names(figures, language))
    if order and columns:
        name, kind, descending, top = order
        way = _name_end(kind, last=descending)
        key = "first" if top == 1 and len(columns) == 1 else "first_some"
        return words[key].format(**within, column=join_names(columns, language), way=words[way], order=name)
    return words["rows"].format(**within, columns=join_names(columns, language) if columns else words["all"])


def _name_end(kind: str, *, last: bool) -> str:
    """Return the key of a word for one end of an order: "latest" or "earliest" for dates, else "highest", "lowest"."""
    return ("latest" if last else "earliest") if kind in _DATED else "highest" if last else "lowest"


def _tell_assumption(assumed: Mapping[str, Any]) -> str:
    """Return the column or value that was assumed for words of the question: "north → region = North"."""
    meant = f"{assumed['column']} = {assumed['value']}" if assumed["value"] else str(assumed["column"])
    return f"{assumed['words']} → {meant}"


def _name_figure(measure: Sequence[Any], words: Mapping[str, str]) -> str:
    function, column = measure
    return words[f"name_{function}"].format(column=column) if column else words["name_rows"]


def _tell_conditions(conditions: Sequence[Sequence[Any]], language: Language) -> str:
    """Return the conditions of a request as text: " where amount is above 5". Empty without conditions."""
    words = _WORDS[language]
    told = []
    for name, operator, values, kind in conditions:
        key = f"{operator} date" if kind in _DATED and operator in _DATE_OPERATORS else operator
        shown = join_names([str(value) for value in values], language, either=operator == "in")
        told.append(words[key].format(column=name, v=shown, a=values[0], b=values[-1]))
    return words["where"].format(join_names(told, language)) if told else ""


def _tell_variant(result: Outcome, variant: Mapping[str, Any], made: Mapping[str, Any], language: Language) -> str:
    """Return a text on what the result would be with hidden rows, or without rows that may be totals."""
    words = _WORDS[language]
    rows = variant.get("rows") or ()
    key = f"{variant['kind']}{'' if rows else '_same'}"
    flat = [row[0] if len(row) == 1 else " – ".join(map(str, row)) for row in rows]
    value: JsonValue = flat[0] if len(flat) == 1 else [str(item) for item in flat]
    shown = _show_value(result, value, made, language) if flat else ""
    named = [str(place) for place in variant.get("places") or ()]
    places = join_names(named, language) if named else ""
    return words[key].format(v=shown, n=made["rows"], k=variant["count"], places=places)


def _show_value(result: Outcome, value: JsonValue, made: Mapping[str, Any], language: Language) -> str:
    """Return a value as text for the sentence, with the currency of the column.

    A mean of at least 1 with more than four decimals is rounded to two, because further decimals carry no meaning.
    """
    measures = list(made.get("measures") or ())
    if len(measures) == 1 and measures[0][0] == "mean" and isinstance(value, int | float) and abs(value) >= 1:
        value = value if abs(round(value, 4) - value) < 1e-12 * abs(value) else round(value, 2)
    currency = str(made.get("currency") or "")
    if currency and isinstance(value, int | float) and not isinstance(value, bool):
        figure = format_number(value, language)
        return f"{currency}{figure}" if not currency[0].isalpha() else f"{figure} {currency}"
    kind = result.type if isinstance(value, list) == result.type.startswith("list") else "text"
    return render_value(result.model_copy(update={"value": value, "type": kind}), language)
