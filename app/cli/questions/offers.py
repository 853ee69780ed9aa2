"""Offers at the terminal: to search the web where there is nothing else to search, and to remember what sounds lasting.

Who has neither documents nor a provider is asked once whether DuckDuckGo may be searched: nobody's questions are sent
anywhere unasked. The answer is kept in `config.toml`. Of wishes only the words of the command line are looked at; what
comes from standard input, a page or an answer never is. Nobody is asked in a pipe, with `--json`, or in continuous
integration.
"""

import os
from pathlib import Path
from typing import Final

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.memory.wishes import keep_wish
from weiwo.app.cli.output import can_ask, hint
from weiwo.app.cli.questions.requests import answering, confirm
from weiwo.app.configuration.config_file import config_path, write_config
from weiwo.app.render.labels import label
from weiwo.nodes.memory.wishes import FoundWish, find_wish
from weiwo.state.settings import Context, Settings
from weiwo.text.language_detection import detect_language
from weiwo.text.localization import localized
from weiwo.text.printable import one_line
from weiwo.tools.corpus.index.catalog import replaces_sample
from weiwo.tools.web.providers.selection import select_providers

_DECLINED: Final = "WEIWO_WEB_OFFER"
"""Set in `config.toml` where the person said no: the web stays as it was, so that a key set later counts."""
_ASK_WISH: Final = localized("cli.memory", "ask_wish")
_HOW_TO_ADD: Final = localized("cli.memory", "how_to_add")


def offer_web(question: str, context: Context, *, as_json: bool) -> None:
    """Ask, where it makes sense, whether the web may be searched; keep the answer, and let it hold from now on.

    Args:
        question: The question, which tells the language.
        context: The options of the run.
        as_json: Whether one object is to be printed, and nothing else.

    Raises:
        CommandError: They stopped the command, or the answer cannot be kept.
    """
    if as_json or not can_ask() or not _is_in_question(context):
        return
    language = detect_language(question)
    with answering("stopped; nothing had begun; ask again"):
        if confirm(label(language, "web_prompt", config_path()), default=True):
            write_config({"WEIWO_WEB": "on"})
            os.environ["WEIWO_WEB"] = "on"
        else:
            write_config({_DECLINED: "declined"})


def _is_in_question(context: Context) -> bool:
    """Whether there is neither a document nor a provider, and nobody has said anything about the web yet."""
    if any(os.environ.get(name) for name in ("CI", "WEIWO_WEB", _DECLINED)) or context.web is not None:
        return False
    settings = Settings.resolve(context)
    documents = settings.corpus or replaces_sample(Path(settings.home))
    return not documents and not settings.mcp and not select_providers(settings)


def keeps_wish(message: str) -> bool:
    """Keep a wish that somebody at the terminal asks to remember and says nothing else with; whether there was one.

    Raises:
        UsageError: It is no terminal, where nothing is kept; and there is no question to answer.
    """
    found = find_wish(message)
    if found is None or not (found.requested and found.alone):
        return False
    if not can_ask():
        raise UsageError(_HOW_TO_ADD[detect_language(found.text)].format(one_line(found.text)))
    keep_wish(found.text)
    return True


def offer_wish(message: str) -> None:
    """Keep what a message asks to remember; ask about what sounds lasting; without a terminal, say how."""
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
