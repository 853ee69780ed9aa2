"""Size of functions, and growth since the baseline."""

import ast
from pathlib import Path

import pytest

from tests.support.budget import (
    HELD,
    MAX_FUNCTION_LINES,
    ROOMS,
    ROOT,
    Figure,
    compare,
    count_deferred_imports,
    list_long_functions,
    list_unshared_names,
    measure,
    read_baseline,
    read_module,
    read_modules,
    rewrite_baseline,
)

DOORS = {"app/export", "graph", "models", "state", "tools/corpus", "tools/corpus/formats"}
"""Rooms whose `__init__` is imported from: what it lists is documented there."""


@pytest.fixture(scope="module")
def modules():
    return read_modules()


def test_no_function_is_too_long(modules):
    long = [
        f"{path.relative_to(ROOT)}: {name} has {lines} lines"
        for path, module in modules.items()
        for name, lines in module.long_functions
    ]
    assert not long, "\n".join(long)
    assert len(modules) > len(ROOMS)


def test_figures_grow_only_as_far_as_the_baseline_allows(modules):
    baseline = read_baseline()
    figures = compare(measure(modules), baseline)
    complaints = [figure.complaint for figure in figures if figure.complaint]
    assert not (baseline.growth_fails and complaints), "\n".join(complaints)
    assert set(HELD) < {figure.name for figure in figures}


@pytest.mark.parametrize(
    ("name", "now", "complaint"),
    [
        ("text", 1_000, ""),
        ("text", 1_100, ""),
        ("text", 1_101, "text: 1,101 lines, 10% more than at the baseline (1,000)"),
        ("text", 10, ""),
        ("tests", 9_000, ""),
        ("noqa", 1_100, ""),
        ("noqa", 1_101, "noqa: 1,101, 10% more than at the baseline (1,000)"),
        ("unshared_public_names", 1_200, "unshared_public_names: 1,200, 20% more than at the baseline (1,000)"),
        ("modules", 9_000, ""),
    ],
)
def test_only_a_figure_that_runs_away_is_named(name, now, complaint):
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
    modules = {path: read_module(text) for path, text in texts.items()}
    assert [name for _, name in list_unshared_names(modules, ["Kept"])] == ["Lonely"]


def test_the_contract_of_a_room_imports_nothing(modules):
    rooms = [path for path in modules if path.name == "__init__.py"]
    importing = {path.parent.relative_to(ROOT).as_posix() for path in rooms if modules[path].imports}
    assert importing <= DOORS
    assert len(rooms) > len(DOORS)


def test_a_public_class_name_stands_for_one_class(modules):
    homes: dict[str, set[str]] = {}
    for path, module in modules.items():
        for name in module.public_classes:
            homes.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    assert {name: sorted(paths) for name, paths in homes.items() if len(paths) > 1} == {}
