"""Streaming of an answer through LangChain, as if a chat model wrote it, so that listeners to tokens receive it."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import ensure_config
from langchain_core.runnables.config import get_async_callback_manager_for_config


class _TextStreamModel(BaseChatModel):
    """A chat model that streams a text that is given to it.

    Attributes:
        pieces: The text, piece by piece, as it becomes available.
    """

    pieces: AsyncIterator[str]

    @property
    def _llm_type(self) -> str:
        return "weiwo-speaker"

    def _generate(self, *_args: Any, **_kwargs: Any) -> ChatResult:
        raise TypeError("this model only streams; use `stream_answer`")

    async def _astream(
        self,
        *_args: Any,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **_kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        async for piece in self.pieces:
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece))
            if run_manager is not None:
                await run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk


async def stream_answer(pieces: AsyncIterator[str]) -> AIMessage:
    """Stream text to LangChain's callback handlers, or only collect it if there are none.

    Returns:
        The whole text as one message, with the id under which it was streamed.
    """
    if not get_async_callback_manager_for_config(ensure_config()).handlers:
        return AIMessage("".join([piece async for piece in pieces]), id=f"lc_run--{uuid4()}")
    whole: AIMessageChunk | None = None
    async for chunk in _TextStreamModel(pieces=pieces).astream([]):
        whole = chunk if whole is None else whole + chunk
    if whole is None:
        return AIMessage("")
    return AIMessage(content=str(whole.text), id=whole.id)
