"""Notes below an answer: open points, assumptions, checks, sources, and notices last."""

from collections.abc import Collection, Iterator
from typing import Final

from weiwo.nodes.shared.gaps import (
    find_documents_in_part,
    find_files_not_read,
    find_unqueried_tables,
    find_unread_files,
)
from weiwo.nodes.shared.prompting.passage_prompt import INSTRUCTIONS
from weiwo.nodes.shared.prompting.sanitizer import remove_links
from weiwo.nodes.shared.question.table_question import asks_table
from weiwo.nodes.writer.closing import find_unchecked, is_unjudged
from weiwo.nodes.writer.context import WriterContext
from weiwo.nodes.writer.prompt import named_gaps
from weiwo.nodes.writer.report.outline import count_words
from weiwo.nodes.writer.row_advice import list_row_sources
from weiwo.state import Citation, Language
from weiwo.state.answer import Gap
from weiwo.text.localization import localize_message
from weiwo.tools.built_in import explain_no_tables
from weiwo.tools.corpus.base import Corpus
from weiwo.tools.tables.catalog import open_catalog

_SOURCES: Final = localize_message("writer.notes", "sources")
_BEWARE: Final = localize_message("writer.notes", "beware")
"""Warning about a source with instructions to models."""
_ASSUMED: Final = localize_message("writer.notes", "assumed")
"""Note on the assumed meaning of an ambiguous question."""
_NOT_CHECKED: Final = localize_message("writer.notes", "not_checked")
"""Note on claims that a model should have judged and did not."""
_QUICK: Final = localize_message("writer.notes", "quick")
"""Note on a quick search, in which no model judges the claims."""
_LENGTH: Final = localize_message("writer.notes", "length")
"""Note on an answer that is much longer or shorter than asked for."""
_OFF: Final = 0.3
"""Share by which an answer may differ from the length asked for without that note."""
_ONE_DRAFT: Final = localize_message("writer.notes", "one_draft")


def list_notes(context: WriterContext) -> Iterator[str]:
    """Yield the notes below an answer, except the gaps found when the ledger is closed.

    These are gaps, an assumed meaning of the question, a length not kept, and claims that no model judged.
    """
    state, services, written, report = context.state, context.services, context.written, context.report
    language, say, by_model = services.language, context.sanitizer(), written.decided_by == "model"
    if context.is_searched and written.comes_from({"reader", "draft"}) and not written.broken:
        yield from (say(gap.text).strip() for gap in named_gaps(state))
    if assumed := state["assessment"].assumed:
        yield _ASSUMED[language].format(say(assumed))
    if report is not None and report.outline.limit and not report.sections and by_model:
        yield _ONE_DRAFT[language].format(report.outline.limit)
    asked, given = state["assessment"].frame.words, count_words(written.text, language)
    if asked and by_model and abs(given - asked) > _OFF * asked:
        yield _LENGTH[language].format(round(given, -1), asked)
    if is_unjudged(state, services, written):
        yield _QUICK[language]
    if unchecked := find_unchecked(written.claims):
        yield _NOT_CHECKED[language].format(unchecked.reason.rstrip(".。"))


def list_documents_in_part(context: WriterContext) -> tuple[Gap, ...]:
    """Return gaps about documents that were not or only partly read, and tables that could not be queried.

    Only documents that the answer cites or the question names count. If nothing was found for a part of the question,
    all unread files count. Empty without documents. CPU-bound.
    """
    state, services, language = context.state, context.services, context.services.language
    corpus = services.registry.corpus
    if corpus is None:
        return ()
    sources = [citation.source for citation in context.written.rendering.citations]
    found = find_documents_in_part(corpus.problems, sources, context.question, language)
    found = (*found, *_list_tables_not_queried(context, corpus, sources))
    answered = {value.answers for value in state.get("outcomes", {}).values()}
    if not found and (not sources or len(answered) > 1):  # nothing was found, or a part of the question was not
        found = find_unread_files(corpus.problems, language)
    if not corpus.version or not context.is_searched:  # of a store elsewhere nobody can list all
        return found
    known = (*corpus.documents, *(problem.source for problem in corpus.problems))
    texts = [passage.text for passage in state.get("evidence", {}).values()]
    return (*found, *find_files_not_read(context.question, known, texts, language))


def _list_tables_not_queried(context: WriterContext, corpus: Corpus, sources: Collection[str]) -> Iterator[Gap]:
    """Yield gaps about tables that could not be queried.

    Empty unless the question asks for a count, a sum, a mean or an extreme (`asks_table`) and no rule answered it.

    Args:
        context: The question and the written answer.
        corpus: The documents.
        sources: Documents that the answer cites. Other documents' tables are left out, unless it cites none.
    """
    written, language = context.written, context.services.language
    if not asks_table(context.question) or written.asserted_mechanisms:
        return
    if outdated := open_catalog(corpus).list_outdated(context.services.settings.filter):
        yield from find_unqueried_tables("outdated", outdated, sources, language)
    elif explain_no_tables() and (rows := list_row_sources(written.extracts)):
        yield from find_unqueried_tables("no_engine", rows, rows, language)


def format_ending(context: WriterContext) -> str:
    """Return the end of an answer: the list of sources, then the notices, a line each. Empty without either."""
    notices = context.written.notices
    return _format_source_list(context) + ("\n\n" + "  \n".join(notices) if notices else "")


def _format_source_list(context: WriterContext) -> str:
    """Return the list of cited sources below the answer, made by code. Empty if the answer cites nothing."""
    citations, language = context.written.rendering.citations, context.services.language
    if not citations:
        return ""
    evidence = context.state.get("evidence", {})
    beware = {key for key, passage in evidence.items() if INSTRUCTIONS in passage.flags}
    lines = [_format_source(citation, language, beware=citation.evidence_id in beware) for citation in citations]
    return "\n\n" + _SOURCES[language] + ":\n" + "\n".join(lines)


def _format_source(citation: Citation, language: Language, *, beware: bool) -> str:
    """Return a line of the list of sources, as "[1] Title · a.md", with a warning if the source addresses models.

    Args:
        citation: The citation.
        language: The language of the answer.
        beware: Whether the source has instructions to models.
    """
    title = remove_links(citation.title, {citation.source}, language)
    place = citation.quote if citation.source.startswith("task:") else citation.source
    return f"[{citation.n}] {title} · {place}" + (f" {_BEWARE[language]}" if beware else "")
