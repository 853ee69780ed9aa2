// Unit tests of the page's pure modules; bundled with esbuild and run by `node --test` (tests/page/test_modules.py).
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, decoded, request, whenLoginNeeded } from "../../../app/page/src/api";
import { bars } from "../../../app/page/src/bars";
import { ClaimMatcher, groups, sealBlocks } from "../../../app/page/src/claims";
import { pieces } from "../../../app/page/src/code";
import { withExtracts } from "../../../app/page/src/extracts";
import { inline, safeUrl, visible } from "../../../app/page/src/inline";
import { curve, layout } from "../../../app/page/src/layout";
import { cells, parse, withoutSources } from "../../../app/page/src/markdown";
import { withSigns } from "../../../app/page/src/passage";
import { checkPlan, draftOf, planOf } from "../../../app/page/src/plan_draft";
import { apply, fill, halted, newRun, phase, runOf, valueOf, wholeResult, type Run } from "../../../app/page/src/progress";
import { eventParser } from "../../../app/page/src/sse";
import { inOwnWords, phrase, placeIn, preferred, say } from "../../../app/page/src/words";
import type { Claim, Plan } from "../../../app/page/src/types";

const known = { urls: new Set(["https://docs.example.org/a"]), cites: new Set([1, 2, 3]) };
const plain = (source: string): string => inline(source, known).map((one) => one.text).join("");

test("inline Markdown becomes flat pieces", () => {
  assert.deepEqual(inline("a **b *c* d** `e*f*`", known), [
    { text: "a " }, { text: "b ", strong: true }, { text: "c", strong: true, em: true }, { text: " d", strong: true },
    { text: " " }, { text: "e*f*", code: true },
  ]);
  assert.equal(plain("2 * 3 * 4 and snake_case_name and **open"), "2 * 3 * 4 and snake_case_name and **open");
});

test("citations are those of the answer, links those of its sources", () => {
  assert.deepEqual(inline("So [1, 2] and [9] [x](https://docs.example.org/a)", known).filter((one) => one.cite || one.href), [
    { text: "1", cite: 1 }, { text: "2", cite: 2 }, { text: "x", href: "https://docs.example.org/a" },
  ]);
  for (const text of ["[a](https://evil.test/)", "![a](https://docs.example.org/a)", "<https://evil.test>", "[a](javascript:alert(1))", "https://docs.example.org/a&x=1"]) {
    assert.ok(inline(text, known).every((one) => !one.href), text);
  }
  assert.equal(safeUrl("https://user:pass@docs.example.org/"), null);
  assert.equal(safeUrl("javascript:alert(1)"), null);
  assert.equal(visible("a\u202eb\u200b\u0007c"), "ab\u200bc");
});

test("a bracket of a source is no citation", () => {
  const quote = "> see [[2]] and [^1], paid [3] [\u{f0f10}3].";
  const answer = `Pier 😀 [1]\n\n${quote}`;
  const blocks = [{ kind: "paragraph" as const, text: "Pier 😀 [1]" }, { kind: "quote" as const, text: quote }];
  const of = (marks?: { n: number; start: number; end: number }[]) => sealBlocks({ answer, blocks, ...(marks ? { marks } : {}) })
    .map((block) => inline(block.text, { ...known, sealed: Boolean(marks) }).map((one) => one.cite ?? one.text));
  assert.deepEqual(of([{ n: 1, start: 7, end: 10 }]), [["Pier 😀 ", 1], ["> see [[2]] and [^1], paid [3] [3]."]]);
  assert.deepEqual(of()[1], ["> see [", 2, "] and [^1], paid ", 3, " [\u{f0f10}3]."]); // version 0.1 has no marks
});

test("inline Markdown takes linear time over what opens and never closes", () => {
  for (const sign of ["*a ", "[a](", "`a ``", "_a", "![", "**a *b ", "[".repeat(3), "https://a "]) {
    const pieces = inline(sign.repeat(20_000), known); // else this takes minutes
    assert.ok(pieces.every((one) => !one.href), sign);
  }
});

