"""Waiting for what another process does, however long a busy machine takes for it."""

import subprocess
import time
from collections.abc import Callable
from typing import Any


def wait_for(reached: Callable[[], object], process: "subprocess.Popen[Any]") -> None:
    """Wait until something is so, as long as the process that is to bring it about runs.

    Without a bound of its own: pytest's `faulthandler_timeout` ends a test that hangs, and shows where.
    """
    while not reached():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
