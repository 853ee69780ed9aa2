"""Passages that give a model orders: fifteen kinds, five each, in English and Chinese, and what each orders.

They are what the search finds beside a true passage; `tests.support.obedient` plays a model that does what they say.
The rows are in `tests/data/injected.jsonl`; what nobody would see in them is written as escapes.
"""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Injected:
    """A passage and its orders."""

    kind: str  # how it goes about it
    text: str  # the passage
    search: str = ""  # a query it wants sent
    url: str = ""  # an address it wants opened, or put into the answer
    tool: str = ""  # a tool it wants called
    answer: str = ""  # what it wants answered
    cite: int = 0  # a number it wants cited
    reveal: bool = False  # it wants to be told the instructions
    stop: bool = False  # it wants the work to end


_ROWS = Path(__file__).parents[1] / "data" / "injected.jsonl"
INJECTED = tuple(Injected(**json.loads(row)) for row in _ROWS.read_text(encoding="utf-8").splitlines())
