"""The documents of a command: opened, and listed by `weiwo corpus`."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.help_command import PanelCommand, PanelGroup
from weiwo.app.cli.options import Json
from weiwo.app.cli.output import hint, write, write_json
from weiwo.state.environment import home
from weiwo.state.kinds import Language
from weiwo.state.settings import Settings
from weiwo.text.printable import one_line
from weiwo.tools.corpus.base import Corpus, CorpusError, NoPlaceError
from weiwo.tools.corpus.index.catalog import CorpusSummary, list_corpora, locate_by_name
from weiwo.tools.corpus.index.writer import remove_corpus

app = typer.Typer()
_corpus = typer.Typer(help="List the corpora with size and age, or remove a corpus.", cls=PanelGroup)
app.add_typer(_corpus, name="corpus")

_UNITS: Final = ((86_400 * 365, "year"), (86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))

_MOST_NAMED: Final = 5
_COUNTED: Final = {
    "document": "个文档",
    "passage": "个段落",
    "thread": "个会话",
    "retrieval": "次检索",
    "question": "个问题",
    "error": "个错误",
    "answer": "个答案",
    "year": "年",
    "day": "天",
    "hour": "小时",
    "minute": "分钟",
    "second": "秒",
}
"""Chinese nouns with their measure words, by the English noun. 3 documents are 3 个文档."""


@_corpus.callback(invoke_without_command=True)
def _show_corpora(context: typer.Context, *, json: Json = False) -> None:
    """List the corpora with size and age, or remove a corpus."""
    if context.invoked_subcommand is None:
        _list_all(json=json)


@_corpus.command("list", cls=PanelCommand)
def _list_all(*, json: Json = False) -> None:
    """List the corpora with size and age."""
    found = list(list_corpora(home()))
    if json:
        write_json([_as_json(item) for item in found])
        return
    write("".join(_line(item) for item in found))
    if not found:
        hint("there are no corpora yet; create one with weiwo index PATH")


@_corpus.command(cls=PanelCommand)
def remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As shown in the list.")], *, json: Json = False
) -> None:
    """Remove the index of a corpus. The documents themselves are kept."""
    try:
        remove_corpus(locate_by_name(home(), name))
    except CorpusError as error:
        raise UsageError(f"corpus {one_line(name, 60)}: {error}; weiwo corpus lists the available corpora") from None
    write_json({"removed": name}) if json else hint(f"removed the corpus {name}; its documents are unchanged")


async def open_corpus(settings: Settings) -> Corpus:
    """Open the documents of a run before the run starts, and index those that are not indexed yet.

    Problems then show before the first step, and the run finds the corpus already open.

    Raises:
        UsageError: An entry is neither a file nor a corpus or cannot be read, or none of the entries holds text.
        CommandError: There is nowhere to keep an index.
    """
    from weiwo.tools.corpus.loading import load_corpus

    try:
        corpus = await load_corpus(settings.corpus, settings=settings, tell=hint)
    except NoPlaceError as error:
        raise CommandError(str(error)) from error
    except CorpusError as error:
        raise UsageError(str(error)) from error
    if not corpus.size and settings.corpus:
        entries = one_line(", ".join(settings.corpus))
        why = f": {corpus.problems[0].source}: {corpus.problems[0].reason}" if corpus.problems else ""
        raise UsageError(f"corpus {entries} contains no readable text{why}; choose files or folders with text")
    return corpus


def format_count(number: int, what: str, language: Language = "en") -> str:
    """Format a count with its noun: "3 documents", 3 个文档."""
    return f"{number:,} {_COUNTED[what]}" if language == "zh" else f"{number:,} {what}" + "s" * (number != 1)


def size(number: int) -> str:
    """Format a number of bytes for people, for example "12 kB"."""
    for unit in ("bytes", "kB", "MB"):
        if number < 1_000:
            return f"{number:.0f} {unit}"
        number = round(number / 1_000)
    return f"{number:,} GB"


def span(seconds: float) -> str:
    """Format a duration for people in its largest unit, for example "2 hours"."""
    return format_count(*span_parts(seconds))


def span_parts(seconds: float) -> tuple[int, str]:
    """Return a duration as a rounded number and its largest unit. 7,300 seconds are (2, "hour")."""
    length, unit = next((pair for pair in _UNITS if seconds >= pair[0]), _UNITS[-1])
    return round(seconds / length), unit


def _line(summary: CorpusSummary) -> str:
    if summary.trouble:
        return f"{summary.name}\t{summary.trouble}\n"
    left_out = f"\t{summary.problems:,} not indexed" if summary.problems else ""
    told = [summary.note] if summary.note else []
    for model, (done, of) in summary.vectors.items():
        if done < of:
            told.append(f"{done:,} of {of:,} have vectors of {model}; run weiwo index to create the others")
    for each in summary.connectors:
        failed = f"; it failed: {each.problem}" if each.problem else ""
        told.append(f"{each.label} every {span(each.seconds)}{failed}")
    note = "".join(f"\t{line}" for line in told)
    origins = [*(_nearby(root) for root in summary.roots), *summary.loaders]
    loaders = f"\tfrom {', '.join(map(one_line, origins))}" if origins else ""
    passages = format_count(summary.passages, "passage")
    return (
        f"{summary.name}\t{format_count(summary.documents, 'document')}\t{passages}\t{size(summary.bytes)}"
        f"\t{span(summary.age)} ago{left_out}{loaders}{note}\n"
    ) + "".join(f"\t{one_line(each.source)}: {each.reason}\n" for each in summary.left_out[:_MOST_NAMED])


def _nearby(path: str) -> str:
    """Return a path relative to the current folder if it lies inside, otherwise the path as given."""
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) and Path(path) != here else path


def _as_json(summary: CorpusSummary) -> dict[str, Any]:
    return {
        "name": summary.name,
        "folder": str(summary.folder),
        "documents": summary.documents,
        "passages": summary.passages,
        "left_out": summary.problems,
        "problems": [{"source": each.source, "reason": each.reason} for each in summary.left_out],
        "bytes": summary.bytes,
        "age_seconds": round(summary.age),
        "roots": list(summary.roots),
        "loaders": list(summary.loaders),
        "connectors": [
            {"loader": each.label, "every_seconds": each.seconds, "done_at": each.done_at, "problem": each.problem}
            for each in summary.connectors
        ],
        "vectors": {model: {"done": done, "of": of} for model, (done, of) in summary.vectors.items()},
        **({"note": summary.note} if summary.note else {}),
        **({"trouble": summary.trouble} if summary.trouble else {}),
    }
