"""Docstrings and names follow the style rules; places that do not yet are listed and only get fewer."""

import pytest

from tests.support.prose import MAX_PRONOUN_SHARE, check_rooms, check_source, check_subject, read_allowed


def test_docstrings_and_names_follow_the_rules():
    report = check_rooms()
    found, allowed = set(map(str, report.findings)), read_allowed()
    assert not found - allowed, "\n".join(sorted(found - allowed))
    assert not allowed - found, "no longer broken, so delete: " + "\n".join(sorted(allowed - found))
    assert report.pronoun_share <= MAX_PRONOUN_SHARE
    assert report.docstrings > 1_000


@pytest.mark.parametrize(
    ("source", "rules"),
    [
        ('def _told():\n    """Return the outcome."""', ["participle"]),
        ('def read():\n    """Read a file."""', []),
        ('def find():\n    """Whether a file exists."""', ["opening"]),
        ('def find():\n    """Return a user whose key is set."""', ["unclear"]),
        ('def find():\n    """Return a user; then a key; then a token."""', ["semicolons"]),
        ("names = [one.name for one in users]", ["one"]),
        ("names = [user.name for user in users]", []),
        ("def find(one): ...", ["one"]),
    ],
)
def test_each_rule_finds_what_it_names(source, rules):
    assert [finding.rule for finding in check_source(source, "a.py").findings] == rules


@pytest.mark.parametrize(
    ("subject", "accepted"),
    [
        ("tables: read merged cells once", True),
        ("Tables: read merged cells once", False),
        ("read merged cells once", False),
        ("tables: " + "x" * 70, False),
    ],
)
def test_commit_subjects_name_an_area(subject, accepted):
    assert (check_subject(subject) == "") is accepted
