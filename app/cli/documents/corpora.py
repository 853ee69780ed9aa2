"""The documents of a command: opened, listed by `weiwo corpora`, and how they stand."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.output import hint, write, write_json
from weiwo.state.home import home
from weiwo.tools.printable import one_line

_MOST_SHOWN: Final = 10
_UNITS: Final = ((86_400 * 365, "year"), (86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))

if TYPE_CHECKING:
    from weiwo.state.settings import Settings
    from weiwo.tools.corpus import Corpus
    from weiwo.tools.corpus.index.catalog import CorpusSummary


def corpora_command(*, as_json: bool) -> None:
    """List the corpora with their sizes and ages."""
    from weiwo.tools.corpus.index.catalog import list_corpora  # noqa: PLC0415 - upon need

    found = list(list_corpora(home()))
    if as_json:
        write_json([_as_json(one) for one in found])
        return
    write("".join(_line(one) for one in found))
    if not found:
        hint("there are no corpora yet; weiwo index PATH makes one")


async def open_corpus(settings: "Settings") -> "Corpus":
    """Open what a run will search, before it starts, indexing it if need be; the run then finds it open.

    Raises:
        UsageError: An entry is neither a file nor a corpus, cannot be read, or none of them holds any text.
        CommandError: There is nowhere to keep an index.
    """
    from weiwo.tools.corpus import CorpusError, NoPlaceError, load_corpus  # noqa: PLC0415 - heavy

    try:
        corpus = await load_corpus(settings.corpus, settings=settings, tell=hint)
    except NoPlaceError as error:
        raise CommandError(str(error)) from error
    except CorpusError as error:
        raise UsageError(str(error)) from error
    if not corpus.size and settings.corpus:
        entries = one_line(", ".join(settings.corpus))
        why = f": {corpus.problems[0].source}: {corpus.problems[0].reason}" if corpus.problems else ""
        raise UsageError(f"corpus {entries}: it holds no text that can be read{why}; name files or folders that do")
    return corpus


def describe_default_corpus(settings: "Settings") -> str:
    """What is searched where nothing is named."""
    from weiwo.tools.corpus.index.catalog import DEFAULT_NAME, corpus_exists  # noqa: PLC0415 - heavy

    indexed = corpus_exists(Path(settings.home), DEFAULT_NAME)
    return f"the corpus {DEFAULT_NAME}, as weiwo index made it" if indexed else "the bundled sample"


def describe_corpora(home: Path) -> tuple[Literal["ok", "note"], str]:
    """The corpora there are, with sizes and ages, in one line; a `note` if one is broken."""
    from weiwo.tools.corpus.index.catalog import list_corpora  # noqa: PLC0415 - heavy

    found = list(list_corpora(home))
    told = [
        f"{one.name}: {one.trouble}"
        if one.trouble
        else f"{one.name} ({counted(one.documents, 'document')}, {size(one.bytes)}, {span(one.age)} old)"
        + "".join(f"; {told}" for told in (*filter(None, [one.note]), *_partial(one)))
        for one in found[:_MOST_SHOWN]
    ]
    if len(found) > _MOST_SHOWN:
        told.append(f"and {len(found) - _MOST_SHOWN:,} more")
    troubled = any(one.trouble or one.note or _partial(one) for one in found)
    return "note" if troubled else "ok", ", ".join(told) or "none yet"


def describe_embeddings(corpus: "Corpus", name: str | None) -> tuple[Literal["ok", "note", "problem"], str]:
    """Whether documents are also found by meaning, in one line. Tries the model."""
    from weiwo.tools.corpus import CorpusError  # noqa: PLC0415 - heavy
    from weiwo.tools.corpus.index.embedding_models import explain_embedding_error  # noqa: PLC0415 - the same
    from weiwo.tools.corpus.retrieval.embedding_coverage import collect_warnings, count_embedded  # noqa: PLC0415 - the same

    if name is None:
        return "note", "no WEIWO_EMBEDDINGS is set; beside keywords, character n-grams are searched, not meaning"
    try:
        done, total = count_embedded(corpus)
        warnings = collect_warnings(corpus, name)
    except (CorpusError, ImportError) as error:
        return "problem", explain_embedding_error(error)
    if warnings:
        return "note", warnings[0]
    if done < total:
        return "note", f"{name}: {done:,} of {counted(total, 'passage')} have vectors; weiwo index makes the others"
    return "ok", f"{name}: all {counted(total, 'passage')} have vectors"


def counted(number: int, what: str) -> str:
    """A number of things."""
    return f"{number:,} {what}" + "s" * (number != 1)


def size(number: int) -> str:
    """Bytes, for people."""
    for unit in ("bytes", "kB", "MB"):
        if number < 1_000:
            return f"{number:.0f} {unit}"
        number = round(number / 1_000)
    return f"{number:,} GB"


def span(seconds: float) -> str:
    """A length of time, for people."""
    length, unit = next((pair for pair in _UNITS if seconds >= pair[0]), _UNITS[-1])
    return counted(round(seconds / length), unit)


def _line(one: "CorpusSummary") -> str:
    if one.trouble:
        return f"{one.name}\t{one.trouble}\n"
    left_out = f"\t{one.problems:,} left out" if one.problems else ""
    note = f"\t{one.note}" if one.note else ""
    note += "".join(f"\t{told}" for told in _partial(one))
    origins = [*(_nearby(root) for root in one.roots), *one.loaders]
    loaders = f"\tfrom {', '.join(map(one_line, origins))}" if origins else ""
    return (
        f"{one.name}\t{counted(one.documents, 'document')}\t{counted(one.passages, 'passage')}\t{size(one.bytes)}"
        f"\t{span(one.age)} ago{left_out}{loaders}{note}\n"
    )


def _nearby(path: str) -> str:
    """A path as a person would write it from here."""
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) and Path(path) != here else path


def _partial(one: "CorpusSummary") -> list[str]:
    """The embedding models whose vectors some of its passages lack; a line each."""
    lacking = [(model, done, of) for model, (done, of) in one.vectors.items() if done < of]
    return [f"{done:,} of {of:,} have vectors of {model}; weiwo index makes the others" for model, done, of in lacking]


def _as_json(one: "CorpusSummary") -> dict[str, Any]:
    return {
        "name": one.name,
        "folder": str(one.folder),
        "documents": one.documents,
        "passages": one.passages,
        "left_out": one.problems,
        "bytes": one.bytes,
        "age_seconds": round(one.age),
        "roots": list(one.roots),
        "loaders": list(one.loaders),
        "vectors": {model: {"done": done, "of": of} for model, (done, of) in one.vectors.items()},
        **({"note": one.note} if one.note else {}),
        **({"trouble": one.trouble} if one.trouble else {}),
    }
