import { type Agent, createRunId, createTraceId, type RunConfig, type RunState, run } from "@jaf/core";
import { createScriptedModel, type ScriptedStep } from "@jaf/core/testing";
import { createInMemoryProvider } from "@jaf/memory";
import { afterEach, expect, test } from "vitest";
import { MemoryUserMemory } from "../../src/in-memory/user-memory.ts";
import { asUserMemory, setUserMemory } from "../../src/middleware/as-user-memory.ts";

afterEach(() => setUserMemory(undefined));

const support: Agent<unknown, string> = {
  name: "support",
  instructions: () => "You are a support agent.",
  remembers: {
    user: "alice",
    inject: "auto",
    extract: "auto",
    extractWith: "small",
    tags: ["support"],
    injectLimit: 5,
    injectTokenBudget: 400,
  },
};

const says = (content: string): RunState<unknown> => ({
  runId: createRunId("r"),
  traceId: createTraceId("t"),
  messages: [{ role: "user", content }],
  currentAgentName: "support",
  context: {},
  turnCount: 0,
});

function configOf(steps: readonly ScriptedStep<unknown>[], more: Partial<RunConfig<unknown>> = {}) {
  const modelProvider = createScriptedModel(steps);
  const config: RunConfig<unknown> = {
    agentRegistry: new Map([["support", support]]),
    modelProvider,
    ...more,
  };
  return { config, modelProvider };
}

const extracted = JSON.stringify({
  facts: [
    {
      fact: "Project Foo deploys to fly.io us-east",
      evidence: "Project Foo deploys to fly.io us-east",
      score: 0.95,
    },
  ],
});

test("facts from one conversation are known in the next, in the documented format", async () => {
  const memory = new MemoryUserMemory();
  setUserMemory(memory);
  const store = createInMemoryProvider();
  const stored = { memory: { provider: store, autoStore: true }, conversationId: "c1" };
  const first = configOf(["Noted.", extracted], stored);
  const told = await run(says("Project Foo deploys to fly.io us-east"), first.config);
  expect(told.outcome.status).toBe("completed");
  await memory.drain();
  first.modelProvider.assertDone();
  expect(await memory.list("alice")).toMatchObject([
    {
      fact: "Project Foo deploys to fly.io us-east",
      quotation: { from: "message" },
      tags: ["support"],
      provenance: { conversationId: "c1", position: 0, extractor: "small" },
    },
  ]);

  const second = configOf(["On fly.io.", '{"facts":[]}']);
  await run(says("Where does Foo deploy?"), second.config);
  await memory.drain();
  expect(second.modelProvider.requests[0]?.instructions).toMatch(
    /^You are a support agent\.\n\nNotes about the user\. .+\n\n<user-memory>\n- The user said on \d{4}-\d\d-\d\d: "Project Foo deploys to fly\.io us-east"\n<\/user-memory>$/,
  );
  expect(second.modelProvider.requests[1]?.instructions).not.toContain("support agent");
});

test("a run without a user memory neither recalls nor stores facts", async () => {
  setUserMemory(new MemoryUserMemory());
  const { config, modelProvider } = configOf(["Hello."], { remembers: false });
  await run(says("Project Foo deploys to fly.io us-east"), config);
  modelProvider.assertDone();
});

test("a run completes if its user memory fails", async () => {
  const memory = asUserMemory(
    {
      remember: () => Promise.reject(new Error("down")),
      recall: () => Promise.reject(new Error("down")),
      forget: () => Promise.reject(new Error("down")),
      list: () => Promise.reject(new Error("down")),
    },
    { extract: { onError: () => undefined } },
  );
  const events: string[] = [];
  const onEvent: RunConfig<unknown>["onEvent"] = ({ type }) => void events.push(type);
  const { config } = configOf(["Hello.", extracted], { userMemory: memory, onEvent });
  const { outcome } = await run(says("Project Foo deploys to fly.io us-east"), config);
  await memory.drain();
  expect(outcome).toMatchObject({ status: "completed", output: "Hello." });
  expect(events).toContain("middleware_failed");
});

test("a failed run stores nothing", async () => {
  const memory = new MemoryUserMemory();
  const { config } = configOf([new Error("the model is down")], { userMemory: memory });
  const { outcome } = await run(says("Project Foo deploys to fly.io us-east"), config);
  await memory.drain();
  expect(outcome.status).toBe("error");
  expect(await memory.queue.size()).toBe(0);
  expect(await memory.list("alice")).toEqual([]);
});
