"""What OpenAI's API and the page's routes need of the server they are on: `weiwo serve`, or another that hosts them."""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Protocol

from langchain_core.language_models import BaseChatModel
from starlette.requests import Request

from weiwo.app.server.runs.run_request import RunRequest
from weiwo.app.server.storage.records import Event, RunRecord
from weiwo.app.session.thread import Thread
from weiwo.models.budget import Budget
from weiwo.models.gateway import ChatModels, ModelCallError
from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.state.settings import Settings, SettingsError


class Backend(Protocol):
    """Runs and threads, wherever they are."""

    @property
    def settings(self) -> Settings:
        """The operator's settings."""

    async def begin(self, request: Request, wanted: RunRequest, thread_id: str = "") -> RunRecord:
        """Begin a run on a thread of whoever sends the request, or on a new one.

        Raises:
            RequestError: The thread is not there for him, or the run cannot begin.
        """

    def events(self, run: RunRecord) -> AsyncIterator[Event | None]:
        """The events of a run from its beginning to its end; None now and then while nothing happens."""

    async def leave(self, run: RunRecord) -> None:
        """Cancel a run that nobody waits for any more."""

    async def stored_run(self, request: Request, run_id: str) -> RunRecord:
        """A run of whoever sends the request, with the thread it left.

        Raises:
            RequestError: There is none, or it is somebody else's.
        """

    async def load(self, request: Request, thread_id: str) -> Thread:
        """A thread of whoever sends the request, as its newest checkpoint has it.

        Raises:
            RequestError: It is not there for him, or nothing was asked on it.
        """

    async def timeline(self, thread_id: str, most: int) -> list[dict[str, Any]]:
        """The stream events of a thread that are still kept, each with `at`, `run_id` and `attempt`."""

    def memory(self, user: str) -> MemoryStore | None:
        """What is remembered for a user; None where it is out of reach."""

    async def ask_model(self, request: Request, purpose: str, prompt: str) -> str:
        """What the writer's model says to a prompt of whoever sends the request; empty where there is none.

        Raises:
            RequestError: He may not ask now.
        """

    async def day(self, user: str) -> dict[str, Any]:
        """What a user has spent today, and may; empty where that is the host's business."""


async def ask_writer(
    settings: Settings, purpose: str, prompt: str, given: Mapping[str, BaseChatModel] | BaseChatModel | None = None
) -> str:
    """One call of the writer's model; empty where there is none, or it fails."""
    if isinstance(given, BaseChatModel):
        given = {"writer": given}
    try:
        models = ChatModels(settings, Budget(settings.limits), given=given)
        return await models.text("writer", purpose, [("human", prompt)])
    except (ModelCallError, SettingsError):
        return ""


def backend_of(request: Request) -> Backend:
    """What the application that a request came to works with."""
    backend: Backend = request.app.state.engine
    return backend
