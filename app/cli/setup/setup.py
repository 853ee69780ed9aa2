"""`weiwo setup`: finds a model, shows the settings, asks a test question, writes the settings.

The model is chosen by a table. Weiwo asks for short typed replies and for prose from shown passages. The size of a
model counts up to a point, and its context window always counts. A model that was never taught to follow a schema costs
retries.
"""

import importlib.util
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Final

import httpx
import typer

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.options import Json
from weiwo.app.cli.output import can_ask, hint, say, write, write_json
from weiwo.app.cli.questions.requests import confirm
from weiwo.app.cli.setup.embedding_probe import find_embeddings, probe_embeddings
from weiwo.app.configuration.config_file import config_path, write_config
from weiwo.app.model_setup.model_probe import Probe, Speed, find_switch, measure_speed, probe_model
from weiwo.app.model_setup.words import describe_problem, word
from weiwo.app.render.labels import system_language
from weiwo.models.local_servers import FoundServer, LocalModel, ServerError, find_servers, widen_ollama
from weiwo.models.parameters import is_small_size
from weiwo.models.speed import SLOW_CALL
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line

app = typer.Typer()
_INSTALL: Final = (
    "macOS: brew install ollama && brew services start ollama && ollama pull qwen3:8b",
    "Linux: curl -fsSL https://ollama.com/install.sh | sh && ollama pull qwen3:8b",
    "Windows: winget install Ollama.Ollama && ollama pull qwen3:8b",
)
_MOST_SHOWN: Final = 12
_LEAST_CONTEXT: Final = 8_192
"""Least tokens of context in which a prompt with five passages fits beside its reply."""
_WANTED_CONTEXT: Final = 16_384

_SIZES: Final[tuple[tuple[float, int, str], ...]] = (
    (0, 10, "small"),
    (3, 40, "fair"),
    (7, 60, "good"),
    (14, 70, "strong"),
    (40, 55, "very_strong"),
)
"""Rows of least billions of parameters, points for that size, and the name of its phrase."""
_UNKNOWN_SIZE: Final = 50

_KEYS: Final[tuple[tuple[str, str, str], ...]] = (
    ("OPENAI_API_KEY", "openai:gpt-5-mini", "langchain_openai"),
    ("ANTHROPIC_API_KEY", "anthropic:claude-haiku-4-5", "langchain_anthropic"),
    ("GOOGLE_API_KEY", "google_genai:gemini-2.5-flash", "langchain_google_genai"),
    ("DEEPSEEK_API_KEY", "deepseek:deepseek-v4-flash", "langchain_deepseek"),
    ("MISTRAL_API_KEY", "mistralai:mistral-small-latest", "langchain_mistralai"),
    ("GROQ_API_KEY", "groq:llama-3.3-70b-versatile", "langchain_groq"),
)
"""Variables that hold keys, the model each is tried with, and the package that speaks to it."""
_HOSTED: Final = 100


@dataclass(frozen=True)
class _ModelCandidate:
    """A candidate model for the set-up.

    Attributes:
        title: The model and its location, for people.
        settings: The variables that set it up.
        worth: How well it would serve. The highest value is chosen.
        why: The reasons for that value.
        server: The server it is on, or None for a hosted model.
        model: The known properties of the model, or None for a hosted model.
    """

    title: str
    settings: Mapping[str, str]
    worth: int
    why: tuple[str, ...] = ()
    server: FoundServer | None = field(default=None, repr=False)
    model: LocalModel | None = field(default=None, repr=False)

    @property
    def wants_widening(self) -> bool:
        """Report whether an Ollama server gives the model less context than Weiwo needs and the model supports."""
        model, server = self.model, self.server
        if model is None or server is None or server.kind != "Ollama" or model.served is None:
            return False
        return model.served < min(_WANTED_CONTEXT, model.trained or _WANTED_CONTEXT)

    @property
    def window(self) -> int | None:
        """Context window in tokens, after widening if possible."""
        if self.model is None:
            return None
        wide = min(_WANTED_CONTEXT, self.model.trained or _WANTED_CONTEXT)
        return wide if self.wants_widening else self.model.served


@app.command(cls=PanelCommand)
def setup(
    *,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The model to set up. Default: the best model found.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Look and choose; save nothing, ask nothing.")] = False,
    json: Json = False,
) -> None:
    """Find, test and set up a model (Ollama, vLLM, keys, …)."""
    servers = run_to_end(find_servers())
    candidates = _list_candidates(servers)
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
    if not yes and not _ask_consent(as_json=json):
        hint(word("unwritten"))
        return
    _try_and_write(chosen, report, as_json=json)


