"""Texts that speak to a model, and documentation that does not."""

import ast
import random
from collections.abc import Iterator
from pathlib import Path

import pydantic

from tests.attack.report import Attack, Report
from tests.support.injected import INJECTED
from weiwo.text.injection import addresses_model

WINDOW = 1_200
MOST_FILES = 800
BOUND = 1 / 1_000
"""Of passages of API documentation, the share that may be taken for orders."""


async def _orders(report: Report, _: Path) -> None:
    for injected in INJECTED:
        report.check(injected.text, addresses_model(injected.text), "not seen as an order")


async def _documentation(report: Report, _: Path) -> None:
    """Documentation of the packages that are installed here; not of this repository, and nothing of it is kept."""
    site = Path(pydantic.__file__).parents[1]
    flagged: list[str] = []
    for path in _sample(site):
        for window in _windows(path):
            report.tried += 1
            if addresses_model(window):
                flagged.append(f"{path.relative_to(site)}: {window[:80]}")
    if len(flagged) > BOUND * report.tried:
        for one in flagged:
            report.failed(one, f"taken for an order, with {len(flagged) - 1} others of {report.tried}")


def _sample(site: Path) -> list[Path]:
    files = sorted(path for path in site.rglob("*") if path.suffix in {".md", ".rst", ".py"} or path.name == "METADATA")
    return random.Random(7).sample(files, min(MOST_FILES, len(files)))  # noqa: S311 - the same ones each time


def _windows(path: Path) -> Iterator[str]:
    try:
        text = path.read_text("utf-8")
        found = [text] if path.suffix != ".py" else _docstrings(text)
    except (OSError, ValueError, SyntaxError, RecursionError):
        return
    for one in found:
        yield from (part for start in range(0, len(one), WINDOW) if len(part := one[start : start + WINDOW]) >= 200)


def _docstrings(source: str) -> list[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    return [text for node in nodes if (text := ast.get_docstring(node))]


ATTACKS = (
    Attack("orders to models in passages", _orders),
    Attack("API documentation taken for orders (1 in 1,000 may be)", _documentation),
)
