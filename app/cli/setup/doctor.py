"""`weiwo doctor`: what there is, what is missing, and what each missing thing would add. No secret is shown.

It speaks the language of the machine's user; its JSON, which programs read, is in English.
"""

import asyncio
import os
import platform
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weiwo.app.cli.documents.corpora import counted, open_corpus
from weiwo.app.cli.errors import CommandError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import is_terminal, terminal, write, write_json
from weiwo.app.cli.session import database_url, open_session
from weiwo.app.cli.setup.checks import Check, printable_place
from weiwo.app.cli.setup.doctor_words import name_cluster, words_in
from weiwo.app.cli.setup.document_checks import describe_corpora, describe_default_corpus, describe_embeddings
from weiwo.app.cli.setup.endpoint_check import check_endpoint
from weiwo.app.cli.threads.reading import read_saved
from weiwo.app.configuration.env_file import read_env_file
from weiwo.app.render.labels import label, system_language
from weiwo.state.kinds import Language
from weiwo.state.setting_names import ROLES, SettingsError
from weiwo.state.settings import Settings, field_names
from weiwo.text.patterns import lazy
from weiwo.tools.printable import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from weiwo.state.settings import Context
    from weiwo.tools.built_in import Availability
    from weiwo.tools.tool_info import ToolInfo

MOST_THREADS = 1_000
_MOST_LEFT_OUT = 20
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
        return [check async for check in examine(language="en" if as_json else system_language())]

    checks = run_to_end(work())
    if as_json:
        write_json(checks_json(checks))
    else:
        print_checks(terminal() if is_terminal() else None, checks)
    return 1 if any(check.verdict == "problem" for check in checks) else 0


async def examine(context: "Context | None" = None, language: Language = "en") -> AsyncIterator[Check]:
    """Look at everything, quick things first."""
    say = words_in(language)
    system = say("on", platform.python_version(), platform.system(), platform.machine())
    yield Check(say("python"), "ok", system)
    yield Check(say("packages"), "ok", ", ".join(_versions(language)))
    for check in _environment(os.environ, language):
        yield check
    file = read_env_file()
    if file.complaint:
        yield Check(".env", "note", say("untrusted", file.path, ", ".join(file.risky)))
    try:
        settings = Settings.resolve(context)
    except SettingsError as error:
        yield Check(say("settings"), "problem", str(error))
        return
    yield Check(say("home"), "ok", settings.home)
    for check in _models(settings, language):
        yield check
    for name in dict.fromkeys(settings.models.values()):
        yield await check_endpoint(name, language)
    async for check in _corpus_and_tools(settings, language):
        yield check
    yield await _database(settings, language)


def checks_json(checks: list[Check]) -> dict[str, Any]:
    """All checks as one object."""
    return {
        "ok": not any(check.verdict == "problem" for check in checks),
        "checks": [{"name": one.name, "verdict": one.verdict, "text": one.text} for one in checks],
    }


