"""Advice below shown table rows, for a question that counts, adds up or compares rows and was not computed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from weiwo.nodes.shared.question.table_question import asks_table, explain_refusal
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Language
from weiwo.state.answer import Extract
from weiwo.text.cell_values import Doubt
from weiwo.text.lists import join_names
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line
from weiwo.text.records import split_row
from weiwo.tools.tables.catalog import describe_tables, open_catalog
from weiwo.tools.tables.columns import fold_value

_WORDS: Final = localized_section("writer.row_advice")
_MOST_COLUMNS: Final = 12


def advise_on_rows(question: str, shown: Sequence[Extract], services: RunContext, language: Language) -> str:
    """Return a text that says why the shown rows were not counted, or which questions could be asked.

    Empty if neither is known, if no rows are shown, if the question asks for no counting, or if tables cannot be
    queried.
    """
    asks = next((info for info in services.registry.infos() if info.name == "query_table"), None)
    if asks is None or not asks.available or not list_row_sources(shown) or not asks_table(question):
        return ""
    words = _WORDS[language]
    corpus, within = services.registry.corpus, services.settings.filter
    sources = [extract.source.partition("#")[0] for extract in shown]
    if corpus is not None and not set(sources).isdisjoint(open_catalog(corpus).list_outdated(within)):
        return ""  # a gap of the answer says so
    tables = describe_tables(corpus, within) if corpus is not None else []
    if uncertain := _find_uncertain_column(question, tables, language):
        return words["uncertain"].format(uncertain)
    refusal = explain_refusal(question, tables)
    if refusal is not None:
        return words[refusal.kind].format(word=refusal.word, names=_join(refusal.names, language))
    if services.models.has_decision_model("writer"):
        return ""
    known = [table for table in tables if table["columns"] and table["source"] in sources]
    first = min(known, key=lambda table: sources.index(table["source"]), default=None)
    columns = _join([str(column["name"]) for column in first["columns"]], language) if first is not None else ""
    return words["columns"].format(columns) if columns else words["rows"]


def list_row_sources(shown: Iterable[Extract]) -> list[str]:
    """Return the sources of the shown passages that have rows of a table, each once."""
    rows = (
        extract for extract in shown if any(split_row(line, (), extract.source) for line in extract.text.splitlines())
    )
    return list(dict.fromkeys(extract.source.partition("#")[0] for extract in rows))


def _join(names: Sequence[str], language: Language) -> str:
    more = ["…"] if len(names) > _MOST_COLUMNS else []
    return join_names([*(one_line(name, 40) for name in names[:_MOST_COLUMNS]), *more], language)


def _find_uncertain_column(question: str, tables: Iterable[Mapping[str, Any]], language: Language) -> str:
    """Return the name of a column in the question with values that can be read in two ways, and both readings.

    Empty if there is none.
    """
    asked = fold_value(question)
    for table in tables:
        for column in table["columns"]:
            if column["doubt"] and fold_value(column["name"]) in asked:
                return f"“{column['name']}”: {Doubt(*column['doubt']).describe(language)}"
    return ""
