"""The `weiwo` command in a process of its own, without the seconds that each start would spend on imports.

A server process has imported the program, and nothing has run in it; each command is forked from there (the forkserver
of `multiprocessing`), and so is a function of `tests.support` that many processes are to run at once. What a start
itself is tested for (signals, terminals, encodings, pipes) takes a process of the usual kind.
"""

import atexit
import json
import multiprocessing
import os
import shlex
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.context import ForkServerProcess
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any, Final, Self

from weiwo.app.cli.main import main
from weiwo.app.cli.setup import doctor

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


class StartedCommand:
    """A command under way, with the methods of `subprocess.Popen` that tests use. It is killed at the end of a `with`."""

    def __init__(self, *arguments: str, cwd: Path, env: Mapping[str, str]) -> None:
        """Start a command, nothing to read on standard input.

        Args:
            arguments: What is typed after `weiwo`.
            cwd: Where it runs.
            env: Its whole environment; `PYTHONPATH` counts.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="weiwo-command-")
        call = partial(command, *arguments)
        self._process = FORKS.Process(target=_run, args=(call, str(cwd), dict(env), self._folder.name))
        self._process.start()

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        return self._process.exitcode

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._process.terminate()

    def kill(self) -> None:
        """Send SIGKILL."""
        self._process.kill()

    def communicate(self) -> tuple[str, str]:
        """Wait until it ends, and return what it printed on standard output and standard error."""
        self._process.join()
        return _said(Path(self._folder.name))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._process.join()
        self._folder.cleanup()


@contextmanager
def forking_programs(folder: Path) -> Iterator[None]:
    """Put the programs `weiwo` and `python` into a folder, for scripts of a shell. What they run is forked, too.

    Each is a few lines without imports of ours. They pass their arguments, folder, environment and streams on to this
    process, and end with the exit code that comes back. `python` knows `-c PROGRAM` and `-m weiwo` alone.
    """
    with tempfile.TemporaryDirectory(prefix="weiwo-fork-") as place, socket.socket(socket.AF_UNIX) as listener:
        address = f"{place}/socket"
        listener.bind(address)
        listener.listen()
        (Path(place) / "ask.py").write_text(_ASK, encoding="utf-8")
        asking = shlex.join([sys.executable, "-IS", f"{place}/ask.py", address])
        for name, given in (("weiwo", "-m weiwo "), ("python", "")):
            (folder / name).write_text(f'#!/bin/sh\nexec {asking} {given}"$@"\n', encoding="utf-8")
            (folder / name).chmod(0o755)
        serving = threading.Thread(target=_serve, args=(listener,), daemon=True)
        serving.start()
        try:
            yield
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            serving.join()


_ASK: Final = """
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as asking:
    asking.connect(sys.argv[1])
    said = json.dumps([sys.argv[2:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(asking, [len(said).to_bytes(4, "big")], [0, 1, 2])
    asking.sendall(said)
    sys.exit(int(asking.recv(16) or 1))
"""


class _Stream:
    """A file descriptor that arrives as a number in the process that it is sent to."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def __reduce__(self) -> tuple[Any, ...]:
        return _detach, (DupFd(self._fd),)


def _detach(sent: Any) -> int:
    return int(sent.detach())


def _serve(listener: socket.socket) -> None:
    """Run what programs ask for, each in a thread, until the listener is shut down."""
    with suppress(OSError):
        while True:
            asking, _ = listener.accept()
            threading.Thread(target=_answer, args=(asking,), daemon=True).start()


def _answer(asking: socket.socket) -> None:
    with asking, asking.makefile("rb") as said:
        head, streams, _, _ = socket.recv_fds(asking, 4, 3)
        arguments, cwd, env = json.loads(said.read(int.from_bytes(head, "big")))
        process = FORKS.Process(target=_run_program, args=(arguments, cwd, env, [_Stream(fd) for fd in streams]))
        process.start()
        for fd in streams:
            os.close(fd)
        process.join()
        asking.sendall(str(process.exitcode).encode())


def search_path(*folders: Path) -> str:
    """A `PYTHONPATH` for a process of its own: that of this one, these tests and some folders."""
    inherited = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    return os.pathsep.join([*inherited, str(_ROOT), *map(str, folders)])


def command(*arguments: str) -> None:
    """The command itself, in a process that is its own. The imports that `doctor` tries in processes are left out."""
    doctor._find_import_fault = _find_no_fault  # test_doctor_parts and .ci/try_install.sh have the real ones
    sys.argv = ["weiwo", *arguments]
    main()


async def _find_no_fault(_modules: Sequence[str]) -> str:
    return ""


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
    files = [os.open(Path(folder) / name, os.O_CREAT | os.O_WRONLY) for name in _STREAMS]
    _run_on([os.open(os.devnull, os.O_RDONLY), *files], call, cwd, env)


def _run_program(arguments: list[str], cwd: str, env: dict[str, str], streams: Sequence[int]) -> None:
    how, what, *given = arguments
    call = partial(command, *given) if (how, what) == ("-m", "weiwo") else partial(_run_text, what, given)
    _run_on(streams, call, cwd, env)


def _run_text(program: str, given: list[str]) -> None:
    """Run a program that was given by `python -c`."""
    sys.argv = ["-c", *given]
    sys.path.insert(0, "")
    exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - as `python -c` does


def _run_on(streams: Sequence[int], call: Callable[[], object], cwd: str, env: dict[str, str]) -> None:
    """Run a function on standard input, output and error, in a folder and an environment, as the whole of a process."""
    os.environ.clear()
    os.environ.update(env)
    sys.path[:0] = filter(None, env.get("PYTHONPATH", "").split(os.pathsep))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    for number, name in enumerate(_STREAMS, 1):
        setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", closefd=False))
    os.chdir(cwd)
    os.umask(0o022)  # as most shells have it, whoever runs the tests
    try:
        call()
    finally:
        atexit._run_exitfuncs()  # a forked process ends without
