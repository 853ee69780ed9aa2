"""`weiwo memory`: what a user said holds for all their questions, listed, added and forgotten."""

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.memory.access import print_entries, tell, with_memory
from weiwo.app.cli.memory.words import word
from weiwo.app.cli.output import hint, write_json
from weiwo.app.render.labels import system_language
from weiwo.app.session.memory_listing import describe_left_watches, wish_as_json
from weiwo.nodes.memory import wishes
from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.text.language import detect_language

_KEPT = {
    "en": "remembered: “{}”; weiwo memory forget {} undoes it",
    "zh": "记住了：“{}”；weiwo memory forget {} 可撤销",
}


def list_command(*, as_json: bool) -> None:
    """List the wishes, the latest first."""

    async def read(memory: MemoryStore) -> tuple[list[dict[str, str]], str]:
        found = [wish_as_json(one) for one in await wishes.list_wishes(memory)]
        return found, await describe_left_watches(memory, system_language())

    found, left = with_memory(read)
    if left:
        hint(left)
    if as_json:
        write_json({"memory": found})
        return
    entries = [(one["key"], one["text"], one["since"]) for one in found]
    print_entries(entries, word("no_wishes"), indent=10)


def add_command(text: str, *, as_json: bool = False) -> None:
    """Remember something.

    Raises:
        UsageError: It cannot be kept.
    """
    try:
        one = with_memory(lambda memory: wishes.add_wish(memory, text))
    except wishes.WishError as error:
        raise UsageError(f"memory; {error}") from None
    tell(wish_as_json(one), _KEPT[detect_language(one.text)].format(one.text, one.key), as_json=as_json)
