"""The choice of a model: a table of what serves Weiwo well, and why.

Weiwo asks a model for short typed replies and for prose from shown passages: size counts up to a point, the window it
is given counts always, and a model that was never taught to follow a schema costs retries.
"""

import importlib.util
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from weiwo.app.cli.setup.servers import FoundServer, LocalModel, word

_LEAST_CONTEXT: Final = 8_192
"""Tokens below which a prompt with five passages does not fit beside its reply."""
_WANTED_CONTEXT: Final = 16_384

_SIZES: Final[tuple[tuple[float, int, str], ...]] = (
    (0, 10, "small"),
    (3, 40, "fair"),
    (7, 60, "good"),
    (14, 70, "strong"),
    (40, 55, "very_strong"),
)
"""From so many parameters (1e9) on: how much it is worth, and the name of the reason."""
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
class ModelCandidate:
    """A model that could be set up.

    Attributes:
        title: It, and where it is, for people.
        settings: The variables that set it up.
        worth: How well it would serve; the highest is chosen.
        why: Why so much.
        server: The server it is on; None of a hosted one.
        model: What is known of it; None of a hosted one.
    """

    title: str
    settings: Mapping[str, str]
    worth: int
    why: tuple[str, ...] = ()
    server: FoundServer | None = field(default=None, repr=False)
    model: LocalModel | None = field(default=None, repr=False)

    @property
    def wants_widening(self) -> bool:
        """Whether the server gives it less context than it was made for and Weiwo needs."""
        model, server = self.model, self.server
        if model is None or server is None or server.kind != "Ollama" or model.served is None:
            return False
        return model.served < min(_WANTED_CONTEXT, model.trained or _WANTED_CONTEXT)

    @property
    def window(self) -> int | None:
        """Tokens of context it will have, once widened where it can be."""
        if self.model is None:
            return None
        wide = min(_WANTED_CONTEXT, self.model.trained or _WANTED_CONTEXT)
        return wide if self.wants_widening else self.model.served


def list_candidates(servers: Sequence[FoundServer], env: Mapping[str, str] = os.environ) -> list[ModelCandidate]:
    """All that could be set up, best first.

    Args:
        servers: The servers found.
        env: Where keys are.
    """
    found = [*_hosted(env), *(_local(server, model) for server in servers for model in server.models if model.chats)]
    return sorted(found, key=lambda candidate: -candidate.worth)


def missing_packages(env: Mapping[str, str] = os.environ) -> list[str]:
    """What to install for keys that are set and cannot be used yet, a line each."""
    return [
        f"{key} is set; pip install {package.replace('_', '-')} to use {name}"
        for key, name, package in _KEYS
        if env.get(key) and importlib.util.find_spec(package) is None
    ]


def _hosted(env: Mapping[str, str]) -> Iterable[ModelCandidate]:
    for key, name, package in _KEYS:
        if not env.get(key) or importlib.util.find_spec(package) is None:
            continue
        if key == "OPENAI_API_KEY" and env.get("OPENAI_BASE_URL"):
            continue  # it is that server's key
        why = (word("key", key), word("sent"))
        yield ModelCandidate(name, {"WEIWO_MODEL": name}, _HOSTED, why)


def _local(server: FoundServer, model: LocalModel) -> ModelCandidate:
    worth, why = _UNKNOWN_SIZE, word("unknown_size")
    for least, points, reason in _SIZES:
        if model.billions is not None and model.billions >= least:
            worth, why = points, word("parameters", model.billions, word(reason))
    reasons = [why]
    if model.tools:
        worth += 5
        reasons.append(word("tools"))
    candidate = ModelCandidate(word("on", model.name, server.kind, server.root), {}, worth, (), server, model)
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
    return ModelCandidate(candidate.title, settings, worth, tuple(reasons), server, model)
