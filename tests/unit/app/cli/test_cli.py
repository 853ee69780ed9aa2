"""The command from its arguments to its exit code, over a small graph of the same shape as the real one."""

import io
import json
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from weiwo.app.cli import main as cli
from weiwo.app.cli import session
from weiwo.app.cli.questions import ask, conclude, fork
from weiwo.app.cli.setup import doctor
from weiwo.app.render.watchers import Watcher
from weiwo.app.session import runs
from weiwo.app.session.runs import OPTIONS_KEY
from weiwo.app.session.session import Session
from weiwo.graph.persistence.checkpointer import open_checkpointer, serializer
from weiwo.state import Assessment, Limits, Outcome, Plan, TeamConfig, Usage
from weiwo.state.query import QueryFrame
from weiwo.state.search import SearchState
from weiwo.state.settings import Context, Settings

PLAN = Plan.from_json(
    {"vertices": [{"id": "task_1", "description": "When?", "tool_binding": "corpus_search", "ret": "date"}]}
)
BROKEN = {"now": "yes"}


def toy_graph(saver):
    """`master` and `writer` only; a question with "break" in it breaks off in the writer while BROKEN says so."""

    async def master(state, runtime):
        assessment = Assessment(
            frame=QueryFrame(question=state["question"], language="en"),
            features={},
            static_score=0.5,
            score=0.5,
            level="moderate",
            reason="one fact",
            decided_by="rule",
        )
        team = TeamConfig(name="executor_inclusive", agents=(), tools=(), limits=Limits(), expected_model_calls=0)
        runtime.stream_writer({"type": "assessed", "level": "moderate", "team": team.name, "decided_by": "rule"})
        runtime.stream_writer({"type": "planned", "plan": PLAN.to_json(), "decided_by": "rule"})
        outcome = Outcome(task_id="task_1", status="succeeded", value="-156", type="date", tool="corpus_search")
        runtime.stream_writer({"type": "task_finished", "task_id": "task_1", "status": "succeeded", "value": "156 BC"})
        return {"assessment": assessment, "team": team, "plan": PLAN, "outcomes": {"task_1": outcome}}

    async def writer(state, runtime):
        question = state["question"]
        if "break" in question and BROKEN["now"]:
            raise RuntimeError("the\nwriter broke")
        runtime.stream_writer({"type": "answer_started", "decided_by": "rule"})
        status = next((name for name in ("partial", "failed") if name in question), "complete")
        context = runtime.context
        result = {
            "question": question,
            "language": "en",
            "status": status,
            "stop_reason": "not_found" if status != "complete" else "finished",
            "level": "moderate",
            "team": "executor_inclusive",
            "answer": f"web={context.web} seconds={context.max_seconds}",
            "citations": [],
            "usage": Usage(seconds=0.1).model_dump(mode="json"),
        }
        return {"result": result, "messages": [AIMessage(result["answer"])]}

    builder = StateGraph(SearchState, context_schema=Context)
    builder.add_node("master", master)
    builder.add_node("writer", writer)
    builder.add_edge(START, "master")
    builder.add_edge("master", "writer")
    builder.add_edge("writer", END)
    return builder.compile(checkpointer=saver)


@pytest.fixture
def weiwo(monkeypatch, capsys, tmp_path, indexed_home):  # noqa: ARG001 - nothing is left to index
    """Call the command; returns exit code, standard output, standard error."""

    @asynccontextmanager
    async def open_session(context=None, *, reading=False):  # noqa: ARG001 - the interface has it
        settings = Settings.resolve(context)
        async with open_checkpointer(replace(settings, database_url=None)) as saver:  # a file, whatever is named
            yield Session(settings, saver, toy_graph(saver))

    for module in (ask, conclude, doctor, fork, session):
        monkeypatch.setattr(module, "open_session", open_session)
    monkeypatch.setattr(session, "_saved_file", lambda: None)  # threads are listed through the session
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(BROKEN, "now", "yes")

    def call(*args):
        monkeypatch.setattr("sys.argv", ["weiwo", *args])
        with pytest.raises(SystemExit) as exited:
            cli.main()
        out, err = capsys.readouterr()
        return exited.value.code, out, err

    return call


