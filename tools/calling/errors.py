"""Errors of tool calls: every exception is classified into a few kinds for policies.

Messages are one line for people. They may carry a server's words, never a key: any text that looks like a secret, or is
the value of an environment variable named like one, is removed.
"""

from typing import Final

from langchain_core.tools import ToolException
from pydantic import ValidationError

from weiwo.state import FailureKind
from weiwo.state.errors import WeiwoError
from weiwo.text.printable import one_line, redact_secrets
from weiwo.text.retry_after import retry_after_of

_BY_STATUS: Final[dict[int, FailureKind]] = {
    400: "bad_arguments",
    401: "auth",
    402: "blocked",
    403: "blocked",
    404: "not_found",
    407: "auth",
    408: "timeout",
    410: "not_found",
    413: "oversized",
    414: "bad_arguments",
    422: "bad_arguments",
    429: "rate_limit",
    451: "blocked",
    504: "timeout",
}
_NETWORK: Final = frozenset(
    {"TransportError", "ConnectionError", "ClientConnectionError", "ClientPayloadError", "gaierror"}
)


class ToolCallError(WeiwoError, ToolException):
    """Error for a failed tool call. Outside Weiwo, LangChain handles the error like any tool's error.

    Attributes:
        kind: The kind, used by policies.
        message: One line for people, without secrets.
        retry_after: Seconds to wait before a retry, if the server named them.
        transient: Whether the same call may succeed a moment later.
        attempts: Number of calls made, with retries. 0 if the tool was not called for this caller.
        seconds: Seconds these calls took, the waits between them included.
    """

    def __init__(
        self, kind: FailureKind, message: str, *, retry_after: float | None = None, transient: bool | None = None
    ) -> None:
        self.kind = kind
        self.message = one_line(redact_secrets(message))
        self.retry_after = retry_after
        self.transient = kind in {"timeout", "rate_limit"} if transient is None else transient
        self.attempts = 1
        self.seconds = 0.0
        super().__init__(self.message)

    def of_another(self) -> "ToolCallError":
        """Return a copy for a caller that waited for the result of another caller's call, with no attempts."""
        same = ToolCallError(self.kind, self.message, retry_after=self.retry_after, transient=self.transient)
        same.attempts = 0
        return same


class ToolNotCalledError(ToolCallError):
    """Error for a call that was not made, because of the caller's limits or a pause.

    The error does not count against the tool and is not shared with other callers.
    """

    def __init__(self, kind: FailureKind, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(kind, message, retry_after=retry_after, transient=False)
        self.attempts = 0


def classify_error(error: BaseException, tool: str) -> ToolCallError:
    """Convert any exception of a tool to a `ToolCallError`.

    HTTP statuses are classified by `classify_status`, other exceptions by class name. A `ToolCallError` is returned
    unchanged, and of an exception group the first exception counts.
    """
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, ToolCallError):
        return error
    if isinstance(error, ValidationError):
        return ToolCallError("bad_arguments", f"{tool}: {first_complaint(error)}")
    status = _http_status(error)
    if status is not None and status >= 400:
        kind, transient = classify_status(status)
        said = f"{tool}: HTTP {status}: {one_line(str(error), 200)}"
        return ToolCallError(kind, said, retry_after=retry_after_of(error), transient=transient)
    kind, said, transient = _classify_by_name(error)
    return ToolCallError(kind, f"{tool}: {said}: {one_line(str(error), 200)}".rstrip(": "), transient=transient)


def classify_status(status: int) -> tuple[FailureKind, bool]:
    """Classify an HTTP status of 400 or more: the kind of failure, and whether a retry may help."""
    return _BY_STATUS.get(status, "crash"), status in {408, 429} or status >= 500


def _classify_by_name(error: BaseException) -> tuple[FailureKind, str, bool]:
    """Classify an exception by class names, since every HTTP client has its own classes.

    Returns:
        The kind of failure, words for the message, and whether a retry may help.
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    if any("Timeout" in name for name in names):
        return "timeout", "took too long", True
    if "ToolException" in names:  # LangChain's, by which a tool says that something went wrong
        return "refused", "it says", False
    if names & _NETWORK:
        return "crash", "cannot be reached", True
    name = type(error).__name__
    kind: FailureKind = "crash"
    if isinstance(error, FileNotFoundError | PermissionError):
        kind = "not_found" if isinstance(error, FileNotFoundError) else "blocked"
    return kind, name, False


def first_complaint(error: ValidationError) -> str:
    """Return the first error of a pydantic validation, as "argument k: Input should be a valid integer"."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    argument = ".".join(str(part) for part in first["loc"]) or "arguments"
    return f"argument {argument}: {first['msg']}"


def _http_status(error: BaseException) -> int | None:
    """Return the HTTP status of an exception of httpx, requests, openai and similar clients, or None."""
    response = getattr(error, "response", None)
    for holder, name in ((response, "status_code"), (error, "status_code"), (error, "status"), (error, "code")):
        status = getattr(holder, name, None)
        if isinstance(status, int) and not isinstance(status, bool) and 100 <= status < 600:
            return status
    return None
