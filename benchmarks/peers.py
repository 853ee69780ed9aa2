"""Comparison of Weiwo with peer systems: the same folder, questions and scripted model.

    python benchmarks/peers.py [--systems weiwo,deepagents,…] [--seconds S] [--seed N] [--environments FOLDER] [--show]

Installs each system at a pinned release into an environment of its own, in a temporary folder unless `--environments`
names one to keep. Each is asked 33 questions, twice: over plain notes, and with one boilerplate paragraph in every
note. The model is `peers_model.py` in OpenAI's form on loopback, `S` seconds a call. Printed are right answers, false
ones that the system passes off as complete, model calls, prompt and reply tokens (four characters each), texts
embedded, wall time of the questions, seconds of import and of reading the folder, processor time and resident memory of
the whole process, and the disk size of its environment. `peers_drivers.py` shows how each is set up.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from peers_model import Model, Spent
from peers_world import Question, World

from tests.support.openai_server import OpenAIServer
from tests.support.providers.openai import OPENAI
from weiwo.nodes.writer.verification.check import says_not_found

ROOT: Final = Path(__file__).resolve().parents[1]
PEERS: Final = {
    "weiwo": (f"{ROOT}[documents,tables]",),
    "deepagents": ("deepagents==0.7.32", "langchain-openai==1.7.4"),
    "gpt-researcher": ("gpt-researcher==0.15.1", "ddgs==9.16.1", "pandas==3.1.1", "openpyxl==3.1.5"),
    "haystack": ("haystack-ai==3.4.1", "python-docx==1.2.0", "openpyxl==3.1.5", "pandas==3.1.1", "tabulate==0.10.0"),
    "llama-index": (
        "llama-index-core==0.14.25",
        "llama-index-llms-openai-like==0.8.1",
        "llama-index-embeddings-openai-like==0.4.0",
        "llama-index-readers-file==0.7.0",
        "openpyxl==3.1.5",
        "docx2txt==0.9",
    ),
}
LONGEST: Final = 300
"""Seconds that a system may take for one question."""


@dataclass
class Row:
    """Results of a system."""

    right: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    spent: Spent = field(default_factory=Spent)
    wall: float = 0.0
    ready: dict[str, float] = field(default_factory=dict)
    processor: float = 0.0
    memory: int = 0
    installed: int = 0


def install(name: str, folder: Path) -> Path:
    """Return the Python of a system's environment, installing the environment if necessary."""
    python = folder / name / "bin" / "python"
    if not (folder / name / "installed").exists():
        venv.create(folder / name, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-compile", *PEERS[name]], check=True)  # noqa: S603
        (folder / name / "installed").touch()
    return python


def measure_disk(python: Path) -> int:
    """Bytes of an environment's packages, pip and compiled modules aside."""
    (site,) = python.parents[1].glob("lib/python*/site-packages")
    files = (path for path in site.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return sum(path.stat().st_size for path in files if path.relative_to(site).parts[0].split("-")[0] != "pip")


class Process:
    """A running system, with the row of results."""

    def __init__(self, name: str, python: Path, folder: Path, home: str, url: str) -> None:
        self.name, self.row = name, Row(installed=measure_disk(python))
        settings = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", "HAYSTACK_TELEMETRY_ENABLED": "False"}
        environment = {"PATH": os.environ["PATH"], "HOME": home, "WEIWO_HOME": home, **settings}
        self.log = Path(tempfile.gettempdir()) / f"peers-{name}.log"
        command = [str(python), str(ROOT / "benchmarks" / "peers_drivers.py"), name, str(folder)]
        with self.log.open("w", encoding="utf-8") as log:
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log}
            self._process = subprocess.Popen(command, text=True, env=environment, cwd=home, **pipes)  # noqa: S603
        self.row.ready = self._read()

    def ask(self, question: Question, model: Model, *, show: bool) -> None:
        """Ask a question, and record the result."""
        model.question, row = question, self.row
        before, began = model.spent.calls, time.perf_counter()
        print(json.dumps(question.text), file=self._process.stdin, flush=True)
        told = self._read()
        row.wall += time.perf_counter() - began
        denied = says_not_found(told["answer"])
        admitted = denied or not told["complete"]
        right = question.is_right(told["answer"]) and (not denied if question.answers else admitted)
        row.asked[question.kind] += 1
        row.right[question.kind] += right
        row.false[question.kind] += not right and not admitted
        if show:
            took = f"{model.spent.calls - before} calls; {question.text}"
            print(f"{self.name} {question.kind}: {'right' if right else 'WRONG'} {took}")
            if not right:
                print(f"    complete={told['complete']} {told['answer'][:300]!r}; wanted {question.answers}")

    def close(self) -> Row:
        """End the process, and record the processor time and memory."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        _, _, used = os.wait4(self._process.pid, 0)
        self._process.returncode = 0
        self.row.processor = used.ru_utime + used.ru_stime
        self.row.memory = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return self.row

    def _read(self) -> dict[str, Any]:
        if self._process.stdout is None:
            raise TypeError("a process without output")
        overdue = threading.Timer(LONGEST, self._process.kill)
        overdue.start()
        line = self._process.stdout.readline()
        overdue.cancel()
        if not line:
            raise SystemExit(f"{self.name} ended early or took over {LONGEST} s; see {self.log}")
        read: dict[str, Any] = json.loads(line)
        return read


def run_system(name: str, python: Path, folder: Path, world: World, model: Model, url: str, *, show: bool) -> Row:
    """Ask a system all questions in a single process."""
    model.spent, model.question = Spent(), None
    with tempfile.TemporaryDirectory() as home:
        process = Process(name, python, folder, home, url)
        for question in world.questions:
            process.ask(question, model, show=show)
        row = process.close()
    row.spent = model.spent
    return row


def print_table(title: str, rows: dict[str, Row]) -> None:
    """Print the figures side by side."""
    print(f"\n{title}\n{'':16}{'right':>9}{'false':>7}{'calls':>7}{'prompt':>9}{'reply':>8}{'embedded':>9}{'wall s':>8}"
          f"{'import':>8}{'index':>7}{'CPU s':>7}{'peak MB':>8}{'disk MB':>8}")  # fmt: skip
    for name, row in rows.items():
        share = f"{row.right.total()}/{row.asked.total()}"
        print(f"{name:16}{share:>9}{row.false.total():7}{row.spent.calls:7}{row.spent.prompt:9}{row.spent.reply:8}"
              f"{row.spent.embedded:9}{row.wall:8.1f}{row.ready['import']:8.1f}{row.ready['index']:7.1f}"
              f"{row.processor:7.1f}{row.memory / 2**20:8.0f}{row.installed / 2**20:8.0f}")  # fmt: skip
    print(f"\n{'right by kind':16}" + "".join(f"{kind:>12}" for kind in next(iter(rows.values())).asked))
    for name, row in rows.items():
        cells = (
            f"{row.right[kind]}/{row.asked[kind]}" + (f" ({row.false[kind]}!)" * bool(row.false[kind]))
            for kind in row.asked
        )
        print(f"{name:16}" + "".join(f"{cell:>12}" for cell in cells))


def main(given: argparse.Namespace) -> None:
    """Measure each system over both folders."""
    systems = given.systems.split(",")
    model = Model(given.seconds, nods=given.nodding)
    form = replace(OPENAI, paths=("/chat/completions", "/embeddings"))
    with tempfile.TemporaryDirectory() as scratch, OpenAIServer(model.reply, form) as server:
        environments = Path(given.environments or scratch)
        pythons = {name: install(name, environments) for name in systems}
        for boilerplate in (False, True):
            if given.only and given.only != ("boilerplate" if boilerplate else "plain"):
                continue
            world = World(given.seed, boilerplate)
            folder = Path(scratch) / f"folder-{boilerplate:d}"
            folder.mkdir()
            world.write(folder)
            title = "One boilerplate paragraph in every note" if boilerplate else "Plain notes"
            rows = {
                name: run_system(name, python, folder, world, model, server.url, show=given.show)
                for name, python in pythons.items()
            }
            print_table(
                f"{title}: {len(world.texts) + len(world.sheets)} files, {len(world.questions)} questions", rows
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Weiwo beside other systems, in one run.")
    parser.add_argument("--systems", default=",".join(PEERS), help="which, with commas")
    parser.add_argument("--seconds", type=float, default=1.0, help="what a model call takes")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--only", choices=("", "plain", "boilerplate"), default="", help="one folder only")
    parser.add_argument(
        "--nodding", action="store_true", help="the model supports every claim that it is asked to verify"
    )
    parser.add_argument("--environments", help="a folder whose environments are kept for the next run")
    parser.add_argument("--show", action="store_true", help="a line for each answer")
    main(parser.parse_args())
