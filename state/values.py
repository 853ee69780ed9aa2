"""The base of every value in the state."""

from pydantic import BaseModel, ConfigDict, JsonValue

from weiwo.state.cached_property import cached_property


class Value(BaseModel):
    """Base class of all values in the state: frozen, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, ignored_types=(cached_property,))


class Output(BaseModel):
    """Base class of values returned with a result and stored in no checkpoint."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


__all__ = ["JsonValue", "Output", "Value"]
