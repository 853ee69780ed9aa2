"""Errors of model calls: whoever asks a model catches one type, `ModelCallError`, whose message is one line.

Messages are written here from status codes and exception types. They never quote
the request, the reply or the provider's own text, any of which may hold a prompt
or a key.
"""

from weiwo.state.errors import WeiwoError

LimitName = str
"""One of `max_seconds`, `max_model_calls`, `max_tokens`, `max_cost`: the fields of `Limits` a model call can reach."""


class LimitReachedError(WeiwoError):
    """A limit of the run leaves nothing for what was asked.

    Attributes:
        reason: The field of `state.Limits` that was reached.
    """

    def __init__(self, reason: LimitName) -> None:
        super().__init__(reason)
        self.reason = reason


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

    def __init__(self, limit: LimitName) -> None:
        super().__init__(f"the run's limit {limit} is reached")
        self.limit = limit
