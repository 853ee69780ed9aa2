"""Every command of the README, run as it stands in a home with documents of one's own: what it answers is read."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.command import forking_programs
from tests.support.documents import pdf

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OLDER = r"Emperor Wu of Han is the older of the two: born 56 years before Julius Caesar"
OLDER_ZH = "汉武帝更年长，比凯撒早出生56年"
ANSWERS = {
    r"make ask Q=\"Who was older": OLDER,
    r"make ask Q=\"汉武帝": OLDER_ZH,
    r"make test": r"pytest tests/unit tests/integration",
    r"weiwo index ~/papers": r"1 document",
    r"weiwo \"what did the pilot cost": r"4,200 euros(?s:.*)pilot\.pdf",
    r"weiwo -c \"and when did it end": r"3 June 2024",
    r"weiwo serve": r"Weiwo on http://127\.0\.0\.1:\d+",
    r"weiwo how long is the danube": r"2,8\d\d km|2,8\d\d kilometres",
    r"weiwo 长江有多长": r"6300公里",
    r"weiwo ask --corpus ~/notes": r"3 May 2019",
    r"weiwo ask --json \"How tall is the Burj": r"Burj Khalifa",
    r"weiwo ask --json \"珠穆朗玛峰": r"珠穆朗玛峰",
    r"weiwo ask -o report\.docx": r"wrote .*report\.docx",
    r"weiwo ask -o 报告\.docx": r"wrote .*报告\.docx",
    r"weiwo search \"Danube bridge": r"Danube",
    r"weiwo search \"长江 大桥": r"长江大桥",
    r"weiwo show --history": r"asked: (?s:.*)approved|plan approved",
    r"weiwo show$": r"Question|问题",
    r"weiwo doctor": r"ok\t",
    r"weiwo setup": r"model|模型",
    r"export WEIWO_MODEL=openai:gpt-5-mini": r"openai:gpt-5-mini",
    r"export WEIWO_MODEL=openai:qwen3": r"openai:qwen3(?s:.*)http://localhost:8000/v1",
    r"export WEIWO_CORPUS": r"notes(?s:.*)wiki(?s:.*)2 documents",
    r"weiwo index ~/wiki": r"^work: 2 documents",
    r"weiwo corpus": r"^work\t2 documents",
    r"weiwo resume --approve": f"{OLDER}|{OLDER_ZH}",
    r"weiwo resume$": r"nothing to resume",
    r"weiwo ask --approve-plan": r"waits for approval",
    r"weiwo ask --from": r"66",
}
"""What a command answers, by how its line begins."""


def commands(readme: str) -> Iterator[str]:
    """The lines of its shell blocks, without comments."""
    for block in FENCE.findall((ROOT / readme).read_text("utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            if line.strip():
                yield re.sub(r"\s+# .*", "", line).strip()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Mapping[str, str]]:
    """The environment of somebody with notes, a wiki and papers, who has installed nothing but Weiwo."""
    texts = {
        "notes/style.md": "# Style guide\n\nThe author of our style guide, Ann Berg, was hired on 3 May 2019.\n",
        "wiki/lunch.md": "# Lunch\n\nLunch is served at noon.\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "papers").mkdir()
    paper = pdf("The pilot cost 4,200 euros. The pilot ended on 3 June 2024.", title="Pilot")
    (tmp_path / "papers" / "pilot.pdf").write_bytes(paper)
    shims = tmp_path / "bin"
    shims.mkdir()
    if shutil.which("jq") is None:
        show = f"exec {sys.executable} -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1][1:]])' \"$@\""
        (shims / "jq").write_text(f"#!/bin/sh\n{show}\n")
        (shims / "jq").chmod(0o755)
    own = {name: value for name, value in os.environ.items() if not name.startswith(("WEIWO_", "OPENAI_"))}
    home = {"HOME": str(tmp_path), "WEIWO_HOME": str(tmp_path / ".weiwo"), "WEIWO_WEB": "off"}
    with forking_programs(shims):
        yield {**own, **home, "PATH": f"{shims}{os.pathsep}{own['PATH']}", "COLUMNS": "100"}


def run(line: str, env: Mapping[str, str], cwd: Path) -> str:
    """What a line prints, on both outputs."""
    ran = subprocess.run(
        ["/bin/sh", "-c", line], env=env, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=False
    )  # fmt: skip
    return ran.stdout + ran.stderr


def serve(line: str, env: Mapping[str, str], cwd: Path) -> str:
    """What a server prints first."""
    command = [sys.executable, "-m", *shlex.split(line), "--port", "0"]
    with subprocess.Popen(command, env=env, cwd=cwd, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            return server.stderr.readline()
        finally:
            server.send_signal(signal.SIGINT)


def answer(line: str, env: Mapping[str, str], cwd: Path) -> str:
    """What a line of the README answers, run so that it ends and touches nothing of this machine."""
    if line == "weiwo serve":
        return serve(line, env, cwd)
    if line.startswith("make"):
        shims = env["PATH"].partition(os.pathsep)[0]
        dry = "-n" if line == "make test" else ""
        told = f"VENV={cwd}/venv BIN={shims} -o {cwd}/venv/.installed -o {cwd}/venv/.developed {dry}"
        return run(f"{line} {told}", env, ROOT)
    if line.startswith("export"):
        return run(f"{line}; weiwo doctor", env, cwd)
    if "THREAD@CHECKPOINT" in line:
        moments = json.loads(run("weiwo show --history --json 2>/dev/null", env, cwd))
        done = next(one for one in moments["checkpoints"] if not one["next"])
        line = line.replace("THREAD@CHECKPOINT", f"{moments['thread_id']}@{done['checkpoint_id']}")
    return run(line, env, cwd)


@pytest.mark.parametrize("readme", ["README.md", "README.zh-CN.md"])
def test_every_command_answers_what_it_is_for(readme, world, tmp_path):
    lines = list(commands(readme))
    assert len(lines) > 20
    without = {**world, "WEIWO_CORPUS": ""}
    run_there = set(commands("README.md")) - {"weiwo resume --approve"} if readme != "README.md" else set()
    for line in (line for line in lines if line not in run_there):
        expected = next((words for begin, words in ANSWERS.items() if re.match(begin, line)), None)
        assert expected is not None, f"{line}: nothing is known of what it answers"
        sample = not re.search(r"papers|pilot|-c |~/", line)  # who has indexed papers asks the sample by its path
        env = {**without, "WEIWO_CORPUS": str(ROOT / "examples" / "corpus")} if sample else without
        said = answer(line, env, tmp_path)
        assert re.search(expected, said, re.MULTILINE), f"{line}\n{said}"
