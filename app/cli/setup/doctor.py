"""`weiwo doctor`: installed parts, missing parts, and the benefit of each missing part.

No secret is shown. The text is in the language of the machine's user. The JSON, which programs read, is in English.
`_CHECKS` lists the checks: quick checks come first, and a check is skipped if a check it depends on has failed.
"""

import asyncio
import os
import platform
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from weiwo.app.cli.documents.corpus import format_count, open_corpus, size, span_parts
from weiwo.app.cli.errors import CommandError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.options import Json
from weiwo.app.cli.output import is_terminal, terminal, write, write_json
from weiwo.app.cli.session import database_url, open_session, read_saved
from weiwo.app.cli.setup.endpoint_check import Verdict, check_endpoint, printable_place, say
from weiwo.app.configuration.env_file import read_env_file
from weiwo.app.render.labels import label, system_language
from weiwo.app.render.text_wrapping import Flow
from weiwo.graph.persistence.checkpoint_reader import list_saved_threads
from weiwo.graph.persistence.storage import describe, require_writable
from weiwo.graph.persistence.threads import list_threads
from weiwo.state.environment import SettingsError
from weiwo.state.kinds import ROLES, Language
from weiwo.state.settings import Context, Settings, field_names
from weiwo.text.localization import localized_section
from weiwo.text.printable import is_secret, one_line
from weiwo.tools.built_in import Availability, list_built_in
from weiwo.tools.corpus.base import Corpus, CorpusError
from weiwo.tools.corpus.index.catalog import (
    DEFAULT_NAME,
    CorpusSummary,
    corpus_exists,
    list_corpora,
    replaces_sample,
)
from weiwo.tools.corpus.retrieval.federation import collect_warnings, count_embedded
from weiwo.tools.tables.catalog import open_catalog
from weiwo.tools.tool_info import ToolInfo
from weiwo.tools.web.providers.catalog import PROVIDERS
from weiwo.tools.web.providers.selection import missing_variables, select_providers

app = typer.Typer()
_IMPORT_SECONDS: Final = 60
_MOST_THREADS: Final = 1_000
_MOST_LEFT_OUT: Final = 20
_MOST_CORPORA: Final = 10
_PACKAGES: Final = (
    "weiwo",
    "langgraph",
    "langgraph-checkpoint",
    "langgraph-checkpoint-sqlite",
    "langgraph-checkpoint-postgres",
    "langchain",
    "langchain-core",
    "langchain-openai",
    "tavily-python",
    "ddgs",
    "pydantic",
)
_OTHER_NAMES: Final = {
    f"WEIWO_{name}"
    for name in (
        *("HOME", "DATABASE_URL", "DEBUG", "TEST_DATABASE_URL", "CLIENT_FIELDS", "AUTH", "ORIGINS", "WEB_OFFER"),
        *("TELEMETRY", "EMBEDDINGS_BASE_URL", "EMBEDDINGS_API_KEY"),
    )
}
_KEYS: Final = ("OPENAI_API_KEY", "LANGSMITH_API_KEY")
_MARKS: Final = {"ok": ("✓", "green"), "note": ("·", "yellow"), "problem": ("✗", "red")}


class _Part(NamedTuple):
    """A part of the program: the modules it imports, and the extra to install. Standard parts have no extra."""

    modules: tuple[str, ...]
    extra: str = ""


_PARTS: Final = {
    "part_pages": _Part(("trafilatura", "lxml.html.clean", "protego")),
    "part_documents": _Part(("pypdfium2", "PIL.Image", "docx", "pptx", "xberg", "icalendar"), "documents"),
    "part_tables": _Part(("duckdb",), "tables"),
    "part_browser": _Part(("playwright.sync_api",), "browser"),
    "part_mcp": _Part(("fastmcp", "mcp.client.session", "mcp_types"), "mcp"),
}


class Check(NamedTuple):
    """A check with name, verdict, and a line on the finding and the remedy."""

    name: str
    verdict: Verdict
    text: str


@dataclass
class _Subject:
    """State shared by the checks.

    Attributes:
        language: The language of the messages.
        context: Options beside the environment.
        settings: The settings, once they are resolved.
        corpus: The documents, once they are open.
    """

    language: Language
    context: Context | None = None
    settings: Settings = field(default_factory=lambda: Settings(home=""))
    corpus: Corpus | None = None

    def say(self, name: str, *values: object) -> str:
        """Return a phrase in the language of the subject."""
        return say(self.language, name, *values)


class _Step(NamedTuple):
    """A check of `_CHECKS`: its function, and the checks that must not have found a problem before."""

    look: Callable[[_Subject], Coroutine[Any, Any, list[Check]]]
    needs: frozenset[str] = frozenset()


