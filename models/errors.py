"""Errors of model calls, and the classification of request failures by status codes and exception types.

Callers catch a single type, `ModelCallError`, whose message is one line. Messages never quote the request, the reply or
the provider's own text, which may contain a prompt or a key.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from weiwo.models.fault_codes import (
    CODE_KINDS,
    CODE_STATUSES,
    COLD_START,
    DECLINED,
    LOADING,
    NOTHING_CAME,
    OVERFLOWS,
    UNPAID,
)
from weiwo.state.errors import WeiwoError
from weiwo.state.limits import FaultKind
from weiwo.text.patterns import lazy
from weiwo.text.retry_after import retry_after_of

_LimitName = str
"""One of `max_seconds`, `max_model_calls`, `max_tokens`, `max_cost`: the fields of `Limits` a model call can reach."""


class ModelCallError(WeiwoError):
    """Error for a model call without a usable reply. The caller falls back on rules.

    Attributes:
        reason: One line for the trace and the user.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ModelUnavailableError(ModelCallError):
    """Error for a model that is not configured, or lacks a package or key. The message says how to fix the setup."""


class BudgetExhaustedError(ModelCallError):
    """Error for a model call not made, because a limit of the run leaves no room.

    Attributes:
        limit: Name of the limit, a field of `state.Limits`, for the stop reason.
    """

    def __init__(self, limit: _LimitName) -> None:
        super().__init__(f"the run's limit {limit} was reached")
        self.limit = limit


_CODE = lazy(r"[A-Za-z][A-Za-z0-9_]{2,39}|[0-9]{4}")
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


_OF_THE_REQUEST: Final = frozenset(
    {"refused", "overflow", "incomplete", "declined", "empty", "loading", "deadline", "limit"}
)
"""Kinds of fault that are caused by the request or the run, and do not count against the endpoint."""


@dataclass(frozen=True)
class Fault:
    """Cause of a failed request."""

    # `refused` (the endpoint does not accept this form of request), `denied` (key or rights), `overflow` (the prompt is
    # longer than the context window), `server` (5xx), `busy` (rate limit), `loading` (the model is not in memory yet),
    # `unreachable` (no connection), `late` (no reply in time), `deadline` (the run's time ended), `malformed` (the
    # reply is not a chat completion), `empty` (the reply has no content), `declined` (by the model or a filter),
    # `incomplete` (the reply ended early), `limit` (ended by a limit of the run).
    kind: FaultKind
    words: str  # one line without content of the request or reply
    status: int = 0  # HTTP status, or 0
    pause: float | None = None  # seconds to wait before a retry, if the endpoint says so
    window: int | None = None  # the model's context window in tokens, if an overflow names it
    bound: bool = False  # whether the error mentions the request's token limit for the reply
    slow: bool = False  # whether the reply was still arriving when the time ended
    cut: bool = False  # whether the reply ended at its token limit, so that it can be continued
    prompt: bool = False  # whether a filter declined the prompt, not the model or a filter the reply

    @property
    def outage(self) -> bool:
        """Report whether the fault counts as a failure of the endpoint, not of this request or the run."""
        return not self.slow and self.kind not in _OF_THE_REQUEST

    @property
    def passing(self) -> bool:
        """Report whether the same request may succeed after a pause."""
        return (self.kind in {"busy", "loading", "unreachable"} or self.status >= 500) and "quota" not in self.words

    @property
    def hopeless(self) -> bool:
        """Report whether every further request to the endpoint will fail, as with a refused key."""
        return self.kind == "denied"

    @property
    def may_be_size(self) -> bool:
        """Report whether a shorter prompt may be accepted, even if the error does not mention the length."""
        return self.kind == "overflow" or (self.kind == "refused" and self.status in {400, 413, 422})


class ModelRequestError(ModelCallError):
    """Error for a request without a reply.

    Attributes:
        fault: The cause.
        pause: Seconds to wait before a retry. None if a retry is not worthwhile.
    """

    def __init__(self, fault: Fault, pause: float | None = None) -> None:
        super().__init__(fault.words)
        self.fault = fault
        self.pause = pause


def classify_fault(error: BaseException) -> Fault:
    """Return the cause of an exception raised by a provider's client, for any provider.

    Type and code of the error take precedence over its status: inside a stream the status is 200, or there is none.
    Clients wrap one another, and a warning turned into an error can hide the response it is about, so the whole chain
    of causes is checked.
    """
    chain = list(_causes(error))
    for link in chain:
        # The provider's client wraps errors raised by our transport.
        if isinstance(link, ModelRequestError):
            return link.fault
    names = {cls.__name__ for link in chain for cls in type(link).__mro__}
    codes = list(dict.fromkeys(code for link in chain for code in _codes(link)))
    status = next((found for link in chain if (found := _status(link)) is not None), None)
    if "ContextOverflowError" in names:
        return _overflow(chain[0], status or 0)
    if (fault := _of_codes(codes, status, error)) is not None:
        return fault
    if status is not None:
        return _of_status(status, error)
    if any(isinstance(link, TimeoutError) for link in chain) or any("Timeout" in name for name in names):
        return Fault("late", "no reply in time")
    if any(isinstance(link, OSError) for link in chain) or names & {"APIConnectionError", "TransportError"}:
        return Fault("unreachable", "no connection to the model endpoint, or it was lost")
    return _of_words(error, names)


