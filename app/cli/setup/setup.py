"""`weiwo setup`: finds a model, shows what it would write, asks one question, writes it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final

import httpx
import typer

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.options import Json
from weiwo.app.cli.output import YES, can_ask, hint, say, write, write_json
from weiwo.app.cli.setup.choice import ModelCandidate, list_candidates, missing_packages
from weiwo.app.cli.setup.model_probe import Probe, find_switch, probe_model
from weiwo.app.cli.setup.servers import FoundServer, ServerError, find_servers, widen_ollama, word
from weiwo.app.cli.text_parameters import TextCommand
from weiwo.app.configuration.config_file import config_path, write_config
from weiwo.app.render.labels import system_language
from weiwo.text.localization import localized_section
from weiwo.tools.printable import one_line

app = typer.Typer()
_INSTALL: Final = (
    "macOS: brew install ollama && brew services start ollama && ollama pull qwen3:8b",
    "Linux: curl -fsSL https://ollama.com/install.sh | sh && ollama pull qwen3:8b",
    "Windows: winget install Ollama.Ollama && ollama pull qwen3:8b",
)
_MOST_SHOWN: Final = 12


@app.command(cls=TextCommand)
def setup(
    *,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The model to set up. Default: the best one found.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Look and choose; write nothing, ask nothing.")] = False,
    json: Json = False,
) -> None:
    """Find a model (Ollama, LM Studio, llama.cpp, vLLM, keys), try it with one question, and set it up."""
    servers = run_to_end(find_servers())
    candidates = list_candidates(servers)
    if not json:
        _print_found(servers, candidates)
    if not candidates:
        _tell_nothing(servers, as_json=json)
        raise typer.Exit(1)
    chosen = _find(model, candidates) if model else candidates[0]
    report = _report(servers, candidates, chosen)
    if not json:
        _print_choice(chosen)
    if dry_run:
        if json:
            write_json(report)
        return
    if not yes and not _agreed(as_json=json):
        hint(word("unwritten"))
        return
    _try_and_write(chosen, report, as_json=json)


def _try_and_write(chosen: ModelCandidate, report: dict[str, Any], *, as_json: bool) -> None:
    """Ask the model one question; write the settings if it answers."""
    settings = run_to_end(_widened(chosen))
    settings |= run_to_end(_thinking(chosen, settings, as_json=as_json))
    if not as_json:
        hint(word("asking"))
    probe = run_to_end(probe_model(settings))
    if probe.works:
        write_config(settings)
    if as_json:
        write_json({**report, "probe": asdict(probe), "written": settings if probe.works else {}})
    else:
        _print_probe(probe)
        write(f"{word('written', config_path(), ', '.join(settings))}\n" if probe.works else "")
    if not probe.works:
        say(word("silent_model", chosen.title, one_line(probe.error, 300)))
        raise typer.Exit(1)


def _report(
    servers: Sequence[FoundServer], candidates: Sequence[ModelCandidate], chosen: ModelCandidate
) -> dict[str, Any]:
    return {
        "servers": [_server_json(server) for server in servers],
        "candidates": [{"title": one.title, "worth": one.worth, "why": list(one.why)} for one in candidates],
        "chosen": chosen.title,
        "changes": {"path": str(config_path()), "settings": dict(chosen.settings), "widens": chosen.wants_widening},
    }


def _find(wanted: str, candidates: Sequence[ModelCandidate]) -> ModelCandidate:
    named = {one.settings["WEIWO_MODEL"]: one for one in reversed(candidates)}
    named |= {name.partition(":")[2]: one for name, one in named.items()}
    if wanted not in named:
        known = ", ".join(sorted(name for name in named if name.startswith(("openai:", "anthropic:")))[:8])
        raise UsageError(f"--model {wanted!r}; no such model was found; found: {known}")
    return named[wanted]


def _agreed(*, as_json: bool) -> bool:
    if as_json or not can_ask():
        raise UsageError("nobody can be asked here; give --yes to set it up, or --dry-run to look only")
    try:
        return input(word("ask")).strip().lower() in YES
    except EOFError:
        return False


async def _widened(chosen: ModelCandidate) -> dict[str, str]:
    """The settings of a candidate, of a variant with a wider window where it needs one.

    Raises:
        CommandError: Ollama does not make it.
    """
    settings = dict(chosen.settings)
    if not chosen.wants_widening or chosen.server is None or chosen.model is None or chosen.window is None:
        return settings
    try:
        name = await widen_ollama(chosen.server.root, chosen.model.name, chosen.window)
    except (ServerError, httpx.HTTPError) as error:
        why = one_line(str(error) or type(error).__name__, 200)
        raise CommandError(f"{chosen.title}; Ollama made no variant with a wider window: {why}") from None
    return {**settings, "WEIWO_MODEL": f"openai:{name}"}


async def _thinking(chosen: ModelCandidate, settings: Mapping[str, str], *, as_json: bool) -> dict[str, str]:
    """The setting that lets a reasoning model on a local server think where it plans and nowhere else."""
    if chosen.server is None:
        return {}
    found = await find_switch(settings["OPENAI_BASE_URL"], settings["WEIWO_MODEL"].partition(":")[2])
    if not as_json and found.thinks:
        way = word("switch", found.switch) if found.switch else word("no_switch")
        write(f"{word('thinks', way)}\n")
    return {"WEIWO_THINKING": f"{found.switch}:planner"} if found.switch else {}


def _tell_nothing(servers: Sequence[FoundServer], *, as_json: bool) -> None:
    empty = any(server.problem == word("no_model") for server in servers)
    lines = [*missing_packages(), *map(_advice, servers), *(() if empty else _INSTALL)]
    if as_json:
        write_json({"servers": [_server_json(server) for server in servers], "candidates": [], "advice": lines})
    else:
        write(f"{word('none_ready' if empty else 'nothing')}\n")
        write("".join(f"  {line}\n" for line in lines))


def _advice(server: FoundServer) -> str:
    """What makes a server without a model that answers questions usable."""
    if server.problem and server.problem != word("no_model"):
        return word("again", server.kind)
    return word("pull" if server.kind == "Ollama" else "load", server.kind)


def _print_found(servers: Sequence[FoundServer], candidates: Sequence[ModelCandidate]) -> None:
    for server in servers:
        many = len(server.models) != 1
        told = server.problem or (word("models", len(server.models)) if many else word("one_model"))
        write(f"{word('said_of', f'{server.kind} {server.root}', told)}\n")
    for one in candidates[:_MOST_SHOWN]:
        write(f"  {one.worth:3}  {word('said_of', one.title, word('then').join(one.why))}\n")
    if len(candidates) > _MOST_SHOWN:
        write(f"  {word('more', len(candidates) - _MOST_SHOWN)}\n")


def _print_choice(chosen: ModelCandidate) -> None:
    write(f"{word('chosen', chosen.title, config_path())}\n")
    write("".join(f"  {name} = {value}\n" for name, value in chosen.settings.items()))
    if chosen.wants_widening and chosen.model is not None:
        write(f"{word('widens', chosen.model.name, chosen.window)}\n")


def _print_probe(probe: Probe) -> None:
    write(f"{one_line(probe.answer, 400)}\n")
    modes = ", ".join(probe.modes) or "–"
    status = localized_section("export.words")[system_language()][probe.status]
    told = word("tried", status, probe.seconds, probe.calls, probe.failed, modes, probe.tokens_a_second)
    write(f"{told}\n")
    if probe.works and probe.tokens_a_second and probe.tokens_a_second < 5:
        write(f"{word('slow')}\n")


def _server_json(server: FoundServer) -> dict[str, Any]:
    return {
        "kind": server.kind,
        "root": server.root,
        "problem": server.problem,
        "models": [asdict(model) for model in server.models],
    }
