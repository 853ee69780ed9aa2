"""Which pages hold no text without their scripts."""

import pytest

from weiwo.tools.web.fetching.browser import is_script_wall
from weiwo.tools.web.fetching.fetch import FetchedPage

ARTICLE = "The quay of Norholm was built by the harbour board after a storm had taken the old one. " * 3


@pytest.mark.parametrize(
    ("body", "wall"),
    [
        ("<div id=root></div><script src=/app.js></script>", True),
        (
            "<noscript>You need to enable JavaScript to run this app.</noscript><div id=app></div><script>go()</script>",
            True,
        ),
        (f"<script>const text = '{ARTICLE}'</script><p>Loading …</p>", True),
        (f"<script>{'x' * 100}", True),
        ("<SCRIPT>1</SCRIPT><p>请稍候</p>", True),
        (f"<p>{ARTICLE}</p><script>count()</script>", False),
        ("<p>Closed.</p>", False),
        ("", False),
    ],
)
def test_a_wall_has_scripts_and_no_text(body, wall):
    page = f"<html><head><title>{ARTICLE}</title></head><body>{body}</body></html>".encode()
    assert is_script_wall(FetchedPage("https://a.example/", page, "text/html", "")) is wall


def test_only_html_is_a_wall():
    assert not is_script_wall(FetchedPage("https://a.example/", b"<script>1</script>", "text/plain", ""))


@pytest.mark.parametrize(
    ("piece", "wall"), [("<script>", True), ("<script ", False), ("<script></script>", True), ("<head><head", False)]
)
def test_hostile_markup_is_read_once(piece, wall):
    page = (piece * (2_000_000 // len(piece))).encode()
    assert is_script_wall(FetchedPage("https://a.example/", page, "text/html", "")) is wall
