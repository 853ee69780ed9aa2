"""`weiwo refresh`: repeats the search for answers with changed sources."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from weiwo.app.cli.errors import COMPLETE, PARTIAL, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.options import Json, checked_thread_id
from weiwo.app.cli.output import hint, write, write_json
from weiwo.app.cli.session import open_session
from weiwo.app.errors import AppError
from weiwo.app.session.refresh import refresh_thread
from weiwo.graph.persistence.threads import list_threads
from weiwo.state.errors import WeiwoError
from weiwo.text.language_detection import detect_language
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line

app = typer.Typer()

_MOST: Final = 10_000
_WORDS: Final = localized_section("cli.refresh")


@app.command(cls=PanelCommand)
def refresh(
    threads: Annotated[list[str] | None, typer.Argument(metavar="[THREAD]...", help="As shown in the list.")] = None,
    *,
    all_threads: Annotated[bool, typer.Option("--all", help="All of your threads.")] = False,
    json: Json = False,
) -> None:
    """Refresh answers after changes in the sources (for cron)."""
    if bool(threads) == all_threads:
        raise UsageError("either THREAD or --all is required, and not both")
    done = run_to_end(refresh_threads([checked_thread_id(thread) for thread in threads or ()]))
    if json:
        write_json({"threads": done})
    else:
        for item in done:
            print_refreshed(item)
    if not all_threads and (failed := next((entry["error"] for entry in done if "error" in entry), "")):
        raise AppError(failed)
    raise typer.Exit(PARTIAL if any(entry["changes"] for entry in done) else COMPLETE)


async def refresh_threads(names: Sequence[str]) -> list[dict[str, Any]]:
    """Refresh threads one after another, by default all threads, and return their results.

    A thread that cannot be refreshed does not stop the others. Its `error` gives the reason.
    """
    done: list[dict[str, Any]] = []
    async with open_session() as session:
        for name in names or [thread.thread_id for thread in await list_threads(session.saver, _MOST)]:
            try:
                done.append(await refresh_thread(session, name))
            except WeiwoError as error:
                done.append({"thread_id": name, "question": "", "again": [], "changes": [], "error": str(error)})
    return done


def print_refreshed(item: Mapping[str, Any]) -> None:
    """Print a line for each changed value, or a single line for an unchanged thread."""
    words = _WORDS[detect_language(item["question"])]
    name = f"{item['thread_id']} · {one_line(item['question'], 80)}"
    if "error" in item:
        hint(item["error"])
        return
    if item["changes"]:
        write(f"{name}\n")
    for change in item["changes"]:
        old, new = (one_line(change[key], 200) or words["no_value"] for key in ("old", "new"))
        told = {"question": one_line(change["question"], 120), "old": old, "new": new, "source": change["source"]}
        write(f"  {words['changed'].format(**told)}\n")
    if not item["changes"]:
        write(f"{name}: {words['unanswered' if item['status'] == 'unanswered' else 'nothing']}\n")
