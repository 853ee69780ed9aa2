"""The page of the real server whose users log in at an issuer: in Chromium, all on loopback."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.foreign import FOREIGN
from tests.support.loopback_server import on_loopback
from tests.support.oidc_issuer import CLIENT, Issuer
from weiwo.app.server.access.auth import Auth
from weiwo.app.server.access.guard import Guard, Rules
from weiwo.app.server.access.oidc import Oidc, OidcSettings
from weiwo.app.server.application import create_app

BOX = "textarea[name=question]"


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """Where the server is; its issuer is on another port, and agrees to every login."""
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path / "home"))
    issuers: list[Issuer] = []

    def issuer(url: str) -> object:
        issuers.append(Issuer(url))
        return issuers[0].app

    def server(url: str) -> Guard:
        auth = Auth(Oidc(OidcSettings(issuers[0].address, CLIENT, public_url=url)))
        return Guard(create_app(auth=auth), Rules(), auth)

    with on_loopback(issuer), on_loopback(server, lifespan=True) as url:
        yield url


def test_a_login_that_ended_is_asked_for_in_place_and_the_issuer_lets_one_go_on(stage, address):
    context = stage.browser.new_context(viewport={"width": 1280, "height": 860})
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.goto(address)  # to the issuer, and back
    page.fill(BOX, "How long is it?")
    page.wait_for_selector(".empty-list")  # who is at work has seen the list of threads
    assert page.evaluate("fetch('/weiwo/info').then((told) => told.json())")["user"] == "oidc:7"
    context.clear_cookies()
    page.evaluate("location.hash = '#/corpora'")
    page.wait_for_selector("dialog[open] a[href='./weiwo/oidc/login']")
    assert page.get_attribute(".shell", "data-status") == "login"
    with context.expect_page() as opened:
        page.click("dialog[open] a[href='./weiwo/oidc/login']")
    opened.value.wait_for_selector(BOX)
    page.evaluate("dispatchEvent(new Event('focus'))")  # without a screen, no window has it
    page.wait_for_selector("dialog", state="detached")
    page.wait_for_selector(".drop")  # what was asked for came after all
    assert page.evaluate("fetch('/weiwo/info').then((told) => told.json())")["user"] == "oidc:7"
    page.evaluate("location.hash = '#/settings'")
    page.fill("[data-own-key=none] input", "a-key-of-mine-4711")
    page.click("[data-own-key=none] button")
    page.wait_for_selector("[data-own-key=set]:has-text('…4711')")
    page.click("[data-action=forget-key]")
    page.wait_for_selector("[data-own-key=none]")
    context.close()
