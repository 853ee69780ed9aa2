"""A server's double for the page: replays recorded runs over the routes the page calls, and can hold, drop and refuse.

It runs in a thread of the test's own process, so that a test says how far a run goes: no time decides anything.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final, Self

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

import weiwo
from tests.support.loopback_server import on_loopback

STATIC: Final = Path(next(iter(weiwo.__path__))) / "app" / "page" / "static"
RECORDINGS: Final = Path(__file__).parent.parent / "data" / "page"
CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
Json = dict[str, Any]


def recording(name: str) -> Json:
    """A recorded run by its name."""
    data: Json = json.loads((RECORDINGS / f"{name}.json").read_text())
    return data


class Player:
    """The double.

    Attributes:
        runs: Recorded runs by question: each a list of events per run of the thread.
        threads: What each thread has come to.
        info: What `/weiwo/info` says.
        held: Events a run sends before it waits for `release`; None for all.
        pause: Seconds between two events.
        login: What must be given to log in; empty for no login.
        csp: Whether pages come with the policy.
        setup: What `/weiwo/setup` says; what is put there is added if `tried` works.
        tried: What a trial of settings comes to; with `hangs` it does not end.
        servers: The model servers that are found.
        wishes: What sounds as if it should last, by question.
        asked: Every request that changes something: method, path and body.
    """

    def __init__(self) -> None:
        self.runs: dict[str, list[list[Json]]] = {}
        self.threads: dict[str, Json] = {}
        self.held: int | None = None
        self.pause = 0.0
        self.login = ""
        self.csp = True
        self.down = False
        self.asked: list[tuple[str, str, Any]] = []
        self.info: Json = {
            "version": "0.1.0", "user": None, "language": "en", "auth": "none", "models": {"writer": "openai:gpt-x"},
            "web": None, "corpora": ["sample"], "limits": {}, "max_upload": 1_000_000, "formats": ["md", "html", "json"],
        }  # fmt: skip
        self.wishes: Json = {}
        keys = {"tavily": "TAVILY_API_KEY", "brave": "BRAVE_API_KEY"}
        self.setup: Json = {"values": {}, "fixed": [], "providers": keys, "cost_per_day": None}
        self.tried: Json = {"works": True, "said": "42", "seconds": 1.5}
        self.servers: list[Json] = []
        self.views: Json = {"corpora": [], "tools": [], "settings": []}
        self._changed: asyncio.Condition | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._dropped = 0
        for name in ("planned", "chinese", "extracts", "unknown", "approval"):
            one = recording(name)
            self.runs[one["question"]] = one["runs"]
        self.runs["approve: " + recording("approval")["question"]] = recording("approval")["runs"]
        self.runs[recording("planned")["question"]] = recording("planned")["runs"]

    # What a test does

    def release(self, held: int | None = None) -> None:
        """Let runs go on, to that many events or to their end."""
        self._call(self._set_held(held))

    def drop(self) -> None:
        """Cut every open stream, as a server that is killed does."""
        self._call(self._drop())

    def _call(self, work: Any) -> None:
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(work, self._loop).result(120)

    async def _set_held(self, held: int | None) -> None:
        assert self._changed is not None
        async with self._changed:
            self.held = held
            self._changed.notify_all()

    async def _drop(self) -> None:
        assert self._changed is not None
        async with self._changed:
            self._dropped += 1
            self._changed.notify_all()

    # Routes

    async def _thread(self, request: Request) -> Response:
        body = await request.json()
        thread_id = f"t{len(self.threads) + 1}"
        self.threads[thread_id] = {"metadata": body.get("metadata") or {}, "runs": {}, "question": "", "events": []}
        return JSONResponse({"thread_id": thread_id})

    async def _search(self, request: Request) -> Response:
        body = await request.json()
        rows = [
            {"thread_id": key, "status": "idle", "metadata": one["metadata"], "values": {"question": one["question"]}}
            for key, one in reversed(self.threads.items())
        ]
        return JSONResponse(rows[body["offset"] :][: body["limit"]])

    async def _stream(self, request: Request) -> Response:
        body, thread_id = await request.json(), request.path_params["thread"]
        thread = self.threads[thread_id]
        self.asked.append(("POST", request.url.path, body))
        if question := (body.get("input") or {}).get("question"):
            approve = body["context"].get("approve_plan")
            thread["question"] = question
            thread["runs_left"] = list(self.runs.get("approve: " + question if approve else question) or ())
        if not thread.get("runs_left"):
            return JSONResponse({"detail": f"no recording of {question!r}"}, 422)
        run_id = f"r{len(thread['runs']) + 1}"
        thread["runs"][run_id] = thread["runs_left"].pop(0)
        return self._played(thread_id, run_id, 0)

    async def _join(self, request: Request) -> Response:
        thread_id, run_id = request.path_params["thread"], request.path_params["run"]
        if run_id not in self.threads.get(thread_id, {}).get("runs", {}):
            return JSONResponse({"detail": "no such run"}, 404)
        last = request.headers.get("last-event-id", "-1")
        return self._played(thread_id, run_id, 0 if last == "-1" else int(last) + 1)

    def _played(self, thread_id: str, run_id: str, first: int) -> Response:
        location = f"/threads/{thread_id}/runs/{run_id}"
        events = self._events(thread_id, run_id, first)
        return StreamingResponse(events, media_type="text/event-stream", headers={"Content-Location": location})

    async def _events(self, thread_id: str, run_id: str, first: int) -> AsyncIterator[str]:
        assert self._changed is not None
        events = self.threads[thread_id]["runs"][run_id]
        dropped = self._dropped
        if not first:
            yield f"event: metadata\r\ndata: {json.dumps({'run_id': run_id, 'attempt': 1})}\r\n\r\n"
        for at, one in enumerate(events[first:], first):
            async with self._changed:
                await self._changed.wait_for(
                    lambda at=at: self.held is None or at < self.held or self._dropped > dropped  # type: ignore[misc]
                )
            if self._dropped > dropped:
                return
            if self.pause:
                await asyncio.sleep(self.pause)
            yield f"id: {at}\nevent: {one['event']}\ndata: {self.data_of(one)}\n\n"
        self.threads[thread_id]["values"] = events[-1]["data"]
        yield "event: end\ndata: null\n\n"

    def data_of(self, event: Json) -> str:
        """An event's data as it is sent."""
        return json.dumps(event["data"], ensure_ascii=False)

    async def _show(self, request: Request) -> Response:
        thread = self.threads.get(request.path_params["thread"])
        if thread is None:
            return JSONResponse({"detail": "no such thread"}, 404)
        values = thread.get("values") or {}
        asked = values.get("__interrupt__") or []
        open_ = {"status": "waiting" if asked else "interrupted", "interrupts": asked}
        shown = open_ if asked else values.get("result") or open_
        return JSONResponse({**shown, "question": thread["question"]})

    async def _state(self, request: Request) -> Response:
        values = self.threads[request.path_params["thread"]].get("values") or {}
        return JSONResponse({"checkpoint": {"checkpoint_id": "newest"}, "values": values})

    async def _runs(self, request: Request) -> Response:
        thread = self.threads[request.path_params["thread"]]
        status = "success" if thread.get("values") else "running"
        return JSONResponse([{"run_id": one, "status": status} for one in reversed(thread["runs"])])

    async def _run(self, request: Request) -> Response:
        ended = self.threads[request.path_params["thread"]].get("values")
        return JSONResponse({"run_id": request.path_params["run"], "status": "success" if ended else "running"})

    async def _moments(self, request: Request) -> Response:
        assert request.path_params["thread"] in self.threads
        result = (self.threads[request.path_params["thread"]].get("values") or {}).get("result") or {}
        after = {"plan": result.get("plan"), "outcomes": result.get("outcomes"), "answered": False}
        moments = [
            ([], "c3", {**after, "answered": True}),
            (["writer"], "c2", after),
            (["executor"], "c1", {**after, "outcomes": {}}),
            (["__start__"], "c0", {"plan": None, "outcomes": {}, "answered": False}),
        ]
        return JSONResponse([{"checkpoint_id": one, "next": then, **so_far} for then, one, so_far in moments])

    async def _changed_something(self, request: Request) -> Response:
        body = await request.body()
        self.asked.append((request.method, request.url.path, body.decode("utf-8", "replace")))
        if request.url.path.endswith("/files"):
            told = [{"stage": "reading", "done": 0, "of": 1, "file": "a"}, {"indexed": 1, "errors": []}]
            return Response("".join(json.dumps(one) + "\n" for one in told), media_type="application/x-ndjson")
        return JSONResponse({"key": "k1"})

    async def _offer(self, request: Request) -> Response:
        return JSONResponse({"wish": self.wishes.get((await request.json())["message"])})

    async def _fork(self, request: Request) -> Response:
        self.asked.append((request.method, request.url.path, (await request.body()).decode()))
        return JSONResponse({"checkpoint": {"checkpoint_id": "forked"}})

    async def _check(self, request: Request) -> Response:
        plan = (await request.json())["plan"]
        bad = [f"{one['id']} is bad" for one in plan["vertices"] if one["description"] == "bad"]
        return JSONResponse({"complaints": bad, "plan": plan})

    async def _login(self, request: Request) -> Response:
        given = (await request.json()).get("token")
        if given != self.login:
            return JSONResponse({"detail": "not that token"}, 401)
        response = JSONResponse({})
        response.set_cookie("weiwo", "in", httponly=True, samesite="strict")
        return response

    async def _info(self, request: Request) -> Response:
        if not self.login:
            return JSONResponse(self.info)
        user = "ann" if "weiwo" in request.cookies else None
        return JSONResponse({**self.info, "auth": "token", "user": user})

    async def _view(self, request: Request) -> Response:
        return JSONResponse(self.views[request.path_params["view"]])

    async def _setup(self, request: Request) -> Response:
        if request.method == "GET":
            return JSONResponse(self.servers if request.url.path.endswith("/models") else self.setup)
        kind, body = request.path_params["kind"], await request.json()
        self.asked.append((request.method, request.url.path, body))
        if kind == "budget":
            self.setup |= body
            return JSONResponse(self.setup)
        if self.tried.get("hangs"):
            await asyncio.sleep(3600)  # until whoever asked goes away
        if self.tried["works"]:
            self.setup["values"] |= {
                name: "set" if name.endswith("_KEY") and body[name] else body[name] for name in body
            }
        return JSONResponse({**self.tried, "setup": self.setup})

    async def _page(self, request: Request) -> Response:
        name = request.path_params.get("file", "index.html")
        headers = {"Content-Security-Policy": CSP} if self.csp else {}
        return FileResponse(STATIC / name, headers=headers)

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            path, cookies = scope["path"], dict(scope["headers"]).get(b"cookie", b"")
            page = path == "/" or path.startswith("/page/")
            if self.down and not page:
                await JSONResponse({"detail": "down"}, 503)(scope, receive, send)
                return
            if self.login and not page and path not in {"/weiwo/login", "/weiwo/info"} and b"weiwo=in" not in cookies:
                await JSONResponse({"detail": "log in"}, 401)(scope, receive, send)
                return
        await self._routes(scope, receive, send)

    def __enter__(self) -> Self:
        one = "/threads/{thread}"
        self._routes = Starlette(
            routes=[
                Route("/", self._page),
                Route("/page/{file}", self._page),
                Route("/weiwo/info", self._info),
                Route("/weiwo/login", self._login, methods=["POST"]),
                Route("/weiwo/memory", self._changed_something, methods=["POST"]),
                Route("/weiwo/memory/offer", self._offer, methods=["POST"]),
                Route("/weiwo/memory/{kind}/{key}", self._changed_something, methods=["DELETE"]),
                Route("/weiwo/setup", self._setup),
                Route("/weiwo/setup/{kind}", self._setup, methods=["GET", "PUT"]),
                Route("/weiwo/{view:str}", self._view),
                Route("/weiwo" + one, self._show),
                Route("/weiwo" + one + "/moments", self._moments),
                Route("/weiwo" + one + "/feedback", self._changed_something, methods=["POST"]),
                Route("/weiwo" + one + "/fork", self._fork, methods=["POST"]),
                Route("/weiwo" + one + "/plan/check", self._check, methods=["POST"]),
                Route("/weiwo/corpora/{name}/files", self._changed_something, methods=["POST"]),
                Route("/threads", self._thread, methods=["POST"]),
                Route("/threads/search", self._search, methods=["POST"]),
                Route(one, self._changed_something, methods=["DELETE"]),
                Route(one + "/state", self._state),
                Route(one + "/runs", self._runs),
                Route(one + "/runs/stream", self._stream, methods=["POST"]),
                Route(one + "/runs/{run}", self._run),
                Route(one + "/runs/{run}/stream", self._join),
                Route(one + "/runs/{run}/cancel", self._changed_something, methods=["POST"]),
            ]
        )
        self._server = on_loopback(lambda _: self._app, self._begin)
        self.url = self._server.__enter__()
        return self

    def _begin(self) -> None:
        self._changed, self._loop = asyncio.Condition(), asyncio.get_running_loop()

    def __exit__(self, *_: object) -> None:
        self.drop()
        self._server.__exit__(None, None, None)
