"""Whether the endpoint of a model answers, and what to do where it does not."""

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from weiwo.app.cli.setup.checks import Check, Verdict, printable_place
from weiwo.app.cli.setup.containers import in_container
from weiwo.app.cli.setup.doctor_words import words_in
from weiwo.state.kinds import Language

if TYPE_CHECKING:
    import httpx

    from weiwo.models.endpoint import Endpoint

ENDPOINT_SECONDS = 5
OUTSIDE = "host.docker.internal"
"""The machine around a container."""
START = {11434: "ollama serve", 1234: "lms server start", 8080: "llama-server -m MODEL.gguf", 8000: "vllm serve MODEL"}
"""What starts the server that usually has a port."""


async def check_endpoint(name: str, language: Language) -> Check:
    """Whether the endpoint of a model answers. Asks for the list of models, which costs nothing."""
    import httpx  # noqa: PLC0415 - heavy

    from weiwo.models.endpoint import resolve_endpoint  # noqa: PLC0415 - upon need
    from weiwo.models.errors import ModelUnavailableError  # noqa: PLC0415 - upon need

    say = words_in(language)
    title = say("endpoint", name)
    try:
        place = resolve_endpoint(name)
    except ModelUnavailableError as error:
        return Check(title, "problem", str(error))
    if place.provider != "openai":
        return await asyncio.to_thread(_other_provider, title, place, language)
    base_url = place.base_url or "https://api.openai.com/v1"
    headers = {"Authorization": f"Bearer {place.api_key}"}
    try:
        async with httpx.AsyncClient(timeout=ENDPOINT_SECONDS) as client:
            reply = await client.get(f"{base_url.rstrip('/')}/models", headers=headers)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        advice = advise(base_url, language)
        told = say("silent", printable_place(base_url), type(error).__name__, ENDPOINT_SECONDS, advice)
        return Check(title, "problem", told)
    return Check(title, *_judge_reply(reply, name.partition(":")[2], printable_place(base_url), language))


def _judge_reply(reply: "httpx.Response", model: str, host: str, language: Language) -> tuple[Verdict, str]:
    """What an endpoint's reply to the question for its models means."""
    say, code = words_in(language), reply.status_code
    if code in {401, 403}:
        return "problem", say("refused_key", host, code)
    if code == 404 and not host.endswith("/v1"):
        return "problem", say("no_place", host)
    if code >= 500:
        return "problem", say("server_error", host, code)
    offered = _list_offered(reply) if reply.is_success else []
    if offered and model not in offered:
        return "note", say("unlisted", host, model)
    return "ok", say("answers", host)


def advise(base_url: str, language: Language) -> str:
    """What to do about an endpoint that does not answer: in a container, `localhost` is the container itself.

    Args:
        base_url: Where it was looked for.
        language: The language to say it in.
    """
    say = words_in(language)
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return say("no_url")
    local = host == "localhost" or host.startswith("127.") or host == "::1"
    if in_container() and local:
        return say("inside", host, f"http://{OUTSIDE}{f':{port}' if port else ''}{parts.path}")
    if in_container() and host == OUTSIDE:
        return say("outside", OUTSIDE)
    if host == OUTSIDE:
        return say("containers_only", OUTSIDE)
    known = START.get(port or 0) if local else None
    return say("start", known) if known else say("start_any")


def _list_offered(reply: "httpx.Response") -> list[str]:
    try:
        return [str(model["id"]) for model in reply.json()["data"]]
    except (ValueError, KeyError, TypeError):
        return []


def _other_provider(title: str, place: "Endpoint", language: Language) -> Check:
    """Providers beside OpenAI come with packages of their own; whether they answer is not tried."""
    from weiwo.models.errors import ModelUnavailableError  # noqa: PLC0415 - heavy
    from weiwo.models.model_cache import make_model  # noqa: PLC0415 - the same

    try:
        made = make_model(place, ENDPOINT_SECONDS, None)
    except ModelUnavailableError as error:
        return Check(title, "problem", str(error))
    return Check(title, "ok", words_in(language)("installed", type(made).__module__.partition(".")[0]))
