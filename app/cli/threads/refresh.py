"""`weiwo refresh`: answers looked up again where what they rest on has changed."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from weiwo.app.cli.errors import COMPLETE, PARTIAL, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.options import Json, checked_thread_id
from weiwo.app.cli.output import hint, write, write_json
from weiwo.app.cli.session import open_session
from weiwo.app.cli.text_parameters import TextCommand
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


@app.command(cls=TextCommand)
def refresh(
    threads: Annotated[list[str] | None, typer.Argument(metavar="[THREAD]...", help="As the list has them.")] = None,
    *,
    all_threads: Annotated[bool, typer.Option("--all", help="Every thread of yours.")] = False,
    json: Json = False,
) -> None:
    """Look answers up again where their sources changed (for cron)."""
    if bool(threads) == all_threads:
        raise UsageError("THREAD or --all; name threads, or take all of them")
    done = run_to_end(refresh_threads([checked_thread_id(one) for one in threads or ()]))
    if json:
        write_json({"threads": done})
    else:
        for one in done:
            print_refreshed(one)
    if not all_threads and (failed := next((one["error"] for one in done if "error" in one), "")):
        raise AppError(failed)
    raise typer.Exit(PARTIAL if any(one["changes"] for one in done) else COMPLETE)


async def refresh_threads(names: Sequence[str]) -> list[dict[str, Any]]:
    """Refresh threads one after another, all of them where none is named; of one that cannot be, `error` tells why."""
    done: list[dict[str, Any]] = []
    async with open_session() as session:
        for name in names or [one.thread_id for one in await list_threads(session.saver, _MOST)]:
            try:
                done.append(await refresh_thread(session, name))
            except WeiwoError as error:
                done.append({"thread_id": name, "question": "", "again": [], "changes": [], "error": str(error)})
    return done


def print_refreshed(one: Mapping[str, Any]) -> None:
    """A line for each value that changed; one for a thread without any."""
    words = _WORDS[detect_language(one["question"])]
    name = f"{one['thread_id']} · {one_line(one['question'], 80)}"
    if "error" in one:
        hint(one["error"])
        return
    if one["changes"]:
        write(f"{name}\n")
    for change in one["changes"]:
        old, new = (one_line(change[key], 200) or words["no_value"] for key in ("old", "new"))
        told = {"question": one_line(change["question"], 120), "old": old, "new": new, "source": change["source"]}
        write(f"  {words['changed'].format(**told)}\n")
    if not one["changes"]:
        write(f"{name}: {words['unanswered' if one['status'] == 'unanswered' else 'nothing']}\n")
