"""The two ends of a run for its readers: who watches it, and how its result is printed."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.text import Text

from weiwo.app.cli.errors import FAILED, STATUS_CODES
from weiwo.app.cli.output import hint, is_terminal, say, terminal, write, write_json
from weiwo.app.render.answer import foot, model_trouble, plain_answer, print_answer, shortfall
from weiwo.app.render.answer_age import describe_age
from weiwo.app.render.labels import label
from weiwo.app.render.live import LiveView
from weiwo.app.render.plan_tree import comparison_lines
from weiwo.app.render.text_wrapping import Flow
from weiwo.app.render.watchers import Lines, Watcher
from weiwo.state.settings import Settings
from weiwo.text.language import detect_language


def make_watcher(question: str, *, as_json: bool, verbose: bool) -> Watcher:
    """Whoever tells the run: on a terminal the live view, on a pipe nobody unless asked for."""
    language = detect_language(question)
    if verbose:
        return Lines(sys.stderr, language)
    if as_json or not is_terminal():
        return Watcher(language)
    return LiveView(terminal(), question, language)


def print_result(
    result: Mapping[str, Any], watcher: Watcher, settings: Settings, *, as_json: bool, verbose: bool
) -> int:
    """Print a result, verbose with the words of each source; returns its exit code."""
    decided_by = str(watcher.progress.assessed.get("decided_by") or "")
    language = str(result.get("language", "en"))
    no_model = label(language, "no_model") if not settings.models and _first_time(settings) else ""
    age = describe_age(result)
    if as_json:
        write_json(result)
    elif is_terminal():
        console = terminal()
        if age:
            console.print(Flow(Text(age, "bold")))
            console.print()
        print_answer(console, result, verbose=verbose)
        console.print()
        for line in comparison_lines(result, language) if verbose else ():
            console.print(Flow(Text(line, "dim")))
        console.print(Flow(Text(foot(result, decided_by), "dim")))
        if no_model:
            console.print(Flow(Text(no_model, "dim")))
    else:
        write(plain_answer(result))
    code = STATUS_CODES.get(str(result.get("status")), FAILED)
    if not (is_terminal() and not as_json):
        for line in (*([age] if age else []), *(comparison_lines(result, language) if verbose else ())):
            hint(line)
        if code:
            say(shortfall(result))
        if no_model:
            hint(no_model)
        elif trouble := model_trouble(result):
            hint(trouble)
    return code


def _first_time(settings: Settings) -> bool:
    """Whether the hint about models has not been given on this machine; from now on it has."""
    try:
        (Path(settings.home) / "model-hint-given").touch(0o600, exist_ok=False)
    except OSError:  # given, or there is no place to note it
        return False
    return True
