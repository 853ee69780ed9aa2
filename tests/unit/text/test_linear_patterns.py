"""Every pattern of the product takes time in proportion to what it reads, whatever stands there.

Patterns are found, not listed: those that modules hold and those that functions write out.
Each runs, by the methods it is used with, over texts made to delay it: what its own unbounded repeats stand for, behind
what leads to them, and the usual suspects. A text of 3,000 characters tells the suspicious ones cheaply, and one of
12,000 which of them are plainly linear; only the others are measured at 10,000 and 40,000, where four times the text may
take eight times as long. Quadratic patterns take sixteen.
"""

import ast
import importlib
import re
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from weiwo.nodes.shared.question import parser as question_parser

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from re import _constants as sre  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]

pytestmark = pytest.mark.trial
ROOT = Path(__file__).parents[3]
PACKAGES = ("state", "text", "models", "tools", "nodes", "graph", "app")
EXTRAS = {"fastmcp", "mcp", "mcp_types", "httpx2"}
METHODS = {"search", "finditer", "findall", "sub", "subn", "split"}
ANCHORED = {"match", "fullmatch"}
USUAL = [
    *" \n\t\r\"'“《(（[<{|`#!?,;:.*_=/\\-@&~a0A一中",
    *(
        " \n",
        "\r\n",
        "a ",
        "A ",
        "Aa ",
        "a.",
        "a-",
        "0,",
        "0.",
        "一 ",
        "中a",
        "\n- ",
        "\n|",
        "a\n",
        "[a](",
        "<a ",
        '"a":',
    ),
]
LONG, GROWTH, PLAIN = 0.05, 8.0, 5.0
"""Seconds below which nothing is too long; how many times as long four times the text may take; and what it may take of
3,000 characters, whose share of the square is so small that it stays below the limit at 40,000 too."""


QUESTIONS = ("arithmetic", "comparison", "conversation", "lexicon", "look_up", "parser")
"""Modules of `nodes.shared.question` whose patterns read nothing but the user's own question, cut to so many characters."""
QUESTION, WHOLE_QUESTION = question_parser.LONGEST, 0.3
"""Seconds that none of them may take for a question of the greatest length."""


class Found(NamedTuple):
    """A pattern, where it stands, and the methods it is used by: `search` for all that go through a text."""

    place: str
    pattern: str
    flags: int
    methods: frozenset[str]


@cache
def sources() -> dict[str, tuple[ModuleType, list[ast.AST]]]:
    """Every module, and the nodes of its syntax tree."""
    found = {}
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        try:
            module = importlib.import_module(f"weiwo.{name}")
        except ModuleNotFoundError as missing:
            if missing.name not in EXTRAS:
                raise
            continue  # its extra is not installed here
        found[name] = (module, list(ast.walk(ast.parse(path.read_text("utf-8")))))
    return found


def uses() -> dict[tuple[str, str], set[str]]:
    """The methods that are called on each name, by module and name; with no module, anywhere."""
    called: dict[tuple[str, str], set[str]] = {}
    for place, (_, nodes) in sources().items():
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS | ANCHORED:
                for module in (place, ""):
                    called.setdefault((module, node.value.id), set()).add(node.attr)
    return called


