"""Benchmark of the page in Chromium: size, first paint, and display delay of 24 and 500 tasks.

    python benchmarks/page.py

A double of the server (`tests/page/player.py`) sends the events, so that only the page is measured. On a busy machine
frames are late whatever a page does. For comparison the benchmark therefore also shows the frames of a page that reads
the same events and only counts its frames, and the CPU time of the page's longest pieces of work, which no other
program makes longer.
"""

import gzip
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.page.conftest import CHROMIUM, FLAGS
from tests.page.player import STATIC, Player, recording

USUAL, USUAL_WIDTH = 24, 4
TASKS, WIDTH = 500, 25
LOADS = 7
SECONDS_BETWEEN = {USUAL: 0.05, TASKS: 0.004}
LATE = 50

WATCH = """() => {
  window.delays = []; window.frames = [];
  new MutationObserver((changes) => {
    const values = new Set();
    for (const change of changes) {
      for (const node of change.type === 'characterData' ? [change.target] : change.addedNodes) {
        const shown = node instanceof Element ? node.querySelectorAll('.node-value') : [node];
        for (const one of shown) {
          const told = /^at (\\d+)$/.exec(one.textContent);
          if (told) values.add(Number(told[1]));
        }
      }
    }
    if (values.size) requestAnimationFrame(() => values.forEach((one) => window.delays.push(Date.now() - one)));
  }).observe(document.body, {subtree: true, childList: true, characterData: true});
  const shell = document.querySelector('.shell');
  window.done = new Promise((resolve) => {
    new MutationObserver(() => { if (shell.dataset.status === 'complete') resolve(); })
      .observe(shell, {attributeFilter: ['data-status']});
  });
  let last = performance.now();
  const frame = (now) => { window.frames.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}"""
COUNT = """async () => {
  const frames = [], shown = document.body.appendChild(document.createElement('p'));
  const post = (path, body) => fetch(path, {method: 'POST', body: JSON.stringify(body)});
  const {thread_id} = await (await post('/threads', {})).json();
  let last = performance.now();
  const frame = (now) => {
    frames.push(now - last); last = now; shown.textContent = frames.length; requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  const run = await post(`/threads/${thread_id}/runs/stream`, {input: {question: 'wide'}, context: {}});
  for (const reader = run.body.getReader(); !(await reader.read()).done;);
  return frames.slice(2);
}"""


class TimestampPlayer(Player):
    """Player with the send time, in milliseconds, in the values of tasks."""

    def data_of(self, event: dict[str, Any]) -> str:
        """Return the data of an event with the time inserted."""
        return super().data_of(event).replace("$now", f"at {time.time() * 1000:.0f}")


def run_of(tasks: int, width: int) -> list[dict[str, Any]]:
    """Return a run of a number of tasks in rows, each task building on two of the row before."""
    vertices, edges = [], []
    for n in range(tasks):
        vertex = {"id": f"t{n}", "description": f"What of {n}?", "tool_binding": "corpus_search"}
        vertices.append({**vertex, "args": {}, "ret": "text"})
        if n >= width:
            edges += [[f"t{n - width}", f"t{n}"], [f"t{n - width - n % 2}", f"t{n}"]]
    events: list[dict[str, Any]] = [{"type": "assessed", "level": "complex", "language": "en"}]
    events.append({"type": "planned", "plan": {"revision": 0, "vertices": vertices, "edges": edges}})
    for n in range(tasks):
        events.append({"type": "task_started", "task_id": f"t{n}", "turn": 1, "tool": "corpus_search", "args": {}})
        ended = {"type": "task_finished", "task_id": f"t{n}", "status": "succeeded", "value": "$now"}
        events.append({**ended, "seconds": 0.1, "attempts": 1})
    last = recording("planned")["runs"][0][-1]["data"]
    done = [{"event": "custom", "data": {"type": "finished", "status": "complete", "stop_reason": "finished"}}]
    last = {**last, "result": {**last["result"], "plan": None, "outcomes": {}}}
    return [*({"event": "custom", "data": event} for event in events), *done, {"event": "values", "data": last}]


def quantiles(values: list[float]) -> str:
    """Median, 95th percentile and maximum."""
    values = sorted(values)
    return f"median {statistics.median(values):.0f}, p95 {values[int(len(values) * 0.95)]:.0f}, most {values[-1]:.0f}"


