"""Attacks from the network: search providers, sites, pages, model endpoints, addresses."""

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.attack.report import Attack, Report
from tests.support.chromium import sandboxed_chromium
from tests.support.openai_server import Handler, OpenAIServer, Reply, always, raw, text
from weiwo.models.attempt import _MOST_CHARACTERS
from weiwo.models.budget import Budget
from weiwo.models.errors import ModelCallError
from weiwo.models.gateway import ChatModels
from weiwo.state import Limits
from weiwo.state.settings import Settings
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.web.fetching.browser import render_page
from weiwo.tools.web.fetching.fetch import FetchedPage
from weiwo.tools.web.fetching.parser_process import _PageParsers
from weiwo.tools.web.fetching.robots import check_robots
from weiwo.tools.web.fetching.url_guard import UrlGuard, UrlRefusedError
from weiwo.tools.web.providers.catalog import PROVIDERS
from weiwo.tools.web.providers.failover import _ask_provider
from weiwo.tools.web.providers.health import ConfiguredProvider
from weiwo.tools.web.providers.provider import SearchQuery

Answer = tuple[int, dict[str, str], bytes] | None
"""A status, headers and a body; None hangs."""


@contextmanager
def _serving(answer: Answer) -> Iterator[tuple[str, list[str]]]:
    """A server that answers everything alike; its address, and the paths it was asked for."""
    released, seen = threading.Event(), []

    class Site(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            seen.append(self.path)
            self.rfile.read(int(self.headers.get("content-length") or 0))
            if answer is None:
                released.wait(60)
                return
            status, headers, body = answer
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(body))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                return  # whoever asked has had enough

        do_GET = do_POST = _answer  # noqa: N815 - the interface has it

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        released.set()
        server.shutdown()
        server.server_close()


_HIT = {"url": "https://a.org/1", "title": "T", "content": "words", "description": "words", "snippet": "words"}
_MILLION = json.dumps([_HIT] * 1_000_000)
_PROVIDER_ANSWERS: dict[str, Answer] = {
    "not JSON": (200, {}, b"<html>Hello</html>"),
    "not text": (200, {}, bytes(range(256)) * 100),
    "deep": (200, {}, b'{"results":' * 100_000),
    "deep lists": (200, {}, b"[" * 1_000_000),
    "of another form": (200, {}, b'{"results": {"a": 1}, "web": 3, "organic": "x", "data": null, "query": []}'),
    "huge": (200, {}, b'{"results": "' + b"x" * 20_000_000 + b'"}'),
    "a million results": (200, {}, f'{{"results": {_MILLION}, "data": {_MILLION}}}'.encode()),
    "thousands of results": (200, {}, json.dumps({"results": [_HIT] * 9_000, "organic": [_HIT] * 9_000}).encode()),
    "numbers too long": (200, {}, b'{"results": [{"score": ' + b"9" * 100_000 + b"}]}"),
    "entities": (200, {}, b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b"".join(
        f'<!ENTITY a{n} "{"&a;" if n == 0 else f"&a{n - 1};"}'.encode() * 10 + b'">' for n in range(9)
    ) + b"]><feed>&a8;</feed>"),
    "redirect": (302, {"Location": "http://169.254.169.254/latest/meta-data/"}, b""),
    "hang": None,
}  # fmt: skip


async def _providers(report: Report, _: Path) -> None:
    providers = {name: one for name, one in PROVIDERS.items() if name != "ddgs"}  # whose engines have own addresses
    with _serving((404, {}, b"")) as (url, _seen):
        for provider in providers.values():
            with suppress(ToolCallError):  # a first call imports what it needs, which may take a busy machine long
                await _ask_provider(ConfiguredProvider(provider, url, "k"), SearchQuery("tower", k=5), seconds=60.0)
    for what, answer in _PROVIDER_ANSWERS.items():
        with _serving(answer) as (url, seen):
            for name, provider in providers.items():
                seen.clear()
                asked = _ask_provider(ConfiguredProvider(provider, url, "k"), SearchQuery("tower", k=5), seconds=2.0)
                try:
                    async with asyncio.timeout(30):
                        hits = await asked
                    report.check(f"{name}: {what}", len(hits) <= 5 and len(seen) == 1)
                except ToolCallError as failure:
                    report.check(f"{name}: {what}", "\n" not in failure.message and len(seen) == 1, str(seen))
                except TimeoutError:
                    report.check(f"{name}: {what}", held=False, why="it did not end")


