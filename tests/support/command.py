"""The `weiwo` command in a process of its own, without the seconds that each start would spend on imports.

A server process has imported the program, and nothing has run in it; each command is forked from there (the forkserver
of `multiprocessing`). What a start itself is tested for (signals, terminals, encodings, pipes) takes a process of the
usual kind.
"""

import atexit
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from app.cli import main

_FORKS: Final = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "app.commands",
        "app.document_commands",
        "app.retrieval_commands",
        "graph.sqlite_saver",
        "graph.store",
        "langchain_openai",
        "nodes.rules.read",
        "tools.corpus.indexed",
        "tools.corpus.ingest",
    ]
)
_STREAMS: Final = ("stdout", "stderr")


def run_command(*arguments: str, cwd: Path, env: Mapping[str, str], seconds: float = 60) -> tuple[int | None, str, str]:
    """Run a command to its end, nothing to read on standard input.

    Args:
        arguments: What is typed after `weiwo`.
        cwd: Where it runs.
        env: Its whole environment; `PYTHONPATH` counts.
        seconds: How long it may take.

    Returns:
        Exit code, standard output, standard error. A negative code is the signal that ended it; None: it did not end.
    """
    with tempfile.TemporaryDirectory(prefix="weiwo-command-") as folder:
        process = _FORKS.Process(target=_run, args=(arguments, str(cwd), dict(env), folder))
        process.start()
        process.join(seconds)
        code = process.exitcode
        if code is None:
            process.kill()
            process.join()
        out, err = ((Path(folder) / name).read_text("utf-8") for name in _STREAMS)
        return code, out, err


def _run(arguments: tuple[str, ...], cwd: str, env: dict[str, str], folder: str) -> None:
    os.environ.clear()
    os.environ.update(env)
    sys.path[:0] = filter(None, env.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv = ["weiwo", *arguments]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in enumerate(_STREAMS, 1):
        os.dup2(os.open(Path(folder) / name, os.O_CREAT | os.O_WRONLY), number)
        setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", closefd=False))
    os.chdir(cwd)
    try:
        main()
    finally:
        atexit._run_exitfuncs()  # a forked process ends without
