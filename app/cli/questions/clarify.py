"""A question back: what a question means that can mean several things, asked with numbered choices."""

from typing import Any, Final

from rich.text import Text

from weiwo.app.cli.output import screen
from weiwo.app.cli.questions.requests import QUIT, RequestKind, read_line
from weiwo.app.render.labels import label
from weiwo.app.render.progress import Progress
from weiwo.app.session.run_end import RunEnd
from weiwo.tools.printable import one_line

TYPE: Final = "clarify"
"""The `type` of such a request (`weiwo.nodes.master.clarify.REQUEST`, which is heavy to import)."""


def _fields(ended: RunEnd) -> dict[str, Any]:
    """`$defs/waiting_for_reply` of the result's schema."""
    choices = list(ended.request.get("choices") or ())
    return {"asks": TYPE, "clarify": ended.request.get("asks", ""), "choices": choices}


def _draw(ended: RunEnd, _: Progress) -> None:
    text = Text(f"{one_line(str(ended.request.get('asks', '')), 300)}\n", "bold")
    for n, choice in enumerate(ended.request.get("choices") or (), 1):
        text.append(f"  {n}. {one_line(str(choice), 200)}\n", "not bold")
    text.rstrip()
    screen().print(text)


def _converse(ended: RunEnd, language: str) -> Any:
    prompt = label(language, "clarify_prompt", len(ended.request.get("choices") or ()))
    while not (words := read_line(prompt)):
        pass
    return None if words.casefold() in QUIT else {"reply": words}


CLARIFICATION: Final = RequestKind(
    answers='--reply "NUMBER or words"',
    subject="--reply",
    waits=lambda _: "the question can mean several things",
    fields=_fields,
    draw=_draw,
    converse=_converse,
)
