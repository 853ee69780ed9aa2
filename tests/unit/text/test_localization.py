import ast
import re
from pathlib import Path

import pytest

from weiwo.text.localization import localize_message, localized_phrases, localized_section, sections

_ROOT = Path(__file__).parents[3]
_FIELD = re.compile(r"\{[^{}]*\}")
_NAMES = {"localize_message", "localized_section", "localized_phrases"}


def _fields(text: str) -> list[str]:
    """What a message is filled in with: its names, or how many values it takes."""
    named = sorted({field[1:-1].split(":")[0].split("!")[0] for field in _FIELD.findall(text)})
    return named if any(named) else [""] * len(_FIELD.findall(text))


def test_both_languages_have_the_same_sections():
    assert sections("en") == sections("zh")
    assert sections("en")


@pytest.mark.parametrize("section", sections("en"))
def test_both_languages_have_the_same_messages(section):
    english, chinese = localized_section(section)["en"], localized_section(section)["zh"]
    assert list(english) == list(chinese)
    for key, text in english.items():
        assert type(text) is type(chinese[key]), key
        if isinstance(text, str):
            assert _fields(text) == _fields(chinese[key]), key


def _asked_for() -> set[tuple[str, ...]]:
    """The sections and keys that the product names."""
    asked: set[tuple[str, ...]] = set()
    for room in ("state", "text", "models", "tools", "nodes", "graph", "app"):
        for path in (_ROOT / room).rglob("*.py"):
            text = "" if "node_modules" in path.parts else path.read_text(encoding="utf-8")
            if not any(name in text for name in _NAMES):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NAMES:
                    asked.add(tuple(arg.value for arg in node.args if isinstance(arg, ast.Constant)))
    return asked


def test_every_message_that_is_named_exists_and_none_is_left_over():
    asked = _asked_for()
    for section, *key in asked:
        assert not key or key[0] in localized_section(section)["en"], (section, key)
    whole = {section for section, *key in asked if not key}
    named = {(section, key[0]) for section, *key in asked if key}
    left = [(s, k) for s in sections("en") if s not in whole for k in localized_section(s)["en"] if (s, k) not in named]
    assert not left


def test_a_message_is_found_in_the_language_asked_for():
    down = localized_section("mcp.problems")
    assert down["en"]["ended"] == "the server exited"
    assert down["zh"]["ended"] == "服务器已退出"
    assert list(localize_message("mcp.problems", "ended")) == ["en", "zh"]
    with pytest.raises(KeyError):
        localized_phrases("mcp.problems", "no such message")["en"]
