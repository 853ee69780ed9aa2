"""Failures are told apart by what follows from them, in words that hold nothing of the request."""

from types import SimpleNamespace

import openai
import pytest

from weiwo.models.endpoint import _COOLING_SECONDS, _MAX_BREAKERS, EndpointBreaker, _breakers, endpoint_breaker
from weiwo.models.errors import ModelCallError, classify_fault

SECRET = "sk-secret and the user's prompt"  # noqa: S105 - it opens nothing


class StatusError(Exception):
    def __init__(self, status: int, code: str | None = None) -> None:
        super().__init__(SECRET)
        self.status_code = status
        self.code = code


@pytest.mark.parametrize(
    ("error", "kind", "outage"),
    [
        (StatusError(400), "refused", False),
        (StatusError(404), "refused", False),
        (StatusError(422), "refused", False),
        (StatusError(400, "context_length_exceeded"), "overflow", False),
        (StatusError(413), "overflow", False),
        (StatusError(401), "denied", True),
        (StatusError(403), "denied", True),
        (StatusError(429, "insufficient_quota"), "busy", True),
        (StatusError(500), "server", True),
        (StatusError(503), "server", True),
        (TimeoutError(SECRET), "late", True),
        (ConnectionResetError(SECRET), "unreachable", True),
        (KeyError(SECRET), "malformed", True),
        (ValueError({"message": SECRET}), "malformed", True),
        (TypeError(SECRET), "malformed", True),
    ],
)
def test_a_failure_is_classified(error: Exception, kind: str, outage: bool) -> None:  # noqa: FBT001 - a table's column
    fault = classify_fault(error)
    assert (fault.kind, fault.outage) == (kind, outage)
    assert "secret" not in fault.words
    assert "\n" not in fault.words


class WordsError(Exception):
    def __init__(self, words: str, status: int = 400) -> None:
        super().__init__(words)
        self.status_code = status


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", 8_192),
        ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32_768),
        ("prompt is too long: 210000 tokens > 200000 maximum", 200_000),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576),
        ('{"message": "the request exceeds the available context size", "n_prompt_tokens": 9, "n_ctx": 4096}', 4_096),
        ("Your request exceeded model token limit: 8192", 8_192),
        ("Range of input length should be [1, 30720]", 30_720),
        ("`inputs` tokens + `max_new_tokens` must be <= 4,096. Given: 5000", 4_096),
        ("Prompt exceeds max context length", None),
        ("the prompt is longer than the model's context", None),
    ],
)
def test_a_prompt_that_is_too_long_teaches_the_window(words: str, window: int | None) -> None:
    fault = classify_fault(WordsError(words))
    assert (fault.kind, fault.window) == ("overflow", window)
    assert classify_fault(WordsError(words, 500)).kind == "server"


def test_another_refusal_does_not() -> None:
    assert (
        classify_fault(WordsError("response_format json_schema is not supported; max_tokens is 4096")).kind == "refused"
    )


def test_the_response_behind_a_wrapper_is_found() -> None:
    try:
        try:
            raise StatusError(400)  # noqa: TRY301 - the chain is what is tested
        except StatusError:
            raise UserWarning("this model does not support it")  # noqa: B904 - as a warning made an error is raised
    except UserWarning as error:
        assert classify_fault(error).status == 400  # noqa: PT017 - the chain is what is tested


def test_an_error_code_is_told_and_other_text_is_not() -> None:
    assert "insufficient_quota" in classify_fault(StatusError(429, "insufficient_quota")).words
    assert "sk-" not in classify_fault(StatusError(429, "sk-SECRET")).words


def test_a_broken_connection_of_the_openai_client() -> None:
    request = openai.DefaultHttpxClient().build_request("POST", "http://localhost")
    assert classify_fault(openai.APIConnectionError(request=request)).kind == "unreachable"
    assert classify_fault(openai.APITimeoutError(request=request)).kind == "late"


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({}, None, None),
        ({"retry-after": "2"}, 2, 2),
        ({"retry-after": "0.5", "retry-after-ms": "40"}, 0.04, 0.04),
        ({"retry-after": "-3"}, 0, 0),
        ({"retry-after": "soon"}, None, None),
        ({"retry-after": "Sat, 21 Nov 2020 00:00:00 GMT"}, 0, 0),
    ],
)
def test_the_pause_an_endpoint_asks_for(headers: dict[str, str], least: float | None, most: float | None) -> None:
    error = StatusError(429)
    error.response = SimpleNamespace(headers=headers)  # type: ignore[attr-defined]
    pause = classify_fault(error).pause
    assert (pause is None) == (least is None)
    if pause is not None and least is not None and most is not None:
        assert least <= pause <= most


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        (StatusError(429), True),
        (StatusError(429, "insufficient_quota"), False),
        (StatusError(503), True),
        (StatusError(400), False),
        (StatusError(401), False),
        (TimeoutError(), False),
        (ConnectionResetError(), True),
        (KeyError(), False),
    ],
)
def test_only_what_may_pass_is_tried_again(error: Exception, passing: bool) -> None:  # noqa: FBT001 - a column
    assert classify_fault(error).passing is passing


def test_two_failures_in_a_row_open_the_breaker_and_a_success_between_does_not() -> None:
    now = [0.0]
    fuse = EndpointBreaker(lambda: now[0])
    fuse.record_failure(None, "HTTP 500")
    fuse.record_success(None)
    fuse.record_failure(None, "HTTP 500")
    fuse.admit("second")
    fuse.record_failure("second", "HTTP 503")
    with pytest.raises(ModelCallError, match=r"does not answer \(HTTP 503\)"):
        fuse.admit("next")
    now[0] = _COOLING_SECONDS
    fuse.admit("trial")  # one may look whether it is back
    with pytest.raises(ModelCallError):
        fuse.admit("another")
    fuse.release_call("trial")
    fuse.admit("another")
    fuse.record_success("another")
    fuse.admit("next")


def test_a_refused_key_opens_it_at_once() -> None:
    fuse = EndpointBreaker()
    fuse.record_failure(None, "HTTP 401", hopeless=True)
    with pytest.raises(ModelCallError):
        fuse.admit("next")


def test_breakers_are_shared_within_a_run_and_bounded() -> None:
    assert endpoint_breaker("run", "e") is endpoint_breaker("run", "e")
    assert endpoint_breaker("run", "e") is not endpoint_breaker("run", "f")
    assert endpoint_breaker("run", "e") is not endpoint_breaker("other", "e")
    first = endpoint_breaker("run", "e")
    for number in range(_MAX_BREAKERS):
        endpoint_breaker(f"run {number}", "e")
    assert len(_breakers) == _MAX_BREAKERS
    assert endpoint_breaker("run", "e") is not first
