"""The error tree in the docstring of `state.errors` is the one in the code."""

import ast
import builtins
import re
from pathlib import Path

import weiwo.state.errors

ROOT = Path(weiwo.state.errors.__file__).parents[1]
FOLDERS = ("state", "text", "models", "tools", "nodes", "graph", "app")
CLASS = re.compile(r"^ *class (\w+)(?:\(([^)]*)\))?:", re.MULTILINE)  # parsing every module takes seconds
LINE = re.compile(r"    (?P<indent>[│├└─ ]*)(?P<name>\w+)(?: \((?P<builtin>\w+)\))? +(?P<module>[\w.]+)\s")


def _classes() -> dict[str, tuple[str, list[str]]]:
    """Every class of the source by name: its module and the names of its bases."""
    found = {}
    for file in (file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")):
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for name, bases in CLASS.findall(file.read_text(encoding="utf-8")):
            found[name] = module, [base for base in map(str.strip, bases.split(",")) if base.isidentifier()]
    return found


def _is_exception(name: str, classes: dict[str, tuple[str, list[str]]]) -> bool:
    known = getattr(builtins, name, None)
    if name == "ToolException" or (isinstance(known, type) and issubclass(known, BaseException)):
        return True
    return any(_is_exception(base, classes) for base in classes.get(name, ("", []))[1])


def _printed() -> dict[str, tuple[str, list[str]]]:
    """The same of the tree in the docstring."""
    found: dict[str, tuple[str, list[str]]] = {}
    above = ["WeiwoError"]
    for line in (weiwo.state.errors.__doc__ or "").splitlines():
        if (read := LINE.match(line)) is None or not read["indent"]:
            continue
        depth = len(read["indent"]) // 4
        above[depth:] = [read["name"]]
        found[read["name"]] = read["module"], [above[depth - 1], *filter(None, [read["builtin"]])]
    return found


def test_every_error_stands_in_the_tree_under_its_base():
    classes = _classes()
    errors = {name: known for name, known in classes.items() if _is_exception(name, classes)}
    assert errors.pop("WeiwoError") == ("state.errors", ["Exception"])
    assert errors == _printed()


def test_every_error_is_called_one():
    assert [name for name in _printed() if not name.endswith("Error")] == []


def test_the_root_costs_no_import_of_the_values():
    source = (ROOT / "state" / "errors.py").read_text(encoding="utf-8")
    assert not [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