test("code is coloured by its language, and is whole", () => {
  const of = (code: string, language: string): string[] => pieces(code, language).filter((one) => one.kind).map((one) => `${one.kind} ${one.text}`);
  const python = 'async def f(x): # why\n    return "a # b" + str(42)';
  assert.deepEqual(of(python, "python"), ["keyword async", "keyword def", "comment # why", "keyword return", 'string "a # b"', "number 42"]);
  assert.deepEqual(of("/* a * b */ const url = 'https://x.test'; // c", "ts"), ["comment /* a * b */", "keyword const", "string 'https://x.test'", "comment // c"]);
  assert.deepEqual(of("SELECT a -- all\nFROM t", "sql"), ["keyword SELECT", "comment -- all", "keyword FROM"]);
  assert.deepEqual(of("if this is not code", "text"), []);
  for (const [code, language] of [[python, "py"], ["/*".repeat(20000), "js"], ['"\\'.repeat(20000), ""], ["<script>alert(1)</script>", "html"]] as const) {
    assert.equal(pieces(code, language).map((one) => one.text).join(""), code);
  }
});

test("blocks", () => {
  const nodes = parse("# T\n\nOne\ntwo\n\n- a\n- b\n  - c\n\n1. x\n\n> q\n\n| h | k |\n|---|--:|\n| `a|b` | c\\|d |\n\n```py\nx = 1\n```\n\n---");
  assert.deepEqual(nodes.map((one) => one.kind), ["heading", "paragraph", "list", "list", "quote", "table", "code", "rule"]);
  const list = nodes[2];
  assert.ok(list?.kind === "list" && list.items.length === 2 && list.items[1]?.[1]?.kind === "list");
  assert.deepEqual(nodes[5], { kind: "table", rows: [["h", "k"], ["`a|b`", "c|d"]], align: ["", "right"] });
  assert.deepEqual(parse("a|b\n:-|:-:").map((one) => one.kind === "table" && one.align), [["left", "center"]]);
  assert.deepEqual(parse("```\nunfinished"), [{ kind: "code", language: "", text: "unfinished" }]);
  assert.deepEqual(cells("a | b"), ["a", "b"]);
  assert.equal(withoutSources("Text.\n\nSources:\n[1] A"), "Text.");
  assert.equal(withoutSources("文字。\n\n来源\n[1] 甲"), "文字。");
});

test("claims are found in marked text, in order", () => {
  const claims: Claim[] = [
    { text: "Aurora costs 20 euros.", citations: [1], verdict: "supported" },
    { text: "It is new.", citations: [], verdict: "uncited" },
  ];
  const matcher = new ClaimMatcher(claims, [0, 1], known);
  const found = groups(matcher.mark("**Aurora** costs\n20 euros [1]. It is new. More."));
  assert.deepEqual(found.map((one) => [one.claim, one.pieces.map((piece) => piece.text).join("").trim()]), [
    [0, "Aurora costs\n20 euros 1."], [1, "It is new."], [-1, "More."],
  ]);
  assert.deepEqual([...matcher.found], [0, 1]);
});

test("a passage is shown once, whether its name stands below its snippet or above it", () => {
  const extracts = [{ n: 1, title: "Tower", text: "It is 330 metres tall.", source: "tower.md", locator: "", highlights: [] }];
  const quote = { kind: "quote", text: "> **It is 330 metres tall.**" };
  const lead = { kind: "paragraph", text: "Closest passages:" };
  for (const blocks of [[lead, quote, { kind: "paragraph", text: "— Tower [1]" }], [lead, { kind: "paragraph", text: "Tower [1]" }, quote]]) {
    const answer = blocks.map((one) => one.text).join("\n\n");
    const drawn = withExtracts(wholeResult({ answer, blocks, extracts } as never));
    assert.deepEqual(drawn, [lead, { extract: extracts[0], title: "Tower", snippet: quote.text }]);
  }
});

test("a claim is found before its mark", () => {
  const claims: Claim[] = [
    { text: "Aurora costs **20** euros.", citations: [], verdict: "unsupported" },
    { text: "它很新。", citations: [], verdict: "unsupported" },
  ];
  const found = groups(new ClaimMatcher(claims, [0, 1], known).mark("Aurora costs **20** euros (unverified). 它很新（未核实）。More."));
  assert.deepEqual(found.map((one) => [one.claim, one.pieces.map((piece) => piece.text).join("").trim()]), [
    [0, "Aurora costs 20 euros (unverified)."], [1, "它很新（未核实）。"], [-1, "More."],
  ]);
});

