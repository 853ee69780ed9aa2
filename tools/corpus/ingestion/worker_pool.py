"""Parser process from the parent's view: ended on timeout, and restarted."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from typing import Any, Final

from weiwo.state.errors import WeiwoError
from weiwo.text.printable import one_line
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.worker_process import WorkerProcess

_COMMAND: Final = "from weiwo.tools.corpus.ingestion.worker import main; main()"


class WorkerError(WeiwoError):
    """Error: a worker timed out or crashed. The message is the reason, without a file name."""


class ParserWorker:
    """A parser process, started at the first request. Requests must not overlap."""

    def __init__(self) -> None:
        self._process: WorkerProcess | None = None

    async def ask(self, request: dict[str, Any]) -> AsyncGenerator[list[Any], None]:
        """Send a request, and yield `[index of the file, message]` until every file has ended.

        Args:
            request: In the format of `worker`. Its `seconds` limit the time that the worker may take in all.

        Raises:
            WorkerError: The worker timed out or crashed. The next request starts another worker.
            CorpusError: The worker cannot be started.
        """
        files, done = len(request["files"]), 0
        left = float(request["seconds"])
        loop = asyncio.get_running_loop()
        process = await self._ensure_running()
        frames = [json.dumps(request).encode("ascii")]
        try:
            while done < files:
                since = loop.time()
                reply = await asyncio.to_thread(process.exchange, frames, left)
                left -= loop.time() - since  # the time for processing the messages does not count
                frames = []
                for message in json.loads(reply):
                    done += "part" not in message[1]
                    yield message
        except (OSError, EOFError, ValueError):
            await self.close()
            late = f"not read within {request['seconds']:.3g} seconds"
            raise WorkerError(late if process.late else "its parser crashed") from None

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            await asyncio.to_thread(process.kill)

    async def _ensure_running(self) -> WorkerProcess:
        if self._process is None or not self._process.alive:
            await self.close()
            try:
                self._process = WorkerProcess(_COMMAND)
                await asyncio.to_thread(self._process.wait_ready)
            except (OSError, EOFError, ValueError) as error:
                await self.close()
                raise CorpusError(
                    f"the process that reads files does not start ({one_line(str(error))}); for details, run "
                    f'{sys.executable} -c "import weiwo.tools.corpus.ingestion.worker"'
                ) from None
        return self._process
