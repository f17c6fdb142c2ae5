import { approve, createRunState, createTool, type ModelProvider, run, type TraceEvent } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { expect, it } from "vitest";
import * as z from "zod";
import { asks, calls, support } from "./support/runs.ts";
import { spanNamed, testTelemetry, treeOf, withAsyncContext } from "./support/sdk.ts";

withAsyncContext();

const failure = (status: number) => Object.assign(new Error("no"), { name: "ApiError", status });

it("retries are events, and a fallback model has a span of its own", async () => {
  const { telemetry, spans } = testTelemetry();
  const small: ModelProvider<unknown> = {
    service: "mistral.chat",
    getCompletion: async () => ({ message: { content: "Hello." } }),
  };
  const config = telemetry.instrument({
    ...support([failure(503), failure(503), failure(429)]),
    modelFallback: { models: [{ model: "small", modelProvider: small }] },
  });
  expect((await run(asks("Hi"), config)).outcome.status).toBe("completed");
  expect(treeOf(spans())).toEqual([{ "invoke_agent support": ["chat large", "chat small"] }]);
  const failed = spanNamed(spans(), "chat large");
  expect(failed.events.map(({ name, attributes }) => [name, attributes?.["error.type"]])).toEqual([
    ["jaf.retry", "503"],
    ["jaf.retry", "503"],
  ]);
  expect(failed.attributes).toMatchObject({ "error.type": "429", "jaf.attempts": 3 });
  expect(spanNamed(spans(), "chat small").attributes).toMatchObject({
    "gen_ai.provider.name": "mistral_ai",
    "gen_ai.request.model": "small",
  });
  const events = spanNamed(spans(), "invoke_agent support").events;
  expect(events.map(({ name }) => name)).toEqual(["jaf.fallback"]);
});

it("an interrupted run and the one that continues it: outcomes and a link", async () => {
  const { telemetry, spans } = testTelemetry();
  const pay = createTool({
    name: "look_up",
    description: "Looks up",
    parameters: z.object({ id: z.string() }),
    needsApproval: true,
    execute: async () => "paid",
  });
  const config = telemetry.instrument({
    ...support([calls, "Done."], { tools: [pay] }),
    conversationId: "c",
    memory: { provider: createInMemoryProvider(), autoStore: true },
  });
  const { outcome } = await run(asks("Pay"), config);
  if (outcome.status !== "interrupted" || outcome.interruptions[0]?.type !== "approval")
    throw new Error(outcome.status);
  const approvals = [approve(outcome.interruptions[0])];
  const next = createRunState<unknown>({ agentName: "support", context: {} });
  await run(next, { ...config, resume: { approvals } });
  const [first, second] = spans().filter(({ name }) => name === "invoke_agent support");
  expect(first?.attributes["jaf.run.outcome"]).toBe("interrupted");
  expect(first?.status.code).toBe(0);
  expect(first?.events.map(({ name }) => name)).toEqual(["jaf.interruption"]);
  expect(second?.attributes["jaf.run.outcome"]).toBe("completed");
  expect(second?.links.map(({ context }) => context.spanId)).toEqual([first?.spanContext().spanId]);
  expect(second?.spanContext().traceId).not.toBe(first?.spanContext().traceId);
});

it("a handoff is an event, and later spans have the new agent's name", async () => {
  const { telemetry, spans } = testTelemetry();
  const { handoffTool } = await import("@jaf/core");
  const base = support(
    [{ toolCalls: [{ name: handoffTool.schema.name, arguments: { agentName: "billing" } }] }, "Hello."],
    { tools: [handoffTool], handoffs: ["billing"] },
  );
  const agentRegistry = new Map([
    ...base.agentRegistry,
    ["billing", { name: "billing", instructions: "Bill.", modelConfig: { name: "small" } }],
  ]);
  await run(asks("Hi"), telemetry.instrument({ ...base, agentRegistry }));
  const top = spanNamed(spans(), "invoke_agent support");
  expect(top.events.map(({ name, attributes }) => [name, attributes])).toEqual([
    ["jaf.handoff", { from: "support", to: "billing" }],
  ]);
  expect(spanNamed(spans(), "chat small").attributes["gen_ai.agent.name"]).toBe("billing");
});