_ROBOTS: dict[str, tuple[Answer, str]] = {
    "nothing allowed": ((200, {}, b"User-agent: *\nDisallow: /"), "blocked"),
    "we by name": ((200, {}, b"User-agent: Weiwo\nDisallow: /\n\nUser-agent: *\nAllow: /"), "blocked"),
    "in capitals, with a BOM": ((200, {}, b"\xef\xbb\xbfUSER-AGENT: *\r\nDISALLOW: /"), "blocked"),
    "escaped": ((200, {}, b"User-agent: *\nDisallow: /%70rivate"), "blocked"),
    "wildcards": ((200, {}, b"User-agent: *\nDisallow: " + b"*a" * 20_000 + b"\nDisallow: /*vate$"), "blocked"),
    "longest rule": ((200, {}, b"User-agent: *\nDisallow: /\nAllow: /private"), ""),
    "everything allowed": ((200, {}, b"User-agent: *\nDisallow:"), ""),
    "another is named": ((200, {}, b"User-agent: Other\nDisallow: /"), ""),
    "no rules": ((404, {}, b""), ""),
    "forbidden": ((403, {}, b"User-agent: *\nDisallow: /"), ""),
    "a page": ((200, {}, b"<html><body>Disallow everything</body></html>"), ""),
    "binary": ((200, {}, bytes(range(256)) * 2_000), ""),
    "endless": ((200, {}, b"User-agent: *\nDisallow: /private\n" + b"Allow: /x\n" * 500_000), "blocked"),
    "one long line": ((200, {}, b"User-agent: *" + b" " * 3_000_000), ""),
    "broken server": ((500, {}, b""), "crash"),
    "busy": ((503, {"Retry-After": "1"}, b""), "crash"),
    "too many": ((429, {}, b""), "rate_limit"),
    "hang": (None, "timeout"),
    "leads inside": ((302, {"Location": "http://169.254.169.254/robots.txt"}, b""), "?"),
    "leads around": ((302, {"Location": "/robots.txt"}, b""), "?"),
}


async def _robots(report: Report, _: Path) -> None:
    for what, (answer, expected) in _ROBOTS.items():
        with _serving(answer) as (url, _seen):
            try:
                async with asyncio.timeout(40):
                    await check_robots(f"{url}/private", UrlGuard(["127.0.0.1"]))
                kind = ""
            except ToolCallError as failure:
                kind = failure.kind
            except TimeoutError:
                kind = "it did not end"
            report.check(
                what, kind != "it did not end" and expected in {kind, "?"}, f"{kind or 'read'}, not {expected}"
            )


_PAGES = {
    "blank runs": "<p>" + "\n " * 150_000 + "x</p>",
    "blanks in text": "<p>a" + " " * 600_000 + "b</p>",
    "deep tags": "<div>" * 100_000 + "words here",
    "deep lists": "<ul><li>" * 50_000,
    "open tags": "<a " * 400_000,
    "attributes": "<p " + "".join(f"a{n}='1' " for n in range(100_000)) + ">x</p>",
    "entities": "&amp;" * 400_000,
    "comments": "<!--" * 300_000,
    "brackets": "[" * 1_000_000,
    "table": "<table>" + "<tr><td>" * 60_000,
    "one word": "x" * 2_000_000,
    "dates": "<p>" + "2024-" * 300_000 + "</p>",
    "links": "<p>" + "<a href='x'>x</a>" * 50_000 + "</p>",
    "nulls": "\0" * 1_000_000,
    "script": "<script>" + "</" * 500_000,
    "base": "<base href='http://" + "a." * 200_000 + "'><p>words</p>",
}


async def _pages(report: Report, _: Path) -> None:
    parsers = _PageParsers(seconds=6.0)

    async def parse(what: str, body: str) -> None:
        markup = f"<html><head><title>T</title></head><body>{body}</body></html>".encode()
        try:
            async with asyncio.timeout(200):  # for all of them, on a busy machine
                page = await parsers.parse(FetchedPage("https://a.org/x", markup, "text/html", ""))
            report.check(what, len(page.text) < 5_000_000)
        except ToolCallError as failure:
            report.check(what, "\n" not in failure.message)
        except TimeoutError:
            report.check(what, held=False, why="it did not end")

    await asyncio.gather(*(parse(*page) for page in _PAGES.items()))
    after = _PageParsers()
    whole = "<html><body><p>The tower is 330 metres tall.</p></body></html>"
    page = await after.parse(FetchedPage("https://a.org/x", whole.encode(), "text/html", ""))
    report.check("and after all of it", "330" in page.text)
    parsers.close()
    after.close()


async def _addresses(report: Report, _: Path) -> None:
    wide = (
        "0.0.0.0/0",
        "::/0",
        "168.0.0.0/6",
        "100.64.0.0/10",
        "fc00::/7",
        "::ffff:0:0/96",
        "2002::/16",
        ".corp",
        "corp",
    )
    hosts = (
        *(
            "169.254.169.254",
            "169.254.0.1",
            "169.254.170.2",
            "100.100.100.200",
            "168.63.129.16",
            "0.0.0.0",  # noqa: S104
            "224.0.0.1",
        ),
        *("[::]", "[fe80::1]", "[fd00:ec2::254]", "[fd20:ce::254]", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]"),
        *("[::169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::a9fe:a9fe]", "[2002:a9fe:a9fe::1]", "0xa9fea9fe"),
        *("2852039166", "0251.0376.0251.0376", "169.254.43518", "①⑥⑨.254.169.254", "169。254。169。254"),
    )
    for entries in ((), *((one,) for one in wide), wide):

        async def leads(_host: str, _port: int) -> list[str]:
            return ["169.254.169.254"]

        guard = UrlGuard(entries, leads)
        for host in (*hosts, "wiki.corp", "169.254.169.254.nip.io"):
            try:
                parts = guard.check_url(f"http://{host}/latest/meta-data/")
                await guard.addresses(parts.hostname or "", 80)
                report.check(f"{host} with {entries}", held=False)
            except UrlRefusedError:
                report.check(host, held=True)


