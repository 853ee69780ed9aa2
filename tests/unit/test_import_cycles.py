"""No circle of imports: neither at the top of modules nor in functions, for type checkers, by name, or in the page."""

import ast
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.budget import ROOMS, ROOT, list_modules

PAGE = ROOT / "app/page/src"
IMPORT = re.compile(r"""(?:from|import)\s*\(?\s*["'](\.{1,2}/[^"']+)["']""")


def module_name(path: Path) -> str:
    """Return the dotted name of a module."""
    parts = ("weiwo", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def list_imports(tree: ast.AST, known: AbstractSet[str]) -> Iterator[str]:
    """Yield the modules among `known` that a module imports, wherever the import stands."""
    by_name = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            by_name |= (node.id if isinstance(node, ast.Name) else node.attr) == "import_module"
        elif isinstance(node, ast.ImportFrom) and node.module:
            named = {f"{node.module}.{alias.name}" for alias in node.names} & known
            # a package whose members are all modules is only passed through
            yield from named if len(named) == len(node.names) else named | ({node.module} & known)
        elif isinstance(node, ast.Import):
            yield from {alias.name for alias in node.names} & known
    if by_name:
        yield from _list_by_name(tree, known)


def _list_by_name(tree: ast.AST, known: AbstractSet[str]) -> Iterator[str]:
    """Yield the modules that a module with `import_module` can name: by a text, or the parts of an f-string."""
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    texts = {value for value in constants if isinstance(value, str)}
    starts = {text for text in texts if text.startswith("weiwo.") and text.endswith(".")}
    yield from known & (texts | {start + text for start in starts for text in texts})


def find_cycle(graph: Mapping[str, AbstractSet[str]]) -> list[str]:
    """Return the modules of a circle, or an empty list."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_python_modules_import_each_other():
    paths = {module_name(path): path for room in ROOMS for path in list_modules(ROOT / room)}
    trees = {name: ast.parse(path.read_text("utf-8")) for name, path in paths.items()}
    graph = {name: {*list_imports(tree, paths.keys())} - {name} for name, tree in trees.items()}
    assert find_cycle(graph) == []
    assert sum(map(len, graph.values())) > len(graph) > 100


def test_no_modules_of_the_page_import_each_other():
    paths = {path.resolve(): path for path in PAGE.rglob("*.ts*")}
    graph = {str(path): {*_list_page_imports(path, paths)} for path in paths}
    assert [Path(name).name for name in find_cycle(graph)] == []
    assert sum(map(len, graph.values())) > len(graph) > 10


def _list_page_imports(path: Path, known: Mapping[Path, Path]) -> Iterator[str]:
    for target in IMPORT.findall(path.read_text("utf-8")):
        base = (path.parent / target).resolve()
        candidates = (
            base,
            *(base.with_name(base.name + ending) for ending in (".ts", ".tsx")),
            base.with_suffix(".ts"),
        )
        yield from (str(found) for found in candidates[:1] + candidates[1:] if found in known)


@pytest.mark.parametrize(
    "text",
    [
        "from weiwo.b import thing",
        "import weiwo.b",
        "def f():\n    from weiwo import b",
        "if TYPE_CHECKING:\n    from weiwo.b import Thing",
        "from importlib import import_module\nimport_module('weiwo.b')",
        "import importlib\nTABLE = {'x': 'b'}\nimportlib.import_module(f'weiwo.{TABLE[key]}')",
    ],
)
def test_every_kind_of_import_counts(text):
    known = {"weiwo.a", "weiwo.b"}
    graph = {"weiwo.a": {*list_imports(ast.parse(text), known)} - {"weiwo.a"}, "weiwo.b": {"weiwo.a"}}
    assert {*find_cycle(graph)} == known
