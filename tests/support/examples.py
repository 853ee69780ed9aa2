"""How many examples Hypothesis draws: what a test asks for is scaled by the profile."""

from typing import Any, Final

from hypothesis import settings

_USUAL: Final = 100


def register_profiles() -> None:
    """Register `default`, `ci` (half of them, the same each time) and `dev` (a tenth).

    None has a deadline: other work on the machine is no fault of the code.
    """
    settings.register_profile("default", deadline=None, max_examples=_USUAL)
    same: dict[str, Any] = {"derandomize": True, "database": None, "print_blob": True}
    settings.register_profile("ci", settings.get_profile("default"), max_examples=_USUAL // 2, **same)
    settings.register_profile("dev", settings.get_profile("default"), max_examples=_USUAL // 10)


def examples(count: int, **more: Any) -> settings:
    """Settings of a test for which other than a hundred examples are right.

    Args:
        count: How many are drawn under the profile `default`.
        more: Other settings of Hypothesis.
    """
    return settings(max_examples=max(2, count * settings().max_examples // _USUAL), **more)
