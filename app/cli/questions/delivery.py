"""Delivery: how a person wants a run told and its result handed over."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Delivery:
    """How a run is told, and where its result goes.

    Attributes:
        as_json: Print one object, and ask nobody.
        verbose: Tell each step.
        files: Absolute paths of files to write the answer to.
    """

    as_json: bool = False
    verbose: bool = False
    files: tuple[Path, ...] = ()
