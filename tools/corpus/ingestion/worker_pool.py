"""The parser process as its parent sees it: ended when it is late, and started again."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any, Final

from weiwo.state.errors import WeiwoError
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.ingestion.worker import READY
from weiwo.tools.printable import one_line

_COMMAND: Final = "import sys; sys.path[:] = sys.argv[1:]; from weiwo.tools.corpus.ingestion.worker import main; main()"
_PASSED_ON: Final = frozenset(
    {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH"}
)
"""What a worker knows of the environment; keys and passwords are none of a parser's business."""

_LARGEST_FRAME: Final = 1_000_000_000
_START_SECONDS: Final = 30


class WorkerError(WeiwoError):
    """A worker did not finish a request. The message is the reason, for the file it was at."""


class ParserWorker:
    """A parser process, started at its first request. Not for two requests at once."""

    def __init__(self) -> None:
        self._process: Process | None = None

    async def ask(self, request: dict[str, Any]) -> AsyncGenerator[list[Any], None]:
        """Send a request; yields `[number of the file, message]`, until each of its files has come to an end.

        Args:
            request: As `worker` takes it. Its `seconds` bound the time that we wait for the worker.

        Raises:
            WorkerError: It was late, or died. It is gone then; the next request starts another.
            CorpusError: It cannot be started.
        """
        files, done = len(request["files"]), 0
        left = float(request["seconds"])
        loop = asyncio.get_running_loop()
        process = await self._ensure_running()
        try:
            assert process.stdin is not None  # noqa: S101 - we asked for it
            data = json.dumps(request).encode("ascii")
            process.stdin.write(len(data).to_bytes(4, "big") + data)
            await process.stdin.drain()
            while done < files:
                since = loop.time()
                messages = await asyncio.wait_for(self._receive(process), left)
                left -= loop.time() - since  # what we then do with it is not the worker's time
                for message in messages:
                    done += "part" not in message[1]
                    yield message
        except TimeoutError:
            await self.close()
            raise WorkerError(f"not read within {request['seconds']:.3g} seconds") from None
        except (OSError, EOFError, ValueError):
            await self.close()
            raise WorkerError("its parser crashed") from None

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()  # drains and closes what is between us

    async def _ensure_running(self) -> Process:
        if self._process is None:
            try:
                self._process = await _start_worker()
                assert self._process.stdout is not None  # noqa: S101 - we asked for it
                await asyncio.wait_for(self._process.stdout.readexactly(len(READY)), _START_SECONDS)
            except (OSError, EOFError, TimeoutError) as error:
                await self.close()
                raise CorpusError(
                    f"reading files: the process that parses them does not start ({one_line(str(error))});"
                    f' see what {sys.executable} -c "import weiwo.tools.corpus.ingestion.worker" says'
                ) from None
        return self._process

    @staticmethod
    async def _receive(process: Process) -> list[list[Any]]:
        assert process.stdout is not None  # noqa: S101 - we asked for it
        size = int.from_bytes(await process.stdout.readexactly(4), "big")
        if size > _LARGEST_FRAME:
            raise ValueError(size)
        messages: list[list[Any]] = json.loads(await process.stdout.readexactly(size))
        return messages


def worker_environment() -> dict[str, str]:
    """What a worker knows of the environment."""
    return {name: value for name, value in os.environ.items() if name.upper() in _PASSED_ON}


async def _start_worker() -> Process:
    """A worker; in a session of its own, so that Ctrl-C is the parent's to handle."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _COMMAND, *(path or "." for path in sys.path)),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        start_new_session=True,
        env=worker_environment(),
        limit=4_000_000,
    )