def ended_early(error: BaseException) -> bool:
    """Report whether an exception says that a stream ended before its first chunk."""
    return _finds(NOTHING_CAME, error) is not None


def _of_codes(codes: list[str], status: int | None, error: BaseException) -> Fault | None:
    """Return the fault for the first known code of an error, or None if no code is known.

    Zhipu's numeric codes for a bad key are Mistral's for a server error, so for these the HTTP status decides.
    """
    for code in codes:
        kind = CODE_KINDS.get(code.lower())
        if kind == "overflow":
            return _overflow(error, status or 0)
        if kind is not None:
            return Fault(kind, f"{_WORDS[kind]} ({code})", status or 0, _pause(error), prompt=kind == "declined")
        meant = CODE_STATUSES.get(code.lower())
        if meant is not None and not (code.isdecimal() and meant < 500 <= (status or 0)):
            return _of_status(status or meant, error, [code], meant)
    return None


def _of_status(status: int, error: BaseException, codes: Sequence[str] = (), meant: int = 0) -> Fault:
    """Return the fault for an HTTP status.

    Args:
        status: Status of the response.
        error: The exception, searched for words and pauses.
        codes: Codes of the error, for the message.
        meant: Status that the error's code stands for, or 0. Decides instead of `status`, except that a server error
            (500 or more) does not decide over 408, 409 and 429.
    """
    # The code of the error itself, for example insufficient_quota, counts after the codes of its body.
    own = next((code for link in _causes(error) if isinstance(code := getattr(link, "code", None), str)), "")
    code = next((f" {code}" for code in (*(codes if meant else ()), own) if _CODE.fullmatch(code)), "")
    means = status if meant >= 500 and status in _BUSY else meant or status
    if means in {400, 429} and _finds(UNPAID, error):
        means = 402
    usual = "server error" if means >= 500 else "request refused"
    words = f"HTTP {status}{code}, {_STATUS_WORDS.get(means, usual)}"
    if means in {401, 402, 403} or (means == 400 and _finds(_BAD_KEY, error)):
        return Fault("denied", words, status)
    if means == 413 or (400 <= means < 500 and means not in _NEVER_SIZE and _says_overflow(error)):
        return _overflow(error, status)
    if means in {400, 422} and _finds(DECLINED, error):
        return Fault("declined", f"{_WORDS['declined']} (HTTP {status}{code})", status, prompt=True)
    if means >= 500:
        kind: FaultKind = "loading" if _finds(LOADING, error) else "server"
        return Fault(kind, words, status, _pause(error))
    if means in _BUSY:
        return Fault("busy", words, status, _pause(error))
    return Fault("refused", words, status, bound=_says_bound(error))


def _of_words(error: BaseException, names: set[str]) -> Fault:
    """Return the fault of an exception without status or code."""
    if _finds(COLD_START, error):
        return Fault("loading", _WORDS["loading"])
    if names & {"APIError", "ResponseError"}:
        if _says_overflow(error):
            return _overflow(error)
        if _finds(LOADING, error):
            return Fault("loading", _WORDS["loading"], pause=_pause(error))
        if "ResponseError" in names:  # Ollama's runner broke down, and is started again
            return Fault("server", "the model endpoint failed during its reply", 500)
        return Fault("server", "the model endpoint reported an error in its reply")
    return Fault("malformed", f"the reply is not a chat completion ({type(error).__name__})")


_WORDS: Final[Mapping[FaultKind, str]] = {
    "declined": "the model or a content filter declined",
    "loading": "the model is being loaded",
}
_BUSY: Final = frozenset({408, 409, 429})
"""Statuses of faults that may pass after a pause."""
_NEVER_SIZE: Final = frozenset({401, 402, 403, 404})
"""Statuses that are never caused by a prompt's length."""
_MOST_READ = 4_000
"""Limit of an error's text that is searched, in characters."""


def _overflow(error: BaseException, status: int = 0) -> Fault:
    found = _says_overflow(error)
    told = found and (found.groupdict().get("bound") or next(iter(found.groups()), None))
    window = int(told.replace(",", "")) if told else None
    return Fault(
        "overflow", "the prompt is longer than the model's context", status, window=window, bound=_says_bound(error)
    )


