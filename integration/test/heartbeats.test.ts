import { setTimeout as sleep } from "node:timers/promises";
import { createRunState, type RunConfig, run } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import {
  createFailure,
  createInMemoryProvider,
  createMemoryStorageError,
  type MemoryProvider,
} from "@jaf/memory";
import { expect, it } from "vitest";

const leaseMs = 30;

function start(provider: MemoryProvider, text: string) {
  const config: RunConfig<unknown> = {
    agentRegistry: new Map([["helper", { name: "helper", instructions: () => "" }]]),
    modelProvider: createScriptedModel(["Done."]),
    memory: { provider, autoStore: true, durability: "turn", leaseMs },
    conversationId: "c",
  };
  const messages = [{ role: "user", content: text }] as const;
  return run(createRunState<unknown>({ agentName: "helper", context: {}, messages }), config);
}

/** Fails to store a reply after more than the interval of heartbeats. */
const failingSlowly = (provider: MemoryProvider): MemoryProvider => ({
  ...provider,
  appendMessages: async (...args) => {
    if (!args[1].some(({ role }) => role === "assistant")) return provider.appendMessages(...args);
    await sleep(2 * leaseMs);
    return createFailure(createMemoryStorageError("appendMessages", "the disk is full"));
  },
});

it("a heartbeat that waits during a failing write doesn't keep the lease of an ended run", async () => {
  const provider = createInMemoryProvider();
  const failed = await start(failingSlowly(provider), "one");
  expect(failed.outcome).toMatchObject({ error: { error: { _tag: "MemoryStorageError" } } });
  await expect.poll(async () => (await start(provider, "two")).outcome.status).toBe("completed");
});