test("what is quoted stays marked in Markdown, and what begins a block stays so", () => {
  const signs = (text: string, ...quotes: string[]) => withSigns(text, quotes.map((one): [number, number] => [text.indexOf(one), text.indexOf(one) + one.length])).replaceAll("\ue000", "<").replaceAll("\ue001", ">");
  assert.equal(signs("# Head\n\nSome words.", "# Head"), "# <Head>\n\nSome words.");
  assert.equal(signs("- one\n- two", "two"), "- one\n- <two>");
  assert.equal(signs("| a | b |", "| a | b |"), "| <a | b |>");
  assert.equal(signs("plain text", "text"), "plain <text>");
});

const PLAN: Plan = {
  revision: 0,
  vertices: [
    { id: "a", description: "First?", tool_binding: "search", args: { query: "x" }, ret: "text" },
    { id: "b", description: "Of {{a.ret}}?", tool_binding: "search", args: { query: "{{a.ret}}" }, ret: "text" },
  ],
  edges: [["a", "b"]],
};

function after(...events: Record<string, unknown>[]): Run {
  return events.reduce<Run>((run, event, at) => apply(run, event, 1000 * at), newRun(0));
}

test("events add up to a run", () => {
  const run = after(
    { type: "assessed", level: "complex" }, { type: "planned", plan: PLAN },
    { type: "task_started", task_id: "a", turn: 1, tool: "search", args: { query: "x" } },
    { type: "task_progress", task_id: "a", turn: 2, tool: "other", args: { query: "y" }, cached: true },
    { type: "task_finished", task_id: "a", status: "succeeded", value: "Rome", tool: "other", attempts: 2, seconds: 1.5 },
    { type: "task_started", task_id: "b[2]", turn: 1, tool: "search", args: { query: "z" }, item: "Two" },
  );
  const a = run.rows.get("a");
  assert.equal(a?.state, "succeeded");
  assert.deepEqual(a?.calls.map((call) => call.tool), ["search", "other"]);
  assert.equal(a?.cached, true);
  assert.equal(fill(run, "Of {{a.ret}} and {{c.ret}}?"), "Of Rome and ‹c›?");
  assert.deepEqual(run.rows.get("b")?.instances.map((one) => [one.state, one.description]), [["waiting", ""], ["running", "Two"]]);
  assert.equal(run.rows.get("b")?.state, "running");
  assert.equal(phase(run), "working");
  const [, b] = halted(run).rows.values();
  assert.deepEqual([b?.state, b?.instances.map((one) => one.state)], ["waiting", ["waiting", "waiting"]]);
  const replanned = apply(run, { type: "planned", plan: { ...PLAN, revision: 1, vertices: PLAN.vertices.slice(0, 1), edges: [] } }, 9);
  assert.equal(replanned.revisions.length, 1);
  assert.equal(replanned.rows.get("a")?.value, "Rome", "what stays keeps what is known of it");
  assert.equal(apply(run, { type: "of another version" }, 1), run);
});

test("a chain tells of its hops, a report of its sections", () => {
  const run = after(
    { type: "planned", plan: PLAN }, { type: "task_started", task_id: "a.2", turn: 1, tool: "search", args: {} },
    { type: "answer_started" }, { type: "outlined", sections: ["One", "Two"] },
    { type: "section_finished", number: 2, title: "Two", text: "Second." },
  );
  assert.deepEqual([...run.rows.keys()], ["a", "b"]);
  assert.deepEqual(run.rows.get("a")?.instances.map((one) => one.id), ["a.1", "a.2"]);
  assert.deepEqual(run.sections, [{ title: "One", text: "" }, { title: "Two", text: "Second." }]);
});

test("a result tells of a run that nobody watched", () => {
  const outcome = { status: "succeeded" as const, value: "-156", type: "date", evidence_ids: [], tool: "t", attempts: 1, seconds: 1, decided_by: "rule" };
  const run = runOf({ level: "complex", plan: PLAN, outcomes: { a: outcome }, status: "complete", answer: "x" }, 0);
  assert.equal(run.rows.get("a")?.value, "156 BC");
  assert.equal(phase(run), "done");
});

