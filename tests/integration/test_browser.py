"""Pages with scripts in a real Chromium, harmless attacks on what lies behind it, and its proxy on its own."""

import asyncio
import base64
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.support.chromium import INSTALLED, sandboxed_chromium
from tests.support.command import search_path
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.web.fetching import browser
from weiwo.tools.web.fetching.browser import render_page
from weiwo.tools.web.fetching.guarded_proxy import GuardedProxy
from weiwo.tools.web.fetching.url_guard import UrlGuard
from weiwo.tools.web.read_page import ReadPage

pytestmark = [pytest.mark.integration, pytest.mark.processes]
TEXT = "The quay of Norholm was built in 1907 by the harbour board, after a storm had taken the old one."
SHELL = "<html><head><title>Quay</title></head><body><div id='root'></div><script>{}</script></body></html>"
APP = """fetch('/data').then(r => r.text()).then(text => {
  document.getElementById('root').innerHTML = '<article><h1>Quay</h1><p>' + text + '</p></article>' })"""
ATTACK = """
const told = [], tries = [
  () => fetch('http://127.0.0.1:INSIDE/secret'), () => fetch('http://localhost:INSIDE/secret'),
  () => fetch('http://[::1]:INSIDE/secret'), () => fetch('http://inside.example.com:INSIDE/secret'),
  () => fetch('http://169.254.169.254/latest/meta-data'), () => fetch('http://2130706433:INSIDE/secret'),
  () => fetch('/posted', {method: 'POST', body: 'x'}), () => navigator.serviceWorker.register('/worker'),
  () => new Promise((done, lost) => {
    const line = new WebSocket('ws://127.0.0.1:INSIDE/secret'); line.onopen = done; line.onerror = lost }),
  () => import('http://127.0.0.1:INSIDE/secret.js'), () => new RTCPeerConnection(),
]
new Image().src = 'http://127.0.0.1:INSIDE/secret.png'
window.open('http://127.0.0.1:INSIDE/secret')
Promise.allSettled(tries.map(async attempt => { await attempt() })).then(all => {
  document.getElementById('root').textContent = 'tried ' + all.map(one => one.status).join(' ') })
"""


class Site(BaseHTTPRequestHandler):
    """The pages of a site by their paths; the server keeps the requests that came."""

    def do_GET(self) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        inside = str(self.server.inside)
        kind, body = {
            "/app": ("text/html", SHELL.format(APP)),
            "/attack": ("text/html", SHELL.format(ATTACK.replace("INSIDE", inside))),
            "/busy": ("text/html", SHELL.format("while (true) {}")),
            "/away": ("text/html", SHELL.format(f"location = 'http://127.0.0.1:{inside}/secret'")),
            "/file": ("application/octet-stream", "x"),
            "/robots.txt": ("text/plain", ""),
        }.get(self.path, ("text/plain", TEXT))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    do_POST = do_GET  # noqa: N815 - the interface has it

    def log_message(self, *_: object) -> None:
        """Nothing."""


def serve(inside=0):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    server.asked, server.inside = [], inside
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture
def inside():
    server = serve()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def site(inside):
    server = serve(inside.server_port)
    yield server
    server.shutdown()
    server.server_close()


async def _resolve(host, _port):
    return {"www.example.com": ["127.0.0.1"], "rebound.example.com": ["127.0.0.1", "10.0.0.1"]}.get(host, ["10.0.0.9"])


def guard_of(site):
    return UrlGuard(allow=[f"www.example.com:{site.server_port}"], resolver=_resolve)


@pytest.fixture
def chromium(tmp_path):
    pytest.importorskip("playwright")
    if not (found := sandboxed_chromium(tmp_path)):
        pytest.skip("no chromium is installed: apt-get install chromium")
    return found


async def render(site, path, chromium, seconds=20.0):
    url = f"http://www.example.com:{site.server_port}{path}"
    return await render_page(url, guard_of(site), seconds=seconds, max_bytes=2_000_000, executable=chromium)


async def test_a_page_is_read_as_its_scripts_make_it(site, chromium, monkeypatch):
    monkeypatch.setattr(browser, "find_browser", lambda: chromium)
    tool = ReadPage(guard=guard_of(site), browser=True, seconds=40)
    url = f"http://www.example.com:{site.server_port}/app"
    call = {"type": "tool_call", "id": "1", "name": "read_page", "args": {"url": url}}
    (passage,) = (await tool.ainvoke(call)).artifact
    assert TEXT in passage["text"]
    assert passage["source"] == url
    with pytest.raises(ToolCallError, match="contains no text; the browser is switched off"):
        await ReadPage(guard=guard_of(site)).ainvoke(url)


