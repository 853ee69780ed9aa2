"""Messages about problems of MCP servers, one line in each language."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from weiwo.state import Language
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line, redact_secrets

ProblemLine = Mapping[Language, str]
"""A message about a problem, in each language."""

_LONGEST_LINE: Final = 300
_NAMED: Final = 3
_WORDS: Final = localized_section("mcp.problems")


def describe_problem(kind: str, *values: Any) -> ProblemLine:
    """Return the message `kind` of the section `mcp.problems` in every language, with `values` filled in.

    A value that is a `ProblemLine` itself is inserted in the same language.
    """

    def fill(language: Language) -> str:
        own = (value[language] if isinstance(value, Mapping) else value for value in values)
        return _WORDS[language][kind].format(*own)

    return {"en": fill("en"), "zh": fill("zh")}


def join_names(names: Sequence[str]) -> ProblemLine:
    """Return a list of names in every language: up to three names, and the number of others."""
    first = describe_problem("said", ", ".join(repr(name) for name in names[:_NAMED]))
    return describe_problem("more", first, len(names) - _NAMED) if len(names) > _NAMED else first


def clean_problem(line: ProblemLine, secrets: Sequence[str]) -> ProblemLine:
    """Return a problem with each message on one line of limited length, without secrets."""
    return {language: one_line(redact_secrets(text, secrets), _LONGEST_LINE) for language, text in line.items()}
