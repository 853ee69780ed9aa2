"""A command's coroutine and the signals that come while it runs, and while its loop is being closed."""

import asyncio
import os
import signal
import sys
from asyncio.selector_events import BaseSelectorEventLoop
from collections.abc import Iterator
from types import FrameType

import pytest

from weiwo.app.cli import event_loop
from weiwo.app.cli.event_loop import InterruptedRunError, run


@pytest.fixture(autouse=True)
def handlers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(event_loop, "PATIENCE_SECONDS", 86_400)  # these tests outlive the stop
    before = {sent: signal.getsignal(sent) for sent in (signal.SIGINT, signal.SIGTERM)}
    yield
    for sent, handler in before.items():
        signal.signal(sent, handler)


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_work_and_says_which(sent: signal.Signals, code: int) -> None:
    async def work() -> None:
        os.kill(os.getpid(), sent)
        await asyncio.Event().wait()

    with pytest.raises(InterruptedRunError) as caught:
        run(work())
    assert caught.value.code == code


def test_the_first_signal_counts_and_those_while_the_loop_is_closed_are_silent(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    close = BaseSelectorEventLoop._close_self_pipe  # type: ignore[attr-defined]
    closed = []

    def and_impatient(loop: BaseSelectorEventLoop) -> None:
        close(loop)
        closed.append(loop)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(BaseSelectorEventLoop, "_close_self_pipe", and_impatient)

    async def work() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.Event().wait()

    with pytest.raises(InterruptedRunError) as caught:
        run(work())
    monkeypatch.undo()
    assert (caught.value.code, len(closed)) == (143, 1)
    assert capfd.readouterr().err == ""


def test_a_second_signal_in_the_middle_of_the_first_ones_handler_does_not_keep_it_from_ending_the_work() -> None:
    came = []

    def and_again(frame: FrameType, event: str, _: object) -> None:
        if frame.f_code.co_name == "note_signal" and event == "c_return" and not came:  # its first line is done
            came.append(event)
            signal.raise_signal(signal.SIGINT)

    async def work() -> None:
        sys.setprofile(and_again)
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(asyncio.Event().wait(), 60)

    try:
        with pytest.raises(InterruptedRunError) as caught:
            run(work())
    finally:
        sys.setprofile(None)
    assert (caught.value.code, len(came)) == (143, 1)


def test_work_that_ends_leaves_the_handlers_as_they_were() -> None:
    async def work() -> str:
        return "done"

    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    assert run(work()) == "done"
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