test("a result of another version is drawn as far as it goes", () => {
  const whole = wholeResult({ question: "q", answer: "a", claims: null as never, usage: undefined as never });
  assert.deepEqual([whole.answer, whole.claims, whole.usage.model_calls, whole.outcomes], ["a", [], 0, {}]);
  assert.equal(say("en", "verdict_unheard" as "done"), "unheard");
});

test("a date is written as people write it", () => {
  assert.deepEqual(["-100-07-12", "-156", "1969-07", "soon"].map((one) => valueOf(one, "date")), ["12 July 100 BC", "156 BC", "July 1969", "soon"]);
  assert.equal(valueOf(["-100-07-12", "1969"], "list[date]", "zh"), "公元前100年7月12日, 1969年");
});

test("the critical path ends at the last task, also of tasks that ended in the same instant", () => {
  const run = [
    { type: "planned", plan: PLAN }, { type: "task_started", task_id: "a", turn: 1, tool: "t", args: {} },
    { type: "task_finished", task_id: "a", status: "succeeded", value: "1", tool: "t", attempts: 1, seconds: 0 },
    { type: "task_started", task_id: "b", turn: 1, tool: "t", args: {} },
    { type: "task_finished", task_id: "b", status: "succeeded", value: "2", tool: "t", attempts: 1, seconds: 0 },
  ].reduce<Run>((before, event) => apply(before, event, 7), newRun(0));
  const drawn = bars([...run.rows.values()], 7);
  assert.equal(drawn.watched, true);
  assert.deepEqual(drawn.bars.map((bar) => [bar.row.id, bar.critical]), [["a", true], ["b", true]]);
});

test("what a server says in English is named as such on a Chinese page", () => {
  assert.equal(inOwnWords("en", "it broke"), "it broke");
  assert.equal(inOwnWords("zh", "it broke"), "服务器原话：it broke");
  assert.equal(inOwnWords("zh", "服务器出错"), "服务器出错");
  assert.equal(inOwnWords("zh", "it broke", "工具出错"), "工具出错（原话：it broke）");
  assert.equal(inOwnWords("en", "it broke", "the tool failed"), "it broke");
  assert.equal(phrase("zh", "error_StorageError"), "会话无法保存或读取");
  assert.equal(phrase("zh", "error_AnotherError"), "");
  assert.equal(placeIn("en", "page 2, lines 1-9"), "page 2, lines 1-9");
  assert.equal(placeIn("zh", "page 2, lines 1-9"), "第 2 页，第 1-9 行");
  assert.equal(placeIn("zh", "sheet Sales, rows 2-20"), "工作表 Sales, 第 2-20 行");
  assert.equal(placeIn("zh", "slide 4"), "第 4 张幻灯片");
});

test("a layout keeps ranks, order and distance", () => {
  const boxes = ["a", "b", "c", "d"].map((id) => ({ id, width: 100, height: 40 }));
  const drawn = layout(boxes, [["a", "c"], ["b", "c"], ["c", "d"], ["a", "d"], ["d", "d"], ["x", "a"]], true, { rank: 50, node: 10 });
  assert.deepEqual(drawn.nodes.map((one) => one.rank), [0, 0, 1, 2]);
  assert.equal(drawn.routes.length, 4);
  for (const one of drawn.nodes) {
    for (const other of drawn.nodes) {
      if (one !== other && one.rank === other.rank) assert.ok(Math.abs(one.y - other.y) >= 49.9);
    }
    assert.ok(one.x >= 0 && one.y >= 0 && one.x + 100 <= drawn.width + 1e-6 && one.y + 40 <= drawn.height + 1e-6);
  }
  assert.match(curve(drawn.routes[0]?.points ?? [], true), /^M100 /);
  assert.deepEqual(layout([], [], true, { rank: 1, node: 1 }).nodes, []);
  const woven = Array.from({ length: 475 }, (_, n) => n + 25).flatMap((n): [string, string][] => [[`${n - 25}`, `${n}`], [`${n - 25 - (n % 2)}`, `${n}`]]);
  const wide = layout(Array.from({ length: 500 }, (_, n) => ({ id: `${n}`, width: 200, height: 90 })), woven, true, { rank: 100, node: 20 });
  assert.ok(wide.height < 1.1 * 25 * 110, "what stands side by side drifts no further apart than it must");
  const circle = layout(boxes, [["a", "b"], ["b", "a"]], false, { rank: 1, node: 1 });
  assert.equal(circle.nodes.length, 4, "a circle, which no valid plan has, is drawn all the same");
});

