"""Errors of model calls, and the classification of request failures by status codes and exception types.

Whoever asks a model catches one type, `ModelCallError`, whose message is one line. Messages are written here and never
quote the request, the reply or the provider's own text, any of which may hold a prompt or a key.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from weiwo.state.errors import WeiwoError
from weiwo.state.limits import FaultKind
from weiwo.text.patterns import lazy
from weiwo.text.retry_after import retry_after_of

_LimitName = str
"""One of `max_seconds`, `max_model_calls`, `max_tokens`, `max_cost`: the fields of `Limits` a model call can reach."""


class ModelCallError(WeiwoError):
    """A model gave no usable reply. The caller falls back to its rule.

    Attributes:
        reason: One line, fit for the trace and for the user.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ModelUnavailableError(ModelCallError):
    """A model cannot be asked at all: not configured, package missing, key missing. Says what to do."""


class BudgetExhaustedError(ModelCallError):
    """The run's limits leave no room for another model call.

    Attributes:
        limit: The field of `state.Limits` that was reached, for the stop reason.
    """

    def __init__(self, limit: _LimitName) -> None:
        super().__init__(f"the run's limit {limit} is reached")
        self.limit = limit


_CODE = lazy(r"[a-z][a-z0-9_]{2,39}")
_STATUS_WORDS = {
    400: "request refused",
    401: "key refused; check the API key",
    402: "payment required; top up the account",
    403: "access refused; check the rights of the API key",
    404: "no such model or path; check the model's name and the base URL",
    408: "timeout",
    409: "conflict",
    422: "request refused",
    429: "too many requests",
}


@dataclass(frozen=True)
class Fault:
    """Why a request failed."""

    # `refused` (the endpoint will not take this form of request), `denied` (key or rights), `overflow` (longer than the
    # model's context), `server` (5xx), `busy` (a limit of its rate), `unreachable` (no connection), `late` (no reply in
    # time), `deadline` (the run had no more time for it), `malformed` (a reply that is not a chat completion), `empty`
    # (one with nothing in it), `incomplete` (cut at a limit, or filtered), `limit` (ended by a limit of the run).
    kind: FaultKind
    words: str  # one line without anything of the request or reply in it
    status: int = 0  # the HTTP status, 0 where there was none
    pause: float | None = None  # seconds after which the endpoint wants to be asked again, if it says so
    window: int | None = None  # tokens that the model's context holds, if an overflow says so
    bound: bool = False  # whether it speaks of the bound on the reply that the request carried
    slow: bool = False  # some of the reply came, and it was still coming

    @property
    def outage(self) -> bool:
        """Whether it says that the endpoint is not working, rather than something about this request."""
        return not self.slow and self.kind not in {"refused", "overflow", "incomplete", "deadline", "limit"}

    @property
    def passing(self) -> bool:
        """Whether the same request may well succeed in a moment."""
        return (self.kind in {"busy", "unreachable"} or self.status >= 500) and "quota" not in self.words


class ModelRequestError(ModelCallError):
    """A request that brought no reply.

    Attributes:
        fault: Why.
        pause: Seconds after which it is worth sending again; None if it is not.
    """

    def __init__(self, fault: Fault, pause: float | None = None) -> None:
        super().__init__(fault.words)
        self.fault = fault
        self.pause = pause


def classify_fault(error: BaseException) -> Fault:
    """The fault behind an exception of a provider's client, whichever provider it is.

    Clients wrap one another, and a warning turned into an error can hide the
    response it is about, so that the whole chain of causes is looked at.
    """
    chain = list(_causes(error))
    for link in chain:
        if isinstance(link, ModelRequestError):  # raised below the provider's client, which wraps it
            return link.fault
    names = {cls.__name__ for link in chain for cls in type(link).__mro__}
    if "ContextOverflowError" in names:
        return _overflow(chain[0])
    for link in chain:
        if (status := _status(link)) is not None:
            return _of_status(status, link)
    if any(isinstance(link, TimeoutError) for link in chain) or any("Timeout" in name for name in names):
        return Fault("late", "no reply in time")
    if any(isinstance(link, OSError) for link in chain) or names & {"APIConnectionError", "TransportError"}:
        return Fault("unreachable", "no connection to the model endpoint, or it broke")
    if "APIError" in names:
        return Fault("server", "the model endpoint reported an error in its reply")
    return Fault("malformed", f"the reply is not a chat completion ({type(error).__name__})")


