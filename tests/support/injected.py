"""Passages that give a model orders: fifteen kinds, five each, in English and Chinese, and what each orders.

They are what the search finds beside a true passage; `tests.support.obedient` plays a model that does what they say.
The rows are in `tests/data/injected.jsonl`; what nobody would see in them is written as escapes.
"""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Injected:
    """A passage and its orders.

    Attributes:
        kind: How it goes about it.
        text: The passage.
        search: A query it wants sent.
        url: An address it wants opened, or put into the answer.
        tool: A tool it wants called.
        answer: What it wants answered.
        cite: A number it wants cited.
        reveal: It wants to be told the instructions.
        stop: It wants the work to end.
    """

    kind: str
    text: str
    search: str = ""
    url: str = ""
    tool: str = ""
    answer: str = ""
    cite: int = 0
    reveal: bool = False
    stop: bool = False


_ROWS = Path(__file__).parents[1] / "data" / "injected.jsonl"
INJECTED = tuple(Injected(**json.loads(row)) for row in _ROWS.read_text(encoding="utf-8").splitlines())
