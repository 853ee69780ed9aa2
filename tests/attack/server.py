"""Attacks on `weiwo serve` by its own users: others' ids, limits, quotas, shares, and requests that break a route."""

import asyncio
import json
import os
import random
import re
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
from starlette.routing import Route

from tests.attack.report import Attack, Report
from tests.support.oidc_issuer import CLIENT, ISSUER, Issuer
from tests.support.weiwo_server import weiwo_serve
from weiwo.app.records import Records
from weiwo.app.server.access import guard
from weiwo.app.server.access.auth import Auth, new_token
from weiwo.app.server.access.guard import Guard, Rules
from weiwo.app.server.access.oidc import Oidc, OidcSettings
from weiwo.app.server.access.profiles import stored_name
from weiwo.app.server.application import create_app
from weiwo.app.server.errors import RequestError
from weiwo.app.server.hosted import application as hosted
from weiwo.app.server.routes import LANGGRAPH_API, OPENAI_API, PAGE, WEIWO_API
from weiwo.app.server.storage import quota
from weiwo.tools.corpus.index.store import STORE

ASKED: dict[str, Any] = {"input": {"question": "What is 6 times 7?"}}
FREE = {"question": "What is 7 times 8?"}
DEEP: Any = "x"
for _ in range(900):
    DEEP = [DEEP]
TEXTS = (
    *("", "x", '"', "'; DROP TABLE threads; --", 'a"b', "\0", "%00", "../../etc/passwd", "a" * 5_000, "\u202e\u200b"),
    *("\N{FOX FACE}", "hers:x", "[", "{}", "-1", "9" * 30),
)
HOSTILE: tuple[Any, ...] = (
    *TEXTS,
    *(0, -1, 1, 2**63, -(2**63), 1e308, True, False, None, [], {}, [[]], [{}], [None], ["x"], {"": ""}, {'a"b': 1}),
    *({"$a": {"b": [1]}}, {"a.b": None}, {"x": {"y": {"z": "\0"}}}, DEEP, {"configurable": {"thread_id": "other"}}),
    *({"checkpoint_id": {"a": 1}}, {"checkpoint_id": "\0"}, {"__overwrite__": DEEP}, {"type": "__overwrite__"}),
    *({"goto": [{"node": 7}]}, {"update": [1], "goto": {}}, {"resume": DEEP}, {"a" * 5_000: "b"}),
)
FIELDS = [
    "thread_id",
    "metadata",
    "if_exists",
    "limit",
    "offset",
    "status",
    "ids",
    "query",
    "select",
    "sort_order",
    "before",
    "checkpoint",
    "checkpoint_id",
    "values",
    "as_node",
    "input",
    "command",
    "context",
    "config",
    "stream_mode",
    "multitask_strategy",
    "interrupt_before",
    "interrupt_after",
    "on_completion",
    "on_disconnect",
    "if_not_exists",
    "assistant_id",
    "graph_id",
    "subgraphs",
    "stream_subgraphs",
    "webhook",
    "channels",
    "namespaces",
    "since",
    "depth",
    "id",
    "method",
    "params",
    "model",
    "messages",
    "stream",
    "stream_options",
    "store",
    "previous_response_id",
    "background",
    "good",
    "words",
    "plan",
    "outcomes",
    "text",
    "message",
    "token",
    "key",
    "supersteps",
    "cost_per_day",
]
QUERIES = [
    "limit",
    "offset",
    "status",
    "stream_mode",
    "xray",
    "recurse",
    "subgraphs",
    "select",
    "after",
    "action",
    "wait",
    "format",
    "filename",
    "code",
    "state",
    "error",
    "iss",
    "cancel_on_disconnect",
]
HEADERS: tuple[dict[str, str], ...] = (
    *({"origin": one} for one in ("http://[", "null", "", "http://127.0.0.1:x", "http://a@[::1", "https://]")),
    *({"host": one} for one in ("[", "a:b:c", "127.0.0.1:99999999", "[::1")),
    *({"content-length": one} for one in ("x", "-1", "1e3", "9" * 40)),
    *({"last-event-id": one} for one in ("9" * 30, "1-", "-1", "a:1-1")),
    *({"authorization": one} for one in ("Bearer", "Basic x", "Bearer " + "x" * 9_000)),
    *({"cookie": one} for one in ("weiwo_session=", "weiwo_session=" + "x" * 9_000, "weiwo_oidc=a.b.c; =;;")),
    *({"accept-language": "zh" * 3_000}, {"sec-fetch-site": "?"}),
)
_TRIES = 2_500
_BOATS = "boats.csv&name,length\nEve,21\nAda,16\n"
_TOTAL = "4,711"
_SECRETS = frozenset({"4711", "4000", "711"})
_FIGURE = re.compile(r"(?<!\d)\d+(?!\d)")


