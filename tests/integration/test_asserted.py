"""The gate: of a fixed set that nobody tuned for, little of what the rules assert is wrong, and much is on the screen."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
QUESTIONS = ROOT / "tests" / "data" / "asserted"


def test_few_wrong_assertions_and_the_sources_words_on_the_screen() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "asserted.py"), "--gate", "--json", str(QUESTIONS)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    figures = json.loads(run.stdout)
    assert figures["all"]["questions"] == 100
