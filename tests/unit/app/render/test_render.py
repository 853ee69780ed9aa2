"""What a reader sees: plans as trees, answers, lists; at any width, in both languages, whatever the text holds."""

import io
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from weiwo.app.cli.threads.show import _usage_lines
from weiwo.app.cli.threads.thread_list import _plain_threads, _print_threads
from weiwo.app.render.answer import foot, plain_answer, print_answer
from weiwo.app.render.live import LiveView
from weiwo.app.render.plan_tree import duration, plan_tree
from weiwo.app.render.progress import Progress
from weiwo.app.render.text_wrapping import Flow
from weiwo.app.render.watchers import Lines
from weiwo.graph.persistence.threads import ThreadInfo, info_of
from weiwo.state import Usage
from weiwo.state.limits import ModelCall

HOSTILE = "\x1b[31mred\x1b[0m \x1b]0;title\x07 [bold]x[/bold] :warning: \u202eevil\u202c \x9b2J\r\nnext"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

PLANNED = {
    "type": "planned",
    "decided_by": "rule",
    "plan": {
        "revision": 0,
        "vertices": [
            {
                "id": "task_1",
                "description": "汉武帝什么时候出生？",
                "tool_binding": "corpus_search",
                "args": {},
                "ret": "date",
            },
            {
                "id": "task_2",
                "description": "When was {{task_1.ret}} born?",
                "tool_binding": "corpus_search",
                "args": {},
            },
            {
                "id": "task_3",
                "description": "{{task_1.ret}} - {{task_2.ret}}",
                "tool_binding": "calculator",
                "args": {},
            },
            {
                "id": "task_4",
                "description": "How long is {{item}}?",
                "tool_binding": "corpus_search",
                "for_each": "{{task_2.ret}}",
            },
        ],
        "edges": [["task_1", "task_2"], ["task_1", "task_3"], ["task_2", "task_3"], ["task_2", "task_4"]],
    },
}


def finished(task_id, status="succeeded", **more):
    return {
        "type": "task_finished",
        "task_id": task_id,
        "status": status,
        "tool": "corpus_search",
        "seconds": 0.5,
        **more,
    }


def started(task_id, **more):
    return {"type": "task_started", "task_id": task_id, "turn": 1, "tool": "corpus_search", "args": {}, **more}


def shown(renderable, width=80):
    console = Console(
        file=io.StringIO(), width=width, force_terminal=False, color_system=None, markup=False, emoji=False
    )
    console.print(renderable)
    return console.file.getvalue()


def tree(progress, width=80, language="en", **more):
    return shown(plan_tree(progress, Text("Plan"), language, **more), width)


def played(*events):
    progress = Progress(clock=lambda: 100.0)
    for event in events:
        progress.apply(event)
    return progress


def test_a_task_stands_under_the_one_it_builds_on_and_names_several():
    lines = tree(played(PLANNED), width=120).splitlines()
    assert lines == [
        "Plan",
        "├── · 汉武帝什么时候出生？",
        "│   └── · When was ‹task_1› born?",
        "│       └── · How long is ‹item›?",
        "└── · ‹task_1› - ‹task_2› (from task_1, task_2)",
    ]


def test_outcomes_fill_in_and_flow_into_descriptions():
    text = tree(
        played(
            PLANNED,
            started("task_1"),
            finished("task_1", value="156 BC", attempts=1),
            finished("task_2", value="Liu Che", tool="web_search", attempts=3),
            finished("task_3", "failed", failure="it divides by zero", tool="calculator"),
            finished("task_4", "blocked", failure="task_4 needs task_2"),
        ),
        width=160,
    )
    assert "✓ 汉武帝什么时候出生？ → 156 BC · corpus_search · 0.5 s" in text
    assert "✓ When was 156 BC born? → Liu Che · web_search (instead of corpus_search) · 3 calls · 0.5 s" in text
    assert "✗ 156 BC - Liu Che (from task_1, task_2) — failed: it divides by zero · calculator · 0.5 s" in text
    assert "⊘ How long is ‹item›? — not run: a required result is missing" in text


def test_what_was_not_found_is_said_in_the_language_of_the_question():
    text = tree(played(PLANNED, finished("task_1", "empty", attempts=2)), width=120, language="zh")
    assert "○ 汉武帝什么时候出生？ — 未找到 · corpus_search · 2 次调用 · 0.5 s" in text


