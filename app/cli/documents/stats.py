"""`weiwo stats`: statistics of retrievals on a corpus and of spending on answers. All data stays on this machine."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.table import Table

from weiwo.app.cli.documents.corpus import format_count
from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.options import Json
from weiwo.app.cli.output import hint, screen, write_json
from weiwo.app.cli.questions.spending import read_spending, summarize_spending
from weiwo.app.render.labels import in_system_language, system_language
from weiwo.app.render.search_results import figures_table
from weiwo.state.settings import Settings
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.evaluation.hard_cases import collect_hard_cases, export_hard_cases
from weiwo.tools.corpus.evaluation.telemetry_report import (
    DRIFTING,
    count_feedback,
    learn_from_use,
    summarize_telemetry,
)
from weiwo.tools.corpus.index.catalog import DEFAULT_NAME, corpus_exists, list_corpora, locate_by_name
from weiwo.tools.corpus.retrieval.feedback import read_feedback
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus
from weiwo.tools.corpus.retrieval.routing_policy import load_policy, save_policy
from weiwo.tools.corpus.retrieval.telemetry import read_records

app = typer.Typer()

_say: Final = in_system_language(localized_section("cli.stats"))

_MOVING: Final = 0.1
_MOVED: Final = 0.25
_MOST_DAYS: Final = 30


@app.command(cls=PanelCommand)
def stats(
    *,
    corpus: Annotated[
        str | None, typer.Option("--corpus", metavar="NAME", help="The corpus. Default: default, or the only one.")
    ] = None,
    export: Annotated[
        str | None,
        typer.Option("--export", metavar="FILE", help="Write the records to a file, one JSON object per line."),
    ] = None,
    hard: Annotated[
        str | None,
        typer.Option("--hard", metavar="FOLDER", help="Write the poorly served questions to a file, for labelling."),
    ] = None,
    learn: Annotated[
        bool, typer.Option("--learn", help="Let the shadow policy of the router learn from citations in answers.")
    ] = False,
    json: Json = False,
) -> None:
    """Summarize retrievals and spending, kept on this machine."""
    settings = Settings.resolve()
    home = Path(settings.home)
    spending = summarize_spending(read_spending(home))
    asked = corpus or export or hard or learn
    if not asked and spending["answers"] and not corpus_exists(home, DEFAULT_NAME):
        alone = {"corpus": None, "recording": settings.telemetry, "spending": spending}
        write_json(alone) if json else _print_spending(screen(), spending)
        return
    name = corpus or _usual_corpus(home)
    folder = _locate(home, name)
    try:
        found = {"corpus": name, "recording": settings.telemetry, **summarize_telemetry(folder)}
        found["feedback"] = count_feedback(folder, read_feedback(home))
        if export is not None:
            _export_records(folder, Path(export).expanduser())
        if hard is not None:
            _export_hard_cases(folder, home, Path(hard).expanduser())
        if learn:
            _learn(folder, settings)
    except CorpusError as error:
        raise CommandError(str(error)) from error
    found["spending"] = spending
    if json:
        write_json(found)
    else:
        _print_summary(screen(), found)
        _print_spending(screen(), spending)


def _locate(home: Path, name: str) -> Path:
    """Return the folder of a corpus. Raises a usage error if no corpus has the name."""
    try:
        folder = locate_by_name(home, name)
    except CorpusError as error:
        raise UsageError(str(error)) from error
    if not folder.is_dir():
        raise UsageError(f"corpus {name} does not exist; weiwo corpus lists the available corpora")
    return folder


def _usual_corpus(home: Path) -> str:
    """Return the name to use if none is given: the default corpus if it exists, else the only corpus.

    With several corpora and no default corpus, it is the default name, which then fails to open.
    """
    if corpus_exists(home, DEFAULT_NAME):
        return DEFAULT_NAME
    names = [corpus.name for corpus in list_corpora(home)]
    return names[0] if len(names) == 1 else DEFAULT_NAME


def _print_spending(console: Console, spending: Mapping[str, Any]) -> None:
    """Print the spending on answers, by day and by model.

    Prints nothing if no model was called yet.
    """
    if not spending["answers"]:
        return
    each = spending["cost_per_complete"]
    told = _say("each", each, spending["complete"]) if each else ""
    console.print(_say("spent", _count(spending["answers"], "answer"), spending["cost"]) + told, soft_wrap=True)
    for title, rows in (("day", spending["days"]), ("model", spending["models"])):
        table = figures_table(_say(title), *map(_say, ("answers", "calls", "input", "output", "dollars")))
        for key, item in list(rows.items())[-_MOST_DAYS:]:
            counts = (f"{item[name]:,.0f}" for name in ("answers", "calls", "input", "output"))
            table.add_row(one_line(key, 60), *counts, f"{item['cost']:.4f}")
        console.print(table)


def _learn(folder: Path, settings: Settings) -> None:
    """Train the router's policy on the searches of a corpus that it has not learned from yet, and save it."""
    home = Path(settings.home)
    policy, searches = learn_from_use(load_policy(home, settings.embeddings or ""), folder, read_feedback(home))
    if not searches:
        hint(_say("nothing_new"))
        return
    save_policy(home, policy)
    hint(_say("learned", policy.version, searches))


