"""Budgets of size: how much Python each room holds, and how much it may.

    python -m tests.support.budget            # a table of rooms
    python -m tests.support.budget --lower    # limits come down to what is there, at most to their goals

`tests/budget.toml` has the limits, and the goals that they come down to.
"""

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
BUDGET: Final = ROOT / "tests" / "budget.toml"
SLACK: Final = 0.02
"""How far below a limit the figure may be before the limit is to come down."""
ROOMS: Final = ("state", "text", "models", "tools", "nodes", "graph", "app")
_WORDS: Final = re.compile(r"\w+")
_NOQA: Final = re.compile(r"#\s*noqa\b")
_FOREIGN: Final = {"node_modules", "__pycache__"}


@dataclass(frozen=True)
class Row:
    """A figure, and how high it may be now and in the end."""

    name: str
    found: int
    limit: int
    goal: int

    @property
    def excess(self) -> str:
        """The line that says by how much the limit is passed; empty within it."""
        if self.found <= self.limit:
            return ""
        return f"{self.name}: {self.found:,}, {self.found - self.limit:,} over its limit of {self.limit:,}"

    @property
    def verdict(self) -> str:
        """What `make budget` says of it."""
        if self.excess:
            return "over"
        far = self.found < self.limit * (1 - SLACK) and self.limit > self.goal * (1 + SLACK)
        return "lower the limit" if far else ""


def list_modules(folder: Path) -> Iterator[Path]:
    """The Python files below a folder, without what is installed or made there."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py":
            yield path
        elif path.is_dir() and path.name not in _FOREIGN and not path.name.startswith("."):
            yield from list_modules(path)


def measure() -> dict[str, int]:
    """Every figure that has a limit, as the files are now."""
    texts = {room: {path: path.read_text(encoding="utf-8") for path in list_modules(ROOT / room)} for room in ROOMS}
    figures = {room: sum(map(_count_lines, texts[room].values())) for room in ROOMS}
    figures["all"] = sum(figures.values())
    figures["tests"] = sum(_count_lines(path.read_text(encoding="utf-8")) for path in list_modules(ROOT / "tests"))
    product = {path: text for room in ROOMS for path, text in texts[room].items()}
    trees = {path: ast.parse(text) for path, text in product.items()}
    figures["modules"] = sum(path.name != "__init__.py" for path in product)
    figures["deferred_imports"] = sum(map(count_deferred_imports, trees.values()))
    figures["noqa"] = sum(len(_NOQA.findall(text)) for text in product.values())
    root = [path.read_text(encoding="utf-8") for path in ROOT.glob("__*__.py")]
    figures["unshared_public_names"] = sum(1 for _ in list_unshared_names(product, trees, root))
    return figures


def read_rows() -> list[Row]:
    """The limits beside what is there."""
    limits = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    return [Row(name, found, limits[name]["limit"], limits[name]["goal"]) for name, found in measure().items()]


def count_deferred_imports(tree: ast.AST) -> int:
    """Import statements inside functions."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    inside = {node for function in functions for node in ast.walk(function)}
    return sum(isinstance(node, ast.Import | ast.ImportFrom) for node in inside)


def list_unshared_names(
    texts: dict[Path, str], trees: dict[Path, ast.Module], others: list[str]
) -> Iterator[tuple[Path, str]]:
    """Public names of modules that no other module of the product mentions: they should begin with an underscore."""
    words = {path: set(_WORDS.findall(text)) for path, text in texts.items()}
    mentions = Counter(
        word for found in (*words.values(), *(set(_WORDS.findall(text)) for text in others)) for word in found
    )
    for path, tree in trees.items():
        yield from ((path, name) for name in _list_public_names(tree) if mentions[name] == 1)


def _list_public_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        else:
            continue
        yield from (name for name in names if not name.startswith("_"))


def _count_lines(text: str) -> int:
    return text.count("\n")


def _lower() -> None:
    """Write the limits that could come down."""
    text = BUDGET.read_text(encoding="utf-8")
    for row in read_rows():
        lower = min(row.limit, max(row.found, row.goal))
        text = re.sub(rf"(?m)^({row.name} = {{ limit = )[\d_]+", rf"\g<1>{lower:_}", text)
    BUDGET.write_text(text, encoding="utf-8")


def main() -> None:
    """Print the table."""
    if "--lower" in sys.argv[1:]:
        _lower()
    rows = read_rows()
    lines = [f"{'':22} {'now':>8} {'limit':>8} {'goal':>8}"]
    lines += [
        f"{row.name:22} {row.found:8,} {row.limit:8,} {row.goal:8,}" + "  over" * bool(row.excess) for row in rows
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.exit(any(row.excess for row in rows))


if __name__ == "__main__":
    main()
