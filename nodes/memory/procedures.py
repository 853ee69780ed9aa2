"""Procedures (SOPs): a user's Markdown files on answering kinds of questions.

A file has a title, the cases it applies to, steps, the tools it wants and the result to hand over: as front matter, as
headings, in English or Chinese, or a mixture. Unknown headings are skipped. The files are the user's own and trusted,
but bounded. A file that cannot be used costs one line, and the other files are still used.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from weiwo.state.errors import WeiwoError
from weiwo.text.data_files import data_rows, split_cell
from weiwo.text.patterns import lazy

_MOST_FILES: Final = 200
"""Most files of a folder that are read, in the order of their names."""
MOST_BYTES: Final = 64_000
"""Most bytes of a file."""
MOST_STEPS: Final = 20
LONGEST_LINE: Final = 400
"""Most characters of a step, of the title, and of the description of the result."""
_MOST_CASES: Final = 12
"""Most cases of a procedure that are kept."""

_SUFFIXES: Final = frozenset({".md", ".markdown"})
_FIELDS: Final = {
    name: field for field, names in data_rows("memory", "procedures", "fields") for name in split_cell(names)
}
"""Fields of a procedure by heading in lower case, in English and Chinese."""
_IN_FRONT: Final = {"procedure": "title", "流程": "title"}
"""Fields by names that mean something else in front matter than in a heading."""
_HEADING: Final = lazy(r"(#{1,6})[ \t]+(\S.*)")
_ENTRY: Final = lazy(r"([^\s:：][^:：\n]{0,40})[:：](.*)")
_BULLET: Final = lazy(r"[ \t]*(?:[-*+•][ \t]+|\d{1,3}(?:[.)][ \t]+|[、．）][ \t]*))(\S.*)")
_NAMES: Final = lazy(r"[\w.-]+")
_SEPARATORS: Final = lazy(r"[;；。]|\.(?=\s|$)")


class ProcedureFolderError(WeiwoError, ValueError):
    """Error raised if the folder of procedures cannot be used.

    The message is one line with the folder, the reason and the remedy.
    """


@dataclass(frozen=True)
class Procedure:
    """A procedure for answering a kind of question.

    Attributes:
        name: Path of the file below the folder, without the suffix.
        title: Title.
        cases: The cases that the procedure applies to.
        steps: The steps, in order.
        tools: Names of the tools that the procedure wants.
        deliver: The result to hand over. Empty if the procedure does not say.
    """

    name: str
    title: str
    cases: tuple[str, ...]
    steps: tuple[str, ...]
    tools: tuple[str, ...] = ()
    deliver: str = ""


class Procedures(NamedTuple):
    """The procedures of a folder.

    Attributes:
        found: The procedures, in the order of their paths.
        problems: One line for each file that cannot be used, and one if there are too many files.
    """

    found: tuple[Procedure, ...] = ()
    problems: tuple[str, ...] = ()


class ProcedureFormatError(WeiwoError, ValueError):
    """Error raised if a file cannot be read as a procedure.

    The message is one line with the reason and the remedy.
    """


def load_procedures(folder: str) -> Procedures:
    """Read the procedures of a folder and all subfolders. Blocks.

    The result is cached until a file changes.

    Raises:
        ProcedureFolderError: There is no such folder, or it cannot be listed.
    """
    root = Path(folder).expanduser()
    if not root.is_dir():
        raise ProcedureFolderError(
            f"WEIWO_PROCEDURES: {str(root)[:200]!r} is not a folder; set it to your procedures folder, or unset it"
        )
    try:
        paths = sorted(path for path in root.rglob("*") if path.suffix.lower() in _SUFFIXES and path.is_file())
        stamps = tuple((path, (stat := path.stat()).st_mtime_ns, stat.st_size) for path in paths[: _MOST_FILES + 1])
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ProcedureFolderError(f"WEIWO_PROCEDURES: {str(root)[:200]!r}: {why}; check its permissions") from None
    return _load(root, stamps)


@lru_cache(maxsize=4)
def _load(root: Path, stamps: tuple[tuple[Path, int, int], ...]) -> Procedures:
    found, problems = [], []
    for path, _, size in stamps[:_MOST_FILES]:
        name = path.relative_to(root).with_suffix("").as_posix()
        try:
            found.append(_parse_procedure(name, _read(path, size)))
        except ProcedureFormatError as error:
            problems.append(f"{path.relative_to(root).as_posix()}: {error}")
    if len(stamps) > _MOST_FILES:
        problems.append(
            f"{root} has more than {_MOST_FILES} files; the rest are skipped, so move some of them elsewhere"
        )
    return Procedures(tuple(found), tuple(problems))


def _read(path: Path, size: int) -> str:
    if size > MOST_BYTES:
        raise ProcedureFormatError(f"larger than {MOST_BYTES // 1000} kB; shorten or split it")
    try:
        return path.read_bytes()[:MOST_BYTES].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ProcedureFormatError("not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise ProcedureFormatError(f"cannot be read ({error.strerror or error}); check its permissions") from None


def _parse_procedure(name: str, text: str) -> Procedure:
    """Return the procedure in a text. Only steps are required.

    Args:
        name: The procedure's name, which is also its title if the text has none.
        text: The text of the file.

    Raises:
        ProcedureFormatError: It has no steps.
    """
    lines = text.splitlines()
    fields: dict[str, list[str]] = {}
    body = _read_front(lines, fields)
    for field, line in _read_sections(lines[body:]):
        fields.setdefault(field, []).append(line)
    steps = _list(fields.get("steps", ()))[:MOST_STEPS]
    if not steps:
        raise ProcedureFormatError('no steps; add a heading "## Steps" (or "## 步骤") with a list below it')
    title = " ".join(fields.get("title", ())[:1])[:LONGEST_LINE] or name
    cases = [case for line in _list(fields.get("when", ())) for case in _split(line)]
    cases = cases or [case for line in fields.get("intro", ()) for case in _split(line)]
    return Procedure(
        name=name,
        title=title,
        cases=tuple(dict.fromkeys(cases))[:_MOST_CASES],
        steps=tuple(steps),
        tools=tuple(dict.fromkeys(_NAMES.findall(" ".join(fields.get("tools", ())))))[:MOST_STEPS],
        deliver=" ".join(_list(fields.get("deliver", ())))[:LONGEST_LINE],
    )


def _read_front(lines: list[str], fields: dict[str, list[str]]) -> int:
    """Add the entries of front matter to `fields`, and return the index of the line after it. 0 if there is none."""
    if not lines or lines[0].strip() != "---":
        return 0
    end = next((n for n, line in enumerate(lines[1:], 1) if line.strip() in {"---", "..."}), None)
    if end is None:
        return 0
    field = ""
    for line in lines[1:end]:
        entry, item, rest = _ENTRY.match(line), _BULLET.match(line), line
        if entry and not item:
            named = entry[1].strip().strip("\"'").casefold()
            field = _IN_FRONT.get(named) or _FIELDS.get(named, "")
            rest = entry[2]
        value = (item[1] if item else rest).strip().strip("\"'").removeprefix("[").removesuffix("]")
        if field and value not in {"", "|", ">", "|-", ">-"}:
            fields.setdefault(field, []).append(f"- {value}" if item else value)
    return end + 1


def _read_sections(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each line below a known heading with the heading's field, and the title.

    The field is "intro" for lines before any heading and right below the title. Lines below an unknown heading are
    skipped.
    """
    field, titled = "intro", False
    for line in lines:
        heading = _HEADING.match(line)
        if heading:
            words = heading[2].strip().strip("#").strip().rstrip(":：")
            field = _FIELDS.get(words.casefold(), "")
            if field in {"", "title"} and not titled:
                yield "title", words
                field = "intro"
            titled = True
        elif line.strip() and field:
            yield field, line


def _list(lines: object) -> list[str]:
    """Return the items of a list. Without bullets, each line is an item.

    An indented line, or a line without a bullet after one with a bullet, continues the item before.
    """
    items: list[str] = []
    listed = False
    for line in lines if isinstance(lines, list) else ():
        step = _BULLET.fullmatch(line)
        if step or not items or (not listed and not line.startswith((" ", "\t"))):
            items.append(" ".join((step[1] if step else line).split()))
        else:
            items[-1] += " " + " ".join(line.split())
        listed = listed or step is not None
    return [step[:LONGEST_LINE] for step in items if step]


def _split(line: str) -> list[str]:
    """Return the cases in a line, which are separated by full stops or semicolons."""
    return [case.strip() for case in _SEPARATORS.split(line) if case.strip()]
