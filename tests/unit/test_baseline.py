"""Size of functions and growth of rooms since the baseline."""

import ast
from pathlib import Path

import pytest

from tests.support.budget import (
    MAX_FUNCTION_LINES,
    ROOMS,
    ROOT,
    Figure,
    compare,
    count_deferred_imports,
    count_room_lines,
    list_long_functions,
    list_modules,
    list_unshared_names,
    read_baseline,
    rewrite_baseline,
)

DOORS = {"app/export", "graph", "models", "state", "tools/corpus", "tools/corpus/formats"}
"""Rooms whose `__init__` is imported from: what it lists is documented there."""


def test_no_function_is_too_long():
    trees = {path: ast.parse(path.read_text("utf-8")) for room in ROOMS for path in list_modules(ROOT / room)}
    long = [
        f"{path.relative_to(ROOT)}: {name} has {lines} lines"
        for path, tree in trees.items()
        for name, lines in list_long_functions(tree)
    ]
    assert not long, "\n".join(long)
    assert len(trees) > len(ROOMS)


def test_rooms_grow_only_as_far_as_the_baseline_allows():
    baseline = read_baseline()
    complaints = [figure.complaint for figure in compare(count_room_lines(), baseline) if figure.complaint]
    assert not (baseline.growth_fails and complaints), "\n".join(complaints)
    assert set(ROOMS) < set(baseline.counts)


@pytest.mark.parametrize(
    ("name", "now", "complaint"),
    [
        ("text", 1_000, ""),
        ("text", 1_100, ""),
        ("text", 1_101, "text: 1,101 lines, 10% more than at the baseline (1,000)"),
        ("text", 10, ""),
        ("tests", 9_000, ""),
    ],
)
def test_only_a_room_that_runs_away_is_named(name, now, complaint):
    assert Figure(name, now, before=1_000).complaint == complaint


def test_a_function_is_measured_from_its_name_to_its_last_line():
    body = "".join(f"    x = {number}\n" for number in range(MAX_FUNCTION_LINES))
    tree = ast.parse(f"@decorator\ndef long():\n{body}\nasync def short():\n    pass\n")
    assert list(list_long_functions(tree)) == [("long", MAX_FUNCTION_LINES + 1)]


def test_a_new_baseline_keeps_comments_and_guards():
    text = '# Why.\ncommit = "aaa"\ngrowth_fails = false\n[counts]\ntext = 1_000\n[guards.levels]\nrows = 300\n'
    found = rewrite_baseline(text, "bbb", {"text": 1_234})
    assert found == text.replace("aaa", "bbb").replace("1_000", "1_234")


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


def test_a_public_class_name_stands_for_one_class():
    homes: dict[str, set[str]] = {}
    for room in ROOMS:
        for path in list_modules(ROOT / room):
            for node in ast.parse(path.read_text("utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes.setdefault(node.name, set()).add(str(path.relative_to(ROOT)))
    assert {name: sorted(paths) for name, paths in homes.items() if len(paths) > 1} == {}