def test_instances_stand_below_their_task_and_settle_with_it():
    running = played(
        PLANNED,
        started("task_4[2]", args={"query": "second long"}),
        started("task_4[1]", args={"query": "first long"}),
        finished("task_4[1]", value="5"),
    )
    assert running.rows["task_4"].state == "running"
    assert "task_4[1]" not in running.rows
    text = tree(running, width=120)
    assert text.index("✓ first long → 5") < text.index("second long")
    running.apply(finished("task_4", value="5", note="no value for second"))
    text = tree(running, width=120)
    assert "• second long" in text
    assert "How long is ‹item›? → 5 · corpus_search · 0.5 s (no value for second)" in text


def test_what_a_chain_found_on_its_way_stands_below_it():
    running = played(
        PLANNED,
        started("task_1"),
        started("task_1.1", description="Who composed it?"),
        finished("task_1.1", value="Mara Lind"),
        started("task_1.2", description="Where was Mara Lind born?"),
        finished("task_1.2", value="Ostby"),
    )
    assert "task_1.1" not in running.rows
    assert running.rows["task_1"].state == "running"
    text = tree(running, width=120)
    assert text.index("Who composed it? → Mara Lind") < text.index("Where was Mara Lind born? → Ostby")


def test_many_instances_are_cut_those_at_work_kept():
    events = [finished(f"task_4[{n}]", value=str(n)) for n in range(1, 31)]
    progress = played(PLANNED, *[started(f"task_4[{n}]") for n in range(1, 31)], *events, started("task_4[30]"))
    progress.rows["task_4"].instances[30].description = "the last"
    text = tree(progress, width=120)
    assert "the last" in text
    assert "… 18 more" in text


def test_a_new_revision_keeps_what_is_known_and_drops_what_is_gone():
    progress = played(PLANNED, finished("task_1", value="156 BC"), finished("task_2", "empty"))
    vertices = [
        PLANNED["plan"]["vertices"][0],
        {"id": "task_2", "description": "Another way", "tool_binding": "web_search"},
    ]
    progress.apply({"type": "planned", "plan": {"revision": 1, "vertices": vertices, "edges": []}})
    progress.apply({"type": "reflected", "decision": "replan", "reason": "nothing found"})
    text = tree(progress)
    assert "→ 156 BC" in text
    assert "· Another way" in text
    assert "task_3" not in text
    assert "↻ replan: nothing found" in text


def test_a_retry_starts_over():
    progress = played(PLANNED, finished("task_1", "failed", failure="timeout"), started("task_1"))
    assert progress.rows["task_1"].state == "running"
    assert "timeout" not in tree(progress)


def test_brief_shows_what_is_at_work_and_counts_the_rest():
    text = tree(played(PLANNED, finished("task_1", value="x"), started("task_2")), brief=True)
    assert "… 3 more" in text
    assert "When was" in text
    assert "汉武帝" not in text


def test_events_of_another_version_do_no_harm():
    progress = played({}, {"type": "unheard_of"}, {"type": "task_finished", "task_id": "x"}, {"type": "planned"})
    assert tree(progress).startswith("Plan")


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_screen_and_nothing_hostile_gets_through(width):
    plan = {"vertices": [{"id": "t", "description": HOSTILE * 3, "tool_binding": HOSTILE}], "edges": []}
    progress = played(
        PLANNED,
        finished("task_1", value="公元前一百五十六年" * 9),
        {"type": "planned", "plan": plan},
        started("t", tool=HOSTILE),
        finished("t", "failed", failure=HOSTILE, note=HOSTILE, tool=HOSTILE),
        {"type": "reflected", "decision": "retry", "reason": HOSTILE},
    )
    result = {
        "answer": HOSTILE + "\n\n" + "汉武帝比凯撒年长五十六岁。" * 9,
        "language": "zh",
        "citations": [{"n": 1, "source": HOSTILE, "title": HOSTILE, "quote": HOSTILE}],
        "thread_id": HOSTILE,
        "status": "partial",
        "stop_reason": HOSTILE,
    }
    console = Console(
        file=io.StringIO(), width=width, force_terminal=True, color_system=None, markup=False, emoji=False
    )
    print_answer(console, result)
    thread = ThreadInfo("t", datetime.now(UTC), HOSTILE, "partial")
    _print_threads(console, [thread])
    written = tree(progress, width) + re.sub("\x1b\\[[0-9;]*m", "", console.file.getvalue())
    assert not CONTROL.search(written)
    assert not CONTROL.search(plain_answer(result) + _plain_threads([thread]).replace("\t", "") + foot(result))
    assert max(cell_len(line) for line in written.splitlines()) <= width
    assert "[bold]x[/bold] :warning:" in written.replace("\n", " ") or width == 40


