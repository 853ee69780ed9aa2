"""`weiwo telemetry`: what became of the retrievals on a corpus. Everything stays on this machine."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from weiwo.app.cli.documents.telemetry_words import count, word
from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import hint, screen, write_json
from weiwo.app.cli.questions.spending import read_spending, summarize_spending
from weiwo.app.render.figures_table import figures_table
from weiwo.state.settings import Settings
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.evaluation.telemetry_report import DRIFTING, count_feedback, summarize_telemetry
from weiwo.tools.corpus.index.catalog import DEFAULT_NAME, corpus_exists, list_corpora, locate_by_name
from weiwo.tools.corpus.retrieval.feedback import read_feedback
from weiwo.tools.corpus.retrieval.telemetry import read_records
from weiwo.tools.printable import one_line

_MOVING: Final = 0.1
_MOVED: Final = 0.25
_MOST_DAYS: Final = 30


def telemetry_command(
    name: str | None, export: str | None, hard: str | None = None, *, learn: bool = False, as_json: bool
) -> None:
    """Summarize what is kept on a corpus, and export it.

    Args:
        name: The corpus; without one, the default, or the only one there is.
        export: A file to write the records to, a JSON object a line.
        hard: A folder to write the questions to that were served badly, as a set to be labelled.
        learn: Whether the policy in shadow learns from what answers cited.
        as_json: Print one object.

    Raises:
        UsageError: There is no such corpus.
        CommandError: The records cannot be read, or the file cannot be written.
    """
    settings = Settings.resolve()
    spending = summarize_spending(read_spending(Path(settings.home)))
    if (
        name is None
        and export is None
        and hard is None
        and not learn
        and spending["answers"]
        and not corpus_exists(Path(settings.home), DEFAULT_NAME)
    ):
        alone = {"corpus": None, "recording": settings.telemetry, "spending": spending}
        write_json(alone) if as_json else print_spending(screen(), spending)
        return
    name = name or _usual_corpus(Path(settings.home))
    try:
        folder = locate_by_name(Path(settings.home), name)
    except CorpusError as error:
        raise UsageError(str(error)) from error
    if not folder.is_dir():
        raise UsageError(f"corpus {name}: there is none; weiwo corpora lists those there are")
    try:
        found = {"corpus": name, "recording": settings.telemetry, **summarize_telemetry(folder)}
        found["feedback"] = count_feedback(folder, read_feedback(Path(settings.home)))
        if export is not None:
            written = _export(folder, Path(export).expanduser())
            hint(word("exported", written, export))
        if hard is not None:
            _export_hard_cases(folder, Path(settings.home), Path(hard).expanduser())
        if learn:
            _learn(folder, settings)
    except CorpusError as error:
        raise CommandError(str(error)) from error
    found["spending"] = spending
    if as_json:
        write_json(found)
    else:
        print_summary(screen(), found)
        print_spending(screen(), spending)


def _usual_corpus(home: Path) -> str:
    """The corpus that is meant where none is named: the default, or the only one there is."""
    if corpus_exists(home, DEFAULT_NAME):
        return DEFAULT_NAME
    names = [one.name for one in list_corpora(home)]
    return names[0] if len(names) == 1 else DEFAULT_NAME


def print_spending(console: Console, spending: Mapping[str, Any]) -> None:
    """Print what answers took, by day and by model; nothing where no model was called yet."""
    if not spending["answers"]:
        return
    each = spending["cost_per_complete"]
    told = word("each", each, spending["complete"]) if each else ""
    console.print(word("spent", count(spending["answers"], "answer"), spending["cost"]) + told, soft_wrap=True)
    for title, rows in (("day", spending["days"]), ("model", spending["models"])):
        table = figures_table(word(title), *map(word, ("answers", "calls", "input", "output", "dollars")))
        for key, one in list(rows.items())[-_MOST_DAYS:]:
            counts = (f"{one[name]:,.0f}" for name in ("answers", "calls", "input", "output"))
            table.add_row(one_line(key, 60), *counts, f"{one['cost']:.4f}")
        console.print(table)


def _learn(folder: Path, settings: Settings) -> None:
    """Let the policy learn from the searches on a corpus that it has not learned from.

    Raises:
        CorpusError: It is in service, or the records or the policy cannot be read or written.
    """
    from weiwo.tools.corpus.evaluation.live_observations import learn_from_use  # noqa: PLC0415 - upon need
    from weiwo.tools.corpus.retrieval.routing_policy import load_policy, save_policy  # noqa: PLC0415 - upon need

    home = Path(settings.home)
    policy, searches = learn_from_use(load_policy(home, settings.embeddings or ""), folder, read_feedback(home))
    if not searches:
        hint(word("nothing_new"))
        return
    save_policy(home, policy)
    hint(word("learned", policy.version, searches))


def _export_hard_cases(folder: Path, home: Path, target: Path) -> None:
    """Write the questions that were served badly, and say how they are labelled.

    Raises:
        CorpusError: The records or the corpus cannot be read, or the folder cannot be written.
    """
    from weiwo.tools.corpus.evaluation.hard_cases import collect_hard_cases, export_hard_cases  # noqa: PLC0415 - heavy
    from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus  # noqa: PLC0415 - heavy

    cases = collect_hard_cases(read_records(folder), read_feedback(home))
    if not cases:
        hint(word("nothing_hard"))
        return
    corpus = IndexedCorpus(folder)
    try:
        run_to_end(export_hard_cases(corpus, cases, target))
    finally:
        corpus.close()
    hint(word("hard", count(len(cases), "question"), target))


def _export(folder: Path, file: Path) -> int:
    """Write all records; returns how many."""
    written = 0
    try:
        with file.open("w", encoding="utf-8") as out:
            for record in read_records(folder):
                out.write(json.dumps(record) + "\n")  # ASCII, so that no line end of a question splits a line
                written += 1
    except OSError as error:
        raise CommandError(f"--export {file}: {error.strerror or error}; choose another file") from None
    return written


def print_summary(console: Console, found: Mapping[str, Any]) -> None:
    """Print a summary, laid out for a terminal or a page."""
    console.print(word("retrievals", found["corpus"], count(found["retrievals"], "retrieval")), soft_wrap=True)
    if not found["recording"]:
        console.print(word("off"))
    if not found["retrievals"]:
        return
    console.print(word("since", found["since"], found["until"]))
    console.print(word("errors", count(found["errors"], "error"), found["misses"]))
    console.print(word("strategies", _shares(found["strategies"]), _shares(found["decided_by"])))
    policy = found["policy"]
    chosen = _shares(policy["would_choose"])
    told = word("policy", policy["version"], policy["stage"], chosen, policy["agrees"])
    console.print(told, soft_wrap=True)
    if flips := policy["flips"]:
        console.print(word("flips", flips["share"], count(flips["asked_again"], "question")))
    regret = found["regret"]
    if regret:
        console.print(word("regret", regret["mean"], regret["labelled"]))
    said = found["feedback"]
    if said["good"] or said["bad"]:
        console.print(word("feedback", said["good"], said["bad"]))
    console.print(_times(found["milliseconds"]))
    console.print(_segments(found["segments"]))
    if found["drift"]:
        console.print(_drift(found["drift"]))


def _times(stages: Mapping[str, Any]) -> Table:
    table = figures_table(word("stage"), "p50 ms", "p95 ms", "p99 ms")
    for stage, taken in stages.items():
        table.add_row(one_line(stage, 40), *(f"{taken[name]:.2f}" for name in ("p50", "p95", "p99")))
    return table


def _segments(segments: Mapping[str, Any]) -> Table:
    table = figures_table(*map(word, ("kind", "count", "labelled", "cited")))
    for kind, one in segments.items():
        cited = "" if one["hit_rate"] is None else f"{one['hit_rate']:.0%}"
        table.add_row(one_line(kind, 40), f"{one['retrievals']:,}", f"{one['labelled']:,}", cited)
    return table


def _drift(weeks: list[dict[str, Any]]) -> Table:
    table = figures_table(word("week"), *map(word, DRIFTING))
    for week in weeks:
        table.add_row(week["week"], *(_moved(week[name]) for name in DRIFTING))
    return table


def _moved(index: float) -> str:
    return word("same" if index < _MOVING else "moving" if index < _MOVED else "moved", index)


def _shares(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {share:.0%}" for name, share in shares.items()) or word("none")
