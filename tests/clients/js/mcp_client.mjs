// Drives `weiwo mcp` with the official TypeScript client: node mcp_client.mjs QUESTION URL | QUESTION COMMAND ARGS…
// Prints what it saw as one line of JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [question, target, ...args] = process.argv.slice(2);
const transport = target.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args, env: process.env, stderr: "ignore" });
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);
const patient = { timeout: 200_000, resetTimeoutOnProgress: true };
const call = (name, given, more = {}) =>
  client.callTool({ name, arguments: given }, undefined, { ...patient, ...more });

const { tools } = await client.listTools(); // from then on results are held to the output schemas
const progress = [];
const asked = await call("ask", { question, wait: 180 }, { onprogress: (one) => progress.push(one) });
let later = await call("ask", { question, wait: 0 });
const atOnce = later.structuredContent;
while (later.structuredContent.status === "running") {
  later = await call("get_answer", { thread_id: later.structuredContent.thread_id, wait: 60 });
}
const found = await call("search", { query: "Julius Caesar born", k: 2 });
const [first] = found.structuredContent.passages;
const read = await call("read_document", { source: first.source });
const refused = await call("get_answer", { thread_id: "none" });
console.log(
  JSON.stringify({
    server: client.getServerVersion()?.name,
    tools: tools.map((one) => [one.name, one.annotations?.readOnlyHint === true, Boolean(one.outputSchema)]),
    progress: progress.map((one) => [one.progress, one.message ?? ""]),
    asked: asked.structuredContent,
    bytes: JSON.stringify(asked).length,
    atOnce,
    later: later.structuredContent,
    found: found.structuredContent.passages.length,
    read: read.structuredContent.passages.length,
    refused: refused.isError === true && refused.content[0].text,
  }),
);
await client.close();