def _try_and_write(chosen: _ModelCandidate, report: dict[str, Any], *, as_json: bool) -> None:
    """Measure the model, ask a test question, and write the settings.

    The settings are written only if more than half of the model's calls were good.
    """
    settings = run_to_end(_apply_widening(chosen))
    settings |= run_to_end(_find_thinking_setting(chosen, settings, as_json=as_json))
    speed = run_to_end(measure_speed(chosen.server.base_url, _name_of(settings))) if chosen.server else None
    settings |= speed.limits(os.environ) if speed else {}
    if not as_json:
        if speed:
            write(f"{word('speed', speed.call_seconds, speed.reading, speed.writing)}\n")
        hint(word("asking"))
    probe = run_to_end(probe_model(settings))
    if probe.works:
        settings |= _try_embeddings(chosen, settings, as_json=as_json)
        write_config(settings)
    if as_json:
        told = speed._asdict() if speed else None
        write_json({**report, "speed": told, "probe": asdict(probe), "written": settings if probe.works else {}})
    else:
        _print_probe(probe, chosen, speed)
        write(f"{word('written', config_path(), ', '.join(settings))}\n" if probe.works else "")
    if not probe.works:
        why = one_line(probe.error, 300) or word("nothing_sent")
        say(word("silent_model", chosen.title, why))
        raise typer.Exit(1)


def _try_embeddings(chosen: _ModelCandidate, settings: Mapping[str, str], *, as_json: bool) -> dict[str, str]:
    """Return the settings of a working embedding model at the same server, and print the benefit."""
    found = find_embeddings(chosen.server)
    if not found:
        return {}
    name = found["WEIWO_EMBEDDINGS"]
    gain = run_to_end(probe_embeddings(name, settings))
    if not as_json:
        write(f"{word('embeds', name, *gain) if gain else word('no_embeds', name)}\n")
    return found if gain else {}


def _name_of(settings: Mapping[str, str]) -> str:
    return settings["WEIWO_MODEL"].partition(":")[2]


def _report(
    servers: Sequence[FoundServer], candidates: Sequence[_ModelCandidate], chosen: _ModelCandidate
) -> dict[str, Any]:
    return {
        "servers": [_server_json(server) for server in servers],
        "candidates": [
            {"title": candidate.title, "worth": candidate.worth, "why": list(candidate.why)} for candidate in candidates
        ],
        "chosen": chosen.title,
        "changes": {"path": str(config_path()), "settings": dict(chosen.settings), "widens": chosen.wants_widening},
    }


def _find(wanted: str, candidates: Sequence[_ModelCandidate]) -> _ModelCandidate:
    named = {candidate.settings["WEIWO_MODEL"]: candidate for candidate in reversed(candidates)}
    named |= {name.partition(":")[2]: value for name, value in named.items()}
    if wanted not in named:
        known = ", ".join(sorted({candidate.settings["WEIWO_MODEL"] for candidate in candidates})[:8])
        raise UsageError(f"--model {wanted!r} was not found; available: {known}")
    return named[wanted]


def _ask_consent(*, as_json: bool) -> bool:
    if as_json or not can_ask():
        raise UsageError("no terminal for a confirmation; use --yes to set it up, or --dry-run to look only")
    try:
        return confirm(word("ask"), default=True)
    except EOFError:
        return False


async def _apply_widening(chosen: _ModelCandidate) -> dict[str, str]:
    """Return the settings of a candidate. With too small a context, use a new variant of the model.

    The variant is created at the Ollama server and differs only in its larger context.

    Raises:
        CommandError: Ollama does not create the variant.
    """
    settings = dict(chosen.settings)
    if not chosen.wants_widening or chosen.server is None or chosen.model is None or chosen.window is None:
        return settings
    try:
        name = await widen_ollama(chosen.server.root, chosen.model.name, chosen.window)
    except (ServerError, httpx.HTTPError) as error:
        why = one_line(str(error) or type(error).__name__, 200)
        raise CommandError(f"{chosen.title}: Ollama could not create a variant with a larger context: {why}") from None
    return {**settings, "WEIWO_MODEL": f"openai:{name}"}


async def _find_thinking_setting(
    chosen: _ModelCandidate, settings: Mapping[str, str], *, as_json: bool
) -> dict[str, str]:
    """Return the setting that lets a reasoning model on a local server think only while planning.

    The result is empty for a hosted model, a model that does not think, or one whose thinking cannot be switched off.
    """
    if chosen.server is None:
        return {}
    found = await find_switch(settings["OPENAI_BASE_URL"], _name_of(settings))
    if not as_json and found.thinks:
        way = word("switch", found.switch) if found.switch else word("no_switch")
        write(f"{word('thinks', way)}\n")
    return {"WEIWO_THINKING": f"{found.switch}:planner"} if found.switch else {}


def _tell_nothing(servers: Sequence[FoundServer], *, as_json: bool) -> None:
    empty = any(server.problem and server.problem.kind == "no_model" for server in servers)
    lines = [*_missing_packages(), *map(_advice, servers), *(() if empty else _INSTALL)]
    if as_json:
        write_json({"servers": [_server_json(server) for server in servers], "candidates": [], "advice": lines})
    else:
        write(f"{word('none_ready' if empty else 'nothing')}\n")
        write("".join(f"  {line}\n" for line in lines))


