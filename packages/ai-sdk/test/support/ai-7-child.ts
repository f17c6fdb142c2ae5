/**
 * Runs on Node 22 with AI SDK 7 from a given folder. Validates the UI messages of random histories with it, and runs the engine
 * with a V4 model. Prints the results as JSON.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createRunState, createTool, run, runStream } from "@jaf/core";
import fc from "fast-check";
import * as z from "zod";
import { createAiSdkProvider, toUIMessages } from "../../src/index.ts";
import { histories } from "./histories.ts";
import { EVENT_STREAM, sse, startModelServer } from "./model-server.ts";

const [folder = "", count = "100"] = process.argv.slice(2);
const { resolve } = createRequire(join(folder, "package.json"));
const load = (name: string) => import(pathToFileURL(resolve(name)).href);

async function judge(): Promise<number> {
  const { validateUIMessages, convertToModelMessages } = await load("ai");
  let judged = 0;
  for (const [index, history] of fc.sample(histories, Number(count)).entries()) {
    const odd = index % 2 === 0;
    const messages = toUIMessages(history, { providerMetadata: odd, dynamicTools: odd, system: odd });
    if (messages.length === 0) continue;
    await validateUIMessages({ messages: JSON.parse(JSON.stringify(messages)) });
    await convertToModelMessages(messages);
    judged += 1;
  }
  return judged;
}

const CALL = {
  id: "c1",
  type: "function",
  function: { name: "price", arguments: '{"article":"apple"}' },
  extra_content: { google: { thought_signature: "c2ln" } },
};

/** Does two runs with tools, one streamed. Returns the assistant messages in the second request of each. */
async function runWithV4(): Promise<readonly unknown[]> {
  const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
  const message = { role: "assistant", content: null, reasoning_content: "Hm…", tool_calls: [CALL] };
  const delta = { ...message, tool_calls: [{ index: 0, ...CALL }] };
  const last = { role: "assistant", content: "50 cents." };
  const reply = (of: object, finish_reason: string) => ({
    body: JSON.stringify({ id: "r", choices: [{ index: 0, message: of, finish_reason }] }),
  });
  const streamed = (of: object, finish_reason: string) => ({
    headers: EVENT_STREAM,
    body: sse([{ choices: [{ index: 0, delta: of, finish_reason }] }], "data: [DONE]\n\n"),
  });
  const answers = [
    reply(message, "tool_calls"),
    reply(last, "stop"),
    streamed(delta, "tool_calls"),
    streamed(last, "stop"),
  ];
  const server = await startModelServer(() => answers.shift() ?? { status: 500, body: "" });
  const price = createTool({
    name: "price",
    description: "A price in cents",
    parameters: z.object({ article: z.string() }),
    execute: () => "50",
  });
  const model = createOpenAICompatible({ name: "gateway", baseURL: server.url })("m");
  const config = {
    agentRegistry: new Map([["clerk", { name: "clerk", instructions: () => "Be brief.", tools: [price] }]]),
    modelProvider: createAiSdkProvider<object>(model),
  };
  const content = [
    { type: "text", text: "What is that?" },
    { type: "media", mediaType: "image/png", data: "aGk=" },
  ];
  // The engine accepts rich messages as messages.
  const messages = JSON.parse(JSON.stringify([{ role: "user", content }]));
  const state = createRunState<object>({ agentName: "clerk", context: {}, messages });
  const first = await run<object, string>(state, config);
  const running = runStream<object, string>(state, config);
  for await (const _ of running);
  const outcomes = [first.outcome, (await running.result).outcome];
  await server.close();
  const sent = server.requests.map(
    (request) => z.object({ messages: z.array(z.unknown()) }).parse(request).messages,
  );
  return [model.specificationVersion, ...outcomes, sent[1]?.slice(1, 3), sent[3]?.slice(1, 3)];
}

console.log(JSON.stringify({ judged: await judge(), v4: await runWithV4() }));
