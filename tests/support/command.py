"""The `weiwo` command in a process of its own, without the seconds that each start would spend on imports.

A server process has imported the program, and nothing has run in it; each command is forked from there (the forkserver
of `multiprocessing`), and so is a function of `tests.support` that many processes are to run at once. What a start
itself is tested for (signals, terminals, encodings, pipes) takes a process of the usual kind.
"""

import atexit
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Final

from weiwo.app.cli.main import main

FORKS: Final = multiprocessing.get_context("forkserver")
"""The one server of this process: `multiprocessing` has no other, whoever asks for it."""
FORKS.set_forkserver_preload(["tests.support.warm", "tests.torture.child"])
_ROOT: Final = Path(__file__).parents[2]
_STREAMS: Final = ("stdout", "stderr")

Ended = tuple[int | None, str, str]
"""Exit code, standard output, standard error. A negative code is the signal that ended it; None: it did not end."""


def run_command(*arguments: str, cwd: Path, env: Mapping[str, str], seconds: float = 240) -> Ended:
    """Run a command to its end, nothing to read on standard input.

    Args:
        arguments: What is typed after `weiwo`.
        cwd: Where it runs.
        env: Its whole environment; `PYTHONPATH` counts.
        seconds: How long it may take.
    """
    (ended,) = run_together([partial(command, *arguments)], cwd=cwd, env=env, seconds=seconds)
    return ended


def run_together(
    calls: Sequence[Callable[[], object]], *, cwd: Path, env: Mapping[str, str], seconds: float = 240
) -> list[Ended]:
    """Run functions that can be imported, such as `partial(command, "corpora")`, each in a process, all at once.

    Args:
        calls: What to run; as many processes.
        cwd: Where they run.
        env: The whole environment of each; `PYTHONPATH` counts.
        seconds: How long they may take together.
    """
    with tempfile.TemporaryDirectory(prefix="weiwo-command-") as name:
        folders = [Path(name) / str(number) for number, _ in enumerate(calls)]
        processes = []
        for call, folder in zip(calls, folders, strict=True):
            folder.mkdir()
            processes.append(FORKS.Process(target=_run, args=(call, str(cwd), dict(env), str(folder))))
            processes[-1].start()
        until = time.monotonic() + seconds
        codes = [_code(process, until) for process in processes]
        return [(code, *_said(folder)) for code, folder in zip(codes, folders, strict=True)]


def search_path(*folders: Path) -> str:
    """A `PYTHONPATH` for a process of its own: that of this one, these tests and some folders."""
    inherited = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    return os.pathsep.join([*inherited, str(_ROOT), *map(str, folders)])


def command(*arguments: str) -> None:
    """The command itself, in a process that is its own."""
    sys.argv = ["weiwo", *arguments]
    main()


def _code(process: ForkServerProcess, until: float) -> int | None:
    process.join(max(0.0, until - time.monotonic()))
    code = process.exitcode
    if code is None:
        process.kill()
        process.join()
    return code


def _said(folder: Path) -> tuple[str, str]:
    out, err = ((folder / name).read_text("utf-8") if (folder / name).exists() else "" for name in _STREAMS)
    return out, err


def _run(call: Callable[[], object], cwd: str, env: dict[str, str], folder: str) -> None:
    os.environ.clear()
    os.environ.update(env)
    sys.path[:0] = filter(None, env.get("PYTHONPATH", "").split(os.pathsep))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in enumerate(_STREAMS, 1):
        os.dup2(os.open(Path(folder) / name, os.O_CREAT | os.O_WRONLY), number)
        setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", closefd=False))
    os.chdir(cwd)
    os.umask(0o022)  # as most shells have it, whoever runs the tests
    try:
        call()
    finally:
        atexit._run_exitfuncs()  # a forked process ends without
