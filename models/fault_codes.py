"""Error codes of providers, each mapped to an HTTP status or a kind of fault.

Errors without a code are recognised by their text. Providers report the same failure by type (Anthropic), by the name
of a status (Gemini), by a code in words (OpenAI, DashScope) or in digits (Zhipu, Mistral). Inside a stream the code is
all there is, since the HTTP status is 200. Each code is mapped to the HTTP status given in the provider's reference.
"""

import re
from collections.abc import Mapping
from typing import Final

from weiwo.state.limits import FaultKind
from weiwo.text.patterns import lazy

_STATUSES: Final[Mapping[int, str]] = {
    401: "authentication_error invalid_api_key unauthenticated invalid_authentication_error unrecognizedclientexception"
    " expiredtokenexception api_key_invalid invalidapikey 1000 1001 1002 1003 1004",
    402: "billing_error insufficient_balance arrearage account_deactivated billing_not_active"
    " billing_hard_limit_reached 1113",
    403: "permission_error permission_denied accessdeniedexception access_denied",
    404: "not_found_error model_not_found not_found resourcenotfoundexception",
    429: "rate_limit_error rate_limit_exceeded rate_limited resource_exhausted throttlingexception throttling"
    " too_many_requests insufficient_quota 1302 1303 1304 1305 1308",
    500: "api_error server_error internal internal_error internal_server_error internalserverexception"
    " modelerrorexception",
    503: "unavailable service_unavailable service_unavailable_error serviceunavailableexception server_is_overloaded"
    " slow_down engine_overloaded engine_overloaded_error model_overloaded system_busy"
    " service_tier_capacity_exceeded 3505",
    504: "timeout_error deadline_exceeded modeltimeoutexception",
    529: "overloaded_error overloaded",
}
_KINDS: Final[Mapping[FaultKind, str]] = {
    "overflow": "context_length_exceeded request_too_large exceed_context_size_error context_window_exceeded"
    " prompt_too_long input_too_long 1261 3051",
    "declined": "content_filter content_policy_violation responsibleaipolicyviolation data_inspection_failed"
    " datainspectionfailed invalid_prompt content_policy_error content_blocked sensitive_content 1301",
    "loading": "modelnotreadyexception model_loading model_not_ready",
}
CODE_STATUSES: Final = {code: status for status, codes in _STATUSES.items() for code in codes.split()}
"""HTTP status by error code in lower case."""
CODE_KINDS: Final[Mapping[str, FaultKind]] = {code: kind for kind, codes in _KINDS.items() for code in codes.split()}
"""Kind of fault by error code in lower case, for codes that are more specific than an HTTP status."""

_NUMBER = r"(\d{1,3}(?:,\d{3}){1,3}|\d{3,9})"
OVERFLOWS: Final = tuple(
    lazy(pattern, re.IGNORECASE)
    for pattern in (
        rf"maximum context length (?:is|of) {_NUMBER}",  # OpenAI, vLLM, DeepSeek, OpenRouter
        rf"{_NUMBER} maximum context length",  # Mistral
        rf"too long: {_NUMBER} tokens > (?P<bound>\d+) maximum",  # Anthropic
        rf"exceeds the maximum number of tokens allowed \({_NUMBER}\)",  # Gemini
        rf"\bn_ctx\W{{1,4}}{_NUMBER}",  # llama.cpp
        rf"context size \({_NUMBER} tokens\)",  # the same, in words
        rf"context length (?:of )?(?:only )?\(?{_NUMBER}",  # LM Studio, SGLang
        rf"exceeded model token limit: {_NUMBER}",  # Moonshot
        rf"maximum prompt length is {_NUMBER}",  # xAI
        rf"range of input length should be \[\d+, ?{_NUMBER}\]",  # DashScope
        rf"max_new_tokens`? must be <= {_NUMBER}",  # TGI
        rf"too large .{{0,200}}Limit:? {_NUMBER}, Requested:? \d",  # a limit by the minute that one request exceeds
        r"(?:exceed(?:s|ed|ing)?|er than) (?:(?:the|available|model'?s?|max(?:imum)?) ){0,4}(?:context|prompt|input)",
        r"(?:prompt|input|messages?|request) (?:is |are |was |tokens? |length ){0,3}too (?:long|large|many)",
        r"context (?:window|length|size) (?:was |is |has been )?(?:exceed|overflow)",
        r"(?:too many|exceed\w*) (?:\w+ ){0,3}(?:input |prompt )?tokens",
        r"total number of tokens",
        r"reduce (?:your |the )?(?:message|prompt|input|length)",
        r"(?:shorter|smaller) (?:input|prompt|message)",
        r"(?:超长|过长|超出|超过|超限).{0,12}(?:长度|上限|限制|token|模型)",
        r"(?:长度|上下文|token|输入|prompt|Prompt).{0,12}(?:超长|过长|超出|超过|超限)",
    )
)
"""Messages of a prompt that is too long. A group is the model's context window in tokens, if the message names it."""

LOADING: Final = lazy(
    r"\b(?:is (?:currently |still )?(?:being )?load(?:ing|ed)|loading model|not (?:yet )?ready)\b",
    re.IGNORECASE,
)
"""Messages of servers that are still loading a model: llama.cpp, Hugging Face, vLLM."""
COLD_START: Final = lazy(r"No data received from Ollama stream")
"""Message of langchain-ollama 1.1.0 for a reply that only loaded the model, because it drops `done_reason: load`."""
NOTHING_CAME: Final = lazy(r"No generation chunks were returned")
"""Message of LangChain for a stream that ended before its first chunk."""
UNPAID: Final = lazy(r"credit balance is too low|reached your specified API usage limits", re.IGNORECASE)
"""Messages of Anthropic for an account without credit, which have the code of a bad request."""
DECLINED: Final = lazy(
    r"content[ _](?:management|filter|policy|exists risk)|\bflagged\b|safety (?:system|policy)|敏感|违规",
    re.IGNORECASE,
)
"""Messages of content filters without a code."""
