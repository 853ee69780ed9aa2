"""Cited passages in their context: the quoted words marked, and what the document says before and after."""

import re
from collections.abc import Mapping
from typing import Any, Final

from weiwo.state import Evidence
from weiwo.state.settings import Settings
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.loading import load_corpus

_AROUND: Final = 3_000
"""Characters shown before a passage, and after it."""
_MOST_PASSAGES: Final = 2_000
_LINES: Final = re.compile(r"lines? (\d{1,9})(?:[-–](\d{1,9}))?")
_PAGE: Final = re.compile(r"pages? (\d{1,9})")


async def passage_in_context(
    values: Mapping[str, Any], citation: Mapping[str, Any], settings: Settings
) -> dict[str, Any]:
    """A passage that an answer cites.

    Args:
        values: The thread's state.
        citation: One of its result's citations.
        settings: Tell the corpus it was found in.

    Returns:
        Its number, source, text, what stands before and after it where it is of a document that can still be opened,
        and where in it the quoted words are.
    """
    key = str(citation.get("evidence_id") or "")
    evidence: Evidence | None = (values.get("evidence") or {}).get(key)
    text = evidence.text if evidence is not None else str(citation.get("quote") or "")
    quotes = {str(citation.get("quote") or "")}
    for outcome in (values.get("outcomes") or {}).values():
        quotes |= {one.text for one in outcome.quotes if one.evidence_id == key}
    source = str(citation["source"])
    before, after = await _around(evidence, settings) if evidence is not None else ("", "")
    locator = str(citation.get("locator") or "")
    lines, page = _LINES.search(locator), _PAGE.search(locator)
    return {
        "n": citation["n"],
        "title": citation.get("title") or "",
        "source": source,
        "url": source if source.startswith(("http://", "https://")) else None,
        "text": text,
        "before": before,
        "after": after,
        "quotes": sorted([at, at + len(one)] for one in quotes if one and (at := text.find(one)) >= 0),
        "locator": locator,
        "page": int(page[1]) if page else None,
        "lines": [int(lines[1]), int(lines[2] or lines[1])] if lines else None,
        "date": evidence.date if evidence is not None else "",
    }


async def _around(evidence: Evidence, settings: Settings) -> tuple[str, str]:
    """What the document of a passage says before it and after it; nothing where it cannot be opened."""
    if evidence.source.startswith(("http://", "https://", "task:")):
        return "", ""
    try:
        corpus = await load_corpus(settings.corpus, settings=settings, tell=lambda _: None)
        whole = await corpus.open(evidence.source, "", _MOST_PASSAGES)
    except CorpusError:
        return "", ""
    at = next((n for n, one in enumerate(whole) if one.id == evidence.id), None)
    if at is None:
        return "", ""
    before = "\n\n".join(one.text for one in whole[max(0, at - 8) : at])
    after = "\n\n".join(one.text for one in whole[at + 1 : at + 9])
    return before[-_AROUND:], after[:_AROUND]