def _export_hard_cases(folder: Path, home: Path, target: Path) -> None:
    """Export the questions that the search served badly, and explain how to label them."""
    cases = collect_hard_cases(read_records(folder), read_feedback(home))
    if not cases:
        hint(_say("nothing_hard"))
        return
    corpus = IndexedCorpus(folder)
    try:
        run_to_end(export_hard_cases(corpus, cases, target))
    finally:
        corpus.close()
    hint(_say("hard", _count(len(cases), "question"), target))


def _export_records(folder: Path, file: Path) -> None:
    """Write all records, and say how many."""
    written = 0
    try:
        with file.open("w", encoding="utf-8") as out:
            for record in read_records(folder):
                out.write(json.dumps(record) + "\n")  # ASCII, so that no line end of a question splits a line
                written += 1
    except OSError as error:
        raise CommandError(f"--export {file}: {error.strerror or error}; choose another file") from None
    hint(_say("exported", written, file))


def _print_summary(console: Console, found: Mapping[str, Any]) -> None:
    """Print a summary, laid out for a terminal or as a page."""
    console.print(_say("retrievals", found["corpus"], _count(found["retrievals"], "retrieval")), soft_wrap=True)
    if not found["recording"]:
        console.print(_say("off"))
    if not found["retrievals"]:
        return
    console.print(_say("since", found["since"], found["until"]))
    console.print(_say("errors", _count(found["errors"], "error"), found["misses"]))
    console.print(_say("strategies", _shares(found["strategies"]), _shares(found["decided_by"])))
    policy = found["policy"]
    chosen = _shares(policy["would_choose"])
    told = _say("policy", policy["version"], policy["stage"], chosen, policy["agrees"])
    console.print(told, soft_wrap=True)
    if flips := policy["flips"]:
        console.print(_say("flips", flips["share"], _count(flips["asked_again"], "question")))
    regret = found["regret"]
    if regret:
        console.print(_say("regret", regret["mean"], regret["labelled"]))
    said = found["feedback"]
    if said["good"] or said["bad"]:
        console.print(_say("feedback", said["good"], said["bad"]))
    console.print(_times(found["milliseconds"]))
    console.print(_segments(found["segments"]))
    if found["drift"]:
        console.print(_drift(found["drift"]))


def _times(stages: Mapping[str, Any]) -> Table:
    table = figures_table(_say("stage"), "p50 ms", "p95 ms", "p99 ms")
    for stage, taken in stages.items():
        table.add_row(one_line(stage, 40), *(f"{taken[name]:.2f}" for name in ("p50", "p95", "p99")))
    return table


def _segments(segments: Mapping[str, Any]) -> Table:
    table = figures_table(*map(_say, ("kind", "count", "labelled", "cited")))
    for kind, segment in segments.items():
        cited = "" if segment["hit_rate"] is None else f"{segment['hit_rate']:.0%}"
        table.add_row(one_line(kind, 40), f"{segment['retrievals']:,}", f"{segment['labelled']:,}", cited)
    return table


def _drift(weeks: list[dict[str, Any]]) -> Table:
    table = figures_table(_say("week"), *map(_say, DRIFTING))
    for week in weeks:
        table.add_row(week["week"], *(_describe_drift(week[name]) for name in DRIFTING))
    return table


def _describe_drift(index: float) -> str:
    return _say("same" if index < _MOVING else "moving" if index < _MOVED else "moved", index)


def _shares(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {share:.0%}" for name, share in shares.items()) or _say("none")


def _count(number: int, what: str) -> str:
    """Format a count with its noun in the system language."""
    return format_count(number, what, system_language())
