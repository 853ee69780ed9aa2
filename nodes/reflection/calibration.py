"""Confidence calibration: Platt scaling of what a model's reader says of its values, over a few named features.

Version 0.1 fitted the weights of a model and kept them in `confidence.json`, which is still read. Where nothing was
fitted, the confidence is taken as the reader gave it.
"""

import json
import logging
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import Field

from weiwo.state import Outcome
from weiwo.state.settings import Settings
from weiwo.state.values import Value

_log: Final = logging.getLogger(__name__)
FILE: Final = "confidence.json"
FEATURES: Final = ("bias", "stated", "support", "disputed", "implied")
"""What a weight is of: 1; the log odds of the confidence; the logarithm of the independent sources; and whether other
sources deny the value, and whether its quotes only imply it."""

_NEVER_SURE: Final = 0.01
"""A confidence counts as at least this far from 0 and from 1, whose log odds are infinite."""


class Calibration(Value):
    """The fitted weights of one model.

    Attributes:
        weights: A weight for each of `FEATURES`.
        values: How many values with a known outcome they were fitted on.
        sets: The sets these came from.
    """

    weights: tuple[float, ...] = Field(min_length=len(FEATURES), max_length=len(FEATURES))
    values: int
    sets: tuple[str, ...] = ()

    def probability(self, features: Mapping[str, float]) -> float:
        """How probable it is that a value of these features is right."""
        odds = sum(weight * features[name] for name, weight in zip(FEATURES, self.weights, strict=True))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def confidence_features(outcome: Outcome) -> dict[str, float]:
    """The features of a value that a model read, by name."""
    stated = min(max(outcome.confidence, _NEVER_SURE), 1 - _NEVER_SURE)
    return {
        "bias": 1.0,
        "stated": math.log(stated / (1 - stated)),
        "support": math.log(max(1, outcome.support)),
        "disputed": float(bool(outcome.rivals)),
        "implied": float(outcome.basis == "implied"),
    }


def load_calibrations(home: Path) -> dict[str, Calibration]:
    """What was fitted, by model; nothing, with a warning, where the file is broken."""
    try:
        kept = json.loads((home / FILE).read_text(encoding="utf-8"))
        return {name: Calibration.model_validate(one) for name, one in kept.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError):
        _log.warning("%s: it cannot be read; confidence is taken as it is given", home / FILE)
        return {}


def find_calibration(settings: Settings) -> Calibration | None:
    """The calibration of the model that reads passages; None where none was fitted. Reads a file."""
    reader = settings.models.get("executor")
    return load_calibrations(Path(settings.home)).get(reader) if reader else None
