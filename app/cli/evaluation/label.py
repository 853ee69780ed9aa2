"""`weiwo eval label`: hard cases judged in the terminal, a key a document, or by a model, a call a question."""

import sys
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Final

from rich.text import Text

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.evaluation.words import word
from weiwo.app.cli.event_loop import InterruptedRunError, run
from weiwo.app.cli.output import NO, YES, hint, terminal
from weiwo.app.cli.questions.requests import answering, read_line
from weiwo.app.render.extracts import render_passage
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.writer.extracts import choose_extracts
from weiwo.state import Evidence, Language
from weiwo.state.settings import Context
from weiwo.text.language import detect_language
from weiwo.tools.corpus.evaluation.dataset import DatasetError
from weiwo.tools.corpus.evaluation.hard_cases import Candidate, append_judgement, read_candidates
from weiwo.tools.printable import one_line

_WORDS: Final[Mapping[Language, tuple[str, str, str]]] = {
    "en": ("question", "document", "does it answer? [y]es [n]o [s]kip [q]uit: "),
    "zh": ("问题", "文档", "它回答了问题吗？[y]是 [n]否 [s]跳过 [q]退出："),
}
_SKIP: Final = frozenset({"s", "skip", "跳过"})
_QUIT: Final = frozenset({"q", "quit", "exit", "退出"})
_LONGEST: Final = 50_000
"""Letters of a document among which the sentences to show are chosen."""


def label_command(target: str, judge: str | None = None) -> None:
    """Ask about each candidate that is not judged yet; what was answered is kept at once.

    Args:
        target: A folder that `weiwo telemetry --hard` wrote.
        judge: A model that judges in a person's place, as provider:model.

    Raises:
        UsageError: The folder is none, or nobody sits at the terminal.
        CommandError: A judgement cannot be written, the model cannot be had, or the person stopped the command.
    """
    folder = Path(target).expanduser()
    try:
        left, done = read_candidates(folder)
    except DatasetError as error:
        raise UsageError(str(error)) from error
    if left and judge is None and not sys.stdin.isatty():
        raise UsageError(
            f"{target}: {len(left):,} documents are to be judged, which needs a terminal, or --judge MODEL"
        )
    try:
        judged = _ask_each(folder, left) if judge is None else _ask_model(folder, left, judge)
    except DatasetError as error:
        raise CommandError(str(error)) from error
    if judged < len(left):
        hint(word("judged", done + judged, len(left) - judged, target))
    else:
        hint(word("all_judged", done + judged, target))


def _ask_model(folder: Path, left: list[Candidate], name: str) -> int:
    """How many a model judged, from what a person would be shown of each; one call a question.

    Raises:
        CommandError: It judged none, or the person stopped the command.
    """
    from weiwo.app.evaluation.judge import ModelJudge  # noqa: PLC0415 - heavy

    judge, judged = ModelJudge(Context(), name), 0

    async def work() -> None:
        nonlocal judged
        for _, those in groupby(left, key=lambda one: one.query_id):
            candidates = list(those)
            query = candidates[0].query
            shown = [f"{one.document.title}\n{_draw(one, detect_language(query)).plain}" for one in candidates]
            if (answering := await judge.find_answering(query, shown)) is None:
                continue
            for at, one in enumerate(candidates):
                append_judgement(folder, one, answers=at in answering)
            judged += len(candidates)

    try:
        run(work())
    except InterruptedRunError as stopped:
        again = f"go on with: weiwo eval label {folder} --judge {name}"
        raise CommandError(f"stopped; what was judged is kept; {again}", stopped.code) from None
    if judge.failed and not judged:
        raise CommandError(f"--judge {name}; it judged nothing: {one_line(judge.why, 200)}")
    return judged


def _ask_each(folder: Path, left: list[Candidate]) -> int:
    """How many were judged."""
    judged, query = 0, ""
    with answering(f"stopped; what was answered is kept; go on with: weiwo eval label {folder}"):
        for at, candidate in enumerate(left, 1):
            language = detect_language(candidate.query)
            asked, document, prompt = _WORDS[language]
            if candidate.query_id != query:
                terminal().print(Text(f"\n{asked}: {one_line(candidate.query, 500)}", "bold"))
                query = candidate.query_id
            name = one_line(candidate.document.title or candidate.document.id)
            terminal().print(Text(f"\n{document} {at:,}/{len(left):,}: {name}", "dim"))
            terminal().print(_draw(candidate, language))
            while (reply := read_line(prompt).casefold()) not in YES | NO | _SKIP | _QUIT:
                pass
            if reply in _QUIT:
                break
            if reply in YES | NO:
                append_judgement(folder, candidate, answers=reply in YES)
                judged += 1
    return judged


def _draw(candidate: Candidate, language: Language) -> Text:
    """The part of a document that speaks of the question, the sentences that fit best in bold."""
    text = candidate.document.text[:_LONGEST]
    evidence = Evidence(
        id="1", text=text, source=candidate.document.id, title=candidate.document.title, rank=1, score=1.0
    )
    found = choose_extracts(parse_question(candidate.query, language), [evidence], passages_shown=1)
    return render_passage(found.items[0].model_dump()) if found.items else Text(one_line(text, 600))