@asynccontextmanager
async def _served(**graph_options: Any) -> AsyncIterator[tuple[httpx.AsyncClient, dict[str, dict[str, str]]]]:
    """A client of a server with three users, and the headers of each; `ann` has asked on the thread `hers`."""
    users = ("operator", "ann", "bob")
    async with Records.open(os.environ["WEIWO_HOME"]) as records:
        tokens = {user: {"x-api-key": await new_token(records, user)} for user in users}
    auth = Auth()
    app = create_app(graph_options, auth)
    front = Guard(app, Rules(frozenset()), auth)
    front._changes = front._logins = front._feedback = guard._Buckets(10**9, 1.0)
    transport = httpx.ASGITransport(front, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8300", timeout=60) as client,
    ):
        await client.post("/threads", json={"thread_id": "hers"}, headers=tokens["ann"])
        await client.post("/threads/hers/runs/wait", json=ASKED, headers=tokens["ann"])
        yield client, tokens
        for user in users:
            for thread in (await client.post("/threads/search", json={"limit": 1_000}, headers=tokens[user])).json():
                await client.delete(f"/threads/{thread['thread_id']}", headers=tokens[user])


def _own_home(folder: Path, users: str = "") -> None:
    home = folder / "home"
    home.mkdir()
    (home / "users.toml").write_text(users)
    os.environ |= {"WEIWO_HOME": str(home), "WEIWO_WEB": "off"}


def _routes() -> Iterator[tuple[str, str]]:
    for one in (*LANGGRAPH_API, *OPENAI_API, *WEIWO_API, *PAGE):
        if isinstance(one, Route):
            yield from ((method, one.path) for method in sorted(one.methods or ()) if method != "HEAD")


def _filled(path: str, **ids: str) -> str:
    parts = path.split("/")
    return "/".join(quote(ids.get(part[1:-1], "x"), safe="") if part.startswith("{") else part for part in parts)


