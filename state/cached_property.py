"""A cached property that threads may read in any order."""

import functools
from typing import Any, Self, TypeVar, overload

_T_co = TypeVar("_T_co", covariant=True)


class cached_property(functools.cached_property[_T_co]):  # noqa: N801, TID251 - it takes that one's place
    """A property computed once, without a lock; two threads that read it first may both compute it.

    Before Python 3.12 that of `functools` holds one lock for all instances while it computes. Threads whose properties
    read each other's in turn, as those of the clauses of two documents do, then wait for each other for ever.
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> _T_co: ...

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
        """The value of an instance, kept in it; the property itself of a class."""
        if instance is None:
            return self
        value = instance.__dict__[str(self.attrname)] = self.func(instance)
        return value
