"""Accesses that are cancelled at random moments leave every connection sound; `make attack` cancels far more."""

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.attack.cancels import cancel_at_random, open_targets
from tests.attack.report import Report

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
async def test_cancelled_accesses_lock_out_nobody(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgres_url") if database == "postgres" else None
    report = Report()
    async with AsyncExitStack() as stack:
        async for target in open_targets(stack, tmp_path, url):
            await cancel_at_random(report, target, 200)
    assert report.failures == []
    assert report.tried == 200 * (3 if url else 5)