def held(value: Any, depth: int = 3) -> Iterator[Any]:
    """The patterns in a value."""
    if isinstance(getattr(value, "pattern", None), str) and hasattr(value, "fullmatch"):
        yield value
    elif depth and isinstance(value, Mapping):
        for one in value.values():
            yield from held(one, depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from held(one, depth - 1)


def written(module: ModuleType, nodes: list[ast.AST]) -> Iterator[tuple[str, int, str]]:
    """The patterns that functions hand to `re`, as far as they are written out."""
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re"):
            continue
        if node.func.attr not in METHODS | ANCHORED:
            continue
        names = {one.id for one in ast.walk(node.args[0]) if isinstance(one, ast.Name)}
        if any(isinstance(one, ast.Call | ast.Lambda) for one in ast.walk(node.args[0])) or names - vars(module).keys():
            continue
        pattern = eval(compile(ast.Expression(node.args[0]), "<pattern>", "eval"), dict(vars(module)))  # noqa: S307 - our own
        given = [*node.args[1:], *(one.value for one in node.keywords)]
        flags = [one.attr for value in given for one in ast.walk(value) if isinstance(one, ast.Attribute)]
        if isinstance(pattern, str):
            yield pattern, int(sum(getattr(re, name, 0) for name in flags if name.isupper())), node.func.attr


@cache
def patterns() -> list[Found]:
    called = uses()
    found: dict[tuple[str, int, frozenset[str]], Found] = {}

    def add(place: str, pattern: str, flags: int, methods: set[str]) -> None:
        through = {"search"} if methods & METHODS or not methods & ANCHORED else set()
        entry = Found(place, pattern, flags, frozenset(through | methods & ANCHORED))
        found.setdefault(entry[1:], entry)

    for place, (module, nodes) in sources().items():
        for name, value in vars(module).items():
            methods = called.get((place, name)) or called.get(("", name), set())
            if name.startswith("_ORDERS"):  # their alternation takes the sum of their times
                for pattern in module._EVERY_ORDER:
                    add(f"{place}.{name}", pattern, re.DOTALL, {"search"})
                continue
            for one in held(value):
                flags = vars(one).get("_flags") if hasattr(one, "__dict__") else None
                add(f"{place}.{name}", one.pattern, one.flags if flags is None else flags, methods)
        for pattern, flags, method in written(module, nodes):
            add(place, pattern, flags, {method})
    return list(found.values())


def member(items: list[Any]) -> str:
    """A character of a class."""
    if items[0][0] is not sre.NEGATE:
        operation, value = items[0]
        return sample(
            [(operation, value)]
            if operation is sre.CATEGORY
            else [(sre.LITERAL, value if operation is sre.LITERAL else value[0])],
            [],
        )
    inside = re.compile("[" + "".join(map(_written, items[1:])) + "]")
    return next(char for char in "a 0\n,.A一(x!<\u00e9\x00\t\u2713" if not inside.match(char))


def _written(item: tuple[Any, Any]) -> str:
    operation, value = item
    if operation is sre.RANGE:
        return "-".join(re.escape(chr(end)) for end in value)
    if operation is sre.CATEGORY:
        kind = str(value).removeprefix("CATEGORY_")
        letter = kind.removeprefix("NOT_")[0].lower()
        return "\\" + (letter.upper() if kind.startswith("NOT_") else letter)
    return re.escape(chr(value))


def sample(  # noqa: C901 - a case for each operation
    tree: Iterable[tuple[Any, Any]], repeats: list[tuple[str, str]], before: str = ""
) -> str:
    """A text that the pattern more or less matches; what leads to each long repeat, and what it repeats, is noted."""
    text = ""
    for operation, value in tree:
        if operation is sre.LITERAL:
            text += chr(value)
        elif operation is sre.NOT_LITERAL:
            text += "b" if value == ord("a") else "a"
        elif operation is sre.ANY:
            text += "a"
        elif operation is sre.IN:
            text += member(value)
        elif operation is sre.CATEGORY:
            kind = str(value)
            text += {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " ", "CATEGORY_NOT_WORD": " "}.get(kind, "a")
        elif operation is sre.BRANCH:
            branches = [sample(branch, repeats, before + text) for branch in value[1]]
            text += branches[0]
        elif operation is sre.SUBPATTERN:
            text += sample(value[3], repeats, before + text)
        elif operation is sre.ATOMIC_GROUP:
            text += sample(value, repeats, before + text)
        elif operation in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
            least, most, body = value
            once = sample(body, repeats, before + text)
            if most > 300 and once:
                repeats.append((before + text, once))
            text += once * max(least, 1)
        elif operation is sre.ASSERT and value[0] > 0:
            sample(value[1], repeats, before + text)
    return text


def attacks(found: Found) -> list[tuple[str, str]]:
    """Beginnings, and what is repeated behind them."""
    repeats: list[tuple[str, str]] = []
    whole = sample(parser.parse(found.pattern, found.flags), repeats)
    own = {char: None for char in found.pattern if char.isascii() and char in "".join(USUAL)}
    units = [("", unit) for unit in USUAL if len(unit) > 1 or unit in own or unit in " \na0"] + [("", whole)] * bool(
        whole
    )
    for before, body in repeats:
        units += [(before, body), ("", before + body), *([("", before)] if before else [])]
    return list(dict.fromkeys(units))


def seconds(found: Found, attack: tuple[str, str], length: int) -> float:
    """CPU seconds to go through such a text of some length, that ends in what fits nowhere."""
    compiled = re.compile(found.pattern, found.flags)
    before, unit = attack
    text = (before + unit * (length // len(unit) + 1))[: max(length, 1)] + "\x00"
    began = time.process_time()
    if "search" in found.methods:
        for _ in compiled.finditer(text):
            pass
    if "match" in found.methods:
        compiled.match(text)
    if "fullmatch" in found.methods:
        compiled.fullmatch(text)
    return time.process_time() - began


def too_slow(found: Found, attack: tuple[str, str], lengths: tuple[int, int] = (10_000, 40_000)) -> str:
    """Why a pattern is too slow on such texts; empty if it is not."""
    if found.place.split(".")[1:4] in [["shared", "question", name] for name in QUESTIONS]:
        slow = seconds(found, attack, QUESTION) > WHOLE_QUESTION
        slow = slow and min(seconds(found, attack, QUESTION) for _ in range(3)) > WHOLE_QUESTION
        return "a question of the greatest length takes long" if slow else ""
    if seconds(found, attack, 300) > LONG and min(seconds(found, attack, 300) for _ in range(3)) > LONG:
        return "300 characters already take long"
    if (short := seconds(found, attack, 3_000)) < LONG / 10:
        return ""
    if seconds(found, attack, 12_000) < PLAIN * min(short, seconds(found, attack, 3_000)):
        return ""
    for _ in range(3):  # what else the machine does makes no pattern slow three times
        short, long = (min(seconds(found, attack, length) for _ in range(2)) for length in lengths)
        if long < LONG or long < GROWTH * short:
            return ""
    return f"four times the text takes {long / short:.0f} times as long"


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_time_grows_with_the_text() -> None:
    assert len(patterns()) > 250  # they are found at all
    slow = [
        f"{found.place}: {found.pattern[:120]!r} over {attack!r:.60}: {why}"
        for found in patterns()
        if (hit := next(((attack, why) for attack in attacks(found) if (why := too_slow(found, attack))), None))
        for attack, why in (hit,)
    ]
    assert not slow, "\n".join(slow)


def test_slow_patterns_are_noticed() -> None:
    """The measure tells a quadratic pattern, a cubic one and a linear one apart."""
    few = (2_500, 10_000)  # a quadratic pattern takes seconds over more
    for pattern in (r"\s*\n\s*", r"(?:^|\n)\s*system\s*:"):
        found = Found("here", pattern, 0, frozenset({"search"}))
        noticed = (too_slow(found, attack, few) for _ in range(5) for attack in attacks(found))
        assert any(noticed), pattern  # a busy machine may hide it once, not five times
    for pattern in (r"(?<!\s)\s*\n\s*", r"<[^<>]{0,200}>", r"\w{1,40}"):
        found = Found("here", pattern, 0, frozenset({"search"}))
        assert not any(too_slow(found, attack) for attack in attacks(found)), pattern
