"""Chat models: made from `provider:model`, asked within the run's limits, their replies made into values.

`ChatModels` is the door. Everything behind it fails as `ModelCallError`, and the
caller then decides by rule. Importing this package loads no provider.
"""

from weiwo.models.budget import Budget
from weiwo.models.errors import BudgetExhaustedError, LimitReachedError, ModelCallError, ModelUnavailableError
from weiwo.models.gateway import NOSTREAM, ChatModels
from weiwo.models.json_reader import parse_json

__all__ = [
    "NOSTREAM",
    "Budget",
    "BudgetExhaustedError",
    "ChatModels",
    "LimitReachedError",
    "ModelCallError",
    "ModelUnavailableError",
    "parse_json",
]
