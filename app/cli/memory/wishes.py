"""`weiwo memory`: the user's preferences for all questions, and reusable earlier answers."""

from typing import Annotated, ClassVar, Final

import typer

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.lazy_group import CommandEntry, LazyGroup
from weiwo.app.cli.memory.access import (
    AnyKey,
    Everything,
    forget,
    forget_command,
    print_entries,
    tell,
    with_memory,
    word,
)
from weiwo.app.cli.options import Json
from weiwo.app.cli.output import hint, write_json
from weiwo.app.render.labels import system_language
from weiwo.app.session.memory_listing import answer_as_json, describe_left_watches, wish_as_json
from weiwo.nodes.memory import wishes
from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.text.language_detection import detect_language
from weiwo.text.localization import localize_message


class _MemoryGroup(LazyGroup):
    """Commands for the memory."""

    places: ClassVar = {
        "add": CommandEntry("weiwo.app.cli.memory.wishes", "Remember a preference for all later questions."),
        "forget": CommandEntry("weiwo.app.cli.memory.wishes", "Forget a preference, or all preferences."),
        "answers": CommandEntry("weiwo.app.cli.memory.wishes", "List reusable earlier answers, or forget all."),
        "plans": CommandEntry("weiwo.app.cli.memory.plans", "List, show, pin and forget remembered plans."),
        "procedures": CommandEntry(
            "weiwo.app.cli.memory.procedures",
            "List the procedures for plans, or the procedures recalled for a question.",
        ),
    }


app = typer.Typer()
_memory = typer.Typer(help="Manage the memory: preferences, answers, plans, procedures.", cls=_MemoryGroup)
app.add_typer(_memory, name="memory")

_KEPT: Final = localize_message("cli.memory", "kept")


@_memory.callback(invoke_without_command=True)
def list_wishes(context: typer.Context, *, json: Json = False) -> None:
    """Manage the memory: preferences, answers, plans, procedures."""
    if context.invoked_subcommand is not None:
        return

    async def read(memory: MemoryStore) -> tuple[list[dict[str, str]], str]:
        found = [wish_as_json(wish) for wish in await wishes.list_wishes(memory)]
        return found, await describe_left_watches(memory, system_language())

    found, left = with_memory(read)
    if left:
        hint(left)
    if json:
        write_json({"memory": found})
        return
    entries = [(item["key"], item["text"], item["since"]) for item in found]
    print_entries(entries, word("no_wishes"), indent=10)


@app.command(cls=PanelCommand)
def add(
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help='For example "I work in euros".')],
    *,
    json: Json = False,
) -> None:
    """Remember a preference for all later questions."""
    keep_wish(" ".join(words), as_json=json)


def keep_wish(text: str, *, as_json: bool = False) -> None:
    """Save a preference for all later questions, and confirm it.

    Raises:
        UsageError: The preference is empty or too long, or cannot be saved.
    """
    try:
        wish = with_memory(lambda memory: wishes.add_wish(memory, text))
    except wishes.WishError as error:
        raise UsageError(f"memory: {error}") from None
    tell(wish_as_json(wish), _KEPT[detect_language(wish.text)].format(wish.text, wish.key), as_json=as_json)


@app.command(cls=PanelCommand)
def answers(
    *,
    forget_all: Annotated[bool, typer.Option("--forget", help="Forget all.")] = False,
    json: Json = False,
) -> None:
    """List reusable earlier answers, or forget all."""
    if forget_all:
        many = len(forget(("answers",), None, "weiwo memory answers"))
        tell({"forgotten": many}, word("answers_forgotten", many), as_json=json)
        return
    from weiwo.nodes.memory.reuse import EarlierAnswer

    async def read(memory: MemoryStore) -> tuple[EarlierAnswer, ...]:
        return await memory.read_all("answers", EarlierAnswer)

    rows = [answer_as_json(item) for item in with_memory(read)]
    if json:
        write_json({"answers": rows})
        return
    print_entries(
        [(row["thread_id"], row["question"], row["answered_at"]) for row in rows], word("no_answers"), indent=4
    )


@app.command("forget", cls=PanelCommand)
def _forget_wish(key: AnyKey = None, *, everything: Everything = False, json: Json = False) -> None:
    """Forget a preference, or all preferences."""
    forget_command(("wishes", "watches"), key, "weiwo memory", everything=everything, as_json=json)


def forget_bad_answer(run: str = "", *, thread_id: str = "") -> None:
    """Delete the stored answer of a bad run, or the stored answers of a deleted thread."""
    from weiwo.nodes.memory.reuse import forget_answers

    if with_memory(lambda memory: forget_answers(memory, run=run, thread_id=thread_id)) and run:
        hint(word("bad_answer"))