async def _ids(report: Report, folder: Path) -> None:
    """What is another's is not there: the answer is the same as for what nobody has."""
    _own_home(folder)
    async with _served() as (client, users):
        run = (await client.get("/threads/hers/runs", headers=users["ann"])).json()[0]["run_id"]
        made = await client.post("/v1/responses", json={"input": ASKED["input"]["question"]}, headers=users["ann"])
        await client.post(
            "/weiwo/corpora/notes/files?filename=a.md", content=b"The safe is 4711.", headers=users["ann"]
        )
        kept = (await client.post("/weiwo/memory", json={"text": "I work in euros"}, headers=users["ann"])).json()
        (thread,) = (await client.post("/threads/search", json={}, headers=users["ann"])).json()[-1:]
        hers = {
            "thread_id": thread["thread_id"],
            "run_id": run,
            "response_id": made.json()["id"],
            "name": "notes",
            "n": "1",
        }
        hers |= {"kind": "wishes", "key": str(kept.get("key", "")), "checkpoint_id": "x"}
        nobodys = {**hers, "thread_id": str(uuid4()), "run_id": run[::-1], "response_id": "resp_none", "key": "none"}
        before = await _everything(client, users["ann"], run)
        bodies = (ASKED, {"input": None}, {"metadata": {"a": 1}}, {"good": True}, {"plan": {}, "checkpoint_id": "1f0"})
        bodies = (*bodies, {"id": 1, "method": "input.respond", "params": {}}, {"channels": ["values"]})
        for method, path in _routes():
            if not {"{thread_id}", "{run_id}", "{response_id}", "{key}"} & set(path.split("/")):
                continue
            for user in ("bob", "operator"):
                for body in bodies if method not in {"GET", "DELETE"} else ({},):
                    sent = json.dumps(body) if body else None
                    answers = [
                        await client.request(method, _filled(path, **ids), content=sent, headers=users[user])
                        for ids in (hers, nobodys)
                    ]
                    told = [one.text for one in answers]
                    same = answers[0].status_code == answers[1].status_code
                    report.check(f"{user} {method} {path} {body}", same and "42" not in told[0], str(told))
        for user in ("bob", "operator"):
            listed = (await client.get("/weiwo/corpora", headers=users[user])).text
            found = (
                await client.post("/threads/search", json={"ids": [hers["thread_id"]]}, headers=users[user])
            ).json()
            asked = {**ASKED, "context": {"corpus": ["notes"]}}
            start = {"id": 1, "method": "run.start", "params": ASKED}
            path = _filled("/threads/{thread_id}/commands", **hers)
            begun = (await client.post(path, json=start, headers=users[user])).json()
            for name, code in ((hers["thread_id"], 404), ("hers", 200), ("nobodys", 200)):
                made = await client.post("/threads", json={"thread_id": name}, headers=users[user])
                report.check(f"{user} makes {name}", made.status_code == code, made.text)
            report.check(f"{user} begins", begun["type"] == "error", str(begun))
            named = await client.post("/runs/wait", json=asked, headers=users[user])
            continued = {"input": "and 2?", "previous_response_id": hers["response_id"]}
            again = await client.post("/v1/responses", json=continued, headers=users[user])
            report.check(f"{user} lists", "4711" not in listed and not found and named.status_code == 404, named.text)
            report.check(f"{user} continues", again.status_code == 404, again.text)
        report.check("all is as it was", await _everything(client, users["ann"], run) == before)


async def _everything(client: httpx.AsyncClient, ann: dict[str, str], run: str) -> list[str]:
    paths = ("/threads/hers", "/threads/hers/state", f"/threads/hers/runs/{run}", "/weiwo/memory", "/weiwo/corpora")
    found = [(await client.get(path, headers=ann)).json() for path in paths]
    for one in found[-1]:
        one.pop("updated")
    return [json.dumps(one) for one in found]


async def _tables(report: Report, folder: Path) -> None:
    """A table of another's corpus is there for nobody else: by name, file, path, id, corpus or edited plan."""
    _own_home(folder)
    home = Path(os.environ["WEIWO_HOME"])
    async with _served() as (client, users):
        ann, bob = users["ann"], users["bob"]
        for user, path, rows in ((ann, "notes", "wages.csv&name,wage\nEve,4000\nMia,711\n"), (bob, "mine", _BOATS)):
            name, _, text = rows.partition("&")
            await client.post(f"/weiwo/corpora/{path}/files?filename={name}", content=text, headers=user)
        total = {"input": {"question": "What is the total wage?"}}
        told = (await client.post("/runs/wait", json=total, headers=ann)).text
        report.check("ann asks her own table", _TOTAL in told, told[-300:])
        stored = stored_name("ann", "notes")
        store = home / "corpora" / stored / STORE
        with closing(sqlite3.connect(store)) as connection:
            identity = connection.execute("SELECT value FROM meta WHERE name = 'identity'").fetchone()[0]
            numbers = [number for (number,) in connection.execute("SELECT id FROM tables")]
        report.check("ann's table is stored", bool(numbers), str(store))
        keys = [f"{identity}:{number}" for number in numbers]
        names = ("wages", "wages.csv", "notes / wages", f"{stored}/wages.csv", *keys, *map(str, numbers), str(store))
        names = (*names, f"{store.parent}/files/wages.csv", "../notes/wages.csv", f"read_parquet('{store}')", "wages\0")
        for corpus in (["notes"], [stored], [str(store.parent)], ["mine", stored], [f"../{stored}"], ["mine", "notes"]):
            named = await client.post("/runs/wait", json={**total, "context": {"corpus": corpus}}, headers=bob)
            report.check(f"bob asks corpus {corpus}", named.status_code in {404, 422}, named.text)
        for name in names:
            asked = {"input": {"question": f"What is the total wage in {name}?"}}
            told = (await client.post("/runs/wait", json=asked, headers=bob)).text
            report.check(f"bob asks of {name}", not _SECRETS & set(_FIGURE.findall(told.replace(",", ""))), told[-300:])
        for name in (*names, "boats"):
            told = await _edit_table(client, bob, name)
            if name == "boats":
                report.check("bob asks his own table by a plan", "37" in told, told[-300:])
            else:
                held = not _SECRETS & set(_FIGURE.findall(told.replace(",", "")))
                report.check(f"bob plans for {name}", held, told[-300:])


