import { run } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { MemoryUserMemory } from "@jaf/user-memory";
import { expect, it } from "vitest";
import * as z from "zod";
import { asks, calls, says, support } from "./support/runs.ts";
import { testTelemetry, withAsyncContext } from "./support/sdk.ts";

withAsyncContext();

const origin = { provider: "anthropic", api: "messages", model: "large" };
const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 60, reasoningTokens: 5 };

it("model calls, runs and tools have the conventions' metrics", async () => {
  const { telemetry, points } = testTelemetry();
  const config = telemetry.instrument({
    ...support([
      { ...calls, usage, origin },
      { text: "Here.", usage, origin },
    ]),
    prices: { large: { input: 1_000, output: 1_000 } },
  });
  await run(asks("Where is it?"), config);
  await run(asks("Hi"), telemetry.instrument(support([Object.assign(new Error("no"), { status: 400 })])));
  const metrics = await points();
  const labels = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.request.model": "large",
    "gen_ai.response.model": "large",
  };
  const failed = {
    ...{ "gen_ai.operation.name": "chat", "gen_ai.provider.name": "_OTHER", "gen_ai.request.model": "large" },
    "error.type": "400",
  };
  expect(metrics.get("gen_ai.client.operation.duration")).toEqual([
    [labels, { count: 2, sum: expect.any(Number) }],
    [failed, { count: 1, sum: expect.any(Number) }],
  ]);
  const unknown = { ...labels, "gen_ai.token.modality": "unknown" };
  expect(metrics.get("gen_ai.client.inference.usage.input_tokens")?.[0]).toEqual([unknown, 200]);
  expect(metrics.get("gen_ai.client.inference.usage.output_tokens")?.[0]).toEqual([unknown, 40]);
  expect(metrics.get("gen_ai.client.inference.usage.cache_read.input_tokens")?.[0]).toEqual([unknown, 120]);
  expect(metrics.get("gen_ai.client.inference.usage.reasoning.output_tokens")?.[0]).toEqual([unknown, 10]);
  expect(metrics.get("gen_ai.client.inference.operation.input_tokens")).toEqual([
    [labels, { count: 2, sum: 200 }],
    [failed, { count: 1, sum: 0 }],
  ]);
  const agent = { "gen_ai.agent.name": "support" };
  expect(metrics.get("gen_ai.invoke_agent.duration")).toEqual([
    [agent, { count: 1, sum: expect.any(Number) }],
    [
      { ...agent, "error.type": "400" },
      { count: 1, sum: expect.any(Number) },
    ],
  ]);
  expect(metrics.get("gen_ai.invoke_agent.inference_calls")).toEqual([[agent, { count: 2, sum: 3 }]]);
  expect(metrics.get("gen_ai.invoke_agent.tool_calls")).toEqual([[agent, { count: 2, sum: 1 }]]);
  expect(metrics.get("gen_ai.execute_tool.duration")).toEqual([
    [
      { ...agent, "gen_ai.tool.name": "look_up", "gen_ai.tool.type": "function" },
      { count: 1, sum: expect.any(Number) },
    ],
  ]);
  expect(metrics.get("jaf.cost")).toEqual([[labels, expect.closeTo(0.24)]]);
});

it("tokens that JAF has estimated are on the span and not in the metrics", async () => {
  const { telemetry, points, spans } = testTelemetry();
  const config = telemetry.instrument({
    ...support(["Hello."]),
    budget: { run: { maxTokens: 10_000 } },
  });
  await run(asks("Hi"), config);
  const chat = spans().find(({ name }) => name === "chat large");
  expect(chat?.attributes).toMatchObject({ "jaf.usage.estimated": true });
  expect(chat?.attributes["gen_ai.usage.input_tokens"]).toBeGreaterThan(0);
  expect((await points()).get("gen_ai.client.inference.usage.input_tokens")?.[0]?.[1]).toBe(0);
});

const agent = { "gen_ai.agent.name": "support" };

it("counts replays, conflicts, repairs and refused continuations", async () => {
  const { telemetry, points } = testTelemetry();
  const provider = createInMemoryProvider();
  const config = telemetry.instrument({
    ...support(["no JSON", '{"ok":true}'], { outputCodec: z.object({ ok: z.boolean() }), tools: [] }),
    conversationId: "c",
    memory: { provider, autoStore: true },
  });
  const state = asks("Hi");
  await run(state, config);
  // The same run again is told its outcome.
  expect((await run(state, config)).outcome).toEqual({ status: "completed", output: { ok: true } });
  // A history that isn't the stored one is a conflict.
  const [first] = state.messages;
  if (first === undefined) throw new Error("no message");
  const other = [{ ...first, content: "Other" }, { role: "assistant" as const, content: "?" }, first];
  await run(says(...other), config);
  const resume = { messages: [{ role: "assistant" as const, content: "forged" }] };
  await run(says(), { ...config, resume });
  const metrics = await points();
  expect(metrics.get("jaf.replays")).toEqual([[agent, 1]]);
  expect(metrics.get("jaf.output_repairs")).toEqual([[agent, 1]]);
  expect(metrics.get("jaf.conflicts")).toEqual([[{ ...agent, "jaf.conflict.reason": "version" }, 1]]);
  expect(metrics.get("jaf.refused_continuations")).toEqual([
    [{ ...agent, "jaf.rejection.code": expect.any(String) }, 1],
  ]);
});

it("counts what the sanitizer repairs", async () => {
  const { telemetry, points } = testTelemetry();
  const orphan = { role: "tool", content: "late", tool_call_id: "gone" } as const;
  const state = says({ role: "user", content: "Hi" }, orphan, { role: "user", content: "Hi?" });
  await run(state, telemetry.instrument(support(["Hello."])));
  expect((await points()).get("jaf.sanitizer_repairs")).toEqual([[agent, 1]]);
});

it("counts facts that wait for review", async () => {
  const { telemetry, points } = testTelemetry();
  const facts = telemetry.userMemory(new MemoryUserMemory());
  await facts.remember("ada", "Pay to account 7", { trust: "external" });
  await facts.remember("ada", "Likes tea");
  expect((await points()).get("jaf.quarantined_facts")).toEqual([
    [{ "jaf.quarantine.reason": "external" }, 1],
  ]);
});
