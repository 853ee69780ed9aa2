"""Routes on the memory of the sender: list, add, delete.

Users reach only their own entries: the key of somebody else's entry is treated as unknown. A wish is kept only if its
user sends it here. No run and no page keeps one.
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
"""Kinds of entries that these routes list and delete."""


async def index(request: Request) -> Response:
    """Return the memory: wishes, earlier answers and plans, latest first."""
    memory = _memory(request)
    wishes = [wish_as_json(wish) for wish in await list_wishes(memory)]
    answers = [answer_as_json(m) for m in await memory.read_all("answers", EarlierAnswer)]
    plans = [plan_as_json(template) for template in await list_templates(memory)]
    return reply({"wishes": wishes, "answers": answers, "plans": plans})


async def add(request: Request) -> Response:
    """Save a wish for all later questions of the user."""
    text = (await read_json(request)).get("text")
    try:
        return reply(wish_as_json(await add_wish(_memory(request), text if isinstance(text, str) else "")))
    except WishError as error:
        chinese = f"无法记住：请用 1 至 {LONGEST_WISH} 个字符说明；若仍失败，请运行 weiwo doctor"
        raise RequestError(422, f"memory: {error}", chinese) from None


async def offer(request: Request) -> Response:
    """Return a seemingly lasting wish in a message, so the user can be asked, or null."""
    message = (await read_json(request)).get("message")
    found = find_wish(message) if isinstance(message, str) else None
    return reply({"wish": found and {"text": found.text, "requested": found.requested, "alone": found.alone}})


async def forget(request: Request) -> Response:
    """Forget a memory entry, or all entries of a kind if no key is given."""
    memory, key = _memory(request), request.path_params.get("key")
    kind = next((item for item in _KINDS if item == request.path_params["kind"]), None)
    if kind is None:
        raise not_found("memory", request.path_params["kind"])
    gone = [item.key for item in await memory.list(kind) if key in {None, item.key}]
    if key is not None and not gone:
        raise not_found("memory", key)
    for entry in gone:
        if not await memory.delete(kind, entry):
            raise RequestError(
                500, "the store cannot be written; see weiwo doctor", "无法写入存储；请运行 weiwo doctor"
            )
    return reply({"forgotten": gone})


def _memory(request: Request) -> MemoryStore:
    """The memory of whoever sends the request.

    Raises:
        RequestError: No store can be used.
    """
    memory = backend_of(request).memory(user_of(request))
    if memory is None:
        raise RequestError(
            503, "the memory store is not available; see weiwo doctor", "记忆存储不可用；请运行 weiwo doctor"
        )
    return memory
