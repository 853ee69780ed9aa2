"""Whether the server is ready, what it counts, and how its log looks."""

import json
import logging
from typing import Any

import pytest

from tests.unit.app.server.conftest import running
from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.serve import _configure_log
from weiwo.app.server.access.auth import Auth
from weiwo.app.server.access.guard import Rules
from weiwo.app.server.application import create_app
from weiwo.app.server.metrics import JsonFormatter, count_failure


def sample(text: str, name: str) -> float:
    return next((float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(f"{name} ")), 0.0)


async def test_a_server_without_models_is_ready(http: Any) -> None:
    found = await http.get("/ready")
    assert found.status_code == 200
    assert found.json() == {
        "ready": True, "records": "ok", "database": "ok", "store": "ok", "index": "ok", "model": "none"
    }  # fmt: skip


async def test_an_endpoint_that_does_not_answer_is_told(indexed_home: None, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    monkeypatch.setenv("WEIWO_MODEL", "openai:any")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    async with running(create_app()) as client:
        found = await client.get("/ready")
    assert found.status_code == 503
    assert (found.json()["ready"], found.json()["model"], found.json()["database"]) == (False, "failed", "ok")


async def test_a_run_is_counted_and_logged(http: Any, caplog: pytest.LogCaptureFixture) -> None:
    name = 'weiwo_runs_total{status="success"}'
    before = sample((await http.get("/metrics")).text, name)
    with caplog.at_level(logging.INFO, "weiwo"):
        body = {"assistant_id": "weiwo", "input": {"question": "What is 2 + 3?"}}
        assert (await http.post("/runs/wait", json=body, timeout=60)).status_code == 200
    assert sample((await http.get("/metrics")).text, name) == before + 1
    lines = [json.loads(JsonFormatter().format(one)) for one in caplog.records if hasattr(one, "run_id")]
    assert [(one["level"], one["status"], bool(one["thread_id"])) for one in lines] == [("info", "success", True)]


async def test_metrics_are_the_operators_and_readiness_is_everybodys(indexed_home: None) -> None:  # noqa: ARG001
    auth = Auth()
    async with running(create_app(auth=auth), Rules(frozenset()), auth) as client:
        assert (await client.get("/metrics")).status_code == 401
        assert (await client.get("/ready")).status_code == 200


async def test_failures_are_counted_by_kind(http: Any) -> None:
    name = 'weiwo_tool_failures_total{kind="timeout"}'
    before = sample((await http.get("/metrics")).text, name)
    count_failure("custom", json.dumps({"type": "task_finished", "failure_kind": "timeout"}).encode())
    count_failure("custom", json.dumps({"type": "task_finished", "failure_kind": ""}).encode())
    assert sample((await http.get("/metrics")).text, name) == before + 1


@pytest.mark.parametrize("name", ["WEIWO_LOG_FORMAT", "WEIWO_LOG_LEVEL"])
def test_an_unknown_kind_of_log_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        _configure_log({name: "loud"})