def measure_cpu_seconds(devtools: CDPSession) -> float:
    """Return the CPU seconds of the page's main thread so far, independent of further programs."""
    metrics = {item["name"]: item["value"] for item in devtools.send("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


def open_page(browser: Browser, url: str) -> Page:
    """The page, ready to be asked."""
    page = browser.new_context(viewport={"width": 1360, "height": 900}).new_page()
    page.goto(url)
    page.wait_for_selector("textarea[name=question]")
    return page


def watch(page: Page) -> tuple[list[float], list[float], float]:
    """Ask, and watch to the end: delays, frame times, CPU seconds of the main thread."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.evaluate(WATCH)
    before = measure_cpu_seconds(devtools)
    page.fill("textarea[name=question]", "wide")
    page.press("textarea[name=question]", "Enter")
    page.evaluate("window.done")  # Playwright's own waiting would look through the page in every frame
    seconds = measure_cpu_seconds(devtools) - before
    return *page.evaluate("[window.delays, window.frames.slice(2)]"), seconds


def pieces(browser: Browser, page: Page) -> list[float]:
    """Return the CPU milliseconds of each task of the page's main thread while watching the run."""
    browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
    watch(page)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    drawn = statistics.mode((event["pid"], event["tid"]) for event in events if event["name"] == "FireAnimationFrame")
    tasks = [event for event in events if (event["pid"], event["tid"]) == drawn and event["name"].endswith("RunTask")]
    return [task["tdur"] / 1000 for task in tasks if "tdur" in task]


def count(browser: Browser, url: str) -> list[float]:
    """Measure the frame times of a page with no work except reading events and drawing a number."""
    page = browser.new_context().new_page()
    page.goto(f"{url}/page/LICENSES.txt")
    frames: list[float] = page.evaluate(COUNT)
    page.context.close()
    return frames


def print_frame_times(name: str, frames: list[float]) -> None:
    """Print the times of frames."""
    late = sum(frame > LATE for frame in frames)
    print(f"{name}, frames: {quantiles(frames)} ms; {late} of {len(frames)} above {LATE} ms")


def shown_after(tasks: int, delays: list[float]) -> None:
    """Print the delay from sending events to showing the events on the screen."""
    print(
        f"{tasks} tasks, an event on the screen after: {quantiles(delays)} ms over {len(delays)} events (at most 100)"
    )


def main() -> None:
    """Print the figures."""
    if CHROMIUM is None:
        sys.exit("no chromium is installed: apt-get install chromium")
    sizes = [len(gzip.compress(path.read_bytes(), 9)) for path in STATIC.iterdir()]
    print(f"size, gzip: {sum(sizes) / 1000:.1f} kB in {len(sizes)} files (at most 200)")
    with TimestampPlayer() as player, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        paints = []
        for _ in range(LOADS):
            page = browser.new_context().new_page()
            page.goto(player.url)
            page.wait_for_selector("textarea[name=question]")
            paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            page.context.close()
        print(f"first paint on loopback, cold: {quantiles(paints)} ms (at most 300)")
        player.csp = False
        player.runs["wide"] = [run_of(USUAL, USUAL_WIDTH)]
        player.pause = SECONDS_BETWEEN[USUAL]
        page = open_page(browser, player.url)
        delays, frames, _ = watch(page)
        page.context.close()
        print_frame_times(f"{USUAL} tasks", frames)
        shown_after(USUAL, delays)
        player.runs["wide"] = [run_of(TASKS, WIDTH)]
        player.pause = SECONDS_BETWEEN[TASKS]
        print_frame_times("a page that counts, before", count(browser, player.url))
        page = open_page(browser, player.url)
        delays, frames, seconds = watch(page)
        page.context.close()
        print_frame_times(f"{TASKS} tasks", frames)
        print_frame_times("a page that counts, after", count(browser, player.url))
        shown_after(TASKS, delays)
        print(f"the page's own work: {seconds:.2f} s of CPU, {1000 * seconds / len(frames):.1f} ms a frame")
        longest = sorted(pieces(browser, open_page(browser, player.url)), reverse=True)
        over = sum(item > LATE for item in longest)
        print(
            f"its longest pieces: {', '.join(f'{item:.0f}' for item in longest[:3])} ms of CPU; {over} above {LATE} ms"
        )
        browser.close()


if __name__ == "__main__":
    main()
