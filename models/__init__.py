"""Chat models: made from `provider:model`, asked within the run's limits, their replies made into values.

`ChatModels` is the door. Everything behind it fails as `ModelFailed`, and the
caller then decides by rule. Importing this package loads no provider.
"""

from models.budget import Budget
from models.errors import BudgetExhausted, LimitReached, ModelFailed, ModelUnavailable
from models.gateway import NOSTREAM, ChatModels
from models.json_text import parse_json

__all__ = [
    "NOSTREAM",
    "Budget",
    "BudgetExhausted",
    "ChatModels",
    "LimitReached",
    "ModelFailed",
    "ModelUnavailable",
    "parse_json",
]
