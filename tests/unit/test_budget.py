"""What the house may weigh is held; how it is counted."""

import ast
from pathlib import Path

import pytest

from tests.support.budget import ROOMS, ROOT, Row, count_deferred_imports, list_modules, list_unshared_names, read_rows

DOORS = {"app/export", "graph", "models", "state", "tools/corpus", "tools/corpus/formats"}
"""Rooms whose `__init__` is imported from: what it lists is documented there."""


def test_no_room_is_over_its_limit():
    rows = read_rows()
    said = [row.excess for row in rows if row.excess]
    assert not said, "\n".join(said)
    assert all(row.limit >= row.goal for row in rows)


@pytest.mark.parametrize(
    ("found", "excess", "verdict"),
    [
        (1_000, "", ""),
        (1_010, "text: 1,010, 10 over its limit of 1,000", "over"),
        (990, "", ""),
        (900, "", "lower the limit"),
    ],
)
def test_a_limit_that_is_passed_says_by_how_much(found, excess, verdict):
    row = Row("text", found, limit=1_000, goal=500)
    assert (row.excess, row.verdict) == (excess, verdict)


def test_imports_in_functions_are_deferred():
    text = "import a\nif T:\n    import b\ndef f():\n    import c\n    def g():\n        from d import e\n"
    assert count_deferred_imports(ast.parse(text)) == 2


def test_names_that_no_other_module_mentions_are_unshared():
    texts = {
        Path("a.py"): "LIMIT = 3\n_own = LIMIT\ndef shared(): ...\nclass Lonely: ...\nKept: int = 1\n",
        Path("b.py"): "from a import shared, LIMIT\nprint(shared)\n",
    }
    trees = {path: ast.parse(text) for path, text in texts.items()}
    assert [name for _, name in list_unshared_names(texts, trees, ["Kept"])] == ["Lonely"]


def test_the_contract_of_a_room_imports_nothing():
    rooms = [path for room in ROOMS for path in list_modules(ROOT / room) if path.name == "__init__.py"]
    importing = {
        path.parent.relative_to(ROOT).as_posix()
        for path in rooms
        if any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    }
    assert importing <= DOORS
    assert len(rooms) > len(DOORS)