async def _edit_table(client: httpx.AsyncClient, user: dict[str, str], table: str) -> str:
    """The answer to a plan that was edited, while it waited, to add up a column of a table, and to join that table."""
    thread = (await client.post("/threads", json={}, headers=user)).json()["thread_id"]
    path = f"/threads/{thread}"
    start = {"input": {"question": "What is the total length of the boats?"}, "context": {"approve_plan": True}}
    await client.post(f"{path}/runs/wait", json=start, headers=user)
    plan = (await client.get(f"{path}/state", headers=user)).json()["values"]["plan"]
    own = {"table": "boats", "measures": [{"function": "sum", "column": "length"}]}
    other = {"table": table, "measures": [{"function": "sum", "column": "wage"}]}
    joined = {**own, "join": {"table": table, "left": "name", "right": "name"}, "columns": ["wage"], "measures": []}
    told = ""
    for args in (own,) if table == "boats" else (other, joined):
        plan["tasks"][0] |= {"tool": "query_table", "args": args}
        edited = {"values": {"plan": plan}, "as_node": "planner"}
        told += (await client.post(f"{path}/state", json=edited, headers=user)).text
        told += (await client.post(f"{path}/runs/wait", json={"command": {"resume": "approve"}}, headers=user)).text
        await client.post(f"{path}/runs/wait", json=start, headers=user)
    return told


async def _limits(report: Report, folder: Path) -> None:
    """A user who has asked what he may a day begins nothing, whatever he edits."""
    _own_home(folder, "[ann]\nruns_per_day = 1\n")
    async with _served() as (client, users):
        ann = users["ann"]
        history = (await client.post("/threads/hers/history", json={"limit": 50}, headers=ann)).json()
        places = [one["checkpoint"]["checkpoint_id"] for one in history]
        copied = (await client.post("/threads/hers/copy", headers=ann)).json()["thread_id"]
        negative = {"usage": {"input_tokens": -(10**9), "model_calls": -100}}
        nodes = ("master", "planner", "executor", "writer", "reflection", "__start__", "clarify", "approval")
        edits = [{"values": FREE, "as_node": node} for node in (*nodes, None)]
        edits += [{"values": values, "as_node": "planner"} for values in (negative, {"run": "x"}, [["usage", {}]])]
        bodies: list[dict[str, Any]] = [
            *(ASKED, {"input": None}, *({"input": None, "checkpoint_id": place} for place in places)),
            *({"command": {"update": FREE, "goto": node}} for node in nodes),
            *({"command": {"goto": {"node": node, "input": {**FREE, **negative}}}} for node in nodes),
            *({"command": {"update": {f"branch:to:{node}": None, **FREE}}} for node in nodes),
            *({"command": {"update": values}} for values in (negative, {"__start__": FREE}, [["question", "x"]])),
        ]
        for thread in ("hers", copied, "new"):
            await client.post("/threads", json={"thread_id": "new"}, headers=ann)
            for edit in (None, *edits):
                if edit is not None:
                    await client.post(f"/threads/{thread}/state", json=edit, headers=ann)
                for body in bodies if edit is None else [{"input": None}]:
                    await client.post(f"/threads/{thread}/runs/wait", json=body, headers=ann)
                    state = (await client.get(f"/threads/{thread}/state", headers=ann)).json()["values"]
                    told = json.dumps(state.get("result") or {})
                    spent = state.get("usage") or {}
                    held = "56" not in told and all(spent.get(name, 0) >= 0 for name in ("input_tokens", "model_calls"))
                    report.check(f"{thread} {edit} {body}", held, told)
        for path, body in (
            ("/runs/wait", ASKED),
            ("/v1/responses", {"input": "What is 7 times 8?"}),
            ("/v1/chat/completions", {"messages": [{"role": "user", "content": "What is 7 times 8?"}]}),
        ):
            answer = await client.post(path, json=body, headers=ann)
            report.check(path, answer.status_code == 429, answer.text)
        day = (await client.get("/weiwo/info", headers=ann)).json()["day"]
        report.check("what is counted", day["runs"] == 1, str(day))


