import { asTool, createAgentClient, createTool, type ModelProvider, run, runStream } from "@jaf/core";
import { createScriptedModel, type ScriptedFunction, type ScriptedStep } from "@jaf/core/testing";
import { createInMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { createServerApp } from "@jaf/server";
import { context, type Tracer, trace } from "@opentelemetry/api";
import { expect, it } from "vitest";
import * as z from "zod";
import { asks, calls, support } from "./support/runs.ts";
import { spanNamed, testTelemetry, treeOf, withAsyncContext } from "./support/sdk.ts";

withAsyncContext();

/** Makes a span as an instrumented HTTP client does, as a child of the active span. */
const request = async (tracer: Tracer, name: string): Promise<void> => tracer.startSpan(name).end();

/** A model that follows a script, and makes a span in each call and with each chunk. */
function requesting(
  tracer: Tracer,
  steps: readonly ScriptedStep<unknown>[] | ScriptedFunction<unknown>,
): ModelProvider<unknown> {
  const model = createScriptedModel<unknown>(steps as readonly ScriptedStep<unknown>[]);
  return {
    getCompletion: async (...asked) => {
      await request(tracer, "POST model");
      return model.getCompletion(...asked);
    },
    getCompletionStream: async function* (...asked) {
      await request(tracer, "POST model");
      yield* model.getCompletionStream(...asked);
    },
  };
}

const requestingTool = (tracer: Tracer) =>
  createTool({
    name: "look_up",
    description: "Looks up an order.",
    parameters: z.object({ id: z.string() }),
    execute: async () => {
      await request(tracer, "GET order");
      return "here";
    },
  });

const TURN = [
  {
    "invoke_agent support": [
      "memory readConversation",
      { "chat large": ["POST model"] },
      { "execute_tool look_up": ["GET order"] },
      { "chat large": ["POST model"] },
      "memory appendMessages",
    ],
  },
];

function instrumented() {
  const sdk = testTelemetry();
  const { telemetry, tracer } = sdk;
  const tools = [requestingTool(tracer)];
  const base = support(requesting(tracer, [calls, "It is here."]), { tools });
  const provider = telemetry.provider(createInMemoryProvider());
  return { ...sdk, base, provider };
}

it("run: what models, tools and the store do is below their spans", async () => {
  const { telemetry, base, provider, spans } = instrumented();
  const config = telemetry.instrument({
    ...base,
    conversationId: "c",
    memory: { provider, autoStore: true },
  });
  const { outcome } = await run(asks("Where is it?"), config);
  expect(outcome).toEqual({ status: "completed", output: "It is here." });
  expect(treeOf(spans())).toEqual(TURN);
});

it("runStream: the same, with the time until the first chunk", async () => {
  const { telemetry, base, provider, spans } = instrumented();
  const config = telemetry.instrument({
    ...base,
    conversationId: "c",
    memory: { provider, autoStore: true },
  });
  for await (const _ of runStream(asks("Where is it?"), config));
  expect(treeOf(spans())).toEqual(TURN);
  const chat = spans().find(({ name }) => name === "chat large");
  expect(chat?.attributes["gen_ai.response.time_to_first_chunk"]).toBeGreaterThan(0);
});

it("an agent client: the run is below the caller's span", async () => {
  const { telemetry, tracer, base, provider, spans } = instrumented();
  const agent = base.agentRegistry.get("support");
  if (agent === undefined) throw new Error("no agent");
  const { modelProvider } = base;
  const client = createAgentClient(
    agent,
    telemetry.instrument({ modelProvider, store: provider, context: {} }),
  );
  const caller = tracer.startSpan("POST /chat");
  await context.with(trace.setSpan(context.active(), caller), () =>
    client.forUser("ada").prompt("Where is it?"),
  );
  caller.end();
  const run = spanNamed(spans(), "invoke_agent support");
  expect(run.parentSpanContext?.spanId).toBe(caller.spanContext().spanId);
  const [top] = treeOf(spans()) as unknown as readonly [{ "POST /chat": unknown[] }];
  expect(top["POST /chat"]).toEqual(
    expect.arrayContaining([expect.objectContaining({ "invoke_agent support": expect.anything() })]),
  );
});

it("a server: the turn is below the request's span", async () => {
  const { telemetry, tracer, base, provider, spans } = instrumented();
  const { modelProvider, agentRegistry } = base;
  const app = await createServerApp<unknown>(
    agentRegistry,
    telemetry.instrument({ modelProvider, memory: { provider, autoStore: true } }),
    { context: () => ({}), turnLog: createInMemoryTurnLog() },
  );
  const caller = tracer.startSpan("POST /chat");
  const response = await context.with(trace.setSpan(context.active(), caller), () =>
    app.fetch(
      new Request("http://localhost/chat", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ message: "Where is it?" }),
      }),
    ),
  );
  expect(response.status).toBe(200);
  await response.text();
  await app.close();
  caller.end();
  const run = spanNamed(spans(), "invoke_agent support");
  expect(run.spanContext().traceId).toBe(caller.spanContext().traceId);
  const below = spans().filter((span) => span.parentSpanContext?.spanId === run.spanContext().spanId);
  expect(below.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["chat large", "execute_tool look_up", "memory appendMessages"]),
  );
});

it("an agent that is a tool: its run is below the call", async () => {
  const { telemetry, tracer, spans } = testTelemetry();
  const expert = { name: "expert", instructions: "Know.", tools: [requestingTool(tracer)] };
  const script = requesting(tracer, ({ agent, state: { messages } }) => {
    if (messages.at(-1)?.role !== "user") return "done";
    return agent.name === "expert"
      ? calls
      : {
          toolCalls: ["call_1", "call_2"].map((id) => ({ id, name: "ask_expert", arguments: { input: id } })),
        };
  });
  const tools = [
    asTool(expert, {
      name: "ask_expert",
      description: "Asks the expert.",
      parameters: z.object({ input: z.string() }),
      input: ({ input }: { readonly input: string }) => input,
    }),
  ];
  const config = telemetry.instrument({
    ...support(script, { tools }),
    conversationId: "c",
    memory: { provider: createInMemoryProvider(), autoStore: true },
  });
  expect((await run(asks("Hi"), config)).outcome).toEqual({ status: "completed", output: "done" });
  const inner = {
    "execute_tool ask_expert": [
      {
        "invoke_agent expert": [
          { chat: ["POST model"] },
          { "execute_tool look_up": ["GET order"] },
          { chat: ["POST model"] },
        ],
      },
    ],
  };
  expect(treeOf(spans())).toEqual([
    {
      "invoke_agent support": [
        { "chat large": ["POST model"] },
        inner,
        inner,
        { "chat large": ["POST model"] },
      ],
    },
  ]);
});
