"""A host's clients get the routes that are named, each behind the host's own check, and no other."""

import pytest
from starlette.routing import Route

from weiwo.app.server.hosted import application
from weiwo.app.server.routes import LANGGRAPH_API, OPENAI_API, WEIWO_API


def paths(routes) -> set[str]:
    return {one.path for one in routes if isinstance(one, Route)}


def test_what_is_named_is_served_and_exists():
    own = {path for path in paths(application._guests()) if path.startswith("/weiwo")}
    assert own == application._SERVED
    assert own < paths(WEIWO_API)
    assert paths(OPENAI_API) <= paths(application._guests())


def test_a_new_route_is_closed_until_it_is_named(monkeypatch):
    async def secret(_):
        raise AssertionError

    monkeypatch.setattr(application, "WEIWO_API", [*WEIWO_API, Route("/weiwo/new", secret)])
    assert "/weiwo/new" not in paths(application._guests())


@pytest.mark.parametrize(
    "path", ["/weiwo/settings", "/weiwo/memory", "/weiwo/key", "/weiwo/login", "/weiwo/threads/{thread_id}/fork"]
)
def test_what_is_the_operators_or_another_logins_is_not_served(path):
    assert path in paths(WEIWO_API)
    assert path not in paths(application._guests())
    assert not paths(application._guests()) & paths(LANGGRAPH_API)


def test_every_route_but_the_pages_files_asks_the_host_first():
    routes = [one for one in application._guests() if isinstance(one, Route) and one.path != "/"]
    assert routes
    assert all(one.app._free is False for one in routes)