@app.command(cls=PanelCommand)
def doctor(*, json: Json = False) -> None:
    """Report the setup, missing parts and their benefits."""

    async def work() -> list[Check]:
        return [check async for check in _examine(language="en" if json else system_language())]

    checks = run_to_end(work())
    ok = not any(check.verdict == "problem" for check in checks)
    if json:
        write_json({"ok": ok, "checks": [check._asdict() for check in checks]})
    elif is_terminal():
        _draw(terminal(), checks)
    else:
        write("".join(f"{check.verdict}\t{check.name}\t{one_line(check.text, 1_000)}\n" for check in checks))
    raise typer.Exit(0 if ok else 1)


async def _examine(context: Context | None = None, language: Language = "en") -> AsyncIterator[Check]:
    """Run the checks of `_CHECKS` in order and yield their results.

    A check is left out if one it needs has found a problem.
    """
    subject, failed = _Subject(language, context), set[str]()
    for name, step in _CHECKS.items():
        if step.needs & failed:
            continue
        for check in await step.look(subject):
            if check.verdict == "problem":
                failed.add(name)
            yield check


def _draw(console: Console, checks: Sequence[Check]) -> None:
    """Draw all checks on a terminal, each on a line."""
    widest = min(max(cell_len(item.name) for item in checks), console.width // 3)
    for check in checks:
        mark, style = _MARKS[check.verdict]
        name = check.name + " " * (widest - cell_len(check.name) + 2)
        console.print(Flow(Text.assemble((f"{mark} ", style), (name, "bold"), one_line(check.text, 1_000)), indent=4))


async def _check_system(subject: _Subject) -> list[Check]:
    system = subject.say("on", platform.python_version(), platform.system(), platform.machine())
    versions = [_find_version(name, subject) for name in _PACKAGES]
    return [Check(subject.say("python"), "ok", system), Check(subject.say("packages"), "ok", ", ".join(versions))]


def _find_version(name: str, subject: _Subject) -> str:
    """Return a package name and version, or a message if the package is not installed."""
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return subject.say("not_installed", name)


async def _check_parts(subject: _Subject) -> list[Check]:
    """Import the modules of each part in `_PARTS`.

    Each part is imported in a separate process, because an import may crash.
    """
    return list(await asyncio.gather(*(_check_part(name, part, subject) for name, part in _PARTS.items())))


async def _check_part(name: str, part: _Part, subject: _Subject) -> Check:
    title = subject.say(name)
    missing = [module for module in part.modules if find_spec(module.partition(".")[0]) is None]
    if missing and part.extra:
        return Check(title, "note", subject.say("part_missing", ", ".join(missing), part.extra))
    fault = await _find_import_fault(part.modules)
    if fault:
        return Check(title, "problem", subject.say("part_broken", fault))
    return Check(title, "ok", ", ".join(part.modules))


async def _find_import_fault(modules: Sequence[str]) -> str:
    """Import modules in a new process. Returns the last line of the error, or an empty string on success."""
    command = (sys.executable, "-P", "-c", f"import {', '.join(modules)}")
    process = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE)
    try:
        _, error = await asyncio.wait_for(process.communicate(), _IMPORT_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
        return f"import took over {_IMPORT_SECONDS} s"
    if process.returncode == 0:
        return ""
    lines = error.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"exit status {process.returncode}"


async def _check_environment(subject: _Subject) -> list[Check]:
    """Check the variables in force and the unused settings of `.env`.

    Values that are or may hold secrets are not shown.
    """
    checks = [_check_variable(name, subject) for name in sorted(os.environ) if name.startswith("WEIWO_")]
    if base_url := os.environ.get("OPENAI_BASE_URL"):
        checks.append(Check("OPENAI_BASE_URL", "ok", printable_place(base_url)))
    checks += [Check(name, "ok", subject.say("set")) for name in _KEYS if os.environ.get(name)]
    file = read_env_file()
    if file.complaint:
        checks.append(Check(".env", "note", subject.say("untrusted", file.path, ", ".join(file.risky))))
    return [check for check in checks if check.text]


def _check_variable(name: str, subject: _Subject) -> Check:
    value = os.environ[name]
    if value and name not in _OTHER_NAMES | {f"WEIWO_{field_name.upper()}" for field_name in field_names()}:
        return Check(name, "note", subject.say("misspelt"))
    if value and name.endswith("DATABASE_URL"):
        return Check(name, "ok", subject.say("see_database"))
    return Check(name, "ok", subject.say("set") if value and is_secret(name) else value)


async def _check_settings(subject: _Subject) -> list[Check]:
    try:
        subject.settings = Settings.resolve(subject.context)
    except SettingsError as error:
        return [Check(subject.say("settings"), "problem", str(error))]
    return [Check(subject.say("home"), "ok", subject.settings.home)]


async def _check_models(subject: _Subject) -> list[Check]:
    """Check the model of each role, and the endpoints of the models."""
    models, rules_alone = subject.settings.models, subject.say("rules_alone")
    if not models:
        return [Check(subject.say("models"), "note", label(subject.language, "no_model"))]
    names = dict.fromkeys(models.values())
    small = {name: subject.say("small_model", name) for name in names if await _is_small(name)}
    told = {role: small.get(name, name) for role, name in models.items()}
    roles = [
        Check(subject.say("role", subject.say(role)), "ok" if role in models else "note", told.get(role, rules_alone))
        for role in ROLES
    ]
    return [
        *roles,
        *[Check(subject.say("endpoint", name), *await check_endpoint(name, subject.language)) for name in names],
    ]


async def _is_small(name: str) -> bool:
    """Report whether a model is small, by its name or by what the server tells. False if unknown."""
    from weiwo.models.endpoint import resolve_endpoint
    from weiwo.models.errors import ModelUnavailableError
    from weiwo.models.parameters import is_small, learn_size

    try:
        where = resolve_endpoint(name)
    except ModelUnavailableError:
        return False
    await learn_size(where)
    return is_small(where)


async def _check_corpus(subject: _Subject) -> list[Check]:
    title, settings = subject.say("corpus"), subject.settings
    try:
        corpus = subject.corpus = await open_corpus(settings)
    except CommandError as error:
        return [Check(title, "problem", str(error))]
    where = ", ".join(settings.corpus) or _describe_default_corpus(settings, subject.language)
    documents = format_count(len(corpus.documents), "document", subject.language)
    passages, more = format_count(corpus.size, "passage", subject.language), len(corpus.problems) - _MOST_LEFT_OUT
    left_out = [subject.say("left_out", problem.source, problem.reason) for problem in corpus.problems[:_MOST_LEFT_OUT]]
    left_out += [subject.say("more_left_out", more)] if more > 0 else []
    held = Check(title, "ok", subject.say("holds", where, documents, passages))
    return [held, *(Check(title, "note", told) for told in left_out)]


async def _check_corpora(subject: _Subject) -> list[Check]:
    """Check the corpora on this machine, and search by meaning."""
    settings, language = subject.settings, subject.language
    checks = [Check(subject.say("corpora"), *await asyncio.to_thread(_describe_corpora, Path(settings.home), language))]
    if subject.corpus is not None:
        vectors = await asyncio.to_thread(_describe_embeddings, subject.corpus, settings.embeddings, language)
        checks.append(Check(subject.say("embeddings"), *vectors))
    return checks


def _describe_default_corpus(settings: Settings, language: Language) -> str:
    """Say which documents are searched by default: the user's default corpus, or the bundled sample."""
    home = Path(settings.home)
    if replaces_sample(home):
        return say(language, "default_corpus", DEFAULT_NAME)
    return say(language, "sample_for_empty" if corpus_exists(home, DEFAULT_NAME) else "sample", DEFAULT_NAME)


def _describe_corpora(home: Path, language: Language) -> tuple[Verdict, str]:
    """Describe the corpora in a single line, with size and age.

    The verdict is `note` if a corpus is broken, lacks vectors, or has a connector that failed or is overdue.
    """
    found = list(list_corpora(home))
    lacking = {item.name: _lacking_vectors(item, language) for item in found}
    told = [_describe_corpus(item, lacking[item.name], language) for item in found[:_MOST_CORPORA]]
    if len(found) > _MOST_CORPORA:
        told.append(say(language, "and_more", len(found) - _MOST_CORPORA))
    out_of_step = {item.name for item in found if _describe_connectors(item, language)}
    troubled = any(item.trouble or item.note or lacking[item.name] or item.name in out_of_step for item in found)
    return "note" if troubled else "ok", say(language, "comma").join(told) or say(language, "none_yet")


def _describe_corpus(summary: CorpusSummary, lacking: list[str], language: Language) -> str:
    """Describe a corpus: size and age, or the problem."""
    if summary.trouble:
        return say(language, "said_of", summary.name, summary.trouble)
    documents, age = (
        format_count(summary.documents, "document", language),
        format_count(*span_parts(summary.age), language),
    )
    told = say(language, "old", summary.name, documents, size(summary.bytes), age)
    return "; ".join([told, *filter(None, [summary.note]), *lacking, *_describe_connectors(summary, language)])


def _describe_connectors(summary: CorpusSummary, language: Language) -> list[str]:
    """Describe the failed and overdue connectors of a corpus, with a line for each."""
    told: list[str] = []
    for each in summary.connectors:
        last = span_parts(time.time() - each.done_at) if each.done_at else (0, "")
        as_of = say(language, "as_of", format_count(*last, language)) if each.done_at else ""
        if each.problem:
            told.append(say(language, "connector_failed", each.label, each.problem) + as_of)
        elif each.late:
            told.append(say(language, "connector_late", each.label) + as_of)
    return told


def _lacking_vectors(summary: CorpusSummary, language: Language) -> list[str]:
    """Describe the embedding models without vectors for all passages of a corpus, with a line for each."""
    return [
        say(language, "some_vectors", done, format_count(of, "passage", language), model)
        for model, (done, of) in summary.vectors.items()
        if done < of
    ]


def _describe_embeddings(corpus: Corpus, name: str | None, language: Language) -> tuple[Verdict, str]:
    """Say in a line whether search by meaning works: the model, and how many passages have vectors."""
    if name is None:
        return "note", say(language, "no_embeddings")
    try:
        done, total = count_embedded(corpus)
        warnings = collect_warnings(corpus, name)
    except CorpusError as error:
        return "problem", str(error)
    if warnings:
        return "note", warnings[0]
    passages = format_count(total, "passage", language)
    if done < total:
        return "note", say(language, "some_vectors", done, passages, name)
    return "ok", say(language, "all_vectors", name, passages)


async def _check_search(subject: _Subject) -> list[Check]:
    """Check the configured and the possible providers of web search.

    No provider is called, because calls cost money.
    """
    title = subject.say("search")
    try:
        sources = select_providers(subject.settings)
    except SettingsError as error:
        return [Check(title, "problem", str(error))]
    if not sources:
        return []  # the line of the tool says why, and what would change that
    told = []
    for source in sources:
        own = source.base != source.provider.base and "://" in source.base
        name = subject.say("at", source.name, printable_place(source.base)) if own else source.name
        limits = [round(source.per_second, 2), *([] if source.a_day is None else [source.a_day])]
        told.append(subject.say("rate" if source.a_day is None else "rate_day", name, *limits))
    names = {source.name for source in sources}
    idle = []
    for name, provider in PROVIDERS.items():
        if name not in names:
            lacking = subject.say("and").join(missing_variables(provider, os.environ))
            idle.append(subject.say("lacks", name, lacking) if lacking else name)
    comma = subject.say("comma")
    checks = [Check(title, "ok", subject.say("order", comma.join(told)))]
    return checks + [Check(title, "note", subject.say("could", comma.join(idle)))] * bool(idle)


async def _check_tools(subject: _Subject) -> list[Check]:
    try:
        tools = await _list_tools(subject)
    except SettingsError as error:
        return [Check(subject.say("tools"), "problem", str(error))]
    clusters: Mapping[str, str] = localized_section("cli.doctor")[subject.language]
    return [
        Check(
            subject.say("tool", tool.name),
            "note" if tool.why_not else "ok",
            tool.why_not or clusters.get(f"cluster_{tool.cluster}", tool.cluster),
        )
        for tool in tools
    ]


async def _list_tools(subject: _Subject) -> Sequence[ToolInfo | Availability]:
    """List the tools of a run.

    LangChain is imported only if the user has custom tools, which are LangChain tools.
    """
    settings, passages = subject.settings, subject.corpus.size if subject.corpus else 0
    if settings.tools:
        from weiwo.tools.registry import build_registry

        return (await build_registry(settings)).infos()
    tables = subject.corpus is not None and open_catalog(subject.corpus).has_tables()
    return await asyncio.to_thread(list_built_in, settings, passages, subject.language, tables=tables)


async def _check_database(subject: _Subject) -> list[Check]:
    title = subject.say("database")
    try:
        count = await _count_threads()
    except CommandError as error:
        return [Check(title, "problem", str(error))]
    threads = format_count(count, "thread", subject.language)
    told = subject.say("or_more", threads) if count == _MOST_THREADS else threads
    return [Check(title, "ok", subject.say("said_of", describe(subject.settings, database_url()), told))]


async def _count_threads() -> int:
    """Count the threads, up to `_MOST_THREADS`. The database is opened in the same way as by a run."""

    def count(file: Path) -> int:
        require_writable(file)
        return len(list_saved_threads(file, _MOST_THREADS))

    if (found := await asyncio.to_thread(read_saved, count)) is not None:
        return found
    async with open_session() as session:
        return len(await list_threads(session.saver, _MOST_THREADS))


_SETTINGS: Final = frozenset({"settings"})
_CHECKS: Final = {
    "system": _Step(_check_system),
    "parts": _Step(_check_parts),
    "environment": _Step(_check_environment),
    "settings": _Step(_check_settings),
    "models": _Step(_check_models, _SETTINGS),
    "corpus": _Step(_check_corpus, _SETTINGS),
    "corpora": _Step(_check_corpora, _SETTINGS | {"corpus"}),
    "search": _Step(_check_search, _SETTINGS | {"corpus"}),
    "tools": _Step(_check_tools, _SETTINGS | {"corpus", "search"}),
    "database": _Step(_check_database, _SETTINGS),
}
"""The checks in the order in which they run."""
