"""A cached property safe to read from several threads in any order."""

import functools
from typing import Any, Self, TypeVar, overload

_T_co = TypeVar("_T_co", covariant=True)


class cached_property(functools.cached_property[_T_co]):  # noqa: N801, TID251 - it takes that one's place
    """A property computed once and cached, without a lock. Two concurrent first reads may both compute the value.

    Before Python 3.12, `functools.cached_property` holds one lock for all instances while it computes. Threads then
    deadlock if their properties read each other's in turn, as the properties of the clauses of two documents do.
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> _T_co: ...

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
        """Return the value and cache it in the instance, or return the property itself for a class."""
        if instance is None:
            return self
        value = instance.__dict__[str(self.attrname)] = self.func(instance)
        return value
