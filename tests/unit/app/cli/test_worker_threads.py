"""The pool that nobody waits for does what a pool does."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from weiwo.app.cli.event_loop import _DaemonPool

ROOT = Path(__file__).parents[4]


def test_results_and_errors_come_back() -> None:
    pool = _DaemonPool(2)
    assert [future.result(120) for future in [pool.submit(pow, 2, n) for n in range(50)]] == [2**n for n in range(50)]
    with pytest.raises(ZeroDivisionError):
        pool.submit(lambda: 1 / 0).result(120)
    assert pool.submit(threading.current_thread).result(120).daemon


def test_no_more_threads_than_it_has_and_none_more_than_it_needs() -> None:
    pool, gate, inside = _DaemonPool(3), threading.Event(), threading.Semaphore(0)

    def wait() -> str:
        inside.release()
        gate.wait(120)
        return threading.current_thread().name

    futures = [pool.submit(wait) for _ in range(9)]
    assert all(inside.acquire(timeout=120) for _ in range(3))
    assert not inside.acquire(timeout=0.1)
    gate.set()
    assert len({future.result(120) for future in futures}) == 3
    one = _DaemonPool(3)
    names = {one.submit(lambda: threading.current_thread().name).result(120) for _ in range(3)}
    assert len(names) <= 2  # a thread may not have said that it is free when the next job comes


def test_a_thread_that_is_free_takes_the_next_job_however_many_came_before() -> None:
    pool, gate = _DaemonPool(8), threading.Event()
    for _ in range(200):  # the second job of a pair may be taken by whoever did the first
        for future in [pool.submit(str, 1), pool.submit(str, 2)]:
            future.result(120)
    stuck = [pool.submit(gate.wait, 120) for _ in range(7)]
    assert pool.submit(str, 3).result(120) == "3"  # what hangs keeps no job from a thread
    gate.set()
    assert all(one.result(120) for one in stuck)


def test_what_was_cancelled_before_it_began_is_left_out() -> None:
    pool, gate = _DaemonPool(1), threading.Event()
    first = pool.submit(gate.wait, 120)
    second = pool.submit(pytest.fail)
    assert second.cancel()
    gate.set()
    assert first.result(120)
    assert pool.submit(str, 1).result(120) == "1"


@pytest.mark.processes
def test_a_program_does_not_wait_for_a_thread_that_hangs() -> None:
    code = (
        "import asyncio, time\n"
        "from weiwo.app.cli.event_loop import _DaemonPool\n"
        "async def main():\n"
        "    asyncio.get_running_loop().set_default_executor(_DaemonPool())\n"
        "    try:\n"
        "        await asyncio.wait_for(asyncio.to_thread(time.sleep, 10_000), 0.2)\n"
        "    except TimeoutError:\n"
        "        print('over')\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("over\n", "")


async def test_an_event_loop_takes_it() -> None:
    asyncio.get_running_loop().set_default_executor(_DaemonPool())
    assert await asyncio.to_thread(pow, 2, 5) == 32
