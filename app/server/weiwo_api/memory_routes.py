"""Weiwo's own routes on what is remembered for whoever sends a request: listed, added, forgotten.

Each user reaches what is theirs alone: the key of somebody else's entry is the key of none. A wish is kept because its
user sends it here; no run and no page keeps one.
"""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.server.access.profiles import user_of
from weiwo.app.server.engine import backend_of
from weiwo.app.server.errors import RequestError, not_found
from weiwo.app.server.wire import read_json, reply
from weiwo.app.session.memory_listing import answer_as_json, plan_as_json, wish_as_json
from weiwo.nodes.memory.memory_store import Kind, MemoryStore
from weiwo.nodes.memory.reuse import EarlierAnswer, list_templates
from weiwo.nodes.memory.wishes import LONGEST_WISH, WishError, add_wish, find_wish, list_wishes

_KINDS: Final[tuple[Kind, ...]] = ("wishes", "answers", "plans")
"""What is listed and forgotten here."""


async def index(request: Request) -> Response:
    """What is remembered: wishes, earlier answers and plans, the latest first."""
    memory = _memory(request)
    wishes = [wish_as_json(one) for one in await list_wishes(memory)]
    answers = [answer_as_json(one) for one in await memory.read_all("answers", EarlierAnswer)]
    plans = [plan_as_json(one) for one in await list_templates(memory)]
    return reply({"wishes": wishes, "answers": answers, "plans": plans})


async def add(request: Request) -> Response:
    """Keep a wish: words that hold for all later questions of their user."""
    text = (await read_json(request)).get("text")
    try:
        return reply(wish_as_json(await add_wish(_memory(request), text if isinstance(text, str) else "")))
    except WishError as error:
        chinese = f"无法记住：请用 1 至 {LONGEST_WISH} 个字符说明；若仍不行，见 weiwo doctor"
        raise RequestError(422, f"memory; {error}", chinese) from None


async def offer(request: Request) -> Response:
    """The words of a message that sound as if they should last, so that its user can be asked; null where none do."""
    message = (await read_json(request)).get("message")
    found = find_wish(message) if isinstance(message, str) else None
    return reply({"wish": found and {"text": found.text, "requested": found.requested, "alone": found.alone}})


async def forget(request: Request) -> Response:
    """Forget an entry; without a key all of a kind."""
    memory, key = _memory(request), request.path_params.get("key")
    kind = next((one for one in _KINDS if one == request.path_params["kind"]), None)
    if kind is None:
        raise not_found("memory", request.path_params["kind"])
    gone = [one.key for one in await memory.list(kind) if key in {None, one.key}]
    if key is not None and not gone:
        raise not_found("memory", key)
    for one in gone:
        if not await memory.delete(kind, one):
            raise RequestError(500, "the store cannot be written; see weiwo doctor", "无法写入存储；见 weiwo doctor")
    return reply({"forgotten": gone})


def _memory(request: Request) -> MemoryStore:
    """The memory of whoever sends the request.

    Raises:
        RequestError: No store can be used.
    """
    memory = backend_of(request).memory(user_of(request))
    if memory is None:
        raise RequestError(503, "memory; its store cannot be used; see weiwo doctor", "记忆存储不可用；见 weiwo doctor")
    return memory