it("calls outside of the conversation have spans of their own", async () => {
  const { telemetry, spans } = testTelemetry();
  const base = support(["A title.", "Hello."]);
  const titling = {
    name: "title",
    onStart: async ({
      complete,
    }: Parameters<NonNullable<NonNullable<typeof base.middleware>[number]["onStart"]>>[0]) => {
      await complete({ instructions: "Title", messages: asks("Hi").messages });
      return undefined;
    },
  };
  await run(asks("Hi"), telemetry.instrument({ ...base, middleware: [titling] }));
  const [first, second] = spans().filter(({ name }) => name === "chat large");
  expect(first?.attributes["jaf.call.purpose"]).toBe("middleware");
  expect(second?.attributes["jaf.call.purpose"]).toBeUndefined();
  expect(treeOf(spans())).toEqual([{ "invoke_agent support": ["chat large", "chat large"] }]);
});

it("a summary is an event and a call, and the prompt after it is compacted", async () => {
  const { telemetry, spans } = testTelemetry();
  const provider = createInMemoryProvider();
  const settings = { conversationId: "c", memory: { provider, autoStore: true, compressionThreshold: 4 } };
  const config = telemetry.instrument({ ...support(() => "Hello."), ...settings });
  for (let turn = 0; turn < 4; turn++) await run(asks(`Hi ${turn}`), config);
  const summary = spans().find(({ attributes }) => attributes["jaf.call.purpose"] === "conversation-summary");
  expect(summary?.name).toBe("chat large");
  const events = spans().flatMap((span) => span.events);
  expect(events.map(({ name }) => name)).toContain("jaf.compaction");
  expect(spans().at(-1)?.attributes["gen_ai.conversation.compacted"]).toBe(true);
});

it("two executions of a run at once have a span each", async () => {
  const { telemetry, spans } = testTelemetry();
  const config = telemetry.instrument({
    ...(support(() => "Hello." as never) && support(() => "Hello.")),
    conversationId: "c",
    memory: { provider: telemetry.provider(createInMemoryProvider()), autoStore: true },
  });
  const state = asks("Hi");
  const ends = await Promise.all([run(state, config), run(state, config)]);
  expect(ends.map(({ outcome }) => outcome.status)).toEqual(["completed", "completed"]);
  const tops = spans().filter(({ name }) => name === "invoke_agent support");
  expect(tops.map(({ attributes }) => attributes["jaf.run.outcome"])).toEqual(["completed", "completed"]);
  expect(spans().filter(({ parentSpanContext }) => parentSpanContext === undefined)).toEqual(tops);
});

it("the model's true name is told, also where the model provider chose it", async () => {
  const { telemetry, spans } = testTelemetry();
  const model: ModelProvider<unknown> = {
    service: "openai",
    getCompletion: async () => ({
      message: { content: "Hi.", providerMetadata: { openai: { model: "gpt-5-mini-2026" } } },
      origin: { provider: "openai", api: "chat", model: "gpt-5-mini" },
    }),
  };
  await run(asks("Hi"), telemetry.instrument(support(model, { modelConfig: {} })));
  expect(spanNamed(spans(), "chat").attributes).toMatchObject({
    "gen_ai.response.model": "gpt-5-mini-2026",
    "gen_ai.provider.name": "openai",
  });
  const named = testTelemetry();
  const byDefault = { ...model, defaultModel: "gpt-5-mini" };
  await run(asks("Hi"), named.telemetry.instrument(support(byDefault, { modelConfig: {} })));
  expect(spanNamed(named.spans(), "chat gpt-5-mini").attributes["gen_ai.request.model"]).toBe("gpt-5-mini");
});

it("observers and middleware of the application stay", async () => {
  const { telemetry } = testTelemetry();
  const events: TraceEvent[] = [];
  const seen: string[] = [];
  const settings = {
    ...support(["Hello."]),
    onEvent: (event: TraceEvent) => void events.push(event),
    middleware: [{ name: "own", onStart: () => void seen.push("own") }],
  };
  await run(asks("Hi"), telemetry.instrument(settings));
  expect(events.at(-1)?.type).toBe("run_end");
  expect(seen).toEqual(["own"]);
  expect(settings.middleware.length).toBe(1);
});
