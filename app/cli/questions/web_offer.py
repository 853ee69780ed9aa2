"""The offer of the web: who has neither documents nor a provider is asked once whether DuckDuckGo may be searched.

A person of a search engine expects the web, and nobody's questions are sent anywhere unasked. The answer is kept in
`config.toml`. Nobody is asked in a pipe, with `--json`, or in continuous integration.
"""

import os
from pathlib import Path
from typing import Final

from weiwo.app.cli.output import NO, YES, can_ask
from weiwo.app.cli.questions.requests import answering, read_line
from weiwo.app.configuration.config_file import write_config
from weiwo.app.render.labels import label
from weiwo.state.settings import Context, Settings
from weiwo.text.language import detect_language

DECLINED: Final = "WEIWO_WEB_OFFER"
"""Set in `config.toml` where the person said no: the web stays as it was, so that a key set later counts."""


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
        while True:
            word = read_line(label(language, "web_prompt")).casefold()
            if word in YES:
                write_config({"WEIWO_WEB": "on"})
                os.environ["WEIWO_WEB"] = "on"
                return
            if word in NO:
                write_config({DECLINED: "declined"})
                return


def _is_in_question(context: Context) -> bool:
    """Whether there is neither a document nor a provider, and nobody has said anything about the web yet."""
    if any(os.environ.get(name) for name in ("CI", "WEIWO_WEB", DECLINED)) or context.web is not None:
        return False
    from weiwo.tools.corpus.index.catalog import DEFAULT_NAME, corpus_exists  # noqa: PLC0415 - upon need
    from weiwo.tools.web.providers.selection import select_providers  # noqa: PLC0415 - heavy

    settings = Settings.resolve(context)
    documents = settings.corpus or corpus_exists(Path(settings.home), DEFAULT_NAME)
    return not documents and not settings.mcp and not select_providers(settings)