def _says_overflow(error: BaseException) -> re.Match[str] | None:
    """Find the words in an error that say that the prompt is too long.

    The match contains the window in tokens, as the group `bound` or the first group, if the error names it.
    """
    return next((found for pattern in OVERFLOWS if (found := _finds(pattern, error))), None)


_BOUND = re.compile(r"max_(?:completion_|new_|output_)?tokens|\bcompletion\b")
_BAD_KEY = re.compile(r"API_KEY_INVALID|API key (?:not valid|expired)")
"""Messages of Gemini for a bad key, with status 400."""
_PAUSES = (
    re.compile(r"""retryDelay['"]{1,2}:\s?['"](\d{1,4}(?:\.\d{1,9})?)s"""),  # Gemini
    re.compile(r"""estimated_time['"]{1,2}:\s?(\d{1,4}(?:\.\d{1,9})?)"""),  # Hugging Face, while a model loads
    re.compile(r"(?:try again|retry) (?:in|after) (\d{1,4}(?:\.\d{1,9})?) ?s(?:econds?)?\b", re.IGNORECASE),
)
"""Messages of providers that name the seconds to wait in the text of an error, not in a header."""


def _says_bound(error: BaseException) -> bool:
    """Report whether an error's text mentions the token limit for replies, e.g. `max_tokens`."""
    return _finds(_BOUND, error) is not None


def _pause(error: BaseException) -> float | None:
    """Return the seconds that the endpoint asks to wait before a retry, or None."""
    asked = next((pause for link in _causes(error) if (pause := retry_after_of(link)) is not None), None)
    told = next((found for pattern in _PAUSES if (found := _finds(pattern, error))), None)
    return asked if asked is not None or told is None else float(told[1])


def _finds(pattern: re.Pattern[str], error: BaseException) -> re.Match[str] | None:
    """Search for a pattern in the text of an error and all causes, and return the first match or None."""
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
    """Return the HTTP status from 400 to 599 of an error, its response or its body, or None.

    The attribute is `status_code`, or `code` in Google's clients. OpenRouter and vLLM report the status in the body of
    an error, while the response's own status is 200.
    """
    response = getattr(error, "response", None)
    told = [getattr(holder, name, None) for holder in (error, response) for name in _STATUS_NAMES]
    told += [body.get("code") for body in _bodies_of(error) if isinstance(body, Mapping)]
    if isinstance(response, Mapping):  # of boto3
        told.append((response.get("ResponseMetadata") or {}).get("HTTPStatusCode"))
    numbers = (int(item) for item in told if isinstance(item, int) and not isinstance(item, bool))
    return next((status for status in numbers if 400 <= status < 600), None)


_CODE_KEYS: Final = ("type", "code", "status", "reason", "Code")
_BODIES: Final = ("body", "details", "response_json")
_MOST_CODES: Final = 12
_CODE_IN_WORDS = (
    lazy(r"^\s*([a-z][a-z_]{2,39}): "),  # `error` events of the Responses API, as LangChain raises them
    lazy(r"""\bcode=['"]([a-z][a-z_]{2,39})['"]"""),  # failed responses
    lazy(r"""['"](?:type|code|status)['"]: ?['"]?([A-Za-z0-9_]{3,40})['"]?"""),  # bodies quoted in the text
)


def _codes(error: BaseException) -> Iterator[str]:
    """Yield the provider's types and codes in an error: from attributes and parsed bodies, else from the text."""
    yield from (code for key in _CODE_KEYS if isinstance(code := getattr(error, key, None), str))
    bodies = _bodies_of(error)
    for body in bodies:
        yield from islice(_codes_in(body), _MOST_CODES)
    if bodies:
        # The text quotes the body and possibly the request, so nothing of it is used.
        return
    for pattern in _CODE_IN_WORDS:
        yield from (found[1] for found in islice(pattern.finditer(str(error)[:_MOST_READ]), _MOST_CODES))


def _bodies_of(error: BaseException) -> list[Mapping[str, Any] | list[Any]]:
    """Return the parsed JSON bodies in the attributes and arguments of an error. Empty if there are none."""
    held = [*(getattr(error, name, None) for name in _BODIES), getattr(error, "response", None), *error.args]
    return [body for body in held if isinstance(body, Mapping | list)]


def _codes_in(body: object, depth: int = 4) -> Iterator[str]:
    """Yield the error types and codes in a parsed body, types before codes."""
    if isinstance(body, Mapping) and depth:
        yield from (str(code) for key in _CODE_KEYS if isinstance(code := body.get(key), str | int))
        for value in body.values():
            yield from _codes_in(value, depth - 1)
    elif isinstance(body, list) and depth:
        for value in body[:4]:
            yield from _codes_in(value, depth - 1)
