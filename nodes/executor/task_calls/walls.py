"""Detection of web pages that show something else than the content found by a search engine.

Consent forms, paywalls and error pages are recognized by their words if these are known (`tools.web.fetching`). In any
other language, the search engine's snippet of the page decides: an article contains the words of the snippet, while a
wall has few words, often buttons, and none of the snippet's words.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from weiwo.nodes.executor.task_state import Call, call_query, opened_address, source_address
from weiwo.state import Evidence
from weiwo.state.evidence import CONTROLS
from weiwo.text.language import word_count
from weiwo.text.language_detection import detect_language
from weiwo.text.printable import one_line
from weiwo.text.terms import terms
from weiwo.tools.calling.errors import ToolCallError

_FEW_WORDS: Final = 70
"""A page with more words is not a wall."""
_WORDS_BESIDE_CONTROLS: Final = 250
"""A page with buttons and more words than this is not a wall. The longest consent forms have fewer."""
_LEAST_TERMS: Final = 6
"""Least number of terms of a snippet for deciding whether a page is a wall."""
_SHARED: Final = 0.1
"""Share of a snippet's terms that a wall may have by chance, or because it names its site, and at least one term."""


def find_wall(call: Call, page: Sequence[Evidence], known: Iterable[Evidence]) -> ToolCallError | None:
    """Detect an opened page without the content shown by the search.

    Args:
        call: The call that opened the page.
        page: The passages returned by the call.
        known: The passages known before the page was opened.

    Returns:
        The error that the call amounts to. None if the page can be the page that was found.
    """
    address = opened_address(call)
    if not page or not address.startswith(("http://", "https://")):
        return None
    shown = " ".join(passage.text for passage in page)
    most = _WORDS_BESIDE_CONTROLS if any(CONTROLS in passage.flags for passage in page) else _FEW_WORDS
    if word_count(shown) > most:
        return None
    snippet = " ".join(
        evidence.text for evidence in known if address in map(source_address, (evidence.source, *evidence.also))
    )
    language = detect_language(snippet)
    wanted, asked = set(terms(snippet, language)), set(terms(call_query(call), language))
    held = set(terms(shown, language))
    speaks = len(held & wanted) > max(1, _SHARED * len(wanted)) or len(held & asked) > 1
    if speaks or len(wanted) < _LEAST_TERMS:
        return None
    place = one_line(str(next(iter(call["args"].values()))), 200)
    return ToolCallError("blocked", f"{place}: a page without the words of its search result was shown")
