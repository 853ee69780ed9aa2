"""Coverage of the sources: pages that could not be read, and restrictions of the search.

Neither bears on the status: reading fewer pages than were found is no failure while the answer stands, and a
restriction is what the user wanted. Yet who reads the answer has to know of both.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from weiwo.state import Language, Outcome
from weiwo.state.answer import Gap
from weiwo.state.source_filter import SourceFilter
from weiwo.text.localization import localized, localized_phrases, localized_section

_UNREAD: Final = localized("writer.coverage", "unread")
_ONLY: Final = localized_phrases("writer.coverage", "only")
_PARTS: Final = localized_section("writer.coverage.parts")


def describe_coverage(outcomes: Iterable[Outcome], within: SourceFilter, language: Language) -> Iterator[Gap]:
    """What was not read, and what was left out, a line each.

    Args:
        outcomes: What the tasks came to.
        within: The restriction of the run.
        language: The language of the lines.
    """
    details = [outcome.detail for outcome in outcomes]
    read = {page for detail in details for page in detail.opened if page not in detail.unread}
    unread = {page for detail in details for page in detail.unread} - read  # another task may have had it
    if unread:
        yield Gap(kind="unread", text=_UNREAD[language].format(len(read), len(read | unread)))
    if within:
        frame, between, comma = _ONLY[language]
        told = [
            _PARTS[language][name].format(comma.join((value,) if isinstance(value, str) else value))
            for layer in within.layers()
            for name in _PARTS[language]
            if (value := getattr(layer, name))
        ]
        yield Gap(kind="restricted", text=frame.format(between.join(told)))
