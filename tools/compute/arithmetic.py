"""Arithmetic on a parsed tree: allow-listed and bounded operations. No code is executed."""

import ast
import math
import operator
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import Final

from weiwo.text.dates import PartialDate
from weiwo.tools.compute.formula import normalize_formula

_MAX_NODES: Final = 2_000
_LARGEST: Final = 10**300
_LARGEST_EXPONENT: Final = 1000

Number = int | float
Scalar = int | float | bool | PartialDate
"""Type of a result: a number, a truth value or a date."""

_HOW: Final = "use an expression like (3 + 4) * 2, with date(-156) for 156 BC"

_Value = Scalar | list[Scalar]


def evaluate(expression: str) -> Scalar:
    """Evaluate an expression: "15% * 200" → 30, "date(-100) - date(-156)" → 56.

    The syntax has numbers, + - * / // % **, parentheses, comparisons, lists, `min max abs round sum avg mean sqrt` and
    `date(year[, month[, day]])` with negative years for BC. × ÷ − ^ and full-width characters are accepted, and so are
    "1,234" and "15%". A date minus a date is the difference of their calendar years. There is no year 0 between 1 BC
    and AD 1. Whole numbers are exact. Other results are rounded to 15 significant digits, and `round` rounds halves
    away from zero.

    Args:
        expression: Up to 20,000 characters and 2,000 nodes of the syntax tree.

    Returns:
        A number, a truth value, or a date.

    Raises:
        ValueError: The expression is invalid, has no result, or is too large. The message says what to change.
    """
    formula = normalize_formula(expression)
    try:
        tree = ast.parse(formula, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{expression[:80]!r} is not an arithmetic expression; {_HOW}") from None
    if sum(1 for _ in ast.walk(tree)) > _MAX_NODES:
        raise ValueError(f"the expression has more than {_MAX_NODES} parts; split it")
    try:
        result = _value(tree.body)
    except ZeroDivisionError:
        raise ValueError("division by zero") from None
    except OverflowError:
        raise ValueError("the result is too large") from None
    if isinstance(result, list):
        raise ValueError("the result is a list; use sum, min, max or avg to get a single value")  # noqa: TRY004  # every refusal is a ValueError
    return _strip_float_noise(result) if isinstance(result, float) else result


def _value(node: ast.expr) -> _Value:
    evaluator = _NODES.get(type(node))
    if evaluator is None:
        raise ValueError(f"{ast.unparse(node)[:40]!r} is not allowed here; use numbers, + - * / // % **, {_NAMES}")
    return evaluator(node)


def _constant(node: ast.expr) -> _Value:
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool):
        return value
    if not isinstance(value, int | float):
        raise ValueError(f"{value!r} is not a number")  # noqa: TRY004  # every refusal is a ValueError
    return _check_magnitude(value)


def _list(node: ast.expr) -> _Value:
    values = [_value(item) for item in node.elts] if isinstance(node, ast.List) else []
    return [_scalar(value) for value in values]


def _unary(node: ast.expr) -> _Value:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _number(_value(node.operand))
        return -value if isinstance(node.op, ast.USub) else value
    raise ValueError(f"{ast.unparse(node)[:40]!r} is not arithmetic")


def _binary(node: ast.expr) -> _Value:
    if not isinstance(node, ast.BinOp) or type(node.op) not in _OPERATORS:
        raise ValueError(f"{ast.unparse(node)[:40]!r} is not arithmetic; use + - * / // % **")
    left, right = _value(node.left), _value(node.right)
    if isinstance(left, PartialDate) or isinstance(right, PartialDate):
        if isinstance(left, PartialDate) and isinstance(right, PartialDate) and isinstance(node.op, ast.Sub):
            return left.astronomical - right.astronomical
        raise ValueError("dates can only be subtracted from each other or compared")
    return _check_magnitude(_OPERATORS[type(node.op)](_number(left), _number(right)))


def _divide(left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int) and left % right == 0:
        return left // right
    return left / right


def _power(base: Number, exponent: Number) -> Number:
    if abs(exponent) > _LARGEST_EXPONENT:
        raise ValueError(f"the exponent {exponent} is beyond {_LARGEST_EXPONENT}")
    if base < 0 and isinstance(exponent, float) and not exponent.is_integer():
        raise ValueError("a negative number cannot be raised to a fractional power")
    if abs(base) > 1 and exponent * math.log10(abs(base)) > math.log10(_LARGEST) + 1:
        raise ValueError("the result is too large")
    if isinstance(base, int) and isinstance(exponent, int) and exponent < 0:
        return float(base) ** exponent
    result: Number = base**exponent
    return result


def _compare(node: ast.expr) -> _Value:
    if not isinstance(node, ast.Compare) or any(type(op) not in _COMPARISONS for op in node.ops):
        raise ValueError(f"{ast.unparse(node)[:40]!r} is not a comparison of numbers or dates")
    values = [_scalar(_value(operand)) for operand in (node.left, *node.comparators)]
    return all(_compare_scalars(type(op), *pair) for op, pair in zip(node.ops, pairwise(values), strict=True))