def _of_status(status: int, error: BaseException) -> Fault:
    code = _code(error)
    usual = "server error" if status >= 500 else "request refused"
    words = f"HTTP {status}{code}, {_STATUS_WORDS.get(status, usual)}"
    if status in {401, 402, 403} or (status == 400 and _finds(_BAD_KEY, error)):
        return Fault("denied", words, status)
    if status >= 500:
        return Fault("server", words, status, _pause(error))
    if status in {408, 409, 429}:
        return Fault("busy", words, status, _pause(error))
    if status == 413 or "context_length" in code or (status == 400 and _says_overflow(error)):
        return _overflow(error, status)
    return Fault("refused", words, status, bound=_says_bound(error))


_NUMBER = r"(\d{1,3}(?:,\d{3}){1,3}|\d{3,9})"
_OVERFLOWS = tuple(
    lazy(pattern, re.IGNORECASE)
    for pattern in (
        rf"maximum context length (?:is|of) {_NUMBER}",  # OpenAI, vLLM, DeepSeek, OpenRouter
        rf"{_NUMBER} maximum context length",  # Mistral
        rf"too long: {_NUMBER} tokens > (?P<bound>\d+) maximum",  # Anthropic
        rf"exceeds the maximum number of tokens allowed \({_NUMBER}\)",  # Gemini
        rf"\bn_ctx\W{{1,4}}{_NUMBER}",  # llama.cpp
        rf"context size \({_NUMBER} tokens\)",  # the same, in words
        rf"exceeded model token limit: {_NUMBER}",  # Moonshot
        rf"range of input length should be \[\d+, ?{_NUMBER}\]",  # DashScope
        rf"max_new_tokens`? must be <= {_NUMBER}",  # TGI
        r"(?:exceeds?|(?:long|larg)er than) (?:the |available |model'?s? |max(?:imum)? ){0,4}(?:context|prompt|input)",
    )
)
"""How providers say that a prompt is too long, with the tokens their model holds where they tell."""
_MOST_READ = 4_000
"""Characters of an error that are searched for that."""


def _overflow(error: BaseException, status: int = 0) -> Fault:
    found = _says_overflow(error)
    told = found and (found.groupdict().get("bound") or next(iter(found.groups()), None))
    window = int(told.replace(",", "")) if told else None
    return Fault(
        "overflow", "the prompt is longer than the model's context", status, window=window, bound=_says_bound(error)
    )


def _says_overflow(error: BaseException) -> re.Match[str] | None:
    """Where an error's text says that the prompt was too long."""
    return next((found for pattern in _OVERFLOWS if (found := _finds(pattern, error))), None)


_BOUND = re.compile(r"max_(?:completion_|new_|output_)?tokens|\bcompletion\b")
_BAD_KEY = re.compile(r"API_KEY_INVALID|API key (?:not valid|expired)")
"""How Gemini refuses a key, with status 400."""
_RETRY_DELAY = re.compile(r"""retryDelay['"]{1,2}:\s?['"](\d{1,4}(?:\.\d{1,9})?)s""")
"""How Gemini asks for a pause: in the error itself, not in a header."""


def _says_bound(error: BaseException) -> bool:
    """Whether an error's text speaks of the bound on replies."""
    return _finds(_BOUND, error) is not None


def _pause(error: BaseException) -> float | None:
    """Seconds after which the endpoint wants to be asked again, if it says so."""
    told = _finds(_RETRY_DELAY, error)
    return float(told[1]) if told else retry_after_of(error)


def _finds(pattern: re.Pattern[str], error: BaseException) -> re.Match[str] | None:
    """Where a pattern is in the text of an error or its causes."""
    texts = (str(link)[:_MOST_READ] for link in _causes(error))
    return next((found for text in texts if (found := pattern.search(text))), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


_STATUS_NAMES = ("status_code", "code", "http_status")


def _status(error: BaseException) -> int | None:
    """The HTTP status of an error or of the response it holds: `status_code`, or `code` as Google's clients call it."""
    response = getattr(error, "response", None)
    told = [getattr(holder, name, None) for holder in (error, response) for name in _STATUS_NAMES]
    if isinstance(response, Mapping):  # of boto3
        told.append((response.get("ResponseMetadata") or {}).get("HTTPStatusCode"))
    numbers = (int(one) for one in told if isinstance(one, int) and not isinstance(one, bool))
    return next((status for status in numbers if 400 <= status < 600), None)


def _code(error: BaseException) -> str:
    """The provider's error code, such as insufficient_quota, if it looks like one."""
    code = getattr(error, "code", None)
    return f" {code}" if isinstance(code, str) and _CODE.fullmatch(code) else ""
