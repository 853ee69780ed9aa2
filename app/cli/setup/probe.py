"""The proof of a set-up: one question asked end to end, and what the model made of it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from weiwo.state.settings import Context

QUESTION: Final = "Who was older, Ada Lovelace or Alan Turing, and by how many years?"
SECONDS: Final = 180


@dataclass(frozen=True)
class Probe:
    """What asking came to.

    Attributes:
        works: Whether the model answered at least one call.
        answer: The answer.
        status: Its status.
        calls: Model calls made.
        failed: Those that gave nothing.
        modes: How structured replies were had, such as `json_schema`, most used first.
        tokens_a_second: Tokens of replies per second of calling.
        seconds: For the whole answer.
        error: Why calls gave nothing; empty where they did.
    """

    works: bool
    answer: str
    status: str
    calls: int
    failed: int
    modes: tuple[str, ...]
    tokens_a_second: float
    seconds: float
    error: str = ""


async def probe_model(settings: Mapping[str, str]) -> Probe:
    """Ask `QUESTION` of the bundled documents under some settings; nothing is kept.

    Args:
        settings: The variables to try, over those in force.
    """
    from weiwo.graph.builder import build_graph  # noqa: PLC0415 - heavy
    from weiwo.tools.corpus.source_names import find_sample_corpus  # noqa: PLC0415 - heavy

    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        context = Context(web=False, telemetry=False, corpus=[str(find_sample_corpus())], max_seconds=SECONDS)
        values = await build_graph().ainvoke({"question": QUESTION}, context=context)
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
    result = values["result"]
    calls = result["usage"]["calls"]
    errors = [call["error"] for call in calls if call["error"]]
    modes = [call["mode"] for call in calls if not call["error"] and call["mode"] not in {"", "text"}]
    spent = sum(call["seconds"] for call in calls)
    return Probe(
        works=len(errors) < len(calls),
        answer=result["answer"],
        status=result["status"],
        calls=len(calls),
        failed=len(errors),
        modes=tuple(sorted(set(modes), key=lambda mode: -modes.count(mode))),
        tokens_a_second=sum(call["output_tokens"] for call in calls) / spent if spent else 0.0,
        seconds=result["usage"]["seconds"],
        error=errors[0] if errors else "",
    )
