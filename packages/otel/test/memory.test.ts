import { type Agent, run } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryProvider, MemoryPerformanceMonitor, monitorProvider } from "@jaf/memory";
import { canBegin, isVersionedProvider } from "@jaf/memory/internal";
import { asUserMemory, getUserMemory, MemoryUserMemory, setUserMemory } from "@jaf/user-memory";
import { expect, it, onTestFinished } from "vitest";
import { asks, support } from "./support/runs.ts";
import { spanNamed, testTelemetry, treeOf, withAsyncContext } from "./support/sdk.ts";

withAsyncContext();

it("a wrapped provider keeps the versioned methods and the right to begin turns", async () => {
  const { telemetry, spans } = testTelemetry();
  const inner = createInMemoryProvider();
  const provider = telemetry.provider(inner);
  expect(isVersionedProvider(provider)).toBe(true);
  expect(Object.keys(provider).toSorted()).toEqual(
    Object.keys(monitorProvider(inner, new MemoryPerformanceMonitor())).toSorted(),
  );
  const beginning = { turn: {}, writer: {}, place: {} } as never;
  expect(canBegin(provider, beginning)).toBe(canBegin(inner, beginning));
  await provider.appendMessages(
    "c",
    [{ role: "user", content: "Hi" }],
    { userId: "ada" },
    { createIfMissing: true },
  );
  await provider.appendMessages("c", [{ role: "user", content: "Hi" }], { userId: "bob" });
  const [stored, refused] = spans();
  expect(stored?.attributes).toEqual({
    "gen_ai.conversation.id": "c",
    "jaf.memory.operation": "appendMessages",
    "jaf.memory.message_count": 1,
  });
  expect(refused?.attributes).toMatchObject({
    "error.type": "MemoryConflictError",
    "jaf.conflict.reason": "owner",
  });
});

it("a user memory in runs: recall, extraction and its model call are below the run", async () => {
  const { telemetry, spans } = testTelemetry();
  const before = getUserMemory();
  onTestFinished(() => setUserMemory(before));
  setUserMemory(telemetry.userMemory(new MemoryUserMemory()));
  const linked = getUserMemory();
  if (linked === undefined) throw new Error("no user memory");
  // So the middleware takes it for a store of this package, with trust and provenance.
  expect(linked).toHaveProperty("queue");
  await linked.remember("ada", "Drinks tea in the morning");
  const agent: Partial<Agent<unknown, unknown>> = {
    remembers: { user: "ada", extract: "verbatim" },
    tools: [],
  };
  const model = createScriptedModel<unknown>(["Tea, of course."]);
  await run(asks("What do I drink? I live in Rome."), telemetry.instrument(support(model, agent)));
  const top = spanNamed(spans(), "invoke_agent support");
  const below = spans().filter(
    ({ parentSpanContext }) => parentSpanContext?.spanId === top.spanContext().spanId,
  );
  expect(below.map(({ name }) => name)).toContain("search_memory");
  expect(spanNamed(below, "search_memory").attributes["gen_ai.memory.record.count"]).toBe(1);
});

it("a user memory of one's own is wrapped, too", async () => {
  const { telemetry, spans } = testTelemetry();
  const own = {
    remember: async () => ({ id: "f", userId: "ada", fact: "Tea", createdAt: new Date() }),
    recall: async () => [],
    forget: async () => undefined,
    list: async () => [],
  };
  const memory = asUserMemory(telemetry.userMemory(own));
  await memory.list("ada");
  await memory.recall("ada", "tea");
  expect(treeOf(spans())).toEqual(["list_memory", "search_memory"]);
});
