"""What is done about each kind of failure."""

from typing import get_args

import pytest

from weiwo.state import FailureKind
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.policies import POLICIES, strain_of


def test_every_kind_has_a_policy():
    assert set(POLICIES) == set(get_args(FailureKind))


@pytest.mark.parametrize(
    ("kind", "retried", "substitute", "again", "strain"),
    [
        ("timeout", True, True, True, "counts"),
        ("rate_limit", True, True, True, "counts"),
        ("crash", True, True, True, "counts"),
        ("auth", False, True, False, "opens"),
        ("blocked", False, True, False, "counts"),
        ("not_found", False, True, False, "none"),
        ("oversized", False, True, False, "none"),
        ("empty", False, True, False, "none"),
        ("bad_arguments", False, False, False, "none"),
        ("limit", False, False, False, "none"),
    ],
)
def test_the_table(kind, retried, substitute, again, strain):
    policy = POLICIES[kind]
    assert (policy.retries > 0, policy.substitute, policy.again, policy.strain) == (retried, substitute, again, strain)
    assert policy.last == ("give_up" if kind == "limit" else "reflect")


def test_a_page_that_wants_a_login_says_nothing_of_the_tool_that_opens_pages():
    assert strain_of("auth", "open", transient=False) == strain_of("blocked", "open", transient=False) == "none"
    assert strain_of("auth", "search", transient=False) == "opens"


def test_a_tools_own_exception_says_nothing_of_other_arguments_but_a_broken_line_does():
    assert strain_of("crash", "search", transient=False) == "none"
    assert strain_of("crash", "search", transient=True) == strain_of("crash", "open", transient=True) == "counts"


@pytest.mark.parametrize("kind", [kind for kind, policy in POLICIES.items() if not policy.retries])
def test_what_is_never_tried_again_is_not_transient_by_itself(kind):
    assert not ToolCallError(kind, "x").transient
