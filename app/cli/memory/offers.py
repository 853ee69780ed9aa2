"""Offers to remember: what was typed at the terminal and sounds lasting is kept when asked for, or after asking.

Only the words of the command line are looked at; what comes from standard input, a page or an answer never is.
"""

from typing import Final

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.memory.wishes import add_command
from weiwo.app.cli.output import YES, can_ask, hint
from weiwo.nodes.memory.wishes import FoundWish, find_wish
from weiwo.text.language import detect_language
from weiwo.tools.printable import one_line

_ASK: Final = {
    "en": "Remember “{}” for all your questions? [y/n] ",
    "zh": "要为以后的问题记住“{}”吗？ [y/n] ",
}
_HOW: Final = {"en": 'to have it remembered: weiwo memory add "{}"', "zh": "若要记住：weiwo memory add “{}”"}


def keeps_wish(message: str) -> bool:
    """Keep a wish that somebody at the terminal asks to remember and says nothing else with; whether there was one.

    Raises:
        UsageError: It is no terminal, where nothing is kept; and there is no question to answer.
    """
    found = find_wish(message)
    if found is None or not (found.requested and found.alone):
        return False
    if not can_ask():
        raise UsageError(_HOW[detect_language(found.text)].format(one_line(found.text)))
    add_command(found.text)
    return True


def offer_wish(message: str) -> None:
    """Keep what a message asks to remember; ask about what sounds lasting; without a terminal, say how."""
    found = find_wish(message)
    if found is None:
        return
    if not can_ask():
        hint(_HOW[detect_language(found.text)].format(one_line(found.text)))
    elif found.requested or _agrees(found):
        add_command(found.text)


def _agrees(found: FoundWish) -> bool:
    try:
        said = input(_ASK[detect_language(found.text)].format(one_line(found.text)))
    except (EOFError, KeyboardInterrupt):
        return False
    return said.strip().casefold() in YES | {"要", "记住"}
