"""LangGraph's Postgres store with fencing: writes under a lost claim are refused."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, Literal

from langgraph.store.base import NOT_PROVIDED, NotProvided, PutOp
from langgraph.store.postgres.aio import AsyncPostgresStore
from psycopg.rows import dict_row

from weiwo.graph.persistence.claims import ThreadClaim, begin_fenced, current_claim
from weiwo.graph.persistence.postgres_saver import naming_claim

_writer: ContextVar[ThreadClaim | None] = ContextVar("weiwo_store_writer", default=None)
"""The claim of the current write. `current_claim` may be another in the task that executes batches."""


class FencedPostgresStore(AsyncPostgresStore):
    """Store on a connection pool that refuses writes under a lost claim."""

    async def aput(
        self,
        namespace: tuple[str, ...],
        key: str,
        value: Mapping[str, Any],
        index: Literal[False] | list[str] | None = None,
        *,
        ttl: float | NotProvided | None = NOT_PROVIDED,
    ) -> None:
        """Store a value. Under a claim, the write is a transaction of its own, not part of LangGraph's batches.

        Raises:
            LostClaimError: Another process has claimed the thread.
        """
        if current_claim() is None:
            await super().aput(namespace, key, value, index, ttl=ttl)
            return
        kept = (self.ttl_config or {}).get("default_ttl") if isinstance(ttl, NotProvided) else ttl
        await self._write(PutOp(namespace, key, dict(value), index, ttl=kept))

    async def adelete(self, namespace: tuple[str, ...], key: str) -> None:
        """Delete a value.

        Raises:
            LostClaimError: Another process has claimed the thread.
        """
        if current_claim() is None:
            await super().adelete(namespace, key)
            return
        await self._write(PutOp(namespace, key, None))

    async def _write(self, op: PutOp) -> None:
        token = _writer.set(current_claim())
        try:
            await self.abatch([op])
        finally:
            _writer.reset(token)

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[Any]:
        claim = _writer.get()
        if claim is None:
            async with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor
            return
        pool: Any = self.conn
        with naming_claim(claim):
            async with pool.connection() as connection, connection.pipeline(), connection.transaction():
                await begin_fenced(connection, claim)
                async with connection.cursor(binary=True, row_factory=dict_row) as cursor:
                    yield cursor