def _advice(server: FoundServer) -> str:
    """Return advice for a server that offers no chat model: load one, or try again if it did not answer."""
    if server.problem and server.problem.kind != "no_model":
        return word("again", server.kind)
    return word("pull" if server.kind == "Ollama" else "load", server.kind)


def _print_found(servers: Sequence[FoundServer], candidates: Sequence[_ModelCandidate]) -> None:
    for server in servers:
        many = len(server.models) != 1
        told = describe_problem(server.problem) or (word("models", len(server.models)) if many else word("one_model"))
        write(f"{word('said_of', f'{server.kind} {server.root}', told)}\n")
    for candidate in candidates[:_MOST_SHOWN]:
        write(f"  {candidate.worth:3}  {word('said_of', candidate.title, word('then').join(candidate.why))}\n")
    if len(candidates) > _MOST_SHOWN:
        write(f"  {word('more', len(candidates) - _MOST_SHOWN)}\n")


def _print_choice(chosen: _ModelCandidate) -> None:
    write(f"{word('chosen', chosen.title, config_path())}\n")
    write("".join(f"  {name} = {value}\n" for name, value in chosen.settings.items()))
    if chosen.wants_widening and chosen.model is not None:
        write(f"{word('widens', chosen.model.name, chosen.window)}\n")


def _print_probe(probe: Probe, chosen: _ModelCandidate, speed: Speed | None) -> None:
    write(f"{one_line(probe.answer, 400)}\n")
    modes = ", ".join(probe.modes) or "–"
    status = localized_section("export.words")[system_language()][probe.status]
    counts = (probe.calls, probe.failed, probe.late, probe.unsent)
    write(f"{word('tried', status, probe.seconds, *counts, modes)}\n")
    billions = chosen.model.billions if chosen.model else None
    small, slow = billions is not None and is_small_size(billions), speed is not None and speed.call_seconds > SLOW_CALL
    if slow and not small:
        write(f"{word('slow')}\n")
    if not probe.works or (slow and small):
        write(f"{word('rules_serve')}\n")


def _server_json(server: FoundServer) -> dict[str, Any]:
    return {
        "kind": server.kind,
        "root": server.root,
        "problem": describe_problem(server.problem),
        "models": [asdict(model) for model in server.models],
    }


def _list_candidates(servers: Sequence[FoundServer], env: Mapping[str, str] = os.environ) -> list[_ModelCandidate]:
    """List the candidates, best first.

    Args:
        servers: The servers found.
        env: The environment that contains the keys.
    """
    found = [
        *_list_hosted_models(env),
        *(_local(server, model) for server in servers for model in server.models if model.chats),
    ]
    return sorted(found, key=lambda candidate: -candidate.worth)


def _missing_packages(env: Mapping[str, str] = os.environ) -> list[str]:
    """Return a line for each key that is set while its package is not installed."""
    return [
        f"{key} is set; run pip install {package.replace('_', '-')} to use {name}"
        for key, name, package in _KEYS
        if env.get(key) and importlib.util.find_spec(package) is None
    ]


def _list_hosted_models(env: Mapping[str, str]) -> Iterable[_ModelCandidate]:
    for key, name, package in _KEYS:
        if not env.get(key) or importlib.util.find_spec(package) is None:
            continue
        if key == "OPENAI_API_KEY" and env.get("OPENAI_BASE_URL"):
            continue  # it is that server's key
        why = (word("key", key), word("sent"))
        yield _ModelCandidate(name, {"WEIWO_MODEL": name}, _HOSTED, why)


def _local(server: FoundServer, model: LocalModel) -> _ModelCandidate:
    worth, why = _UNKNOWN_SIZE, word("unknown_size")
    for least, points, reason in _SIZES:
        if model.billions is not None and model.billions >= least:
            worth, why = points, word("parameters", model.billions, word(reason))
    reasons = [why]
    if model.tools:
        worth += 5
        reasons.append(word("tools"))
    candidate = _ModelCandidate(word("on", model.name, server.kind, server.root), {}, worth, (), server, model)
    if model.trained is not None and model.trained < _LEAST_CONTEXT:
        worth -= 40
        reasons.append(word("short", model.trained))
    elif candidate.wants_widening:
        reasons.append(word("variant", server.kind, model.served, candidate.window))
    elif model.served is not None and model.served < _LEAST_CONTEXT:
        worth -= 20
        reasons.append(word("load_wider", server.kind, model.served, _WANTED_CONTEXT))
    settings = {"WEIWO_MODEL": f"openai:{model.name}", "OPENAI_BASE_URL": server.base_url}
    if candidate.window:
        settings["WEIWO_CONTEXT_TOKENS"] = str(max(2_000, candidate.window))
    return _ModelCandidate(candidate.title, settings, worth, tuple(reasons), server, model)
