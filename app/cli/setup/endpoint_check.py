"""Whether the endpoint of a model answers, and what to do where it does not."""

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from weiwo.app.cli.setup.checks import Check, Verdict, printable_place
from weiwo.app.cli.setup.containers import in_container

if TYPE_CHECKING:
    import httpx

    from weiwo.models.endpoint import Endpoint

ENDPOINT_SECONDS = 5
OUTSIDE = "host.docker.internal"
"""The machine around a container."""
START = {11434: "ollama serve", 1234: "lms server start", 8080: "llama-server -m MODEL.gguf", 8000: "vllm serve MODEL"}
"""What starts the server that usually has a port."""


async def check_endpoint(name: str) -> Check:
    """Whether the endpoint of a model answers. Asks for the list of models, which costs nothing."""
    import httpx  # noqa: PLC0415 - heavy

    from weiwo.models.endpoint import resolve_endpoint  # noqa: PLC0415 - upon need
    from weiwo.models.errors import ModelUnavailableError  # noqa: PLC0415 - upon need

    title = f"endpoint of {name}"
    try:
        place = resolve_endpoint(name)
    except ModelUnavailableError as error:
        return Check(title, "problem", str(error))
    if place.provider != "openai":
        return await asyncio.to_thread(_other_provider, title, place)
    base_url = place.base_url or "https://api.openai.com/v1"
    headers = {"Authorization": f"Bearer {place.api_key}"}
    try:
        async with httpx.AsyncClient(timeout=ENDPOINT_SECONDS) as client:
            reply = await client.get(f"{base_url.rstrip('/')}/models", headers=headers)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        why = f"{type(error).__name__} within {ENDPOINT_SECONDS} s"
        return Check(title, "problem", f"{printable_place(base_url)} does not answer ({why}); {advise(base_url)}")
    return Check(title, *_judge_reply(reply, name.partition(":")[2], printable_place(base_url)))


def _judge_reply(reply: "httpx.Response", model: str, host: str) -> tuple[Verdict, str]:
    """What an endpoint's reply to the question for its models means."""
    if reply.status_code in {401, 403}:
        return "problem", f"{host} refuses the key ({reply.status_code}); see OPENAI_API_KEY"
    if reply.status_code == 404 and not host.endswith("/v1"):
        return "problem", f"{host} has no such place (404); an OPENAI_BASE_URL mostly ends in /v1"
    if reply.status_code >= 500:
        return "problem", f"{host} answers with an error ({reply.status_code}); try later"
    offered = _list_offered(reply) if reply.is_success else []
    if offered and model not in offered:
        return "note", f"{host} answers, but does not list {model!r}"
    return "ok", f"{host} answers"


def advise(base_url: str) -> str:
    """What to do about an endpoint that does not answer: in a container, `localhost` is the container itself.

    Args:
        base_url: Where it was looked for.
    """
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "it is no URL; correct OPENAI_BASE_URL"
    local = host == "localhost" or host.startswith("127.") or host == "::1"
    if in_container() and local:
        there = f"http://{OUTSIDE}{f':{port}' if port else ''}{parts.path}"
        return (
            f"this is a container, whose {host} is the container itself; a server on the machine around it is"
            f" OPENAI_BASE_URL={there}, and has to listen beyond its own loopback (Ollama: OLLAMA_HOST=0.0.0.0)"
        )
    if in_container() and host == OUTSIDE:
        return (
            "see that the server runs and listens beyond its own loopback (Ollama: OLLAMA_HOST=0.0.0.0), and on Linux"
            f" that the container was started with --add-host={OUTSIDE}:host-gateway"
        )
    if host == OUTSIDE:
        return f"{OUTSIDE} is known in containers only; outside of one, write localhost in OPENAI_BASE_URL"
    known = START.get(port or 0) if local else None
    return f"start it ({known}) or correct OPENAI_BASE_URL" if known else "start it or correct OPENAI_BASE_URL"


def _list_offered(reply: "httpx.Response") -> list[str]:
    try:
        return [str(model["id"]) for model in reply.json()["data"]]
    except (ValueError, KeyError, TypeError):
        return []


def _other_provider(title: str, place: "Endpoint") -> Check:
    """Providers beside OpenAI come with packages of their own; whether they answer is not tried."""
    from weiwo.models.errors import ModelUnavailableError  # noqa: PLC0415 - heavy
    from weiwo.models.model_cache import make_model  # noqa: PLC0415 - the same

    try:
        made = make_model(place, ENDPOINT_SECONDS, None)
    except ModelUnavailableError as error:
        return Check(title, "problem", str(error))
    return Check(title, "ok", f"{type(made).__module__.partition('.')[0]} is installed; not tried")