@pytest.fixture
def notes(monkeypatch, tmp_path):
    """A folder of documents that are not indexed yet."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nEmperor Wu of Han was born in 156 BC.\n")
    monkeypatch.setenv("WEIWO_CORPUS", str(folder))
    return folder


def last_line(text):
    return text.strip().splitlines()[-1]


@pytest.mark.parametrize(("question", "code"), [("when?", 0), ("a partial one?", 3), ("a failed one?", 1)])
def test_ask_on_a_pipe(weiwo, question, code):
    found, out, err = weiwo("ask", question)
    assert (found, out) == (code, "web=None seconds=None\n")
    lines = err.splitlines()
    assert lines[0] == "reading the question"
    assert sum(line.startswith("thread 20") for line in lines) == 1
    assert [line for line in lines if line.startswith("weiwo: ")] == (
        [f"weiwo: the answer is {question.split()[1]}: part of the question was not found"] if code else []
    )
    assert lines[-1].startswith("no model is configured, so passages are shown")


def test_json_is_one_object_with_the_thread_id(weiwo):
    code, out, err = weiwo("ask", "when?", "--json", "--thread", "mine", "--no-web", "--max-seconds", "5")
    result = json.loads(out)
    assert code == 0
    assert result["thread_id"] == "mine"
    assert result["answer"] == "web=False seconds=5.0"
    assert "thread mine" not in err


async def test_a_thread_is_named_once_it_has_a_checkpoint():
    saver, watcher = InMemorySaver(serde=serializer()), Watcher()
    named = []
    watcher.on_begin = lambda: named.append([*saver.storage])
    await runs.ask(Session(Settings.resolve(), saver, toy_graph(saver)), "when?", "t", Context(), watcher)
    assert named == [["t"]]


def test_json_hides_no_control_character(weiwo):
    _, out, _ = weiwo("ask", "when\u0085 \u202eis? \x9b2J", "--json")
    assert out.isascii()
    _, out, _ = weiwo("threads")
    assert "\x9b" not in out


def test_files_are_written_where_the_user_said(weiwo, tmp_path):
    code, out, err = weiwo("ask", "a partial one?", "--thread", "t", "-o", "a.html", "--output", "b.md", "--json")
    assert (code, json.loads(out)["files"]) == (3, [str(tmp_path / "a.html"), str(tmp_path / "b.md")])
    assert "wrote" not in err
    assert "a partial one?" in (tmp_path / "a.html").read_text()

    code, out, err = weiwo("show", "t", "-o", "c.json")
    assert (code, out, err) == (0, "", f"wrote {tmp_path / 'c.json'}\n")
    code, out, err = weiwo("resume", "t", "-o", "b.md")
    assert f"wrote {tmp_path / 'b.md'}" in err
    assert sorted(file.name for file in tmp_path.iterdir() if file.is_file()) == ["a.html", "b.md", "c.json"]


def test_an_interrupted_thread_has_no_answer_to_write(weiwo, tmp_path):
    weiwo("ask", "break?", "--thread", "t", "-o", "a.md")
    code, out, err = weiwo("show", "t", "-o", "a.md")
    says = "weiwo: thread t has no answer to save yet; to finish it, run weiwo resume t\n"
    assert (code, out, err) == (1, "", says)
    assert not (tmp_path / "a.md").exists()


def test_a_file_that_cannot_be_written_loses_no_answer(weiwo, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("weiwo.app.export.files.os.fsync", full)
    code, out, err = weiwo("ask", "when?", "-o", "a.md")
    assert (code, out) == (1, "web=None seconds=None\n")
    assert last_line(err).endswith("a.md' could not be written (No space left on device)")


def test_with_a_model_there_is_no_notice(weiwo):
    _, _, err = weiwo("ask", "when?", "--model", "openai:m")
    assert "no model" not in err


def test_verbose_tells_each_step(weiwo):
    _, out, err = weiwo("ask", "when?", "-v")
    assert "moderate · executor_inclusive" in err
    assert "✓ When? → 156 BC" in err
    assert out == "web=None seconds=None\n"


def test_question_from_standard_input(weiwo, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("何时\x00？\n".encode())))
    _, out, _ = weiwo("ask", "-", "--json")
    assert json.loads(out)["question"] == "何时？"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe")))
    assert weiwo("ask", "-") == (2, "", "weiwo: standard input is not UTF-8 text; convert the question to UTF-8\n")


def test_the_files_of_an_interrupted_run_are_written_by_whoever_resumes_it(weiwo, monkeypatch, tmp_path):
    file, other = tmp_path / "answer.md", tmp_path / "other.md"
    weiwo("ask", "break?", "--thread", "t", "--output", "answer.md")
    weiwo("ask", "break?", "--thread", "u", "--output", "other.md")
    assert not file.exists()
    monkeypatch.setitem(BROKEN, "now", "")
    code, _, err = weiwo("resume", "t")
    assert (code, last_line(err)) == (0, f"wrote {file}")
    assert "web=None" in file.read_text()

    file.unlink()
    weiwo("resume", "t")  # nothing is owed any more
    weiwo("ask", "when?", "--thread", "u")  # another question, which asks for no file
    assert not file.exists()
    assert not other.exists()


def test_a_run_that_breaks_is_one_line_and_can_be_resumed_as_it_began(weiwo, monkeypatch):
    code, out, err = weiwo("ask", "break?", "--thread", "t", "--no-web")
    assert (code, out) == (1, "")
    assert last_line(err).startswith("weiwo: Internal error: RuntimeError: the writer broke. ")
    assert "Traceback" not in err

    code, out, _ = weiwo("show", "t", "--json")
    state = json.loads(out)
    assert (code, state["status"], state["next"]) == (0, "interrupted", ["writer"])
    assert state["outcomes"]["task_1"]["value"] == "-156"
    code, out, _ = weiwo("show", "t")
    assert "→ 156 BC" in out
    assert "interrupted before: writer; to continue, run weiwo resume t" in out

    monkeypatch.setitem(BROKEN, "now", "")
    code, out, _ = weiwo("resume", "t", "--json")
    assert (code, json.loads(out)["answer"]) == (0, "web=False seconds=None")

    code, out, err = weiwo("resume", "t")
    assert (code, out) == (0, "web=False seconds=None\n")
    assert err.startswith("thread t has nothing to resume; here is its result\n")


@pytest.mark.processes
def test_options_travel_with_the_thread_and_paths_are_absolute(weiwo, monkeypatch, notes):
    seen = {}
    original = runs.ask

    async def ask(session, question, thread_id, context, watcher):
        result = await original(session, question, thread_id, context, watcher)
        snapshot = await session.graph.aget_state({"configurable": {"thread_id": thread_id}})
        seen.update(json.loads(snapshot.metadata[OPTIONS_KEY]))
        return result

    monkeypatch.setattr(runs, "ask", ask)
    weiwo("ask", "when?", "--corpus", "notes", "--no-web")
    assert seen == {"corpus": [str(notes)], "web": False}


def test_the_history_of_a_thread_and_a_moment_of_it(weiwo):
    weiwo("ask", "first?", "--thread", "t")
    weiwo("ask", "second, partial?", "--thread", "t", "--fresh", "--approve-plan")
    code, out, err = weiwo("show", "t", "--history")
    moments = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert "weiwo ask --from t@CHECKPOINT" in err
    assert [(moment[2], moment[3]) for moment in moments] == [
        ("end", "answered: partial"),
        ("→ writer", "judged moderate"),
        ("→ master", "asked: second, partial?"),
        ("end", "answered: complete"),
        ("→ writer", "judged moderate"),
        ("→ master", "asked: first?"),
    ]
    listed = json.loads(weiwo("show", "t", "--history", "--json")[1])["checkpoints"]
    assert [one["next"] for one in listed][:3] == [[], ["writer"], ["master"]]
    assert listed[0]["parent"] == listed[1]["checkpoint_id"]
    assert "first?" in weiwo("show", f"t@{moments[3][0]}")[1]
    assert json.loads(weiwo("show", f"t@{moments[4][0]}", "--json")[1])["next"] == ["writer"]
    code, out, err = weiwo("ask", "third?", "--from", moments[3][0], "--no-web")
    assert (code, out) == (0, "web=False seconds=None\n")
    assert weiwo("show", "t", "--history")[1].count("fork of") == 1


def test_debug_shows_where(weiwo, monkeypatch):
    monkeypatch.setenv("WEIWO_DEBUG", "1")
    code, _, err = weiwo("ask", "break?")
    assert code == 1
    assert "Traceback" in err


def test_the_last_thread_is_meant_where_none_is_named(weiwo):
    for command in (("show",), ("resume",), ("feedback", "--good"), ("ask", "-c", "more?")):
        assert "there is no thread yet" in weiwo(*command)[2]
    weiwo("ask", "first?", "--thread", "a")
    weiwo("ask", "second?", "--thread", "b")
    assert json.loads(weiwo("show", "--json")[1])["thread_id"] == "b"
    assert json.loads(weiwo("resume", "--json")[1])["thread_id"] == "b"
    assert json.loads(weiwo("ask", "-c", "third?", "--json")[1])["thread_id"] == "b"
    assert weiwo("ask", "-c", "fourth?", "--thread", "a")[0] == 2
    assert json.loads(weiwo("-c", "--json", "fourth?")[1])["thread_id"] == "b"


def test_threads_are_removed(weiwo):
    for name in ("a", "b", "c"):
        weiwo("ask", f"{name}?", "--thread", name)
    assert weiwo("threads", "remove", "a", "nobody")[0] == 2
    assert len(json.loads(weiwo("threads", "--json")[1])["threads"]) == 3
    assert json.loads(weiwo("threads", "remove", "a", "c", "--json")[1]) == {"removed": ["a", "c"]}
    assert [one["thread_id"] for one in json.loads(weiwo("threads", "--json")[1])["threads"]] == ["b"]
    assert weiwo("show", "a")[0] == 2


def test_threads_and_show(weiwo):
    weiwo("ask", "first?", "--thread", "a")
    weiwo("ask", "second, partial?", "--thread", "b")
    code, out, _ = weiwo("threads")
    assert code == 0
    assert [line.split("\t")[0::2] for line in out.splitlines()] == [["b", "partial"], ["a", "complete"]]
    _, out, _ = weiwo("threads", "--json", "-n", "1")
    assert [one["question"] for one in json.loads(out)["threads"]] == ["second, partial?"]
    code, out, _ = weiwo("show", "b")
    assert code == 0
    for part in ("second, partial?", "moderate · executor_inclusive · 0.50 by rule", "→ 156 BC", "0 model calls"):
        assert part in out
    assert weiwo("show", "a", "--mermaid")[1].startswith("flowchart TD\n")
    first, second, *_ = weiwo("show", "b", "--questions")[1].splitlines()
    assert first == "second, partial?"
    assert second.startswith("- ")
    assert second.endswith(" → 156 BC")


def test_no_threads_yet(weiwo):
    assert weiwo("threads") == (0, "", "there are no threads yet; start one with weiwo ask\n")
    assert json.loads(weiwo("threads", "--json")[1]) == {"threads": []}


@pytest.mark.processes
def test_search(weiwo, notes):  # noqa: ARG001 - what is searched
    _, out, _ = weiwo("search", "Emperor Wu born", "--json")
    assert json.loads(out)["results"][0]["title"] == "A"
    code, out, err = weiwo("search", "Emperor Wu born", "-n", "1")  # what is indexed already tells nothing
    assert (code, err) == (0, "")
    assert "156 BC" in out
    code, out, err = weiwo("search", "zzzz")
    assert (code, out, err) == (0, "", "no passage matches\n")


def test_a_corpus_without_text_is_refused(weiwo, tmp_path):
    (tmp_path / "empty").mkdir()
    code, out, err = weiwo("ask", "when?", "--corpus", "empty")
    assert (code, out) == (2, "")
    assert "contains no readable text" in err


@pytest.mark.processes
def test_files_left_out_are_told(weiwo, notes):
    (notes / "b.md").write_bytes(bytes(range(256)) * 8)
    _, _, err = weiwo("ask", "when?")
    assert "1 file was not indexed" in err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["ask"], "Missing argument 'QUESTION'; see weiwo ask --help"),
        (["ask", ""], "the question is empty"),
        (["ask", " \x00\u200b\x1b "], "the question is empty"),
        (["ask", "x" * 100_000], "100,000 characters, but at most 8,000"),
        (["ask", "q", "--model", "gpt-5"], "has no provider"),
        (["ask", "q", "--model", ":gpt-5"], "has no provider"),
        (["ask", "q", "--max-seconds", "0"], "--max-seconds"),
        (["ask", "q", "--max-seconds", "soon"], "--max-seconds"),
        (["ask", "q", "--depth", "far"], "--depth"),
        (["ask", "q", "--thread", "a b"], "thread id 'a b'"),
        (["ask", "q", "--thread", "x" * 129], "1 to 128"),
        (["ask", "q", "--plan", "p.json"], "name it with --from"),
        (["ask", "q", "--set", "a=1"], "name it with --from"),
        (["ask", "--from", "1f0e", "--set", "a"], "must have the form TASK=VALUE"),
        (["ask", "--from", "1f0e", "--plan", "nowhere.json"], "'nowhere.json' cannot be read"),
        (["ask", "--from", "xyz"], "ids have 4 or more hexadecimal characters"),
        (["ask", "--from", "1f0e"], "does not exist in the database"),
        (["ask", "--from", "t@1f0e", "--thread", "u"], "name different threads"),
        (["ask", "q", "--from", "1f0e", "--set", "a=1"], "use one of them"),
        (["resume", "t", "--approve", "--reject", "no"], "use one of them"),
        (["resume", "t", "--plan", "nowhere.json"], "cannot be read"),
        (["show", "nobody@1f0e"], "does not exist in the database"),
        (["show", "nobody", "--history"], "does not exist in the database"),
        (["show", "t", "--history", "--mermaid"], "use only THREAD and --json with it"),
        (["ask", "q", "--what"], "No such option: --what"),
        (["answer"], "No such command 'answer'"),
        (["resume", "nobody"], "thread 'nobody' does not exist in the database; weiwo threads lists"),
        (["show", "nobody"], "thread 'nobody' does not exist in the database"),
        (["show", "../x"], "thread id '../x'"),
        (["show", "x", "--json", "--mermaid"], "use one of them"),
        (["show", "x", "--questions", "--mermaid"], "use one of them"),
        (["search", ""], "the question is empty"),
        (["search", "q", "-n", "0"], "-n"),
        (["threads", "-n", "0"], "-n"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_wrong_usage_is_one_line_and_code_2(weiwo, args, says, as_json):
    code, out, err = weiwo(*args, *(["--json"] if as_json and args[:1] != ["answer"] and "--json" not in args else []))
    assert (code, out) == (2, "")
    assert says in err
    assert err.startswith("weiwo: ")
    assert err.count("\n") == 1
    assert len(err) < 400


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WEIWO_MAX_SECONDS", "soon"),
        ("WEIWO_MAX_MODEL_CALLS", "-1"),
        ("WEIWO_MODEL", "gpt-5"),
        ("WEIWO_WEB", "perhaps"),
        ("WEIWO_TELEMETRY", "perhaps"),
        ("WEIWO_CORPUS", "/nowhere"),
        ("WEIWO_LANGUAGE", "the best one"),
    ],
)
def test_malformed_settings_are_named(weiwo, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    code, out, err = weiwo("ask", "q")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert value in err
    assert name in err or name == "WEIWO_CORPUS"


def test_dotenv_of_the_working_directory_is_read_and_yields_to_the_environment(weiwo, monkeypatch, tmp_path):
    monkeypatch.setenv("WEIWO_TELEMETRY", "off")
    monkeypatch.setenv("WEIWO_MAX_SECONDS", "")
    monkeypatch.delenv("WEIWO_MAX_SECONDS")  # so that it is gone again after the test
    (tmp_path / ".env").write_text("WEIWO_MAX_SECONDS=soon\nWEIWO_TELEMETRY=perhaps\n")
    code, _, err = weiwo("ask", "q")
    assert code == 2
    assert "WEIWO_MAX_SECONDS" in err


def test_a_dotenv_that_cannot_be_read(weiwo, tmp_path):
    (tmp_path / ".env").write_bytes(b"A=\xff\n")
    code, out, err = weiwo("threads")
    assert (code, out) == (2, "")
    assert "not UTF-8 text" in err


def test_without_arguments_there_is_help(weiwo):
    code, out, err = weiwo()
    assert code == 2
    assert "doctor" in out
    assert err == ""


@pytest.mark.usefixtures("importable_parts")
def test_doctor_without_a_model(weiwo, monkeypatch):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")  # its JSON is in English all the same
    monkeypatch.setenv("WEIWO_MAX_SECOND", "5")
    monkeypatch.setenv("WEIWO_DATABASE_URL", "postgresql://me:s3cret@h/d")
    monkeypatch.setenv("TAVILY_API_KEY", "s3cret")
    code, out, _ = weiwo("doctor", "--json")
    report = json.loads(out)
    found = {check["name"]: check for check in report["checks"]}
    assert (code, report["ok"]) == (0, True)
    assert "s3cret" not in out
    assert found["models"]["verdict"] == "note"
    assert found["WEIWO_MAX_SECOND"]["verdict"] == "note"
    assert "the bundled sample: " in found["corpus"]["text"]
    assert "0 threads" in found["database"]["text"]
    assert found["tool corpus_search"]["verdict"] == "ok"


@pytest.mark.usefixtures("importable_parts")
def test_doctor_names_what_does_not_work(weiwo, monkeypatch):
    monkeypatch.setenv("WEIWO_WRITER_MODEL", "openai:m")
    monkeypatch.setenv("WEIWO_CORPUS", "/nowhere")
    code, out, _ = weiwo("doctor")
    assert code == 1
    problems = [line.split("\t")[1] for line in out.splitlines() if line.startswith("problem")]
    assert problems == ["endpoint of openai:m", "corpus"]
    monkeypatch.setenv("WEIWO_MAX_TOKENS", "many")
    code, out, _ = weiwo("doctor")
    assert code == 1
    assert "problem\tsettings\tWEIWO_MAX_TOKENS" in out