def test_lines_for_a_pipe_hold_no_control_codes():
    stream = io.StringIO()
    watcher = Lines(stream)
    for event in (PLANNED, started("task_1"), finished("task_1", value=HOSTILE)):
        watcher.event(event)
    lines = stream.getvalue().splitlines()
    assert lines[4] == "> 汉武帝什么时候出生？ · corpus_search"
    assert lines[5].startswith("✓ 汉武帝什么时候出生？ → [31mred[0m")
    assert not CONTROL.search(stream.getvalue())


def test_lines_tell_each_thought_behind_a_plan_once():
    stream = io.StringIO()
    watcher = Lines(stream)
    first = {
        "id": "task_1",
        "description": "Who?",
        "tool_binding": "corpus_search",
        "args": {},
        "thought": "the first part",
    }
    told = {"type": "planned", "decided_by": "model", "plan": {"thought": HOSTILE, "vertices": [first], "edges": []}}
    watcher.event(told)
    watcher.event(told)
    thoughts = [line for line in stream.getvalue().splitlines() if line.startswith("? ")]
    assert thoughts[1:] == ["? task_1: the first part"]
    assert thoughts[0].startswith("? plan: ")
    assert not CONTROL.search(stream.getvalue())


def test_chinese_breaks_between_characters_and_not_before_a_full_stop():
    flow = Flow(Text("ab 汉武帝生于公元前一百五十六年。[1]凯撒“生于”（公元前）一百年"))
    lines = [line.plain for line in flow.lines(12)]
    assert lines[0] == "ab 汉武帝生"
    assert "".join(lines).replace(" ", "") == flow.text.plain.replace(" ", "")
    assert not [line for line in lines if line[0] in "。[）”" or line[-1] in "（“"]


def test_a_word_longer_than_the_line_is_cut_and_an_apostrophe_is_no_place_to_break():
    assert [line.plain for line in Flow(Text("https://example.org/path")).lines(10)] == [
        "https://ex",
        "ample.org/",
        "path",
    ]
    assert [line.plain for line in Flow(Text("we can’t go")).lines(7)] == ["we", "can’t", "go"]


@given(st.text(alphabet="ab 汉字。，（“”) \n’…0", max_size=60), st.integers(4, 30), st.integers(0, 2))
def test_wrapping_loses_nothing_but_blanks(text, width, indent):
    lines = Flow(Text(text), indent=indent).lines(width)
    assert "".join(line.plain for line in lines).replace(" ", "") == text.replace(" ", "").replace("\n", "")
    assert all(cell_len(line.plain) <= width for line in lines)


def test_answer_and_sources_on_a_pipe():
    result = {
        "answer": "He was born in 156 BC.[1]",
        "language": "en",
        "citations": [{"n": 1, "source": "a.md", "title": "A", "quote": "born in 156 BC", "evidence_id": "e"}],
    }
    assert plain_answer(result) == "He was born in 156 BC.[1]\n\nSources\n[1] A · a.md\n    “born in 156 BC”\n"
    assert plain_answer({"answer": "hi", "citations": []}) == "hi\n"


def test_the_foot_tells_status_effort_and_thread():
    result = {
        "status": "partial",
        "stop_reason": "not_found",
        "level": "complex",
        "team": "planner_enhanced",
        "usage": {"model_calls": 1, "seconds": 75},
        "thread_id": "t-1",
    }
    assert foot(result, "rule") == (
        "partial: part of the question was not found · a plan of several searches · 1 model call"
        " · 1 min 15 s · thread t-1"
    )
    assert foot({**result, "language": "zh"}, "rule") == (
        "不完整：部分所问内容未找到 · 按计划多次查找 · 模型调用 1 次 · 1 min 15 s · thread t-1"
    )
    spent = {**result, "usage": {**result["usage"], "cost": 0.0123}}
    assert foot(spent, "rule", verbose=True) == (
        "partial: part of the question was not found · a plan of several searches · complex · planner_enhanced · by rule"
        " · 1 model call · $0.0123 · 1 min 15 s · thread t-1"
    )


def test_usage_is_told_by_role():
    call = ModelCall(role="master", purpose="assess", model="openai:m", mode="json_schema", input_tokens=9, seconds=1)
    lines = _usage_lines(
        Usage(tool_calls=1, input_tokens=18, calls=(call, call.model_copy(update={"error": "timeout"})))
    )
    assert lines == [
        "master: openai:m · 2 × assess by json_schema · 1 failed · 18 + 0 tokens · 2.0 s",
        "1 tool call · 18 + 0 tokens",
    ]


