"""Texts and what stands in them, from `tests/data/text_cases.toml`."""

import tomllib
from pathlib import Path
from typing import Any

_CASES = Path(__file__).parents[1] / "data" / "text_cases.toml"


def read_cases(table: str) -> list[tuple[str, Any]]:
    """The pairs of a table: a text, and what a test expects of it."""
    return list(tomllib.loads(_CASES.read_text(encoding="utf-8"))[table].items())
