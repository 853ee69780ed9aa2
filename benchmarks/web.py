"""Benchmark of Weiwo on an invented web, compared with one search and one answer in the same run.

    python benchmarks/web.py [--questions N] [--seed S] [--show]

Both systems get the same questions. The web has some 320 generated pages of an invented country on loopback
(`tests.web_world`), in English and Chinese: facts that take several pages, pages that contradict each other, copies,
dead and blocked pages, pages of 50 MB, wrong charsets. Weiwo answers by rules and with a scripted model that knows only
what its prompts show. For comparison, the same reader gets one search with the snippets, and one search with the first
three pages. `--show` prints the answers that were not right. The exit code is 1 if one of the promises about pages that
are not what they seem is broken.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import warnings
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from langchain_core.language_models import BaseChatModel

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.web_world.hazards import Promise, again, of_each_kind, promises, tour, toured
from tests.web_world.model import reader
from tests.web_world.questions import Question, questions
from tests.web_world.runs import ONE_SHOT_PAGES, Answered, ask, by_shape, one_shot, table
from tests.web_world.server import WebWorld
from tests.web_world.site import build
from weiwo.graph import build_graph
from weiwo.graph.persistence.store import open_store
from weiwo.graph.search_graph import SearchGraph
from weiwo.state.settings import Context, Settings

TOOL_SECONDS = 3.0
TWICE = 5
"""Questions that are asked a second time."""
_FOREIGN = ("WEIWO_", "OPENAI_", "TAVILY_", "SEARXNG_", "BRAVE_", "SERPER_", "BING_", "JINA_", "LANGSMITH_")

Way = Callable[[WebWorld, Question], Awaitable[Answered]]


def weiwo(context: Context, model: BaseChatModel | None) -> Way:
    """Weiwo, on the web alone."""
    graphs: dict[WebWorld, SearchGraph] = {}

    async def answer(world: WebWorld, question: Question) -> Answered:
        if world not in graphs:
            graphs[world] = build_graph(tools=[world.read_page()], models=model)
        return await ask(graphs[world], world, question, context)

    return answer


def once(model: BaseChatModel | None, pages: int) -> Way:
    """Return a way of answering with a single search, a few pages and a single answer."""
    return lambda world, question: one_shot(world, question, model, pages=pages)


async def asked_twice(world: WebWorld, context: Context, asked: Sequence[Question]) -> Promise:
    """Check for answers to repeated questions without the web, while results are kept."""
    async with open_store(Settings.resolve(context)) as store:
        graph = build_graph(store=store, tools=[world.read_page()], models=reader())
        pairs = [
            (await ask(graph, world, question, context), await ask(graph, world, question, context))
            for question in asked
        ]
    return again(pairs)


@contextmanager
def serve_world(seed: int) -> Iterator[WebWorld]:
    """Context manager for a web at a fresh address, so nothing fetched by earlier runs is cached."""
    with WebWorld(seed) as world:
        os.environ["SEARXNG_BASE_URL"] = world.search_url
        yield world


async def main(count: int | None, seed: int, *, show: bool) -> int:
    """Ask all questions in every way, print the figures and return the exit code."""
    for name in [name for name in os.environ if name.startswith(_FOREIGN)]:
        del os.environ[name]
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as empty:
        os.environ["WEIWO_HOME"] = home
        context = Context(search=["searxng"], corpus=[empty], tool_seconds=TOOL_SECONDS, max_model_calls=200)
        ways: dict[str, Way] = {
            "one search, snippets, rules": once(None, 0),
            "one search, 3 pages, rules": once(None, ONE_SHOT_PAGES),
            "Weiwo, rules": weiwo(context, None),
            "one search, snippets, model": once(reader(), 0),
            "one search, 3 pages, model": once(reader(), ONE_SHOT_PAGES),
            "Weiwo, model": weiwo(context, reader()),
        }
        site = build(seed)
        asked = questions(site, seed)[:count]
        print(f"{len(site.pages)} pages, {len(asked)} questions, seed {seed}\n", flush=True)
        worlds, rows = [], {}
        for name, way in ways.items():
            with serve_world(seed) as world:
                rows[name] = [await way(world, question) for question in asked]
                worlds.append(world)
        print(table(rows, site))
        print(f"\nright of each shape\n{by_shape(rows)}")
        asked_weiwo = {name: answered for name, answered in rows.items() if name.startswith("Weiwo")}
        if show:
            _show(asked_weiwo)
        with serve_world(seed) as world:
            opened = await tour(world, of_each_kind(world))
            twice = await asked_twice(world, context, asked[:TWICE])
            worlds.append(world)
        answers = [answer for answered in asked_weiwo.values() for answer in answered]
        held = [*promises(worlds, answers), toured(opened), twice]
        print("\npromises")
        for promise in held:
            print(f"{'kept  ' if promise.kept else 'BROKEN'}  {promise.text}: {promise.seen}")
    return 0 if all(promise.kept for promise in held) else 1


def _show(rows: dict[str, list[Answered]]) -> None:
    for name, answered in rows.items():
        for answer in answered:
            if answer.mark != "right":
                print(f"\n{name}: {answer.mark}: {answer.question.text}\n  wanted {answer.question.answers}")
                print(f"  {answer.status}: {' '.join(answer.text.split())}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--questions", type=int, default=None, help="how many questions (default all)")
    parser.add_argument("--seed", type=int, default=7, help="which web (default 7)")
    parser.add_argument("--show", action="store_true", help="print what was not right")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.exit(asyncio.run(main(given.questions, given.seed, show=given.show)))
