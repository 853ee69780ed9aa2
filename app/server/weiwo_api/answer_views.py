"""An answer as its readers want it: as a file to keep, and its cited passages in their context.

A result is exported in the formats that the installation has. Of a passage the quoted words are marked, with what the
document says before and after.
"""

import re
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Final

from starlette.responses import Response

from weiwo.app.export import FORMATS, ExportError, render
from weiwo.app.server.errors import RequestError
from weiwo.state import Evidence
from weiwo.state.settings import Settings
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.loading import load_corpus

_AROUND: Final = 3_000
"""Characters shown before a passage, and after it."""
_MOST_PASSAGES: Final = 2_000
_LINES: Final = re.compile(r"lines? (\d{1,9})(?:[-–](\d{1,9}))?")
_PAGE: Final = re.compile(r"pages? (\d{1,9})")


def format_names() -> list[str]:
    """The names of the formats that can be had here."""
    return [name for name, one in FORMATS.items() if not one.library or find_spec(one.library) is not None]


def download_response(result: Mapping[str, Any], name: str, file_name: str) -> Response:
    """A result as a file to keep.

    Args:
        result: The result object.
        name: The format.
        file_name: The file's name, without ending.

    Raises:
        RequestError: There is no such format here.
    """
    if name not in format_names():
        raise RequestError(
            422, f"format {name[:20]!a}; there is none of that name here; use {' '.join(format_names())}"
        )
    try:
        content = render(result, name)
    except ExportError as error:
        raise RequestError(422, str(error)) from None
    ending = "csl.json" if name == "csl" else name
    headers = {"content-disposition": f'attachment; filename="{file_name}.{ending}"'}
    return Response(content, headers=headers, media_type=FORMATS[name].media_type)


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
