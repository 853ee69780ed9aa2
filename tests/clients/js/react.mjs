// Drives a LangGraph server with `useStream` of `@langchain/react`, which speaks the event protocol.
import { JSDOM } from "jsdom";

const [url, question] = process.argv.slice(2);
const dom = new JSDOM("<div id=root></div>", { url: "http://localhost/" });
globalThis.window = dom.window;
globalThis.document = dom.window.document;
globalThis.navigator ??= dom.window.navigator;
globalThis.IS_REACT_ACT_ENVIRONMENT = false;

const React = await import("react");
const { createRoot } = await import("react-dom/client");
const { useChannel, useExtension, useStream } = await import("@langchain/react");

const until = async (ready) => {
  while (!ready()) await new Promise((done) => setTimeout(done, 50));
};
async function open(threadId) {
  const page = {};
  function Chat() {
    page.stream = useStream({ apiUrl: url, assistantId: "weiwo", threadId });
    page.custom = useChannel(page.stream, ["custom"]);
    page.planned = useExtension(page.stream, "planned");
    return null;
  }
  createRoot(document.createElement("div")).render(React.createElement(Chat));
  await until(() => page.stream && !page.stream.isThreadLoading);
  return page;
}
const text = (message) => message?.text ?? null;

const first = await open();
first.stream.submit({ question }, { config: { configurable: { approve_plan: true } } });
await until(() => first.stream.error || first.stream.interrupt);
const asked = first.stream.interrupt?.value;
const second = await open(first.stream.threadId); // another browser answers
await until(() => second.stream.error || (second.stream.interrupt && second.stream.getThread()));
await second.stream.respond({ decisions: [{ type: "approve" }] }, { interruptId: second.stream.interrupt.id });
for (const page of [first, second]) await until(() => page.stream.error || (page.stream.values.result?.answer && !page.stream.isLoading));
await until(() => first.custom.at(-1)?.params.data.name === "finished");
const streamed = first.stream.messages.at(-1);
const subgraphs = [...first.stream.subgraphs.values()].map((one) => [one.nodeName, one.status]);

first.stream.submit({ messages: [{ type: "human", content: question }] });
await until(() => first.stream.error || (first.stream.messages.length >= 4 && !first.stream.isLoading));
const again = await open(first.stream.threadId);

const stopped = await open();
stopped.stream.submit({ question }, { config: { configurable: { approve_plan: true } } });
await until(() => stopped.stream.error || stopped.stream.isLoading || stopped.stream.interrupt); // it may wait already
await until(() => stopped.stream.error || stopped.stream.values.assessment || stopped.stream.interrupt);
await stopped.stream.stop();
const refused = await open();
refused.stream.submit({ question: "" });
await until(() => refused.stream.error);

console.log(JSON.stringify({
  errors: [first, second, again, stopped].map((page) => page.stream.error && String(page.stream.error)),
  asked: asked?.action_requests?.[0]?.name ?? asked?.actionRequests?.[0]?.name ?? null,
  custom: first.custom.map((event) => event.params.data.name),
  planned: first.planned?.plan?.vertices?.length ?? first.planned?.plan?.tasks?.length ?? 0,
  answer: second.stream.values.result?.answer ?? null,
  streamed: text(streamed),
  subgraphs,
  messages: again.stream.messages.map((message) => message.getType()),
  loading: [first, second, again, stopped].map((page) => page.stream.isLoading),
  refused: String(refused.stream.error),
}));
process.exit(0);