test("server-sent events survive any cut", () => {
  const text = 'id: 1-1\r\nevent: custom\r\ndata: {"a":1}\r\n\r\n: beat\n\nid: 1-2\ndata: x\ndata: y\n\nevent: end\ndata: null\n\n';
  for (let size = 1; size < 20; size += 1) {
    const parsed = eventParser();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...parsed(text.slice(at, at + size)));
    assert.deepEqual(found, [
      { event: "custom", data: '{"a":1}', id: "1-1" }, { event: "message", data: "x\ny", id: "1-2" }, { event: "end", data: "null", id: "1-2" },
    ], `pieces of ${size}`);
  }
});

test("an edited plan is checked as one types", () => {
  const drafts = draftOf(PLAN);
  assert.deepEqual(checkPlan(drafts).edited?.edges.filter(([from]) => from === "a")[0], ["a", "b"]);
  const problem = (change: Partial<(typeof drafts)[0]>): string[] => [...checkPlan([{ ...drafts[0]!, ...change }, drafts[1]!]).problems.values()].map((one) => one.split("\0")[0]!);
  assert.deepEqual(problem({ args: "{" }), ["notJson"]);
  assert.deepEqual(problem({ args: "[]" }), ["notObject"]);
  assert.deepEqual(problem({ description: " " }), ["noDescription"]);
  assert.deepEqual(problem({ args: '{"query": "{{b.ret}}"}' }), ["circle"]);
  assert.deepEqual(problem({ args: '{"query": "{{z.ret}}"}' }), ["unknownReference"]);
  assert.deepEqual([...checkPlan([]).problems.values()], ["noTasks"]);
  assert.equal(planOf(checkPlan(drafts).edited!, PLAN).vertices.length, 2);
  const waits = draftOf({ ...PLAN, vertices: PLAN.vertices.map((one) => ({ ...one, args: {}, description: "x", for_each: "" })), edges: [["a", "b"]] });
  assert.deepEqual(waits.map((one) => one.after), [[], ["a"]]);
  assert.deepEqual(checkPlan(waits).edited?.edges, [["a", "b"]]);
  assert.deepEqual(checkPlan(waits.map((one) => ({ ...one, after: [] }))).edited?.edges, [], "an edge can be taken away");
  assert.deepEqual([...checkPlan(waits.map((one) => ({ ...one, after: ["a", "b"] }))).problems.values()], ["circle"]);
  assert.deepEqual(checkPlan(waits.slice(1)).edited?.edges, [], "nobody waits for a task that was removed");
});

test("a request that needs a login is sent again after it", async (context) => {
  const answers = [new Response("{}", { status: 401 }), new Response("in"), new Response('{"detail": "spent"}', { status: 429, headers: { "retry-after": "60" } })];
  const asked: string[] = [];
  context.mock.method(globalThis, "fetch", (path: string) => { asked.push(path); return Promise.resolve(answers.shift()); });
  whenLoginNeeded(() => { asked.push("login"); return Promise.resolve(true); });
  assert.equal(await (await request("POST", "/threads", {})).text(), "in");
  assert.deepEqual(asked, ["./threads", "login", "./threads"]);
  await assert.rejects(request("POST", "/runs", {}), (error: ApiError) => error.status === 429 && error.retryAfter === 60 && error.message === "spent");
  answers.push(new Response("{}", { status: 401 }));
  await assert.rejects(request("POST", "/weiwo/login", {}), ApiError, "a wrong token is told");
  answers.push(new Response("{}", { status: 401 }));
  whenLoginNeeded(() => Promise.resolve(false));
  await assert.rejects(request("GET", "/threads"), ApiError, "a server without a login refuses");
});

test("an address that is no percent-encoding is taken as it is", () => {
  for (const part of ["%E0%A4%A", "%", "%zz", "100%"]) assert.equal(decoded(part), part);
  assert.equal(decoded("a%20b%E4%BD%A0"), "a b你");
});

test("words", () => {
  assert.equal(say("en", "passages", 4210), "4,210 passages");
  assert.equal(preferred(["fr", "zh-TW"]), "zh");
  assert.equal(preferred(["de"]), "en");
  assert.equal(say("zh", "passages", 3), "3 个段落");
});