def print_checks(console: "Console | None", checks: list[Check]) -> None:
    """Print all checks, one a line: on a terminal, or as plain text where there is none."""
    if console is None:
        write("".join(f"{one.verdict}\t{one.name}\t{one_line(one.text, 1_000)}\n" for one in checks))
        return
    from rich.cells import cell_len  # noqa: PLC0415 - plain text needs none
    from rich.text import Text  # noqa: PLC0415 - the same

    from weiwo.app.render.text_wrapping import Flow  # noqa: PLC0415 - the same

    widest = min(max(cell_len(one.name) for one in checks), console.width // 3)
    for check in checks:
        mark, style = _MARKS[check.verdict]
        name = check.name + " " * (widest - cell_len(check.name) + 2)
        text = one_line(check.text, 1_000)
        console.print(Flow(Text.assemble((f"{mark} ", style), (name, "bold"), text), indent=4))


def _versions(language: Language) -> list[str]:
    found = _read_installed()
    return [f"{name} {found[name]}" if name in found else _find_version(name, language) for name in _PACKAGES]


def _read_installed() -> dict[str, str]:
    """Versions of packages, read off the names of the folders that installers make beside them."""
    found: dict[str, str] = {}
    for folder in sys.path:
        for entry in Path(folder).glob("*.dist-info"):
            name, _, version = entry.stem.partition("-")
            found.setdefault(name.lower().replace("_", "-"), version)
    return found


def _find_version(name: str, language: Language) -> str:
    """A package that was installed in another way, or not at all."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - heavy; parses whole files

    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return words_in(language)("not_installed", name)


def _environment(env: Mapping[str, str], language: Language) -> list[Check]:
    """The variables in force. Values that are or may hold secrets are not shown."""
    say, checks = words_in(language), []
    for name in sorted(name for name, value in env.items() if name.startswith("WEIWO_") and value):
        if name not in _OTHER_NAMES and name not in {f"WEIWO_{field.upper()}" for field in field_names()}:
            checks.append(Check(name, "note", say("misspelt")))
        elif name.endswith("DATABASE_URL"):
            checks.append(Check(name, "ok", say("see_database")))
        elif _SECRET.search(name) and name != "WEIWO_MAX_TOKENS":
            checks.append(Check(name, "ok", say("set")))
        else:
            checks.append(Check(name, "ok", env[name]))
    if base_url := env.get("OPENAI_BASE_URL"):
        checks.append(Check("OPENAI_BASE_URL", "ok", printable_place(base_url)))
    checks += [Check(name, "ok", say("set")) for name in _KEYS if env.get(name)]
    return checks


def _models(settings: Settings, language: Language) -> list[Check]:
    say = words_in(language)
    if not settings.models:
        return [Check(say("models"), "note", label(language, "no_model"))]
    return [
        Check(say("role", say(role)), "ok", settings.models[role])
        if role in settings.models
        else Check(say("role", say(role)), "note", say("rules_alone"))
        for role in ROLES
    ]


async def _corpus_and_tools(settings: Settings, language: Language) -> AsyncIterator[Check]:
    say = words_in(language)
    try:
        corpus = await open_corpus(settings)
        where = ", ".join(settings.corpus) or describe_default_corpus(settings, language)
        documents, passages = len(corpus.documents), corpus.size
        size = [counted(documents, "document", language), counted(passages, "passage", language)]
        yield Check(say("corpus"), "ok", say("holds", where, *size))
        for problem in corpus.problems[:_MOST_LEFT_OUT]:
            yield Check(say("corpus"), "note", say("left_out", problem.source, problem.reason))
        if len(corpus.problems) > _MOST_LEFT_OUT:
            yield Check(say("corpus"), "note", say("more_left_out", len(corpus.problems) - _MOST_LEFT_OUT))
    except CommandError as error:
        yield Check(say("corpus"), "problem", str(error))
        return
    yield Check(say("corpora"), *await asyncio.to_thread(describe_corpora, Path(settings.home), language))
    vectors = await asyncio.to_thread(describe_embeddings, corpus, settings.embeddings, language)
    yield Check(say("embeddings"), *vectors)
    for check in await asyncio.to_thread(_search, settings, language):
        yield check
        if check.verdict == "problem":
            return
    try:
        tools = await _tools(settings, corpus.size, language)
    except SettingsError as error:
        yield Check(say("tools"), "problem", str(error))
        return
    for tool in tools:
        told = tool.why_not or name_cluster(language, tool.cluster)
        yield Check(say("tool", tool.name), "note" if tool.why_not else "ok", told)


async def _tools(settings: Settings, passages: int, language: Language) -> "Sequence[ToolInfo | Availability]":
    """The tools of a run. LangChain is imported only where the user has tools of their own, which are of its kind."""
    if settings.tools:
        from weiwo.tools.registry import build_registry  # noqa: PLC0415 - heavy

        return (await build_registry(settings)).infos()
    from weiwo.tools.built_in import list_built_in  # noqa: PLC0415 - upon need

    return await asyncio.to_thread(list_built_in, settings, passages, language)


def _search(settings: Settings, language: Language) -> list[Check]:
    """Who searches the web, and who could. Nobody is asked anything: it would cost."""
    from weiwo.tools.web.providers.catalog import PROVIDERS  # noqa: PLC0415 - heavy
    from weiwo.tools.web.providers.selection import missing_variables, select_providers  # noqa: PLC0415 - heavy

    say = words_in(language)
    try:
        sources = select_providers(settings)
    except SettingsError as error:
        return [Check(say("search"), "problem", str(error))]
    if not sources:
        return []  # the line of the tool says why, and what would change that
    told = []
    for source in sources:
        own = source.base != source.provider.base and "://" in source.base
        name = say("at", source.name, printable_place(source.base)) if own else source.name
        rate = round(source.per_second, 2)
        told.append(say("rate", name, rate) if source.a_day is None else say("rate_day", name, rate, source.a_day))
    names = {source.name for source in sources}
    idle = [
        say("lacks", name, say("and").join(lacking)) if (lacking := missing_variables(provider, os.environ)) else name
        for name, provider in PROVIDERS.items()
        if name not in names
    ]
    checks = [Check(say("search"), "ok", say("order", say("comma").join(told)))]
    return checks + [Check(say("search"), "note", say("could", say("comma").join(idle)))] * bool(idle)


async def _database(settings: Settings, language: Language) -> Check:
    from weiwo.graph.persistence.storage import describe  # noqa: PLC0415 - upon need

    say = words_in(language)
    try:
        count = await _count_threads()
    except CommandError as error:
        return Check(say("database"), "problem", str(error))
    threads = counted(count, "thread", language)
    told = say("or_more", threads) if count == MOST_THREADS else threads
    return Check(say("database"), "ok", say("said_of", describe(settings, database_url()), told))


async def _count_threads() -> int:
    """How many threads there are, up to `MOST_THREADS`; the database is opened as a run would open it."""
    from weiwo.graph.persistence.checkpoint_reader import list_saved_threads  # noqa: PLC0415 - upon need
    from weiwo.graph.persistence.storage import require_writable  # noqa: PLC0415 - upon need
    from weiwo.graph.persistence.threads import list_threads  # noqa: PLC0415 - upon need

    def count(file: Path) -> int:
        require_writable(file)
        return len(list_saved_threads(file, MOST_THREADS))

    if (found := await asyncio.to_thread(read_saved, count)) is not None:
        return found
    async with open_session() as session:
        return len(await list_threads(session.saver, MOST_THREADS))
