"""Coverage of the sources: pages that could not be read, and restrictions of the search.

Neither bears on the status: reading fewer pages than were found is no failure while the answer stands, and a
restriction is what the user wanted. Yet who reads the answer has to know of both.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from weiwo.state import Language, Outcome
from weiwo.state.answer import Gap
from weiwo.state.source_filter import SourceFilter

_UNREAD: Final[Mapping[Language, str]] = {
    "en": "{} of {} pages could be read.",
    "zh": "{1} 个页面中有 {0} 个可以读取。",
}
_ONLY: Final[Mapping[Language, tuple[str, str, str]]] = {
    "en": ("Only these sources were used: {}.", "; ", ", "),
    "zh": ("只使用了以下范围内的来源：{}。", "；", "、"),
}
_PARTS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {"sites": "sites {}", "not_sites": "not {}", "since": "since {}", "folders": "folders {}"},
    "zh": {"sites": "网站 {}", "not_sites": "不含 {}", "since": "{} 以来", "folders": "文件夹 {}"},
}


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
