"""What LangSmith is told: names, tags and metadata of a run's parts, and feedback. A server on loopback stands for it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from uuid import UUID, uuid4

import pytest
from langchain_core.tracers.langchain import LangChainTracer, wait_for_all_tracers
from langgraph.checkpoint.memory import InMemorySaver
from typer.testing import CliRunner

from tests.support.openai_server import OpenAIServer
from tests.support.personas import WU_OR_CAESAR, good
from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.main import app
from weiwo.app.cli.questions import feedback as command
from weiwo.app.errors import AppError
from weiwo.graph import build_graph
from weiwo.state.settings import Context
from weiwo.tools.corpus.retrieval.feedback import _FILE, Feedback, read_feedback, record_feedback

TRACE = str(uuid4())


class Traces:
    """Stands for LangSmith's client: keeps what it is told of each run."""

    tracing_sampling_rate = None

    def __init__(self):
        self.runs = {}

    def create_run(self, **run):
        self.runs.setdefault(run["id"], {}).update(run)

    def update_run(self, run_id, **run):
        self.runs.setdefault(run_id, {}).update(run)


async def test_traces_tell_thread_level_task_and_tool(indexed_home, monkeypatch):  # noqa: ARG001 - the sample is indexed
    traces = Traces()
    with OpenAIServer(good) as endpoint:
        for name, value in endpoint.environment.items():
            monkeypatch.setenv(name, value)
        graph, at = build_graph(InMemorySaver()), {"configurable": {"thread_id": "t-1"}}
        await graph.ainvoke(
            {"question": WU_OR_CAESAR},
            {**at, "callbacks": [LangChainTracer(client=traces)]},
            context=Context(model="openai:scripted", web=False, telemetry=False),
        )
    assert UUID((await graph.aget_state(at)).values["run"]) in [
        run["id"] for run in traces.runs.values() if run["name"] == "weiwo"
    ]
    wait_for_all_tracers()
    by_name = {run["name"]: run for run in traces.runs.values()}

    def metadata(name):
        return by_name[name]["extra"]["metadata"]

    assert metadata("weiwo")["thread_id"] == "t-1"
    for node in ("master", "planner", "executor", "reflection", "writer"):
        assert metadata(node)["level"] == "complex", node
        assert "level:complex" in by_name[node]["tags"]
    tasks = [name for name in by_name if name.startswith("task ")]
    assert len(tasks) == 3
    assert metadata(tasks[0])["tool"] == "corpus_search"
    read = metadata("executor.read")
    assert (read["role"], read["purpose"], read["tool"], read["thread_id"]) == (
        "executor",
        "read",
        "corpus_search",
        "t-1",
    )
    assert f"task:{read['task']}" in by_name["executor.read"]["tags"]


class LangSmith(ThreadingHTTPServer):
    """Keeps the feedback it gets, unless it knows no trace."""

    def __init__(self, *, knows):
        super().__init__(("127.0.0.1", 0), Handler)
        self.knows, self.feedback = knows, []


class Handler(BaseHTTPRequestHandler):
    server: LangSmith

    def log_message(self, *_):
        pass

    def _send(self, body, status=200):
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def do_GET(self):
        project = {"id": TRACE, "name": "weiwo", "tenant_id": TRACE, "reference_dataset_id": None}
        self._send([project] if "/sessions" in self.path else {"version": "1"})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.feedback.append(body)
        self._send(body if self.server.knows else {"detail": "Run not found"}, 200 if self.server.knows else 404)


@pytest.fixture
def langsmith(request, monkeypatch):
    from langsmith.utils import get_env_var  # noqa: PLC0415 - it remembers the environment

    with LangSmith(knows=getattr(request, "param", True)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("LANGSMITH_API_KEY", "key")
        monkeypatch.setenv("LANGSMITH_PROJECT", "weiwo")
        get_env_var.cache_clear()
        yield server
        server.shutdown()
        thread.join(10)
    get_env_var.cache_clear()


@pytest.fixture
def answered(monkeypatch):
    values = {"result": {"answer": "8,611 m"}, "question": "How tall is K2?", "run": UUID(TRACE).hex}
    monkeypatch.setattr(command, "load_thread", lambda _: SimpleNamespace(values=values))
    return values


def said(tmp_path):
    return [(one["run"], one["good"], one["words"]) for one in read_feedback(tmp_path / "home")]


@pytest.mark.usefixtures("answered")
def test_feedback_goes_to_langsmith_and_is_kept(langsmith, tmp_path):
    command.feedback("t-1", good=False, bad=True, note="it rises 8,611\x1b m")
    assert said(tmp_path) == [(UUID(TRACE).hex, False, "it rises 8,611 m")]
    (sent,) = langsmith.feedback
    assert (sent["run_id"], sent["key"], sent["score"]) == (TRACE, "user_score", 0)
    assert sent["comment"] == "it rises 8,611 m"


@pytest.mark.usefixtures("answered", "langsmith")
@pytest.mark.parametrize("langsmith", [False], indirect=True)
def test_a_thread_that_langsmith_does_not_know_is_said_and_the_words_are_kept(tmp_path):
    with pytest.raises(AppError, match=r"did not accept it.*Run not found"):
        command.feedback("t-1", good=True, bad=False, note=None)
    assert said(tmp_path) == [(UUID(TRACE).hex, True, "")]


@pytest.mark.usefixtures("answered")
def test_without_langsmith_it_is_kept_here(tmp_path, capsys):
    command.feedback("t-1", good=True, bad=False, note="好")
    assert said(tmp_path) == [(UUID(TRACE).hex, True, "好")]
    assert "LangSmith" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"), [([], "either --good or --bad"), (["--good", "--bad"], "either --good or --bad")]
)
def test_it_is_one_of_the_two(options, words, answered):  # noqa: ARG001 - a thread with an answer
    ran = CliRunner().invoke(app, ["feedback", "t-1", *options])
    assert isinstance(ran.exception, UsageError)
    assert words in str(ran.exception)


def test_a_thread_without_an_answer_has_none_to_judge(answered):
    answered["result"] = {}
    with pytest.raises(UsageError, match="no answer yet"):
        command.feedback("t-1", good=True, bad=False, note=None)


def test_broken_lines_are_left_out(tmp_path):
    record_feedback(tmp_path, Feedback(1.0, "t", "r", "?", good=True))
    with (tmp_path / _FILE).open("a") as file:
        file.write('{"good": 1}\n[]\nnonsense\n')
    assert [one["run"] for one in read_feedback(tmp_path)] == ["r"]
