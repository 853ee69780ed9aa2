"""Problems of MCP servers: what is wrong with one, in a line for people, in each language.

What servers and programs say of themselves stays in their own words.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from weiwo.state import Language
from weiwo.text.localization import localized_section
from weiwo.tools.printable import one_line
from weiwo.tools.redaction import redacted

ProblemLine = Mapping[Language, str]
"""A line by language."""

_LONGEST_LINE: Final = 300
_NAMED: Final = 3
_WORDS: Final = localized_section("mcp.problems")


def describe_problem(kind: str, *values: Any) -> ProblemLine:
    """A line of a kind, with its values; those that are lines themselves in the same language."""

    def fill(language: Language) -> str:
        own = (value[language] if isinstance(value, Mapping) else value for value in values)
        return _WORDS[language][kind].format(*own)

    return {"en": fill("en"), "zh": fill("zh")}


def join_names(names: Sequence[str]) -> ProblemLine:
    """The first few of some names."""
    first = describe_problem("said", ", ".join(repr(name) for name in names[:_NAMED]))
    return describe_problem("more", first, len(names) - _NAMED) if len(names) > _NAMED else first


def clean_problem(line: ProblemLine, secrets: Sequence[str]) -> ProblemLine:
    """A problem as one bounded line without secrets."""
    return {language: one_line(redacted(text, secrets), _LONGEST_LINE) for language, text in line.items()}
