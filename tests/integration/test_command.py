"""The real command as people start it; and threads over every saver: stored equal, listed right."""

import asyncio
import json
import os
import pty
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from tests.support.command import run_command, search_path
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.graph.persistence.storage import DatabaseUrlError, StorageError
from weiwo.graph.persistence.threads import list_threads, thread_exists
from weiwo.state import Answer, Assessment, Claim, Evidence, Failure, Limits, Outcome, Plan, Quote, TeamConfig, Usage
from weiwo.state.limits import ModelCall
from weiwo.state.query import QueryFrame
from weiwo.state.search import SearchState
from weiwo.state.settings import Settings

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "app" / "result.schema.json").read_text())
OLDER = "Who was older, Emperor Wu of Han or Julius Caesar, and by how many years?"
OLDER_ZH = "汉武帝和凯撒谁年长?大多少岁?"


def environment(home: Path, folder: Path, more: dict[str, str] | None) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": search_path(folder), "WEIWO_HOME": str(home), **(more or {})}


@pytest.fixture
def indexed(weiwo_home: Path, index_sample: Callable[[Path], None]) -> None:
    """The sample corpus is indexed, as after a first question."""
    index_sample(weiwo_home)


@pytest.fixture
def start(weiwo_home: Path, tmp_path: Path) -> Callable[..., "subprocess.Popen[str]"]:
    """Start the command in a folder of its own."""

    def starter(*args: str, env: dict[str, str] | None = None, **more: Any) -> "subprocess.Popen[str]":
        given = environment(weiwo_home, tmp_path, env)
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = [sys.executable, "-m", "weiwo", *args]
        return subprocess.Popen(command, cwd=tmp_path, env=given, text=True, **{**streams, **more})

    return starter


