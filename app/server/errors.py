"""Errors of requests: an HTTP status and a line with the problem and the remedy."""

import os
from pathlib import Path
from typing import Final

from weiwo.state.errors import WeiwoError
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line, redact_secrets

_FOLDERS: Final = lazy(r"(?<![\w:/.~…-])~?/(?:[^\s/;:,'\"()]{1,255}/)+")
"""The folders of an absolute path; of an address, none."""

_THINGS: Final = {
    "thread": "会话",
    "run": "运行",
    "checkpoint": "检查点",
    "passage": "段落",
    "corpus": "文档集",
    "memory": "记忆",
}


class RequestError(WeiwoError):
    """A request the server cannot serve.

    Attributes:
        status: The HTTP status, 4xx or 5xx.
        detail: The problem, in one line. It holds no secret.
        chinese: The same in Chinese, if people see it on the page, else empty.
        retry_after: Seconds after which it may be sent again. None if unknown.
    """

    def __init__(self, status: int, detail: str, chinese: str = "", *, retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.chinese = chinese
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the response."""
        return {} if self.retry_after is None else {"retry-after": str(self.retry_after)}


def describe_outside(error: Exception) -> str:
    """Describe an error in a line safe to leave this machine, without secrets and folders.

    `cannot read /srv/data/a.pdf` gives `cannot read …/a.pdf`.
    """
    text = str(error) if isinstance(error, WeiwoError) else f"{type(error).__name__}: {error}"
    for home in (os.environ.get("WEIWO_HOME", ""), str(Path.home())):
        text = text.replace(f"{home.rstrip('/')}/", "…/") if len(home) > 1 else text
    return one_line(redact_secrets(_FOLDERS.sub("…/", text)), 500)


def not_found(what: str, name: str) -> RequestError:
    """Return the 404 error for an object that does not exist or belongs to another user, which must look the same.

    Args:
        what: The kind of object, such as "thread" or "corpus".
        name: Its id or name.
    """
    chinese = f"没有编号为 {name[:60]!a} 的{_THINGS.get(what, what)}"
    return RequestError(404, f"{what} {name[:60]!a} does not exist", chinese)


def not_asked(thread_id: str) -> RequestError:
    """Return the 404 error for a thread without a question."""
    told = f"thread {thread_id} has no question yet; ask a question first"
    return RequestError(404, told, "这个会话还没有提过问题；请先提问")
