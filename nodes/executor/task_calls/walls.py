"""Detection of walls: consent forms, paywalls and error pages shown in place of the content that a search found.

Walls with known words are recognised in `tools.web.fetching`. In any other language, the search engine's snippet of the
page decides: an article contains the words of the snippet, while a wall has few words, often buttons, and none of the
snippet's words.
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
"""Most words of a wall without buttons."""
_WORDS_BESIDE_CONTROLS: Final = 250
"""Most words of a wall with buttons. The longest consent forms have fewer."""
_LEAST_TERMS: Final = 6
"""Fewest terms of a snippet by which a page is judged."""
_SHARED: Final = 0.1
"""Share of a snippet's terms that a wall may have by chance or because it names its site.

One term is always allowed.
"""


def find_wall(call: Call, page: Sequence[Evidence], known: Iterable[Evidence]) -> ToolCallError | None:
    """Return an error if an opened page is a wall, so that the call counts as failed, else None.

    Args:
        call: The call that opened the page.
        page: The passages returned by the call.
        known: The passages known before the page was opened, with the snippet of the page.
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
