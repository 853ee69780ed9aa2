"""End of a run: asks about waiting requests until a result is reached and can be printed and saved."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from weiwo.app.cli.errors import StoppedError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import can_ask, hint, is_terminal
from weiwo.app.cli.questions import approval, requests
from weiwo.app.cli.questions.delivery import (
    Delivery,
    make_watcher,
    owed_files,
    print_result,
    remember_files,
    tell_files,
    write_files,
)
from weiwo.app.cli.questions.spending import record_spending
from weiwo.app.cli.session import open_session
from weiwo.app.render.watchers import Watcher
from weiwo.app.session.session import RunEnd
from weiwo.app.session.thread import read_thread
from weiwo.state.settings import Settings
from weiwo.tools.template import read_template

_KINDS: Final = {
    requests.ALLOW_TOOL: requests.CONSENT,
    requests.CLARIFY: requests.CLARIFICATION,
}


def kind_of(ended: RunEnd) -> requests.RequestKind:
    """Return the kind of request that a run waits with. A request of unknown or no `type` is about the plan."""
    return _KINDS.get(str(ended.request.get("type")), approval.APPROVAL)


def on_at_terminal(variable: str, *, wanted: bool | str | None, as_json: bool) -> bool | str | None:
    """Return the value of an option that is on by default at a terminal where a person can be asked.

    An explicit value wins. None leaves the option to its environment variable, or to its usual default.
    """
    if wanted is not None or os.environ.get(variable):
        return wanted
    return True if can_ask() and not as_json else None


def resume_run(thread_id: str, answer: Any, delivery: Delivery, shown: str = "") -> tuple[RunEnd, Watcher]:
    """Run the rest of a thread, and return the end of the run and its watcher.

    Args:
        thread_id: The thread.
        answer: The reply to the waiting request: "approve", `{"plan": …}`, `{"reject": words}` or `{"reply": words}`.
        delivery: How the run is reported.
        shown: The hash of the request that the person saw, or its beginning. A different request is then not answered.
            If empty, the reply is to any waiting request.

    Raises:
        StoppedError: The user stopped the run.
    """
    from weiwo.app.session.runs import resume

    async def work() -> tuple[RunEnd, Watcher]:
        async with open_session() as session:
            thread = await read_thread(session, thread_id)
            watcher = make_watcher(thread.question, delivery)
            return await resume(session, thread_id, watcher, answer, shown=shown), watcher

    return run_to_end(work(), lambda code: StoppedError(thread_id, code))


def conclude(ended: RunEnd, watcher: Watcher, settings: Settings, delivery: Delivery) -> int:
    """Print a result and write its files. If the run waits, ask the person at the terminal and run on.

    The database is closed while the person thinks. They may also decide later with `weiwo resume`.

    Args:
        ended: How the run ended.
        watcher: The watcher of the run.
        settings: Its settings.
        delivery: Where the result goes. Without files, the result goes to the files requested at the start of the run.

    Returns:
        The exit code.
    """
    delivery = replace(delivery, files=delivery.files or tuple(owed_files(ended.thread_id)))
    if delivery.files:
        remember_files(ended.thread_id, delivery.files)
    while ended.request:
        kind, asked = kind_of(ended), ended
        if delivery.as_json or not can_ask():
            if delivery.files:
                hint(f"these files are written when the thread is resumed: {', '.join(map(str, delivery.files))}")
            if delivery.as_json:
                delivery.write_object("waiting", kind.as_json(ended))
            drawn = delivery.as_json or (kind is approval.APPROVAL and is_terminal() and not delivery.verbose)
            return kind.tell(ended, watcher.progress, drawn=drawn)
        if kind is not approval.APPROVAL or delivery.verbose:  # the live view leaves the plan on the screen
            kind.draw(ended, watcher.progress)
        answer = kind.ask_person(ended, watcher.progress)
        if answer is None:
            approval.tell_draft(ended)
            return kind.leave(ended)
        ended, watcher = resume_run(ended.thread_id, answer, delivery, asked.hash)
        if isinstance(answer, Mapping) and "plan" in answer and not ended.complaints:
            approval.draft_of(asked).unlink(missing_ok=True)
    template = read_template(settings.template, settings.limits.max_tasks) if settings.template else None
    result, complaints = write_files({**ended.result, "thread_id": ended.thread_id}, delivery.files, template)
    if not complaints:
        remember_files(ended.thread_id, ())
    if ended.ran:
        record_spending(result, settings)
    code = print_result(result, watcher, settings, delivery)
    return tell_files(result, complaints, as_json=delivery.as_json) or code
