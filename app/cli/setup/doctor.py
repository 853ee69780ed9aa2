"""`weiwo doctor`: what there is, what is missing, and what each missing thing would add. No secret is shown."""

import asyncio
import importlib.metadata
import os
import platform
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weiwo.app.cli.documents.corpora import (
    counted,
    describe_corpora,
    describe_default_corpus,
    describe_embeddings,
    open_corpus,
)
from weiwo.app.cli.errors import CommandError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import is_terminal, terminal, write, write_json
from weiwo.app.cli.session import database_url, open_session
from weiwo.app.cli.setup.checks import Check, printable_place
from weiwo.app.cli.setup.endpoint_check import check_endpoint
from weiwo.app.cli.threads.reading import saved_file
from weiwo.app.configuration.env_file import read_env_file
from weiwo.app.render.labels import label
from weiwo.state.settings import ROLES, Context, Settings, SettingsError
from weiwo.text.patterns import lazy
from weiwo.tools.printable import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from weiwo.tools.built_in import Availability
    from weiwo.tools.tool_info import ToolInfo

MOST_THREADS = 1_000
_PACKAGES = (
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
_OTHER_NAMES = {
    f"WEIWO_{name}"
    for name in ("HOME", "DATABASE_URL", "DEBUG", "TEST_DATABASE_URL", "CLIENT_FIELDS", "AUTH", "ORIGINS", "WEB_OFFER")
}
_OTHER_NAMES |= {"WEIWO_TELEMETRY", "WEIWO_EMBEDDINGS_BASE_URL", "WEIWO_EMBEDDINGS_API_KEY"}
_KEYS = ("OPENAI_API_KEY", "LANGSMITH_API_KEY")
_MARKS = {"ok": ("✓", "green"), "note": ("·", "yellow"), "problem": ("✗", "red")}
_SECRET = lazy(r"KEY|TOKEN|SECRET|PASSWORD")


def doctor_command(*, as_json: bool) -> int:
    """Examine the set-up; returns the exit code."""

    async def work() -> list[Check]:
        return [check async for check in examine()]

    checks = run_to_end(work())
    if as_json:
        write_json(checks_json(checks))
    else:
        print_checks(terminal() if is_terminal() else None, checks)
    return 1 if any(check.verdict == "problem" for check in checks) else 0


async def examine(context: Context | None = None) -> AsyncIterator[Check]:
    """Look at everything, quick things first."""
    yield Check("python", "ok", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    yield Check("packages", "ok", ", ".join(_versions()))
    for check in _environment(os.environ):
        yield check
    if complaint := read_env_file().complaint:
        yield Check(".env", "note", complaint)
    try:
        settings = Settings.resolve(context)
    except SettingsError as error:
        yield Check("settings", "problem", str(error))
        return
    yield Check("home", "ok", settings.home)
    for check in _models(settings):
        yield check
    for name in dict.fromkeys(settings.models.values()):
        yield await check_endpoint(name)
    async for check in _corpus_and_tools(settings):
        yield check
    yield await _database(settings)


def checks_json(checks: list[Check]) -> dict[str, Any]:
    """All checks as one object."""
    return {
        "ok": not any(check.verdict == "problem" for check in checks),
        "checks": [{"name": one.name, "verdict": one.verdict, "text": one.text} for one in checks],
    }


def print_checks(console: "Console | None", checks: list[Check]) -> None:
    """Print all checks, one a line: on a terminal, or as plain text where there is none."""
    widest = max(len(check.name) for check in checks)
    for check in checks:
        mark, style = _MARKS[check.verdict]
        text = one_line(check.text, 1_000)
        if console is None:
            write(f"{check.verdict}\t{check.name}\t{text}\n")
        else:
            from rich.text import Text  # noqa: PLC0415 - plain text needs none

            from weiwo.app.render.text_wrapping import Flow  # noqa: PLC0415 - the same

            name = f"{check.name:<{min(widest, console.width // 3)}}  "
            console.print(Flow(Text.assemble((f"{mark} ", style), (name, "bold"), text), indent=4))


def _versions() -> list[str]:
    found = []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} not installed")
    return found


def _environment(env: Mapping[str, str]) -> list[Check]:
    """The variables in force. Values that are or may hold secrets are not shown."""
    known = {f"WEIWO_{field.upper()}" for field in Context.model_fields} | _OTHER_NAMES
    checks = []
    for name in sorted(name for name, value in env.items() if name.startswith("WEIWO_") and value):
        if name not in known:
            checks.append(Check(name, "note", "Weiwo does not read a variable of this name; mind the spelling"))
        elif name.endswith("DATABASE_URL"):
            checks.append(Check(name, "ok", "set; see database"))
        elif _SECRET.search(name) and name != "WEIWO_MAX_TOKENS":
            checks.append(Check(name, "ok", "set"))
        else:
            checks.append(Check(name, "ok", env[name]))
    if base_url := env.get("OPENAI_BASE_URL"):
        checks.append(Check("OPENAI_BASE_URL", "ok", printable_place(base_url)))
    checks += [Check(name, "ok", "set") for name in _KEYS if env.get(name)]
    return checks


def _models(settings: Settings) -> list[Check]:
    if not settings.models:
        return [Check("models", "note", label("en", "no_model"))]
    return [
        Check(f"model of the {role}", "ok", settings.models[role])
        if role in settings.models
        else Check(f"model of the {role}", "note", "none: rules alone")
        for role in ROLES
    ]


async def _corpus_and_tools(settings: Settings) -> AsyncIterator[Check]:
    try:
        corpus = await open_corpus(settings)
        where = ", ".join(settings.corpus) or describe_default_corpus(settings)
        yield Check(
            "corpus",
            "ok",
            f"{where}: {counted(len(corpus.documents), 'document')}, {counted(corpus.size, 'passage')}",
        )
        for problem in corpus.problems[:20]:
            yield Check("corpus", "note", f"left out {problem.source}: {problem.reason}")
        if len(corpus.problems) > 20:
            yield Check("corpus", "note", f"{len(corpus.problems) - 20} more were left out")
    except CommandError as error:
        yield Check("corpus", "problem", str(error))
        return
    yield Check("corpora", *await asyncio.to_thread(describe_corpora, Path(settings.home)))
    yield Check("embeddings", *await asyncio.to_thread(describe_embeddings, corpus, settings.embeddings))
    for check in await asyncio.to_thread(_search, settings):
        yield check
        if check.verdict == "problem":
            return
    try:
        tools = await _tools(settings, corpus.size)
    except SettingsError as error:
        yield Check("tools", "problem", str(error))
        return
    for tool in tools:
        yield Check(f"tool {tool.name}", "note" if tool.why_not else "ok", tool.why_not or tool.cluster)


async def _tools(settings: Settings, passages: int) -> "Sequence[ToolInfo | Availability]":
    """The tools of a run. LangChain is imported only where the user has tools of their own, which are of its kind."""
    if settings.tools:
        from weiwo.tools.registry import build_registry  # noqa: PLC0415 - heavy

        return (await build_registry(settings)).infos()
    from weiwo.tools.built_in import list_built_in  # noqa: PLC0415 - upon need

    return await asyncio.to_thread(list_built_in, settings, passages)


def _search(settings: Settings) -> list[Check]:
    """Who searches the web, and who could. Nobody is asked anything: it would cost."""
    from weiwo.tools.web.providers.catalog import PROVIDERS  # noqa: PLC0415 - heavy
    from weiwo.tools.web.providers.selection import missing_variables, select_providers  # noqa: PLC0415 - heavy

    try:
        sources = select_providers(settings)
    except SettingsError as error:
        return [Check("search", "problem", str(error))]
    if not sources:
        return []  # the line of the tool says why, and what would change that
    told = []
    for source in sources:
        own = (
            f" at {printable_place(source.base)}"
            if source.base != source.provider.base and "://" in source.base
            else ""
        )
        day = "" if source.a_day is None else f", {source.a_day:,} a day"
        told.append(f"{source.name}{own} ({round(source.per_second, 2):g} a second{day})")
    names = {source.name for source in sources}
    idle = [
        f"{name} (lacks {' and '.join(lacking)})" if (lacking := missing_variables(provider, os.environ)) else name
        for name, provider in PROVIDERS.items()
        if name not in names
    ]
    checks = [Check("search", "ok", f"in this order, not tried: {', '.join(told)}")]
    return checks + [Check("search", "note", f"could be named in WEIWO_SEARCH: {', '.join(idle)}")] * bool(idle)


async def _database(settings: Settings) -> Check:
    from weiwo.graph.persistence.storage import describe  # noqa: PLC0415 - upon need

    try:
        count = await _count_threads()
    except CommandError as error:
        return Check("database", "problem", str(error))
    threads = f"{MOST_THREADS:,} threads or more" if count == MOST_THREADS else counted(count, "thread")
    return Check("database", "ok", f"{describe(settings, database_url())}: {threads}")


async def _count_threads() -> int:
    """How many threads there are, up to `MOST_THREADS`; the database is opened as a run would open it."""
    from weiwo.graph.persistence.checkpoint_reader import UnreadableCheckpointError, list_saved_threads  # noqa: PLC0415 - upon need
    from weiwo.graph.persistence.storage import StorageError, require_writable  # noqa: PLC0415 - upon need
    from weiwo.graph.persistence.threads import list_threads  # noqa: PLC0415 - upon need

    try:
        if (file := saved_file()) is not None:
            await asyncio.to_thread(require_writable, file)
            return len(await asyncio.to_thread(list_saved_threads, file, MOST_THREADS))
    except StorageError as error:
        raise CommandError(str(error)) from error
    except UnreadableCheckpointError:
        pass  # LangGraph reads more
    async with open_session() as session:
        return len(await list_threads(session.saver, MOST_THREADS))
