"""Growth of the code since a named commit.

    python -m tests.support.budget                     # lines of each room beside the baseline
    python -m tests.support.budget --rebase COMMIT     # make what is there the new baseline, called COMMIT

`tests/baseline.toml` holds the commit and its figures. No room has a line limit: CI fails only for a function over
`MAX_FUNCTION_LINES`, and, where `growth_fails` is true, for a figure of `HELD` that grew by more than `MAX_GROWTH`.
"""

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
BASELINE: Final = ROOT / "tests" / "baseline.toml"
ROOMS: Final = ("state", "text", "models", "tools", "nodes", "graph", "app")
MAX_FUNCTION_LINES: Final = 80
HELD: Final = (*ROOMS, "noqa", "unshared_public_names")
"""Figures whose growth fails the tests: lines of each room, ignored rules, and public names that should be private."""
MAX_GROWTH: Final = 0.10
"""Growth of a held figure between two baselines, as a share of it."""
_WORDS: Final = re.compile(r"\w+")
_NOQA: Final = re.compile(r"#\s*noqa\b")
_FOREIGN: Final = {"node_modules", "__pycache__"}


@dataclass(frozen=True)
class Figure:
    """A count now and at the baseline."""

    name: str
    now: int
    before: int

    @property
    def growth(self) -> float:
        """Growth since the baseline, as a share of it; 0 for an empty baseline."""
        return (self.now - self.before) / self.before if self.before else 0.0

    @property
    def complaint(self) -> str:
        """One line if a figure of `HELD` grew by more than `MAX_GROWTH`, else empty."""
        if self.name not in HELD or self.growth <= MAX_GROWTH:
            return ""
        unit = " lines" if self.name in ROOMS else ""
        return f"{self.name}: {self.now:,}{unit}, {self.growth:.0%} more than at the baseline ({self.before:,})"


@dataclass(frozen=True)
class ModuleFacts:
    """Facts of a module, without its syntax tree.

    Attributes:
        lines: Count of lines.
        noqa: Count of `noqa` comments.
        deferred_imports: Count of import statements inside functions.
        imports: Whether the module imports anything.
        long_functions: Name and lines of each function longer than `MAX_FUNCTION_LINES`.
        public_names: Functions, classes and variables without a leading underscore.
        public_classes: The classes among them.
        words: Every word of the source.
    """

    lines: int
    noqa: int
    deferred_imports: int
    imports: bool
    long_functions: tuple[tuple[str, int], ...]
    public_names: tuple[str, ...]
    public_classes: tuple[str, ...]
    words: frozenset[str]


@dataclass(frozen=True)
class Baseline:
    """A commit with its figures, and whether growth beyond `MAX_GROWTH` fails the tests."""

    commit: str
    growth_fails: bool
    counts: dict[str, int]


def read_baseline() -> Baseline:
    """Read `tests/baseline.toml`."""
    table = tomllib.loads(BASELINE.read_text(encoding="utf-8"))
    return Baseline(table["commit"], table["growth_fails"], table["counts"])


def list_modules(folder: Path) -> Iterator[Path]:
    """Python files below a folder, without installed and generated ones."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py":
            yield path
        elif path.is_dir() and path.name not in _FOREIGN and not path.name.startswith("."):
            yield from list_modules(path)


def read_modules() -> dict[Path, ModuleFacts]:
    """Read the modules of every room. Takes seconds; syntax trees are not kept, because collecting them takes longer."""
    paths = (path for room in ROOMS for path in list_modules(ROOT / room))
    return {path: read_module(path.read_text(encoding="utf-8")) for path in paths}


def read_module(text: str) -> ModuleFacts:
    """Read the facts of one module from its source."""
    tree = ast.parse(text)
    return ModuleFacts(
        lines=_count_lines(text),
        noqa=len(_NOQA.findall(text)),
        deferred_imports=count_deferred_imports(tree),
        imports=any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(tree)),
        long_functions=tuple(list_long_functions(tree)),
        public_names=tuple(_list_public_names(tree)),
        public_classes=tuple(
            node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        ),
        words=frozenset(_WORDS.findall(text)),
    )


def measure(modules: Mapping[Path, ModuleFacts]) -> dict[str, int]:
    """Count lines, modules, deferred imports, `noqa` comments and unshared public names in the working tree."""
    counts = Counter(dict.fromkeys(ROOMS, 0))
    for path, module in modules.items():
        counts[path.relative_to(ROOT).parts[0]] += module.lines
    counts["all"] = sum(counts.values())
    counts["tests"] = sum(_count_lines(path.read_text(encoding="utf-8")) for path in list_modules(ROOT / "tests"))
    counts["modules"] = sum(path.name != "__init__.py" for path in modules)
    counts["deferred_imports"] = sum(module.deferred_imports for module in modules.values())
    counts["noqa"] = sum(module.noqa for module in modules.values())
    root = [path.read_text(encoding="utf-8") for path in ROOT.glob("__*__.py")]
    counts["unshared_public_names"] = sum(1 for _ in list_unshared_names(modules, root))
    return dict(counts)


def compare(counts: Mapping[str, int], baseline: Baseline) -> list[Figure]:
    """Return counts of now beside those of the baseline."""
    return [Figure(name, now, baseline.counts[name]) for name, now in counts.items()]


def list_long_functions(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the name and lines of each function longer than `MAX_FUNCTION_LINES`, decorators aside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > MAX_FUNCTION_LINES:
                yield node.name, lines


def count_deferred_imports(tree: ast.AST) -> int:
    """Count import statements inside functions."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    inside = {node for function in functions for node in ast.walk(function)}
    return sum(isinstance(node, ast.Import | ast.ImportFrom) for node in inside)


def list_unshared_names(modules: Mapping[Path, ModuleFacts], others: Iterable[str]) -> Iterator[tuple[Path, str]]:
    """Yield public names of modules that no other module mentions: they should begin with an underscore."""
    words = (*(module.words for module in modules.values()), *(set(_WORDS.findall(text)) for text in others))
    mentions = Counter(word for found in words for word in found)
    for path, module in modules.items():
        yield from ((path, name) for name in module.public_names if mentions[name] == 1)


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


def rewrite_baseline(text: str, commit: str, counts: dict[str, int]) -> str:
    """Return the baseline file with another commit and counts; comments and guards stay."""
    text = re.sub(r'(?m)^commit = ".*"$', f'commit = "{commit}"', text)
    for name, count in counts.items():
        text = re.sub(rf"(?m)^{name} = [\d_]+$", f"{name} = {count:_}", text)
    return text


def format_table(figures: Iterable[Figure], commit: str) -> str:
    """Format the figures as the table that `make budget` prints."""
    lines = [f"{'':22} {'now':>8} {commit[:8]:>8} {'growth':>8}"]
    lines += [f"{row.name:22} {row.now:8,} {row.before:8,} {row.growth:+8.1%}" for row in figures]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Print the table, or write a new baseline. Returns the exit code."""
    counts = measure(read_modules())
    if arguments[:1] == ["--rebase"] and len(arguments) > 1:
        BASELINE.write_text(rewrite_baseline(BASELINE.read_text("utf-8"), arguments[1], counts), encoding="utf-8")
    baseline = read_baseline()
    figures = compare(counts, baseline)
    sys.stdout.write(format_table(figures, baseline.commit))
    complaints = [figure.complaint for figure in figures if figure.complaint]
    sys.stdout.writelines(f"{complaint}\n" for complaint in complaints)
    return int(bool(complaints) and baseline.growth_fails)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