async def test_scripts_reach_nothing_but_the_page(site, inside, chromium):
    page = await render(site, "/attack", chromium)
    assert f"tried {' '.join(['rejected'] * 11)}" in page.body.decode()
    assert inside.asked == []
    assert [asked for asked in site.asked if "attack" not in asked] == []


async def test_a_page_that_leads_inside_is_not_followed(site, inside, chromium):
    page = await render(site, "/away", chromium)
    assert TEXT not in page.body.decode()
    assert inside.asked == []


async def test_a_script_that_never_ends_is_ended(site, chromium):
    with pytest.raises(ToolCallError) as failed:
        await render(site, "/busy", chromium, seconds=3)
    assert failed.value.kind == "timeout"


async def test_a_download_is_no_page(site, chromium):
    with pytest.raises(ToolCallError) as failed:
        await render(site, "/file", chromium)
    assert failed.value.kind == "blocked"


@pytest.mark.skipif(os.geteuid() != 0 or not INSTALLED, reason="only root has no sandbox")
async def test_without_its_sandbox_no_page_is_opened(site):
    pytest.importorskip("playwright")
    with pytest.raises(ToolCallError, match=r"sandbox does not start as root, .* run Weiwo as another user"):
        await render(site, "/app", INSTALLED)
    assert site.asked == []


async def talk(proxy, head, password=None):
    """What the proxy answers to a request, up to 200 bytes."""
    login = base64.b64encode(f"{proxy.username}:{password or proxy.password}".encode()).decode()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.address.rpartition(":")[2]))
    writer.write(f"{head}\r\nProxy-Authorization: Basic {login}\r\nProxy-Connection: keep-alive\r\n\r\n".encode())
    async with asyncio.timeout(20):
        answer = await reader.read(200)
    writer.close()
    return answer.decode().partition("\r\n")[0]


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("GET http://www.example.com:PORT/page HTTP/1.1", 200),
        ("CONNECT www.example.com:PORT HTTP/1.1", 200),
        ("GET http://127.0.0.1:PORT/page HTTP/1.1", 403),
        ("GET http://inside.example.com/ HTTP/1.1", 403),
        ("GET http://rebound.example.com/ HTTP/1.1", 403),
        ("CONNECT 127.0.0.1:PORT HTTP/1.1", 403),
        ("CONNECT 169.254.169.254:80 HTTP/1.1", 403),
        ("CONNECT [::1]:PORT HTTP/1.1", 403),
        ("CONNECT localhost:PORT HTTP/1.1", 403),
        ("CONNECT user@www.example.com:PORT HTTP/1.1", 403),
        ("GET file:///etc/passwd HTTP/1.1", 403),
        ("POST http://www.example.com:PORT/page HTTP/1.1", 405),
        ("GET /page HTTP/1.1", 403),
        ("nonsense", 400),
    ],
)
async def test_the_proxy_opens_what_the_guard_lets_through(site, head, status):
    async with GuardedProxy(guard_of(site), max_bytes=1_000) as proxy:
        line = await talk(proxy, head.replace("PORT", str(site.server_port)))
        assert line.split()[1] == str(status)
        assert len(proxy.refused) == (status == 403)


async def test_the_proxy_serves_only_its_browser(site):
    async with GuardedProxy(guard_of(site), max_bytes=1_000) as proxy:
        head = f"GET http://www.example.com:{site.server_port}/page HTTP/1.1"
        assert "407" in await talk(proxy, head, "guessed")
        assert site.asked == []


async def test_the_proxy_ends_where_the_bytes_do(site):
    async with GuardedProxy(guard_of(site), max_bytes=10) as proxy:
        head = f"GET http://www.example.com:{site.server_port}/page HTTP/1.1"
        await talk(proxy, head)
        assert proxy.is_exhausted
        assert "429" in await talk(proxy, head)


WATCH_A_CHILD = """
import subprocess, sys
from weiwo.tools.web.fetching.browser_process import _MemoryWatch

child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
with _MemoryWatch(most=1) as memory:
    assert child.wait(100) != 0
assert memory.exceeded
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="memory is measured on Linux")
def test_a_browser_that_takes_too_much_memory_is_ended():
    # In a process of its own: the watch kills all children of its process, those of other tests among them.
    subprocess.run(
        [sys.executable, "-c", WATCH_A_CHILD], check=True, timeout=240, env=os.environ | {"PYTHONPATH": search_path()}
    )
