"""How many examples Hypothesis draws: what a test asks for is scaled by the profile."""

from typing import Any, Final

from hypothesis import settings

_USUAL: Final = 100


def register_profiles() -> None:
    """Register `default`, `ci` (the same examples each time) and `dev` (a tenth of them).

    None has a deadline: other work on the machine is no fault of the code.
    """
    settings.register_profile("default", deadline=None, max_examples=_USUAL)
    settings.register_profile("ci", settings.get_profile("default"), derandomize=True, database=None, print_blob=True)
    settings.register_profile("dev", settings.get_profile("default"), max_examples=_USUAL // 10)


def examples(count: int, **more: Any) -> settings:
    """Settings of a test for which other than a hundred examples are right.

    Args:
        count: How many are drawn under the profiles `default` and `ci`.
        more: Other settings of Hypothesis.
    """
    return settings(max_examples=max(2, count * settings().max_examples // _USUAL), **more)