async def _disk(report: Report, folder: Path) -> None:
    """Metadata, states, threads and uploads fill no more of the disk than a user may have."""
    _own_home(folder)
    most, quota.MOST_BYTES = quota.MOST_BYTES, 20_000_000
    try:
        async with _served() as (client, users):
            ann, long = users["ann"], "x" * 2_000_000
            for n in range(40):
                answers = [
                    await client.post("/threads", json={"metadata": {"a": long}}, headers=ann),
                    await client.patch("/threads/hers", json={"metadata": {f"a{n}": "x" * 15_000}}, headers=ann),
                    await client.post(
                        "/threads/hers/state", json={"values": {"feedback": long}, "as_node": "writer"}, headers=ann
                    ),
                    await client.post("/threads/hers/copy", headers=ann),
                    await client.post("/runs", json={**ASKED, "metadata": {"a": long}}, headers=ann),
                    await client.post(
                        f"/weiwo/corpora/notes/files?filename={n}.md", content=long.encode(), headers=ann
                    ),
                ]
                report.check(f"round {n}", all(one.status_code < 500 for one in answers), str(answers))
            size = sum(one.stat().st_size for one in (folder / "home").rglob("*") if one.is_file())
            report.check("bytes on the disk", size < 5 * quota.MOST_BYTES, f"{size:,}")
            answer = await client.post("/runs/wait", json=ASKED, headers=users["bob"])
            report.check("another user", answer.status_code == 200, answer.text)
    finally:
        quota.MOST_BYTES = most


async def _broken(report: Report, folder: Path) -> None:
    """No request makes a route break: what is malformed is refused with 4xx."""
    _own_home(folder)
    dice = random.Random(36)  # noqa: S311 - the same requests each time
    routes = [one for one in _routes() if one != ("DELETE", "/threads/{thread_id}")]
    async with _served() as (client, users):
        for n in range(_TRIES):
            method, path = dice.choice(routes)
            ids = {name: dice.choice(("hers", "hers", *TEXTS)) for name in ("thread_id", "run_id", "name", "kind", "n")}
            ids |= {"thread_id": dice.choice(("hers", "hers", "hers", ids["thread_id"])), "assistant_id": "weiwo"}
            body = {dice.choice(FIELDS): dice.choice(HOSTILE) for _ in range(dice.randrange(1, 4))}
            if "runs" in path and dice.random() < 0.7:
                body = {**ASKED, "interrupt_before": "*", **body}
            params = {dice.choice(QUERIES): str(dice.choice(TEXTS)) for _ in range(dice.randrange(3))}
            headers = {**users["ann"], **(dice.choice(HEADERS) if n % 5 == 0 else {})}
            sent = None if method in {"GET", "DELETE"} else json.dumps(body)
            seconds = 0.2 if path.endswith(("/stream", "/events")) else 10.0  # who watches a thread waits for more
            url, given = _filled(path, **ids) or "/", {"params": params, "content": sent, "headers": headers}
            status = await _status(client, method, url, seconds, **given)
            report.check(f"{method} {path} {params} {body}", status < 500 or status in {501, 503}, str(status))