async def _models(report: Report, _: Path) -> None:
    endless = " ".join(f"Tower {n} is {n * 7919 % 997} metres tall." for n in range(40_000))
    same, huge = "The tower is tall. " * 50_000, "word " * 2_000_000
    handlers: dict[str, tuple[Handler, dict[str, Any]]] = {
        "endless, max_tokens": (always(text(endless, usage=None, piece=400)), {"max_tokens": 3_000}),
        "endless, max_cost": (always(text(endless, usage=None, piece=400)), {"max_cost": 0.02}),
        "endless, no limit near": (always(text(endless, usage=None, piece=4_000)), {}),
        "the same again and again": (always(text(same, usage=None, piece=400)), {}),
        "10 MB in pieces": (always(text(huge, usage=None, piece=20_000)), {}),
        "10 MB in one piece": (always(text(huge, usage=None, piece=len(huge))), {}),
        "10 MB of braces": (always(raw("{" * 10_000_000)), {}),
        "compressed": (always(Reply(body="x", headers={"Content-Encoding": "gzip"})), {}),
        "deep": (always(raw('{"choices":' * 100_000)), {}),
        "no completion": (always(raw("[]")), {}),
    }
    with OpenAIServer(always(text("stolen"))) as other:
        for status in (301, 302, 303, 307, 308):
            away = Reply(status=status, body="", headers={"Location": f"{other.url}/chat/completions"})
            handlers[f"redirect {status}"] = (always(away), {})
        for what, (handler, limits) in handlers.items():
            for whole in (True, False):
                await _ask(report, what, handler, limits, whole=whole)
        report.check("keys and prompts at another host", not other.requests, str(other.requests)[:100])


async def _ask(report: Report, what: str, handler: Handler, limits: dict[str, Any], *, whole: bool) -> None:
    settings = Settings(
        home="unused", models={"writer": "openai:x"}, prices={"openai:x": (1.0, 10.0)}, model_seconds=30
    )
    with OpenAIServer(handler) as server:
        os.environ |= server.environment  # an endpoint is told by the environment alone
        models, came = ChatModels(settings, Budget(Limits(**limits))), ""
        try:
            async with asyncio.timeout(60):
                if whole:
                    came = await models.text("writer", "note", [("human", "Well?")])
                else:
                    async for delta in models.stream("writer", "draft", [("human", "Well?")]):
                        came += delta
        except ModelCallError as failure:
            named = not limits or whole or next(iter(limits)) in failure.reason
            report.check(what, named and len(came) <= _MOST_CHARACTERS and "\n" not in failure.reason, failure.reason)
        except TimeoutError:
            report.check(what, held=False, why="it did not end")
        else:
            # An endpoint that ignores the request's bound has sent a whole reply by then; it is bounded in size.
            report.check(what, whole and len(came) <= 2_000_000, f"{len(came):,} characters were taken")


async def _scripts(report: Report, folder: Path) -> None:
    """Pages whose scripts try to reach a service of this machine, through a real Chromium where one is installed."""
    chromium = sandboxed_chromium(folder)
    if not chromium or not find_spec("playwright"):
        return
    with _serving((200, {"Access-Control-Allow-Origin": "*"}, b"secret")) as (inside, reached):
        port = inside.rpartition(":")[2]
        hosts = ("127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1", "2130706433", "0x7f000001")  # noqa: S104
        lines = {host: f"fetch('http://{host}:{port}/')" for host in hosts}
        lines |= {"WebSocket": f"new WebSocket('ws://127.0.0.1:{port}/')", "image": f"new Image().src = '{inside}'"}
        lines |= {"frame": f"document.body.innerHTML = '<iframe src={inside}>'", "window": f"window.open('{inside}')"}
        lines |= {"away": f"location = '{inside}'", "beacon": f"navigator.sendBeacon('{inside}', 'x')"}
        lines |= {"worker": f"new Worker(URL.createObjectURL(new Blob([`fetch('{inside}')`])))"}
        for what, line in lines.items():
            page = f"<html><body><div id=app></div><script>{line}</script></body></html>".encode()
            with _serving((200, {"Content-Type": "text/html"}, page)) as (site, opened):
                guard = UrlGuard(allow=[site.removeprefix("http://")])
                with suppress(ToolCallError):
                    await render_page(f"{site}/", guard, seconds=15, max_bytes=1_000_000, executable=chromium)
            report.check(f"script: {what}", bool(opened) and not reached, "it got through, or nothing was opened")


ATTACKS = (
    Attack("scripts of a page that reach for this machine", _scripts),
    Attack("search providers: not JSON, deep, huge, redirect, hang", _providers),
    Attack("robots.txt in all its modes", _robots),
    Attack("pages that freeze, eat memory or never end", _pages),
    Attack("metadata and link-local addresses, however written", _addresses),
    Attack("model endpoints: endless, huge, redirecting", _models),
)
