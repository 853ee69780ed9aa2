"""Routes for a user's own model key: it is taken and used for his runs, and shown by its last characters alone.

It goes to the endpoint that the operator set, in place of the operator's key. It is kept in the server's database,
which only the server's account may read, and stands in no thread, event, log or error.
"""

import re
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.server.access.users import user_of
from weiwo.app.server.engine import engine_of
from weiwo.app.server.errors import RequestError
from weiwo.app.server.storage.records import Records
from weiwo.app.server.wire import read_json, reply

_KEY: Final = re.compile(r"[!-~]{8,500}")
_SHOWN: Final = 4


async def show(request: Request) -> Response:
    """The last characters of the user's key; null where he has none."""
    key = await _records(request).model_key(user_of(request))
    return reply({"key": f"…{key[-_SHOWN:]}" if key else None})


async def put(request: Request) -> Response:
    """Keep the user's key: his runs ask models with it from now on."""
    key = str((await read_json(request)).get("key") or "").strip()
    if not _KEY.fullmatch(key):
        told = "key; it is none; give 8 to 500 letters, digits and signs without blanks"
        raise RequestError(422, told, "这不是密钥；应为 8 至 500 个不含空格的字母、数字或符号")
    await _records(request).put_model_key(user_of(request), key)
    return await show(request)


async def delete(request: Request) -> Response:
    """Forget the user's key: his runs ask with the operator's again."""
    await _records(request).delete_model_key(user_of(request))
    return await show(request)


def _records(request: Request) -> Records:
    """The database, where users log in; without logins, the key is that of the environment."""
    if request.app.state.auth is None:
        told = "the route; nobody logs in here; set the key in the server's environment"
        raise RequestError(404, told, "这里无需登录；请在服务器的环境变量中设置密钥")
    return engine_of(request).records
