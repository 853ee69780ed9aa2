"""`weiwo watch`: standing questions, kept, listed, asked when they are due, and removed."""

from datetime import UTC, datetime
from typing import Any, Final

from rich.text import Text

from weiwo.app.cli.errors import FAILED, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.memory.access import forget, print_entries, tell, with_memory
from weiwo.app.cli.memory.words import word
from weiwo.app.cli.output import hint, is_terminal, page, say, write_json
from weiwo.app.cli.session import open_session
from weiwo.app.render.text_wrapping import Flow
from weiwo.app.session.runs import options_of
from weiwo.app.session.watch_runs import changes_as_json, run_due_watches, watch_as_json
from weiwo.nodes.memory import watches
from weiwo.state.settings import Context
from weiwo.text.language import detect_language
from weiwo.tools.printable import one_line

_WORDS: Final = {
    "en": {
        "kept": "kept as {}, every {}; weiwo serve asks it when it is due, and so does weiwo watch run (cron)",
        "every": "every {}",
        "next": "next {}",
        "now": "now",
        "paused": "paused",
        "nothing": "nothing found yet",
    },
    "zh": {
        "kept": "已保留为 {}，每 {}一次；到期时由 weiwo serve 或 weiwo watch run（cron）提问",
        "every": "每 {}一次",
        "next": "下次 {}",
        "now": "现在",
        "paused": "已暂停",
        "nothing": "尚未找到",
    },
}
_UNITS: Final = {"w": "周", "d": "天", "h": "小时", "m": "分钟"}


def add_command(question: str, every: str, context: Context, *, as_json: bool) -> None:
    """Keep a question.

    Raises:
        UsageError: The interval is none.
    """
    try:
        watch = watches.Watch(question=question, every=watches.parse_interval(every), options=options_of(context))
        kept = with_memory(lambda memory: watches.add_watch(memory, watch))
    except watches.WatchError as error:
        raise UsageError(str(error)) from None
    words = _WORDS[detect_language(question)]
    done = words["kept"].format(kept.key, _interval(kept))
    tell(watch_as_json(kept), done, as_json=as_json)


def list_command(*, as_json: bool) -> None:
    """List the standing questions."""
    found = with_memory(watches.list_watches)
    if as_json:
        write_json({"watches": [watch_as_json(one) for one in found]})
        return
    print_entries([(one.key, one.question, _describe(one)) for one in found], word("no_watches"), indent=10)


def remove_command(key: str, *, as_json: bool) -> None:
    """Remove one.

    Raises:
        UsageError: There is none of that key.
    """
    (gone,) = forget("watches", key, "weiwo watch list")
    tell({"removed": gone}, word("removed", gone), as_json=as_json)


def run_command(*, everything: bool, as_json: bool) -> int:
    """Ask what is due and tell what changed; returns the exit code: 1 if nothing could be asked.

    Raises:
        CommandError: The memory cannot be used.
    """

    async def work() -> list[watches.WatchRun]:
        async with open_session() as session:
            return await run_due_watches(session, everything=everything)

    runs = run_to_end(work())
    if as_json:
        write_json({"runs": [_run_as_json(one) for one in runs]})
    else:
        _print(runs)
        if is_terminal() and not any(one.changes or one.problem for one in runs):  # cron is told of changes alone
            hint(word("unchanged", len(runs)) if runs else word("none_due"))
    return FAILED if runs and all(one.problem and not one.changes for one in runs) else 0


def _print(runs: list[watches.WatchRun]) -> None:
    console = page()
    for one in runs:
        if one.changes:
            console.print(Flow(Text(one_line(one.watch.question, 300), "bold")))
        for change in one.changes:
            told = watches.describe_change(change, one.watch.question)
            console.print(Flow(Text(f"  {one_line(told, 1_500)}"), indent=4))
        if one.problem:
            say(f"{one.watch.question}: {one.problem}")


def _describe(watch: watches.Watch) -> str:
    """How often, when next, and what changed last, or else what is known."""
    words = _WORDS[detect_language(watch.question)]
    due = _moment(watch.last + watch.every) if watch.last else words["now"]
    when = words["paused"] if watch.paused else words["next"].format(due)
    parts = [words["every"].format(_interval(watch)), when]
    changes = [one for one in watch.changes if one.old]  # the first time is no change
    if changes:
        told = "; ".join(watches.describe_change(one, watch.question) for one in changes)
        parts.append(f"{_moment(watch.changed)}: {told}")
    elif watch.last:
        parts.append("; ".join(one.value for one in watch.values.values()) or words["nothing"])
    parts += [watch.problem] if watch.problem else []
    return one_line(" · ".join(parts), 1_000)


def _interval(watch: watches.Watch) -> str:
    written = watches.format_interval(watch.every)
    return f"{written[:-1]} {_UNITS[written[-1]]}" if detect_language(watch.question) == "zh" else written


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _run_as_json(one: watches.WatchRun) -> dict[str, Any]:
    changes = changes_as_json(one.changes)
    return {"key": one.watch.key, "question": one.watch.question, "changes": changes, "problem": one.problem}
