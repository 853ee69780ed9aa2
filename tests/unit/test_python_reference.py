"""`docs/python.md` lists the signatures, settings and events that the code has, and nothing else."""

import ast
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Final

import pytest

import weiwo
from weiwo.graph.builder import build_graph
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.state import events
from weiwo.state.context import Context
from weiwo.state.settings import Settings

PAGE: Final = (Path(__file__).resolve().parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "build_graph": build_graph,
    "Settings.resolve": Settings.resolve,
    "open_checkpointer": open_checkpointer,
}


def section(heading: str) -> str:
    """Text below a heading, up to the next heading of the page."""
    _, _, below = PAGE.partition(f"\n## {heading}\n")
    assert below, f"docs/python.md has no section {heading!r}"
    return below.partition("\n## ")[0]


def table(heading: str) -> dict[str, tuple[str, ...]]:
    """Cells of the section's table by the name in the first column."""
    rows = [line for line in section(heading).splitlines() if line.startswith("| `")]
    cells = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in rows]
    return {name.strip("`"): tuple(rest) for name, *rest in cells}


def documented_parameters(name: str) -> list[tuple[str, str | None, bool]]:
    """Parameters of a function as its signature on the page declares them: name, default, keyword-only."""
    found = re.search(rf"^{re.escape(name)}\((.*?)\)(?: -> [^\n]+)?$", PAGE, re.DOTALL | re.MULTILINE)
    assert found, f"docs/python.md shows no signature of {name}"
    (function,) = ast.parse(f"def _({found[1]}): ...").body
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + [ast.unparse(d) for d in arguments.defaults]
    named = [(argument.arg, value, False) for argument, value in zip(arguments.args, defaults, strict=True)]
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return named + [(argument.arg, ast.unparse(value) if value else None, True) for argument, value in keywords]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_are_those_of_the_code(name: str) -> None:
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    actual = [(p.name, None if p.default is p.empty else repr(p.default), p.kind is p.KEYWORD_ONLY) for p in parameters]
    assert documented_parameters(name) == actual


def test_every_public_name_is_described() -> None:
    assert {*table("What can be imported")} >= {*weiwo.__all__}


def test_every_setting_is_listed_with_its_default() -> None:
    documented = {name: cells[1].strip("`") for name, cells in table("`Settings`").items()}
    actual = {}
    for entry in fields(Settings):
        factory = entry.default_factory
        value = f"{factory.__name__}()" if factory is not MISSING else repr(entry.default)  # type: ignore[attr-defined]
        actual[entry.name] = "required" if entry.default is MISSING and factory is MISSING else value
    assert documented == actual


def test_every_field_of_a_context_is_listed_once() -> None:
    named = re.findall(r"`(\w+)`", "\n".join(cells[0] for cells in table("`Context`").values()))
    assert sorted(named) == sorted(Context.model_fields)


def test_every_event_is_listed_with_its_fields() -> None:
    documented = {name: set(re.findall(r"`(\w+)`", cells[0])) for name, cells in table("Streaming").items()}
    classes = [kind for kind in vars(events).values() if inspect.isclass(kind) and issubclass(kind, events.EventBase)]
    kinds = [kind for kind in classes if kind is not events.EventBase]
    assert documented == {k.model_fields["type"].default: {*k.model_fields} - {"type"} for k in kinds}
