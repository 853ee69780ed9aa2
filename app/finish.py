"""The two ends of a run for its readers: who watches it, and how its result is printed."""

import sys
from collections.abc import Mapping
from typing import Any

from rich.text import Text

from app.answer import foot, model_trouble, plain_answer, print_answer, stop_words
from app.errors import FAILED, STATUS_CODES
from app.flow import Flow
from app.labels import label
from app.live import LiveView
from app.output import hint, is_terminal, say, terminal, write, write_json
from app.runs import Watcher
from app.watch import Lines, Silent
from state.settings import Settings
from text.language import detect_language


def watcher_for(question: str, *, as_json: bool, verbose: bool) -> Watcher:
    """Whoever tells the run: on a terminal the live view, on a pipe nobody unless asked for."""
    language = detect_language(question)
    if verbose:
        return Lines(sys.stderr, language)
    if as_json or not is_terminal():
        return Silent(language)
    return LiveView(terminal(), question, language)


def finish(result: Mapping[str, Any], watcher: Watcher, settings: Settings, *, as_json: bool) -> int:
    """Print a result; returns its exit code."""
    decided_by = str(watcher.progress.assessed.get("decided_by") or "")
    no_model = label(str(result.get("language", "en")), "no_model")
    if as_json:
        write_json(result)
    elif is_terminal():
        console = terminal()
        print_answer(console, result)
        console.print()
        console.print(Flow(Text(foot(result, decided_by), "dim")))
        if not settings.models:
            console.print(Flow(Text(no_model, "dim")))
    else:
        write(plain_answer(result))
    code = STATUS_CODES.get(str(result.get("status")), FAILED)
    if not (is_terminal() and not as_json):
        if code:
            say(f"the answer is {result.get('status')}; {stop_words(result)}")
        if not settings.models:
            hint(no_model)
        elif trouble := model_trouble(result):
            hint(trouble)
    return code