async def _status(client: httpx.AsyncClient, method: str, url: str, seconds: float, **sent: Any) -> int:
    """The status of an answer; 0 of one that does not come soon, since it goes on as long as somebody watches."""
    try:
        async with asyncio.timeout(seconds), client.stream(method, url, **sent) as answer:
            return answer.status_code
    except TimeoutError:
        return 0


async def _silent(report: Report, folder: Path) -> None:
    """Connections that say nothing shut nobody out, and are closed."""
    environment = {**os.environ, "WEIWO_HOME": str(folder / "home"), "WEIWO_WEB": "off"}
    server = weiwo_serve(environment)
    address, _ = await asyncio.to_thread(server.__enter__)
    port = int(address.rpartition(":")[2])
    opened: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    try:
        async with httpx.AsyncClient(timeout=5) as client:
            for n in range(1_050):
                opened.append(await asyncio.open_connection("127.0.0.1", port))
                opened[-1][1].write((b"", b"GET /ok HTTP/1.1\r\n", b"x" * 100)[n % 3])
                if n % 50 == 49:
                    status = (await client.get(f"{address}/ok")).status_code
                    report.check(f"after {n} silent connections", status == 200, str(status))
            await asyncio.sleep(12)
            still = [await asyncio.wait_for(reader.read(), 5) for reader, _ in opened if reader.exception() is None]
            report.check("silent for 12 seconds", not any(b"200" in one for one in still), "one was answered")
    finally:
        for _, writer in opened:
            writer.close()
        await asyncio.to_thread(server.__exit__, None, None, None)


async def _doors(report: Report, _: Path) -> None:
    """A host's clients reach what is named; nobody is the operator by his `sub`, and nobody without one is anybody."""
    served = {one.path for one in hosted._guests() if isinstance(one, Route)}
    for _method, path in _routes():
        operators = path.startswith(("/weiwo/settings", "/weiwo/setup", "/weiwo/key", "/weiwo/memory", "/weiwo/log"))
        report.check(path, not (operators and path in served), "it is open on another server")
    issuer = Issuer()
    boss = OidcSettings(ISSUER, CLIENT, public_url="https://weiwo.example.org", operator="boss@example.org")
    claims: tuple[dict[str, Any], ...] = (
        *({"sub": sub} for sub in ("", " ", "boss@example.org", "operator", "\0", "x" * 300, 7, None, ["operator"])),
        *({"email": "boss@example.org", "email_verified": said} for said in (False, None, "true", 1)),
        {"email": ["boss@example.org"], "email_verified": True},
    )
    for claim in claims:
        for operator in ("boss@example.org", ""):
            oidc = Oidc(OidcSettings(**{**vars(boss), "operator": operator}), issuer.transport)
            issuer.claims = claim
            address, login = await oidc.begin()
            try:
                user = await oidc.finish(login, issuer.authorize(address))
            except RequestError as error:
                user = f"refused {error.status}"
            named = str(claim.get("sub", "7")) in {"boss@example.org", "operator", "7"} and claim.get("sub") != 7
            expected = f"oidc:{claim.get('sub', '7')}" if named else "refused 401"
            report.check(f"{claim} {operator}", user == expected, user)


ATTACKS = (
    Attack("ids of other users on every route", _ids),
    Attack("tables of other users' corpora", _tables),
    Attack("limits of a day, by edits, places and copies", _limits),
    Attack("a disk filled by one user", _disk),
    Attack("requests that break a route", _broken),
    Attack("1,050 silent connections", _silent),
    Attack("operators' routes on a host, users without a name", _doors),
)
