"""The documents of a command: opened, with what a person should know said on standard error; and how they stand."""

from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from app.errors import CommandError, UsageError
from app.output import hint
from state.settings import Settings
from tools.printable import one_line

_MOST_SHOWN: Final = 10
_UNITS: Final = ((86_400 * 365, "year"), (86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))

if TYPE_CHECKING:
    from tools.corpus import Corpus


async def open_corpus(settings: Settings) -> "Corpus":
    """Open what a run will search, before it starts, indexing it if need be; the run then finds it open.

    Raises:
        UsageError: An entry is neither a file nor a corpus, cannot be read, or none of them holds any text.
        CommandError: There is nowhere to keep an index.
    """
    from tools.corpus import CorpusError, NoPlaceError, load_corpus  # noqa: PLC0415 - heavy

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


def unnamed(settings: Settings) -> str:
    """What is searched where nothing is named."""
    from tools.corpus.shelf import DEFAULT_NAME, names_corpus  # noqa: PLC0415 - heavy

    indexed = names_corpus(Path(settings.home), DEFAULT_NAME)
    return f"the corpus {DEFAULT_NAME}, as weiwo index made it" if indexed else "the bundled sample"


def corpora_there(home: Path) -> tuple[Literal["ok", "note"], str]:
    """The corpora there are, with sizes and ages, in one line; a `note` if one is broken."""
    from tools.corpus.shelf import shelved  # noqa: PLC0415 - heavy

    found = list(shelved(home))
    told = [
        f"{one.name}: {one.trouble}"
        if one.trouble
        else f"{one.name} ({counted(one.documents, 'document')}, {size(one.bytes)}, {span(one.age)} old)"
        + (f"; {one.note}" if one.note else "")
        for one in found[:_MOST_SHOWN]
    ]
    if len(found) > _MOST_SHOWN:
        told.append(f"and {len(found) - _MOST_SHOWN:,} more")
    troubled = any(one.trouble or one.note for one in found)
    return "note" if troubled else "ok", ", ".join(told) or "none yet"


def embeddings_there(corpus: "Corpus", name: str | None) -> tuple[Literal["ok", "note", "problem"], str]:
    """Whether documents are also found by meaning, in one line. Tries the model."""
    from tools.corpus import CorpusError, covered  # noqa: PLC0415 - heavy
    from tools.corpus.bringing import without_vectors  # noqa: PLC0415 - the same
    from tools.corpus.languages import warned  # noqa: PLC0415 - the same

    if name is None:
        return "note", "no WEIWO_EMBEDDINGS is set; beside keywords, character n-grams are searched, not meaning"
    try:
        done, total = covered(corpus)
        warnings = warned(corpus, name)
    except (CorpusError, ImportError) as error:
        return "problem", without_vectors(error)
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