def test_calls_side_by_side_are_told_so():
    call = ModelCall(role="executor", purpose="read", model="openai:m", mode="json_schema", seconds=4, ended=104)
    calls = (call, call.model_copy(update={"ended": 105}), call.model_copy(update={"ended": 200, "seconds": 1}))
    assert _usage_lines(Usage(calls=calls))[0].endswith(" · 6.0 s in parallel, 9.0 s in sequence")
    apart = (call, call.model_copy(update={"ended": 300}))
    assert _usage_lines(Usage(calls=apart))[0].endswith(" · 8.0 s")


def test_a_thread_is_named_by_the_question_it_began_with():
    said = [HumanMessage("How tall is K2?"), AIMessage("8,611 m"), HumanMessage("Thanks!"), AIMessage("Welcome.")]
    done = {"messages": said, "question": "Thanks!", "result": {"question": "Thanks!", "status": "complete"}}
    info = info_of("t", "1f0c7a5e-0000-6000-8000-000000000000", done)
    assert (info.name, info.question) == ("How tall is K2?", "Thanks!")
    assert _plain_threads([info]).endswith("\tHow tall is K2?\n")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.004, "0.00 s"), (3.21, "3.2 s"), (60, "1 min 0 s"), (125.6, "2 min 6 s")]
)
def test_duration(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize("width", [40, 80])
def test_a_list_of_threads_fits_the_screen(width):
    threads = [ThreadInfo("20261120-194501-k3f9", datetime.now(UTC), "汉武帝和凯撒谁年长？" * 8, "interrupted")]
    console = Console(file=io.StringIO(), width=width, force_terminal=False, color_system=None)
    _print_threads(console, threads)
    lines = console.file.getvalue().splitlines()
    assert all(cell_len(line) <= width for line in lines)
    assert "汉武帝" in console.file.getvalue()
    assert _plain_threads(threads).split("\t")[3] == "汉武帝和凯撒谁年长？" * 8 + "\n"


def test_what_is_wrong_with_tools_is_a_remark_and_no_task():
    progress = played({"type": "task_progress", "task_id": "tools", "note": "MCP server gone is down"}, PLANNED)
    assert "MCP server gone is down" in tree(progress)
    assert "tools" not in progress.rows


def test_the_phase_follows_from_the_events():
    progress = Progress(clock=lambda: 0.0)
    phases = [progress.phase]
    events = [
        {"type": "assessed", "level": "complex"},
        PLANNED,
        *(finished(f"task_{n}") for n in range(1, 5)),
        {"type": "reflected", "decision": "deepen", "reason": "more"},
        {"type": "answer_started"},
    ]
    for event in events:
        progress.apply(event)
        if progress.phase != phases[-1]:
            phases.append(progress.phase)
    assert phases == ["thinking", "planning", "working", "reviewing", "extending", "writing"]


def test_model_calls_and_their_tokens_are_counted_as_they_end():
    progress = Progress()
    for _ in range(2):
        progress.apply({"type": "model_called", "role": "master", "input_tokens": 900, "output_tokens": 100})
    assert (progress.calls, progress.tokens) == (2, 2_000)


@pytest.mark.parametrize(("language", "told"), [("en", "about 41 s per call"), ("zh", "每次调用约 41 秒")])
def test_slow_calls_are_told_to_who_watches(language, told):
    for seconds in (41.2, 3.0):
        live = LiveView(Console(file=io.StringIO(), width=120), "?", language)
        live.progress.apply({"type": "model_called", "input_tokens": 900, "output_tokens": 9, "seconds": seconds})
        assert (told in live._foot().plain) == (seconds > 10)


def test_a_report_is_shown_section_by_section_until_it_is_streamed():
    progress = Progress()
    progress.apply({"type": "outlined", "title": "T", "sections": ["One", "Two"]})
    assert progress.preview == ""
    progress.apply({"type": "section_finished", "number": 1, "title": "One", "text": "First."})
    assert progress.preview == "## One\n\nFirst."
    progress.answer = "# T"
    assert progress.preview == "# T"


def test_lines_tell_each_section_of_a_report():
    stream = io.StringIO()
    lines = Lines(stream, "zh")
    lines.event({"type": "outlined", "sections": ["存储", "许可"]})
    lines.event({"type": "section_finished", "number": 1, "title": "存储\x1b[1m", "text": "正文"})
    assert stream.getvalue() == "§ 1/2 节 · 存储[1m\n"
