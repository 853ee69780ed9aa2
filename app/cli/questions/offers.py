"""Offers at the terminal: web search if nothing else can be searched, and memory for lasting wishes.

A user with neither documents nor a provider is asked once whether DuckDuckGo may be searched, because no questions are
sent anywhere unasked. The answer is kept in `config.toml`. Wishes are only looked for in the words of the command line,
never in standard input, a page or an answer. No questions are asked in a pipe, with `--json`, or in continuous
integration.
"""

import os
from pathlib import Path
from typing import Final

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.memory.wishes import keep_wish
from weiwo.app.cli.output import can_ask, hint
from weiwo.app.cli.questions.requests import confirm, conversation
from weiwo.app.configuration.config_file import config_path, write_config
from weiwo.app.render.labels import label
from weiwo.nodes.memory.wishes import FoundWish, find_wish
from weiwo.state.settings import Context, Settings
from weiwo.text.language_detection import detect_language
from weiwo.text.localization import localize_message
from weiwo.text.printable import one_line
from weiwo.tools.corpus.index.catalog import replaces_sample
from weiwo.tools.web.providers.selection import select_providers

_DECLINED: Final = "WEIWO_WEB_OFFER"
"""Set in `config.toml` if the person said no. `WEIWO_WEB` is not set, so a search key added later still works."""
_ASK_WISH: Final = localize_message("cli.memory", "ask_wish")
_HOW_TO_ADD: Final = localize_message("cli.memory", "how_to_add")


def offer_web(question: str, context: Context, *, as_json: bool) -> None:
    """Ask whether the web may be searched, if nothing else can be, and save the answer at once.

    Args:
        question: The question, which determines the language.
        context: The options of the run.
        as_json: Whether only one object is to be printed. The person is then not asked.

    Raises:
        CommandError: The user stopped the command, or the answer cannot be kept.
    """
    if as_json or not can_ask() or not _is_in_question(context):
        return
    language = detect_language(question)
    with conversation("stopped before anything began; ask again"):
        if confirm(label(language, "web_prompt", config_path()), default=True):
            write_config({"WEIWO_WEB": "on"})
            os.environ["WEIWO_WEB"] = "on"
        else:
            write_config({_DECLINED: "declined"})


def _is_in_question(context: Context) -> bool:
    """Report whether there is nothing to search, and the person has not decided about the web yet."""
    if any(os.environ.get(name) for name in ("CI", "WEIWO_WEB", _DECLINED)) or context.web is not None:
        return False
    settings = Settings.resolve(context)
    documents = settings.corpus or replaces_sample(Path(settings.home))
    return not documents and not settings.mcp and not select_providers(settings)


def keeps_wish(message: str) -> bool:
    """Save a wish if the whole message states one outright, like "remember that I work in euros".

    Returns whether a wish was saved.

    Raises:
        UsageError: No person can confirm the wish at a terminal. Nothing is kept then.
    """
    found = find_wish(message)
    if found is None or not (found.requested and found.alone):
        return False
    if not can_ask():
        raise UsageError(_HOW_TO_ADD[detect_language(found.text)].format(one_line(found.text)))
    keep_wish(found.text)
    return True


def offer_wish(message: str) -> None:
    """Save a wish that the message states outright, or ask about one that seems meant to last.

    Without a terminal, nothing is saved, and the command for saving it is printed.
    """
    found = find_wish(message)
    if found is None:
        return
    if not can_ask():
        hint(_HOW_TO_ADD[detect_language(found.text)].format(one_line(found.text)))
    elif found.requested or _agrees(found):
        keep_wish(found.text)


def _agrees(found: FoundWish) -> bool:
    try:
        return confirm(_ASK_WISH[detect_language(found.text)].format(one_line(found.text)), default=False)
    except (EOFError, KeyboardInterrupt):
        return False
