"""A database that cannot be used says why, and what to do about that rather than to start it."""

import sqlite3
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.graph.persistence.storage import StorageError
from weiwo.state.settings import Settings
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.loading import load_corpus

pytestmark = pytest.mark.integration


async def _refusal(url: str, home: Path) -> str:
    with pytest.raises(StorageError) as raised:
        async with open_checkpointer(Settings(home=str(home)), url) as saver:
            await saver.aget_tuple({"configurable": {"thread_id": "t"}})
    return str(raised.value)


async def test_a_standby_is_not_to_be_started(postgres_url, weiwo_home):
    read_only = f"{postgres_url}&options=-c%20default_transaction_read_only%3Don"
    told = await _refusal(read_only, weiwo_home)
    assert "name the primary" in told
    assert "; start it" not in told


async def test_a_server_with_too_many_clients_is_not_to_be_started(postgres_url, weiwo_home):
    import psycopg  # noqa: PLC0415

    role = f"weiwo_{uuid4().hex[:12]}"
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as connection:
        await connection.execute(f'CREATE ROLE "{role}" LOGIN CONNECTION LIMIT 0')
        try:
            told = await _refusal(postgres_url.replace("postgres:@", f"{role}:@"), weiwo_home)
        finally:
            await connection.execute(f'DROP ROLE "{role}"')
    assert "allow more connections" in told
    assert "; start it" not in told


def _torn(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        for at in range(4096, size, 4096):
            file.seek(at)
            file.write(b"\xff" * 2048)


async def test_a_torn_index_says_so_and_a_lost_one_is_not_the_sample(weiwo_home: Path, tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "bridge.md").write_text("# Bridge\n\nThe Otter Bridge is 812 metres long.\n" * 50)
    from weiwo.tools.corpus.index.catalog import DEFAULT_NAME, locate_by_name, record_origin  # noqa: PLC0415

    settings = Settings(home=str(weiwo_home), telemetry=False)
    made: Any = await load_corpus([documents], settings=settings)
    assert made.size > 0
    folder = locate_by_name(weiwo_home, DEFAULT_NAME)
    next(iter((weiwo_home / "corpora").iterdir())).rename(folder)
    record_origin(folder, [documents])
    with sqlite3.connect(folder / "corpus.sqlite") as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    _torn(folder / "corpus.sqlite")
    with pytest.raises(CorpusError, match="index again"):
        await (await load_corpus(settings=settings)).search("Otter Bridge", 3)
    (folder / "corpus.sqlite").unlink()
    with pytest.raises(CorpusError, match=r"corpus\.sqlite is missing; run weiwo index again"):
        await load_corpus(settings=settings)
