"""`weiwo memory`: what a user said holds for all their questions, listed, added and forgotten."""

from datetime import UTC, datetime

from rich.text import Text

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.memory.access import find_key, with_memory
from weiwo.app.cli.output import hint, page, write_json
from weiwo.app.render.text_wrapping import Flow
from weiwo.nodes.memory import wishes
from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.text.language import detect_language
from weiwo.tools.printable import one_line

_KEPT = {
    "en": "remembered: “{}”; weiwo memory forget {} undoes it",
    "zh": "记住了：“{}”；weiwo memory forget {} 可撤销",
}


def list_command(*, as_json: bool) -> None:
    """List the wishes, the latest first."""
    found = with_memory(wishes.list_wishes)
    if as_json:
        write_json({"memory": [_as_json(one) for one in found]})
        return
    console = page()
    for one in found:
        line = Text(one.key, "bold").append(f"  {one_line(one.text, wishes.LONGEST_WISH)}", "not bold")
        console.print(Flow(line.append(f"  {_day(one)}", "dim"), indent=10))
    if not found:
        hint('nothing is remembered; weiwo memory add "I work in euros" is an example')


def add_command(text: str, *, as_json: bool = False) -> None:
    """Remember something.

    Raises:
        UsageError: It cannot be kept.
    """
    try:
        one = with_memory(lambda memory: wishes.add_wish(memory, text))
    except wishes.WishError as error:
        raise UsageError(f"memory; {error}") from None
    if as_json:
        write_json(_as_json(one))
    else:
        hint(_KEPT[detect_language(one.text)].format(one.text, one.key))


def forget_command(key: str | None, *, everything: bool, as_json: bool) -> None:
    """Forget one, or all.

    Raises:
        UsageError: Both or neither was said, or there is none of that key.
    """
    if (key is None) is not everything:
        raise UsageError("memory forget; it takes a KEY, or --all; give one of them")

    async def work(memory: MemoryStore) -> list[str]:
        known = [entry.key for entry in await memory.list("wishes")]
        gone = known if everything else [find_key(known, key or "", "weiwo memory")]
        for one in gone:
            await memory.delete("wishes", one)
        return gone

    gone = with_memory(work)
    if as_json:
        write_json({"forgotten": gone})
    else:
        hint(f"forgotten: {', '.join(gone) or 'none; there was none'}")


def _day(one: wishes.Wish) -> str:
    return datetime.fromtimestamp(one.at, UTC).date().isoformat()


def _as_json(one: wishes.Wish) -> dict[str, str]:
    return {"key": one.key, "text": one.text, "since": _day(one)}
