"""The table of attacks: `make attack`, or `python -m tests.attack [WORD …]` for those whose names hold a word.

Prints a row for each kind of attack, how many were tried and what got through; the exit code says whether any did.
"""

import asyncio
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.attack import approvals, cancels, connectors, machine, mcp_servers, network, server, texts
from tests.attack.report import Attack, Report
from tests.support.foreign import FOREIGN

ATTACKS: tuple[Attack, ...] = (
    *network.ATTACKS,
    *machine.ATTACKS,
    *cancels.ATTACKS,
    *approvals.ATTACKS,
    *texts.ATTACKS,
    *mcp_servers.ATTACKS,
    *server.ATTACKS,
    *connectors.ATTACKS,
)
_SECONDS = 400
"""How long one kind may take, also on a busy machine; what takes longer has got through."""


async def _run(attack: Attack, folder: Path) -> Report:
    report = Report()
    try:
        async with asyncio.timeout(_SECONDS):
            await attack.run(report, folder)
    except TimeoutError:
        report.failed("all of it", f"not done within {_SECONDS} s")
    except Exception as error:  # noqa: BLE001 - what it ends with is what got through
        report.failed("all of it", f"{type(error).__name__}: {error}")
    return report


def main() -> int:
    """Try everything; 1 if anything got through."""
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        del os.environ[name]
    folder, failures = Path(tempfile.mkdtemp(prefix="weiwo-attack-")), 0
    os.environ["WEIWO_HOME"] = str(folder / "home")
    print(f"{'attack':58} {'tried':>6} {'through':>8} {'seconds':>8}")  # noqa: T201 - a table for people
    try:
        for n, attack in enumerate(ATTACKS):
            if len(sys.argv) > 1 and not any(word in attack.name for word in sys.argv[1:]):
                continue
            own = folder / str(n)
            own.mkdir()
            began = time.monotonic()
            report = asyncio.run(_run(attack, own))
            took = time.monotonic() - began
            print(f"{attack.name:58} {report.tried:>6} {len(report.failures):>8} {took:>8.1f}", flush=True)  # noqa: T201
            for line in report.failures[:10]:
                print(f"    {line}")  # noqa: T201
            failures += len(report.failures) + (report.tried == 0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{failures} failures")  # noqa: T201
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
