// Drives a LangGraph server with the JavaScript SDK: `useStream` in React, and the client for what it leaves out.
import { JSDOM } from "jsdom";

const [url, question] = process.argv.slice(2);
const dom = new JSDOM("<div id=root></div>", { url: "http://localhost/" });
globalThis.window = dom.window;
globalThis.document = dom.window.document;
globalThis.navigator ??= dom.window.navigator;
globalThis.IS_REACT_ACT_ENVIRONMENT = false;

const React = await import("react");
const { createRoot } = await import("react-dom/client");
const { Client } = await import("@langchain/langgraph-sdk");
const { useStream } = await import("@langchain/langgraph-sdk/react");

let latest;
const custom = [];
function Chat() {
  latest = useStream({ apiUrl: url, assistantId: "weiwo", messagesKey: "messages", onCustomEvent: (event) => custom.push(event.type) });
  return null;
}
createRoot(document.getElementById("root")).render(React.createElement(Chat));
const until = async (ready) => {
  while (!ready()) await new Promise((done) => setTimeout(done, 50));
};
await until(() => latest);
latest.submit({ question }, { context: { approve_plan: true }, streamMode: ["custom", "values", "messages-tuple"] });
await until(() => latest.error || latest.interrupt);
const asked = latest.interrupt?.value;
await latest.submit(undefined, { command: { resume: { decisions: [{ type: "approve" }] } }, streamMode: ["custom", "values"] });
await until(() => latest.error || latest.values?.result?.answer); // React renders what the stream brought last

const client = new Client({ apiUrl: url });
const thread = await client.threads.create();
const values = await client.runs.wait(thread.thread_id, "weiwo", { input: { messages: [{ role: "user", content: question }] } });
console.log(JSON.stringify({
  error: latest.error ? String(latest.error) : null,
  asked: asked?.action_requests?.[0]?.name ?? null,
  custom,
  answer: latest.values?.result?.answer ?? null,
  plan: latest.values?.plan?.tasks?.length ?? 0,
  message: latest.messages.at(-1)?.content ?? null,
  citations: latest.messages.at(-1)?.additional_kwargs?.citations?.length ?? 0,
  waited: values.result.answer,
}));
process.exit(0);
