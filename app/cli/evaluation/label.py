"""`weiwo eval label`: hard cases judged in the terminal, a key a document."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rich.text import Text

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.output import hint, terminal
from weiwo.app.cli.questions.requests import answering, read_line
from weiwo.app.render.extracts import render_passage
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.writer.extracts import choose_extracts
from weiwo.state import Evidence, Language
from weiwo.text.language import detect_language
from weiwo.tools.corpus.evaluation.dataset import DatasetError
from weiwo.tools.corpus.evaluation.labelling import Candidate, append_judgement, read_candidates
from weiwo.tools.printable import one_line

_WORDS: Final[Mapping[Language, tuple[str, str, str]]] = {
    "en": ("question", "document", "does it answer? [y]es [n]o [s]kip [q]uit: "),
    "zh": ("问题", "文档", "它回答了问题吗？[y]是 [n]否 [s]跳过 [q]退出："),
}
_YES: Final = frozenset({"y", "yes", "是", "对"})
_NO: Final = frozenset({"n", "no", "否", "不是"})
_SKIP: Final = frozenset({"s", "skip", "跳过"})
_QUIT: Final = frozenset({"q", "quit", "exit", "退出"})
_LONGEST: Final = 50_000
"""Letters of a document among which the sentences to show are chosen."""


def label_command(target: str) -> None:
    """Ask about each candidate that is not judged yet; what was answered is kept at once.

    Args:
        target: A folder that `weiwo telemetry --hard` wrote.

    Raises:
        UsageError: The folder is none, or nobody sits at the terminal.
        CommandError: A judgement cannot be written, or the person stopped the command.
    """
    folder = Path(target).expanduser()
    try:
        left, done = read_candidates(folder)
    except DatasetError as error:
        raise UsageError(str(error)) from error
    if left and not sys.stdin.isatty():
        raise UsageError(f"{target}: {len(left):,} documents are to be judged, which needs a terminal")
    try:
        judged = _ask_each(folder, left)
    except DatasetError as error:
        raise CommandError(str(error)) from error
    if judged < len(left):
        hint(f"{done + judged:,} judged, {len(left) - judged:,} left; go on with: weiwo eval label {target}")
    else:
        hint(f"all {done + judged:,} are judged; teach the router with: weiwo eval retrieval {target} --learn")


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
            while (word := read_line(prompt).casefold()) not in _YES | _NO | _SKIP | _QUIT:
                pass
            if word in _QUIT:
                break
            if word in _YES | _NO:
                append_judgement(folder, candidate, answers=word in _YES)
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