def _compare_scalars(op: type[ast.cmpop], left: Scalar, right: Scalar) -> bool:
    if isinstance(left, PartialDate) and isinstance(right, PartialDate):
        if left != right and (left.contains(right) or right.contains(left)) and op not in {ast.Eq, ast.NotEq}:
            raise ValueError(
                f"cannot decide which is earlier, {left.iso()} or {right.iso()}; give both with the same precision"
            )
        return bool(_COMPARISONS[op](left, right))
    return bool(_COMPARISONS[op](_strip_float_noise(_number(left)), _strip_float_noise(_number(right))))


def _call(node: ast.expr) -> _Value:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in _FUNCTIONS:
        raise ValueError(f"{ast.unparse(node)[:40]!r} is not a known function; use {_NAMES}")
    if node.keywords:
        raise ValueError(f"{node.func.id} takes no named arguments")
    fewest, most, function = _FUNCTIONS[node.func.id]
    arguments = [_value(argument) for argument in node.args]
    if most is None and len(arguments) == 1 and isinstance(arguments[0], list):
        scalars = arguments[0]
    else:
        scalars = [_scalar(argument) for argument in arguments]
    if len(scalars) < fewest or (most is not None and len(scalars) > most):
        raise ValueError(f"{node.func.id} takes {_arity(fewest, most)}, not {len(scalars)}")
    return function(scalars)


def _arity(fewest: int, most: int | None) -> str:
    if most is None:
        return f"at least {fewest}, or a list that is not empty"
    return f"{fewest} argument{'s' * (fewest != 1)}" if fewest == most else f"{fewest} to {most} arguments"


def _date(values: Sequence[Scalar]) -> Scalar:
    parts = [_number(value) for value in values]
    if any(not isinstance(part, int) or abs(part) > _LARGEST_EXPONENT**2 for part in parts):
        raise ValueError("date needs whole numbers: date(-156) for 156 BC, date(1969, 7, 20)")
    return PartialDate(*(int(part) for part in parts))


def _extreme(values: Sequence[Scalar], choose: Callable[..., Scalar]) -> Scalar:
    dates = [value for value in values if isinstance(value, PartialDate)]
    if dates and len(dates) != len(values):
        raise ValueError("dates and numbers cannot be mixed")
    return choose(dates) if dates else choose([_number(value) for value in values])


def _sum(values: Sequence[Scalar]) -> Number:
    numbers = [_number(value) for value in values]
    return _check_magnitude(
        math.fsum(numbers) if any(isinstance(number, float) for number in numbers) else sum(numbers)
    )


def _round(values: Sequence[Scalar]) -> Scalar:
    number, places = _number(values[0]), _number(values[1]) if len(values) > 1 else 0
    if not isinstance(places, int) or abs(places) > 300:
        raise ValueError("round needs a whole number of decimals")
    if isinstance(number, int) and places >= 0:
        return number
    # Decimal's default 28 digits would not hold every number up to the largest.
    scaled = Decimal(repr(number)).scaleb(places) if abs(number) < 1e15 else None
    if scaled is None or abs(scaled) >= 10**27:
        return round(number, places)
    rounded = scaled.quantize(Decimal(1), rounding=ROUND_HALF_UP).scaleb(-places)
    return int(rounded) if places <= 0 else float(rounded)


def _sqrt(values: Sequence[Scalar]) -> Scalar:
    number = _number(values[0])
    if number < 0:
        raise ValueError("a negative number has no square root")
    root = math.isqrt(int(number))
    return root if isinstance(number, int) and root * root == number else math.sqrt(number)


def _number(value: _Value) -> Number:
    if isinstance(value, bool) or not isinstance(value, int | float):
        kind = "a list" if isinstance(value, list) else "a date" if isinstance(value, PartialDate) else "a comparison"
        raise ValueError(f"expected a number, found {kind}")  # noqa: TRY004  # every refusal is a ValueError
    return value


def _scalar(value: _Value) -> Scalar:
    if isinstance(value, list):
        raise ValueError("expected a single value, found a list")  # noqa: TRY004  # every refusal is a ValueError
    return value


def _check_magnitude(value: Number) -> Number:
    if not abs(value) <= _LARGEST:
        raise ValueError("a number beyond 1e300 is too large")
    return value


def _strip_float_noise(value: Number) -> Number:
    """Round a float to 15 significant digits: 0.30000000000000004 → 0.3. A whole result below 1e15 becomes an int."""
    if isinstance(value, int):
        return value
    rounded = float(f"{value:.15g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


_NODES: Final[dict[type[ast.expr], Callable[[ast.expr], _Value]]] = {
    ast.Constant: _constant,
    ast.List: _list,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.Call: _call,
}
_OPERATORS: Final[dict[type[ast.operator], Callable[[Number, Number], Number]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divide,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_COMPARISONS: Final[dict[type[ast.cmpop], Callable[..., bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: Final[dict[str, tuple[int, int | None, Callable[[Sequence[Scalar]], Scalar]]]] = {
    "min": (1, None, lambda values: _extreme(values, min)),
    "max": (1, None, lambda values: _extreme(values, max)),
    "sum": (1, None, _sum),
    "avg": (1, None, lambda values: _divide(_sum(values), len(values))),
    "mean": (1, None, lambda values: _divide(_sum(values), len(values))),
    "abs": (1, 1, lambda values: abs(_number(values[0]))),
    "round": (1, 2, _round),
    "sqrt": (1, 1, _sqrt),
    "date": (1, 3, _date),
}
_NAMES: Final = ", ".join(_FUNCTIONS)
