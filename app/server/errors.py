"""The error of a request: an HTTP status and one line that says what is wrong and what to do."""

from weiwo.state.errors import WeiwoError


class RequestError(WeiwoError):
    """A request that cannot be served.

    Attributes:
        status: The HTTP status, 4xx or 5xx.
        detail: What is wrong, in one line; it holds no secret.
        retry_after: Seconds after which it may be sent again; None: that is not known.
    """

    def __init__(self, status: int, detail: str, *, retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """The headers of its response."""
        return {} if self.retry_after is None else {"retry-after": str(self.retry_after)}


def not_found(what: str, name: str) -> RequestError:
    """The 404 of a thing that does not exist, or is somebody else's."""
    return RequestError(404, f"{what} {name[:60]!a}; there is none of that id")


def not_asked(thread_id: str) -> RequestError:
    """The 404 of a thread that has no question yet."""
    return RequestError(404, f"thread {thread_id}; nothing was asked on it yet; ask something")
