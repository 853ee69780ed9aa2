"""Benchmark of refresh: the cost of refreshing forty answers, compared with asking all again.

    python benchmarks/refresh.py [--documents 500] [--answers 40] [--json]

Each document tells a figure of a subject of its own, and each question asks for one. A scripted model assesses, reads
and writes, and every call of it takes 0.5 seconds. Then five documents change, which carry four of the answers, and all
threads are refreshed. Then five others change as well, and the refresh is killed (`SIGKILL`) in the middle and made
again: `stale` counts answers that tell an old value after all that, `lost` those without one.
"""

import argparse
import asyncio
import json
import os
import re
import signal
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.fake_model import Request, agree, assessed, fake, found
from weiwo import build_graph, open_checkpointer
from weiwo.app.render.watchers import Watcher
from weiwo.app.session.refresh import refresh_thread
from weiwo.app.session.runs import ask
from weiwo.app.session.session import Session
from weiwo.state.settings import Context, Settings

SECONDS: Final = 0.5
"""What a call of the model takes."""
GOAL: Final = 0.12
_SYLLABLES: Final = ("bar", "den", "fol", "gim", "hask", "jor", "kel", "lun", "mor", "nev", "pol", "quin", "ros", "tav")
_LENGTH: Final = re.compile(r"is ([\d,]+) metres long")


def name_of(number: int) -> str:
    """Return a subject's name, unique for each number."""
    first, rest = number % 14, number // 14
    return f"{_SYLLABLES[first]}{_SYLLABLES[rest % 14]}{_SYLLABLES[(rest // 14 + number) % 14]}".capitalize()


def write(folder: Path, number: int, length: int) -> None:
    """Write the document of a subject."""
    name = name_of(number)
    text = f"# {name} Bridge\n\nThe {name} Bridge is {length:,} metres long.\n"
    (folder / f"{number:04}.md").write_text(text, "utf-8")


def read(request: Request) -> dict[str, Any]:
    """Read the figure of the subject from the passage with the figure."""
    time.sleep(SECONDS)
    name = re.search(r"the (\w+) Bridge", request.text.rsplit("Task: ", 1)[-1])
    passages = re.findall(r'<passage n="(\d+)"[^>]*>(.*?)</passage>', request.text, re.DOTALL)
    for number, text in passages:
        if name and f"The {name[1]} Bridge" in text and (told := _LENGTH.search(text)):
            quote = f"The {name[1]} Bridge {told[0]}"
            return {**found(told[1].replace(",", ""), quote, int(number)), "sentence": f"{quote}."}
    return {"quotes": [], "value": None, "next": "give_up"}


def assess(request: Request) -> dict[str, Any]:
    """Assess a question as a single look-up."""
    time.sleep(SECONDS)
    return assessed(request.text.splitlines()[-1])


class Bench:
    """Documents, and a session over the documents with a scripted model for counting calls."""

    def __init__(self, home: Path, documents: Path) -> None:
        self.home, self.documents = home, documents
        self.model = fake(AssessmentReply=assess, ReadReply=read, EntailmentReply=agree, draft="Nothing [1].")

    async def work(self, threads: dict[str, str], *, again: bool) -> dict[str, Any]:
        """Ask or refresh each thread, and return the seconds, the calls and the results."""
        context = Context(corpus=[str(self.documents)], web=False, answer_memory=False)
        done: list[dict[str, Any]] = []
        before, started = len(self.model.requests), time.perf_counter()
        async with open_checkpointer(Settings.resolve(), None) as saver:
            session = Session(Settings.resolve(), saver, build_graph(saver, models=self.model))
            for thread, question in threads.items():
                if again:
                    done.append(await refresh_thread(session, thread))
                else:
                    done.append((await ask(session, question, thread, context, Watcher())).result)
        calls = len(self.model.requests) - before
        return {"seconds": time.perf_counter() - started, "calls": calls, "done": done}

    async def answers(self, threads: dict[str, str]) -> dict[str, str]:
        """Return the current answer of each thread."""
        async with open_checkpointer(Settings.resolve(), None) as saver:
            graph = build_graph(saver)
            states = {thread: await graph.aget_state({"configurable": {"thread_id": thread}}) for thread in threads}
        return {name: str((state.values.get("result") or {}).get("answer", "")) for name, state in states.items()}


def kill_in_the_middle(bench: Bench, threads: dict[str, str], seconds: float) -> bool:
    """Refresh in a separate process killed after a delay, and report whether work was unfinished."""
    child = os.fork()
    if not child:
        asyncio.run(bench.work(threads, again=True))
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


def measure(documents: int, answers: int) -> dict[str, Any]:
    """Ask, change, kill, refresh, and ask all again on new threads."""
    random = Random(39)  # noqa: S311 - the same documents each time
    with tempfile.TemporaryDirectory() as folder:
        home, files = Path(folder, "home"), Path(folder, "documents")
        files.mkdir()
        os.environ["WEIWO_HOME"] = str(home)
        lengths = {number: random.randint(100, 9_000) for number in range(documents)}
        for number, length in lengths.items():
            write(files, number, length)
        asked = random.sample(range(documents), answers)
        threads = {f"t{number}": f"How long is the {name_of(number)} Bridge?" for number in asked}
        bench = Bench(home, files)
        first = asyncio.run(bench.work(threads, again=False))
        others = [number for number in range(documents) if number not in asked]

        def change() -> None:
            for number in (*random.sample(asked, 4), random.choice(others)):
                lengths[number] += 1_111
                write(files, number, lengths[number])

        change()
        refreshed = asyncio.run(bench.work(threads, again=True))
        change()
        killed = kill_in_the_middle(bench, threads, 0.6 * refreshed["seconds"])
        asyncio.run(bench.work(threads, again=True))
        told = asyncio.run(bench.answers(threads))
        anew = asyncio.run(bench.work({f"again-{name}": question for name, question in threads.items()}, again=False))
    new = {thread: f"{lengths[int(thread[1:])]:,}" for thread in threads}
    return {
        "documents": documents,
        "answers": answers,
        "right_first": sum(f"{item['question']}" != "" and bool(item["claims"]) for item in first["done"]),
        "killed": killed,
        "refresh": {"calls": refreshed["calls"], "seconds": round(refreshed["seconds"], 2)},
        "again": {"calls": anew["calls"], "seconds": round(anew["seconds"], 2)},
        "share_of_calls": round(refreshed["calls"] / max(1, anew["calls"]), 3),
        "share_of_seconds": round(refreshed["seconds"] / anew["seconds"], 3),
        "changed_told": sum(bool(item["changes"]) for item in refreshed["done"]),
        "stale": sum(new[name] not in text and bool(text) for name, text in told.items()),
        "lost": sum(not text for text in told.values()),
    }


def main() -> int:
    """Run the benchmark, print the figures and return the exit code.

    The exit code is 1 if a value is stale or lost, or the goal for calls is missed.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--answers", type=int, default=40)
    parser.add_argument("--json", action="store_true", help="Print one JSON object.")
    given = parser.parse_args()
    figures = measure(given.documents, given.answers)
    print(json.dumps(figures) if given.json else "\n".join(f"{name}: {figure}" for name, figure in figures.items()))
    return int(bool(figures["stale"] or figures["lost"] or figures["share_of_calls"] > GOAL))


if __name__ == "__main__":
    sys.exit(main())