@pytest.fixture
def weiwo(weiwo_home: Path, tmp_path: Path) -> Callable[..., tuple[int | None, str, str]]:
    """Run the command there; returns exit code, standard output, standard error."""

    def run(*args: str, env: dict[str, str] | None = None) -> tuple[int | None, str, str]:
        return run_command(*args, cwd=tmp_path, env=environment(weiwo_home, tmp_path, env))

    return run


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize(
    ("question", "code", "level", "says"),
    [
        (OLDER, 0, "complex", ["Emperor Wu of Han", "56 years"]),
        (OLDER_ZH, 0, "complex", ["汉武帝", "56"]),
        ("How tall is the Eiffel Tower?", 0, "moderate", ["Eiffel Tower – height: 330 metres"]),
        ("Hello, who are you?", 0, "simple", ["Weiwo"]),
        ("Who painted the ceiling of the Grand Hall of Zembla?", 0, "moderate", []),  # passages, without a word on it
        ("Who wrote the anthem of Zembla?", 3, "moderate", ["Not in your documents"]),
    ],
)
def test_answers_are_as_promised_and_their_json_is_valid(weiwo, question, code, level, says) -> None:
    found, out, err = weiwo("ask", question, "--json")
    result = json.loads(out)
    jsonschema.validate(result, SCHEMA)
    assert (found, result["level"]) == (code, level)
    assert not [word for word in says if word not in result["answer"]]
    reading = "正在理解问题" if question == OLDER_ZH else "reading the question"
    assert err.startswith(f"{reading}\n")
    assert result["thread_id"] not in err  # it is in the object
    if level == "complex":
        assert len(result["plan"]["vertices"]) >= 3
        assert {claim["verdict"] for claim in result["claims"]} <= {"quoted", "matched", "supported", "computed"}


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_thread_is_kept_listed_shown_and_continued(weiwo, kind, request) -> None:
    env = {"WEIWO_DATABASE_URL": request.getfixturevalue("postgres_url")} if kind == "postgres" else {}
    code, asked, err = weiwo("ask", OLDER, "--thread", "mine", env=env)
    assert code == 0, err
    assert "Sources" in asked
    code, out, _ = weiwo("show", "mine", env=env)
    assert code == 0
    assert "→ 156 BC" in out
    code, out, err = weiwo("resume", "mine", env=env)
    assert (code, out) == (0, asked)
    assert "nothing to resume" in err
    code, out, _ = weiwo("ask", "Hello, who are you?", "--thread", "mine", "--json", env=env)
    result = json.loads(out)
    assert (code, result["level"], result["plan"], result["outcomes"]) == (0, "simple", None, {})
    code, out, _ = weiwo("threads", env=env)
    assert [line.split("\t")[0::2] for line in out.splitlines()] == [["mine", "complete"]]


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("no_color", ["", "1"])
def test_on_a_terminal_the_plan_fills_in_and_the_cursor_comes_back(start, no_color) -> None:
    ours, theirs = pty.openpty()
    env = {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24", "NO_COLOR": no_color}
    process = start("ask", OLDER, env=env, stdout=theirs, stderr=theirs)
    os.close(theirs)
    written = b""
    with suppress(OSError):  # the other end is closed
        while piece := os.read(ours, 65536):
            written += piece
    os.close(ours)
    assert process.wait() == 0
    text = written.decode()
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    assert "When was Emperor Wu of Han born? → 156 BC" in plain
    assert "a plan of several searches · 0 model calls" in plain
    assert text.count("\x1b[?25h") == text.count("\x1b[?25l") > 0
    assert bool(re.search(r"\x1b\[[0-9;]*3[0-9]m", text)) is not bool(no_color)


@pytest.mark.usefixtures("indexed")
def test_events_are_lines_while_it_runs_and_what_it_came_to_is_the_last(weiwo) -> None:
    code, out, err = weiwo("ask", OLDER, "--events", "--thread", "t")
    *events, last = map(json.loads, out.splitlines())
    assert (code, events[0]["type"], events[-1]["type"], last.pop("type")) == (0, "assessed", "finished", "result"), err
    assert [one["task_id"] for one in events if one["type"] == "task_finished"][-1] == "task_3"
    jsonschema.validate(last, SCHEMA)
    assert {one["strategy"] for one in last["evidence"]} <= {"keyword", "vector", "hybrid"}
    shown = json.loads(weiwo("show", "t", "--json")[1])
    assert shown["question_graph"]["counts"] == {"answered": 3, "pending": 0, "failed": 0}
    code, out, _ = weiwo("ask", OLDER, "--events", "--approve-plan")
    assert (code, json.loads(out.splitlines()[-1])["type"]) == (4, "waiting")
    assert weiwo("ask", OLDER, "--events", "--json")[0] == 2


WAITING = {"$ref": "#/$defs/waiting", "$defs": SCHEMA["$defs"]}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_plan_waits_in_a_pipe_and_is_edited_and_approved(weiwo, kind, request, tmp_path) -> None:
    env = {"WEIWO_DATABASE_URL": request.getfixturevalue("postgres_url")} if kind == "postgres" else {}
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A\n\nEmperor Wu of Han was born in 156 BC.\n")
    code, out, err = weiwo("ask", OLDER, "--approve-plan", "--thread", "t", "--json", "--corpus", "notes", env=env)
    assert code == 4, err
    waiting = json.loads(out)
    jsonschema.validate(waiting, WAITING)
    assert len(waiting["plan"]["vertices"]) == 3
    assert weiwo("threads", env=env)[1].split("\t")[2] == "waiting"
    assert "the plan waits for approval" in weiwo("show", "t", env=env)[1]
    code, out, err = weiwo("resume", "t", env=env)
    assert (code, "task_1 · corpus_search: " in out) == (4, True)
    assert err == (
        "weiwo: the plan waits for approval; to continue, run weiwo resume t --approve, --plan FILE or --reject WORDS\n"
    )
    first = waiting["plan"]["vertices"][0]
    (tmp_path / "bad.json").write_text(json.dumps({"vertices": [{**first, "tool_binding": "telepathy"}]}))
    code, out, err = weiwo("resume", "t", "--plan", "bad.json", env=env)
    assert (code, out) == (2, "")
    assert "task_1.tool_binding: unknown tool 'telepathy'" in err
    (tmp_path / "good.json").write_text(json.dumps({**waiting, "plan": {"vertices": [first]}}))
    code, out, err = weiwo("resume", "t", "--plan", "good.json", "--json", env=env)
    result = json.loads(out)
    assert (code, list(result["outcomes"])) == (3, ["task_1"]), err  # what the edited plan leaves out is not answered
    assert [one["source"] for one in result["citations"]] == ["notes/a.md"]  # the options it began with
    assert weiwo("resume", "t", "--approve", env=env)[0] == 3
    assert weiwo("resume", "t", "--reject", "no good", env=env)[0] == 2


@pytest.mark.usefixtures("indexed")
def test_a_rejection_in_a_pipe_is_asked_about_again(weiwo) -> None:
    assert weiwo("ask", OLDER_ZH, "--approve-plan", "--thread", "t")[0] == 4
    code, out, _ = weiwo("resume", "t", "--reject", "只查汉武帝", "--json")
    assert (code, json.loads(out)["status"]) == (4, "waiting")
    assert "退回" in json.loads(out)["note"]
    code, out, _ = weiwo("resume", "t", "--approve")
    assert (code, "56" in out) == (0, True)


def dialogue(start: Any, *args: str, typed: tuple[str, ...] = (), kill: bool = False) -> str:
    """Run the command on a terminal of its own, type a line each time it asks; returns what the terminal showed."""
    ours, theirs = pty.openpty()
    env = {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40", "LANG": "C.UTF-8", "WEIWO_WEB_OFFER": "declined"}
    process = start(*args, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown, left = b"", list(typed)
    with suppress(OSError):  # the other end is closed
        while piece := os.read(ours, 65536):
            shown += piece
            if shown.rstrip().endswith((b"decide later:", "稍后决定：".encode())):
                if kill:
                    process.kill()
                elif left:
                    os.write(ours, f"{left.pop(0)}\n".encode())
    os.close(ours)
    process.wait()
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()) + f"\ncode {process.returncode}"


@pytest.mark.usefixtures("indexed")
def test_a_person_at_a_terminal_is_asked_and_a_plan_outlives_the_command(start, weiwo) -> None:
    shown = dialogue(start, "ask", OLDER, "--approve-plan", "--thread", "t", kill=True)
    assert "Run this plan?" in shown
    assert weiwo("threads")[1].split("\t")[2] == "waiting"
    shown = dialogue(start, "resume", "t", typed=("q",))
    assert shown.endswith("code 4")
    assert "to continue, run weiwo resume t" in shown
    shown = dialogue(start, "resume", "t", typed=("a",))
    assert "When was Julius Caesar born? · task_2 · corpus_search: " in shown
    assert "56 years" in shown
    assert shown.endswith("code 0")


@pytest.mark.usefixtures("indexed")
def test_a_thread_is_forked_and_both_branches_can_be_shown(weiwo) -> None:
    assert weiwo("ask", OLDER, "--thread", "t")[0] == 0
    code, out, _ = weiwo("show", "t", "--history")
    moments = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert [moment[2] for moment in moments] == [
        "end",
        "→ writer",
        "→ reflection",
        "→ executor",
        "→ planner",
        "→ master",
    ]
    newest = moments[0][0]
    code, out, err = weiwo("ask", "--from", f"t@{newest}", "--set", "task_1=66 BC", "--json")
    result = json.loads(out)
    jsonschema.validate(result, SCHEMA)
    assert (code, result["outcomes"]["task_1"]["value"]) == (3, "-66"), err
    assert result["stop_reason"] == "assumed_value"
    assert "34 years" in result["answer"]
    code, out, _ = weiwo("show", "t", "--history", "--json")
    fork = next(one for one in json.loads(out)["checkpoints"] if one["forked"])
    assert fork["what"] == "fork: task_1 set"
    assert fork["parent"].startswith(newest)
    assert "34" in weiwo("show", "t")[1]
    assert "56 years" in weiwo("show", f"t@{newest}")[1]
    code, out, err = weiwo("ask", "And when did he die?", "--from", newest)
    assert code in {0, 3}, err
    code, out, err = weiwo("ask", "--from", moments[1][0], "--thread", "t")
    assert (code, "56 years" in out) == (0, True), err


@pytest.mark.usefixtures("indexed")
def test_what_cannot_be_forked_is_one_line(weiwo, tmp_path) -> None:
    assert weiwo("ask", OLDER, "--thread", "t")[0] == 0
    newest = weiwo("show", "t", "--history")[1].split("\t")[0]
    (tmp_path / "p.json").write_text("{}")
    for args, says in (
        (["--from", "t@1f00"], "does not exist in thread t"),
        (["--from", "u@1f00"], "does not exist in the database"),
        (["--from", f"t@{newest}"], "nothing was changed"),
        (["--from", f"t@{newest}", "--set", "task_9=1"], "no such task; its tasks are task_1, task_2, task_3"),
        (["--from", f"t@{newest}", "--set", "task_3=many"], "'many' is not a number"),
        (["--from", f"t@{newest}", "--plan", "p.json"], "the file contains no plan"),
    ):
        code, out, err = weiwo("ask", *args)
        assert (code, out) == (2, ""), err
        assert says in err
        assert err.count("\n") == 1


@pytest.mark.usefixtures("indexed")
def test_a_reader_that_has_had_enough_is_no_error_to_speak_of(start) -> None:
    process = start("ask", OLDER, "--json")
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait() in {0, 1}
    assert "Error" not in err
    assert "Traceback" not in err


def test_a_full_disk_is_one_line(start, weiwo) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    process = start("ask", OLDER, preexec_fn=limited)
    out, err = process.communicate()
    assert (process.returncode, out) == (1, "")
    last = err.splitlines()[-1]
    assert re.fullmatch(
        r"weiwo: (cannot use .*threads\.sqlite: .*|corpus .*its index cannot be stored.*); free some space.*", last
    )
    assert "Traceback" not in err
    assert weiwo("ask", OLDER)[0] == 0


@pytest.mark.parametrize(
    ("args", "env", "code", "says"),
    [
        (
            ["ask", "Who wrote the anthem of Zembla\udcff\udc80?"],
            {},
            3,
            "",
        ),  # bytes that are no UTF-8 are dropped, the rest is asked
        (["ask", "\udcff"], {}, 2, "the question is empty"),
        (["ask", "q", "--corpus", "/nowhere"], {}, 2, "no such file or directory"),
        (["ask", "q"], {"WEIWO_MAX_SECONDS": "soon"}, 2, "WEIWO_MAX_SECONDS"),
        (["ask", "q"], {"WEIWO_HOME": __file__}, 2, "test_command.py is a file; set it to a folder"),
        (["threads"], {"WEIWO_HOME": "/dev/null/x"}, 1, "cannot create the folder /dev/null/x"),
        (["threads"], {"WEIWO_DATABASE_URL": "postgresql://me:s3cret@127.0.0.1:9/d"}, 1, "me:***@127.0.0.1:9/d"),
        (["threads"], {"WEIWO_DATABASE_URL": "mysql://me:s3cret@h/d"}, 2, "is not a Postgres URL"),
        (["resume", "nobody"], {}, 2, "does not exist in the database"),
    ],
)
def test_what_is_wrong_is_said_on_one_line(weiwo, args, env, code, says) -> None:
    found, out, err = weiwo(*args, env=env)
    assert found == code, err
    complaints = [line for line in err.splitlines() if line.startswith("weiwo: ")]
    assert len(complaints) == 1
    assert says in complaints[0]
    assert "s3cret" not in err
    assert code == 3 or (out == "" and len(err.splitlines()) == 1)


def test_help_loads_nothing_heavy(weiwo, tmp_path) -> None:
    code, out, _ = weiwo("--help")
    assert (code, "doctor" in out) == (0, True)
    program = (
        "import sys\nsys.argv = ['weiwo', '--help']\nfrom weiwo.app.cli.main import main\n"
        "try:\n    main()\nfinally:\n    print(*sorted(sys.modules), file=sys.stderr)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = set(ran.stderr.split())
    assert "weiwo.app.cli.main" in loaded
    assert not loaded & {"langgraph", "langchain_core", "langsmith", "openai", "httpx", "tantivy", "numpy"}


def test_search_and_doctor(weiwo) -> None:
    code, out, _ = weiwo("search", "汉武帝 出生", "--json", "-n", "3")
    results = json.loads(out)["results"]
    assert code == 0
    assert "汉武帝" in results[0]["text"] + results[0]["title"]
    assert [result["rank"] for result in results] == [1, 2, 3]
    code, out, _ = weiwo(
        "doctor", "--json", env={"WEIWO_MODEL": "openai:m", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    )
    report = json.loads(out)
    assert (code, report["ok"]) == (1, False)
    assert [one["name"] for one in report["checks"] if one["verdict"] == "problem"] == ["endpoint of openai:m"]


PLAN = Plan.from_json(
    {
        "vertices": [
            {
                "id": "task_1",
                "description": "谁写了《史记》？",
                "tool_binding": "corpus_search",
                "args": {"query": "史记"},
            },
            {"id": "b", "description": "{{task_1.ret}}", "tool_binding": "t", "args": {"n": 1}, "ret": "list[number]"},
        ],
        "edges": [["task_1", "b"]],
    }
)
VALUES: dict[str, Any] = {
    "assessment": Assessment(
        frame=QueryFrame(question="q", language="zh", parts=(QueryFrame(question="p", language="zh"),)),
        features={"words": 0.5},
        static_score=0.1,
        score=0.1,
        level="complex",
        reason="r",
        decided_by="rule",
    ),
    "team": TeamConfig(
        name="writer_only", agents=("writer",), tools=("calculator",), limits=Limits(), expected_model_calls=0
    ),
    "plan": PLAN,
    "revisions": [PLAN],
    "outcomes": {
        "task_1": Outcome(
            task_id="task_1",
            status="succeeded",
            value=["司马迁", "\x00", 2**63 - 1, -156, 0.1, None, {"a": [True]}],
            type="list[text]",
            evidence_ids=("e",),
            quotes=(Quote(evidence_id="e", text="…"),),
            detail={"computation": {}},
        ),
        "b": Outcome(task_id="b", status="failed", failure=Failure(task_id="b", kind="timeout", message="m")),
    },
    "evidence": {"e": Evidence(id="e", text="t", source="s", task_ids=("task_1", "b"))},
    "usage": Usage(model_calls=1, calls=(ModelCall(role="master", purpose="p", model="m", mode="text"),)),
}


def compiled(saver: BaseCheckpointSaver[Any]) -> Any:
    """A small graph over the real state: one node stores a value of every kind, the next answers, or breaks."""

    async def think(state: SearchState) -> dict[str, Any]:
        question = state.get("question") or str(state["messages"][-1].text)
        return {**VALUES, "question": question}

    async def write(state: SearchState) -> dict[str, Any]:
        if "break" in state["question"]:
            raise RuntimeError("broken off")
        answer = Answer(
            text="a", claims=(Claim(text="a", verdict="uncited"),), status="partial", stop_reason="x", decided_by="rule"
        )
        result = {"question": state["question"], "status": answer.status}
        return {"result": result, "messages": [AIMessage("a")]}

    builder = StateGraph(SearchState)
    builder.add_node("think", think)
    builder.add_node("write", write)
    builder.add_edge(START, "think")
    builder.add_edge("think", "write")
    builder.add_edge("write", END)
    return builder.compile(checkpointer=saver)


def at(thread_id: str) -> Any:
    return {"configurable": {"thread_id": thread_id}}


async def test_every_value_comes_back_equal_and_nothing_is_logged(
    saver: BaseCheckpointSaver[Any], caplog: pytest.LogCaptureFixture
) -> None:
    graph = compiled(saver)
    await graph.ainvoke({"question": "one"}, at("t"))
    snapshot = await graph.aget_state(at("t"))
    for name, value in VALUES.items():
        assert snapshot.values[name] == value, name
        assert type(snapshot.values[name]) is type(value), name
    assert isinstance(snapshot.values["outcomes"]["task_1"], Outcome)
    assert not [record for record in caplog.records if record.name.startswith("langgraph")]


@pytest.mark.parametrize("saver", ["sqlite", "postgres"], indirect=True)
async def test_a_thread_whose_plan_waits_is_told_from_one_that_broke_off(saver: BaseCheckpointSaver[Any]) -> None:
    async def master(state: SearchState) -> dict[str, Any]:
        return {"question": state["question"]}

    async def approval(_: SearchState) -> dict[str, Any]:
        return {"approved": interrupt({"type": "approve_plan"})}

    builder = StateGraph(SearchState)
    builder.add_node("master", master)
    builder.add_node("approval", approval)
    builder.add_edge(START, "master")
    builder.add_edge("master", "approval")
    graph = builder.compile(checkpointer=saver)
    await graph.ainvoke({"question": "q?"}, at("t"))
    assert [(one.question, one.status) for one in await list_threads(saver)] == [("q?", "waiting")]
    await graph.ainvoke(Command(resume=0), at("t"))
    assert [one.status for one in await list_threads(saver)] == ["interrupted"]  # it has no result


@pytest.mark.parametrize("saver", ["sqlite", "postgres"], indirect=True)
async def test_list_is_newest_first_and_tells_how_each_thread_stands(saver: BaseCheckpointSaver[Any]) -> None:
    graph, began = compiled(saver), datetime.now(UTC)
    await graph.ainvoke({"question": "first?"}, at("a"))
    await graph.ainvoke({"messages": [HumanMessage("二？")]}, at("b"))
    with pytest.raises(RuntimeError, match="broken off"):
        await graph.ainvoke({"question": "break?"}, at("c"))
    await graph.ainvoke({"question": "again?"}, at("a"))
    with pytest.raises(RuntimeError, match="broken off"):
        await graph.ainvoke({"question": "break a follow-up?"}, at("b"))

    found = await list_threads(saver, 10)
    assert [(one.thread_id, one.question, one.status) for one in found] == [
        ("b", "break a follow-up?", "interrupted"),
        ("a", "again?", "partial"),
        ("c", "break?", "interrupted"),
    ]
    assert all(began <= one.updated <= datetime.now(UTC) for one in found)
    assert [one.thread_id for one in await list_threads(saver, 1)] == ["b"]


@pytest.mark.parametrize("saver", ["sqlite", "postgres"], indirect=True)
async def test_a_run_that_never_reached_its_first_node_is_listed(saver: BaseCheckpointSaver[Any]) -> None:
    graph = compiled(saver)
    await graph.ainvoke({"question": "old?"}, at("t"))
    stream = graph.astream({"question": "new?"}, at("t"), stream_mode="values", durability="sync")
    async for _ in stream:
        break
    await stream.aclose()
    assert [(one.question, one.status) for one in await list_threads(saver)] == [("new?", "interrupted")]


@pytest.mark.parametrize("saver", ["sqlite", "postgres"], indirect=True)
async def test_an_empty_database_has_no_threads(saver: BaseCheckpointSaver[Any]) -> None:
    assert await list_threads(saver) == []
    assert not await thread_exists(saver, "t")
    await compiled(saver).ainvoke({"question": "q"}, at("t"))
    assert await thread_exists(saver, "t")


async def test_a_type_of_nobody_we_know_is_not_built(saver: BaseCheckpointSaver[Any]) -> None:
    stored = saver.serde.dumps_typed({"limits": Limits(), "settings": Settings(home="h")})
    read = saver.serde.loads_typed(stored)
    assert read["limits"] == Limits()
    assert not isinstance(read["settings"], Settings)


OPEN = """
import asyncio, sys
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.state.settings import Settings

async def main():
    async with open_checkpointer(Settings.resolve(), sys.argv[1] or None) as saver:
        for n in range(5):
            config = {"configurable": {"thread_id": sys.argv[2], "checkpoint_ns": ""}}
            from langgraph.checkpoint.base import empty_checkpoint
            await saver.aput(config, empty_checkpoint(), {}, {})

asyncio.run(main())
"""


@pytest.mark.usefixtures("weiwo_home")
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_processes_share_a_new_database(kind: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue("postgres_url") if kind == "postgres" else ""
    running = [
        subprocess.Popen([sys.executable, "-c", OPEN, url, f"t{n}"], stderr=subprocess.PIPE, text=True)
        for n in range(4)
    ]
    assert [process.communicate()[1] for process in running] == [""] * 4
    assert [process.returncode for process in running] == [0] * 4

    async def count() -> int:
        async with open_checkpointer(Settings.resolve(), url or None) as saver:
            return len(await list_threads(saver))

    assert asyncio.run(count()) == 4


@pytest.mark.usefixtures("weiwo_home")
async def test_postgres_that_does_not_answer_is_one_line_without_the_password() -> None:
    with pytest.raises(StorageError) as caught:
        async with open_checkpointer(Settings.resolve(), "postgresql://me:s3cret@127.0.0.1:9/db"):
            pass
    message = str(caught.value)
    assert "\n" not in message
    assert "s3cret" not in message
    assert "postgresql://me:***@127.0.0.1:9/db" in message
    assert "refused" in message


@pytest.mark.usefixtures("weiwo_home")
async def test_a_database_that_is_not_there(postgres_url: str) -> None:
    missing = postgres_url.replace("/weiwo_", "/nowhere_")
    with pytest.raises(StorageError, match=r"nowhere_.* does not exist"):
        async with open_checkpointer(Settings.resolve(), missing):
            pass


@pytest.mark.usefixtures("weiwo_home")
async def test_a_server_that_goes_away_is_a_storage_error(postgres_url: str) -> None:
    async def use() -> None:
        async with open_checkpointer(Settings.resolve(), postgres_url) as opened, opened._cursor() as cursor:  # type: ignore[attr-defined]
            await cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(StorageError) as caught:
        await use()
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("weiwo_home")
async def test_a_url_the_driver_cannot_read_is_not_quoted() -> None:
    with pytest.raises(DatabaseUrlError) as caught:
        async with open_checkpointer(Settings.resolve(), "postgresql://me:pa/ss:wörd@host/db"):
            pass
    assert "ss" not in str(caught.value).replace("password", "")
