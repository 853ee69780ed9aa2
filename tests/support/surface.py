"""Record what users meet, to compare two versions of the code: help, routes, schemas, exports and transcripts.

    python -m tests.support.surface FOLDER      # in each version's checkout; then: diff -r FOLDER OTHER

In what commands print, today's date, durations, random ids, and paths of this machine are replaced by their kind, so that
a difference is a difference of the product. Nothing else is: exports, schemas and help are the same in every run.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any, Final

from tests.support.results import ANSWER, make_result

ROOT: Final = Path(__file__).parents[2]
_STATUSES: Final = ("complete", "extracts", "partial", "unsourced", "failed")
_ANSWERS: Final = (ANSWER, "Aurora costs **20 euros** a month [1].")
_DOCUMENT: Final = (
    "# Orla Mill\n\nOrla Mill was built in 1902 by Ann Lee. It is 31 m high.\n\n"
    "| Year | Output (t) |\n|---|---|\n| 2021 | 410 |\n| 2022 | 455 |\n"
)
_COMMANDS: Final = (
    ("index", "papers"),
    ("corpus",),
    ("search", "When was Orla Mill built?"),
    ("search", "Orla Mill", "--json"),
    ("ask", "When was Orla Mill built?"),
    ("ask", "When was Orla Mill built?", "--json"),
    ("ask", "How high is Orla Mill, and when was it built?"),
    ("ask", "What does Orla Mill cost?"),
    ("ask", "奥拉磨坊是哪年建成的？"),
    ("ask", "17 * 23"),
    ("ask", "17 * 23", "-o", "answer.md"),
    ("ask", ""),
    ("ask", "When was Orla Mill built?", "--depth", "deeper"),
    ("show", "nothing"),
    ("resume", "nothing"),
    ("threads",),
    ("memory",),
    ("tools",),
    ("stats",),
    ("askk", "Orla"),
)
"""What is typed after `weiwo`, in turn, in a folder of one document and without a model."""
_VARYING: Final = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r"\b\d{8}-\d{6}-\w{4}\b"), "THREAD"),
    (re.compile(r"\b\d+ (?:second|minute)s? ago\b"), "AGO"),
    (re.compile(r"\b\d+ passages? a second\b"), "SPEED"),
    (re.compile(r"\bin \d+(?:\.\d+)? (?:ms|s|min)\b"), "in SECONDS"),
    (re.compile(r"(?m)^( [a-z][a-z ]*?)(?: +\d+\.\d\d){3} *$"), r"\1 MILLISECONDS"),
    (re.compile(r"(\"(?:seconds|started|ended|at)\": )\d+(?:\.\d+)?"), r"\1NUMBER"),
)
"""Ids, times and durations, in the forms that commands print. Any other number is a figure of the product."""
_TIME_OF_DAY: Final = r"[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[+-]\d\d:\d\d|Z| UTC)?"


def record(folder: Path) -> None:
    """Write one file for each thing recorded into a folder."""
    for name, text in (
        *_record_schemas(),
        ("routes.txt", "\n".join(sorted(_list_routes()))),
        *_record_exports(),
        *_record_commands(),
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")


def mask_varying(text: str, days: Collection[date] = ()) -> str:
    """Replace ids, durations, and days with their time of day by their kind.

    Args:
        text: What a command printed.
        days: The days to replace. Default: today, here and in UTC. Other days are figures of the product.
    """
    for day in days or {datetime.now(UTC).date(), datetime.now().astimezone().date()}:
        text = re.sub(rf"\b{day.isoformat()}(?:{_TIME_OF_DAY})?\b", "TODAY", text)
    for pattern, kind in _VARYING:
        text = pattern.sub(kind, text)
    return text


def _record_schemas() -> Iterator[tuple[str, str]]:
    from weiwo.graph import build_graph  # noqa: PLC0415 - not needed for the rest

    yield "schemas/result.json", (ROOT / "app" / "result.schema.json").read_text(encoding="utf-8")
    graph = build_graph()
    for name, schema in (
        ("input", graph.get_input_jsonschema()),
        ("output", graph.get_output_jsonschema()),
        ("context", graph.get_context_jsonschema()),
    ):
        yield f"schemas/{name}.json", json.dumps(schema, indent=1, sort_keys=True, ensure_ascii=False)


def _list_routes() -> Iterator[str]:
    """Yield the methods and path of each route of the server."""
    from weiwo.app.server.application import create_app  # noqa: PLC0415 - it loads the server

    def list_below(routes: Sequence[Any], prefix: str) -> Iterator[str]:
        for route in routes:
            path = prefix + getattr(route, "path", "")
            yield f"{path} {' '.join(sorted(getattr(route, 'methods', None) or ()))}".strip()
            yield from list_below(getattr(route, "routes", None) or (), path)

    yield from list_below(create_app().routes, "")


def _record_exports() -> Iterator[tuple[str, str]]:
    """Yield twenty results in each format. Of an Office file, its parts."""
    from weiwo.app.export import FORMATS, render  # noqa: PLC0415 - it loads the exporters

    for status, language, (number, answer) in product(_STATUSES, ("en", "zh"), enumerate(_ANSWERS)):
        result = make_result(answer, status=status, language=language)
        for form in FORMATS:
            content = render(result, form)
            yield f"exports/{status}-{language}-{number}.{form}.txt", read_export(content)


def read_export(content: bytes) -> str:
    """Return an exported file as text. Of an Office file, its parts of XML, by name."""
    if not content.startswith(b"PK"):
        return content.decode("utf-8")
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return "\n".join(
            f"{name}\n{archive.read(name).decode('utf-8', 'replace')}"
            for name in sorted(archive.namelist())
            if name.endswith((".xml", ".rels"))
        )


def _record_commands() -> Iterator[tuple[str, str]]:
    """Yield the help of every command, and a transcript of commands in a new home."""
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        (home / "papers").mkdir()
        (home / "papers" / "mill.md").write_text(_DOCUMENT, encoding="utf-8")
        environment = {
            "PATH": os.environ["PATH"], "HOME": temporary, "WEIWO_HOME": f"{temporary}/home", "LANG": "C.UTF-8",
            "COLUMNS": "100", "NO_COLOR": "1", "WEIWO_SOURCES": "documents",
        }  # fmt: skip
        for words in _list_commands():
            yield f"help/{'-'.join(('weiwo', *words))}.txt", _run((*words, "--help"), home, environment)
        transcript = [
            f"$ weiwo {' '.join(map(repr, words))}\n{mask_varying(_run(words, home, environment))}"
            for words in _COMMANDS
        ]
        yield "transcript.txt", "\n".join(transcript)


def _list_commands() -> Iterator[tuple[str, ...]]:
    """Yield the words of each command, groups included."""
    import typer  # noqa: PLC0415 - not needed for the rest

    from weiwo.app.cli.main import app  # noqa: PLC0415 - it loads the command

    def list_below(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield words
        if not hasattr(command, "list_commands"):
            return
        context = command.make_context("weiwo", [], resilient_parsing=True)
        for name in command.list_commands(context):
            yield from list_below(command.get_command(context, name), (*words, name))

    yield from list_below(typer.main.get_command(app), ())


def _run(words: Sequence[str], home: Path, environment: Mapping[str, str]) -> str:
    ended = subprocess.run(
        [sys.executable, "-m", "weiwo", *words],
        cwd=home, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    shown = f"{ended.stdout}{ended.stderr}\n[exit {ended.returncode}]"
    return shown.replace(str(home), "HOME")


if __name__ == "__main__":
    record(Path(sys.argv[1]))
