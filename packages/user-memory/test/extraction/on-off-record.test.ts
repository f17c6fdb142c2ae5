import { describe, expect, test } from "vitest";
import type { ExtractFacts, OffRecordTurn } from "../../src/extraction/options.ts";
import { processExtractions } from "../../src/extraction/worker.ts";
import { MemoryUserMemory } from "../../src/in-memory/user-memory.ts";
import type { UserMemory } from "../../src/user-memory.ts";
import { reply, spec, tea, turn } from "../support/live-turn.ts";

const location = { conversationId: "c", position: 4 };
const verbatim = { ...spec, extract: "verbatim" } as const;

function listening(memory: UserMemory = new MemoryUserMemory()) {
  const told: OffRecordTurn[] = [];
  return { told, options: { memory, onOffRecord: (one: OffRecordTurn) => void told.push(one) } };
}

describe("onOffRecord is called for a turn that isn't kept", () => {
  const secretly = ["I like tea. Please don't save that."];
  const byCheck = { userId: "alice", ...location, detectedBy: "check" };

  test.each([spec, verbatim])("if the check detects the request: %j", async (declared) => {
    const { told, options } = listening();
    const { asked } = await turn(options, secretly, { ...location, declared, replies: [reply(tea)] });
    expect(told).toEqual([byCheck]);
    expect(asked).toEqual([]);
  });

  test("if the store can't be reached", async () => {
    const memory = new MemoryUserMemory();
    memory.mark = async () => Promise.reject(new Error("down"));
    const { told, options } = listening(memory);
    await turn(options, secretly, { ...location, declared: verbatim });
    expect(told).toEqual([byCheck]);
  });

  test("if the store has no queue", async () => {
    const { remember, recall, forget, list } = new MemoryUserMemory();
    const { told, options } = listening({ remember, recall, forget, list });
    await turn(options, secretly, { ...location, declared: verbatim });
    expect(told).toEqual([byCheck]);
  });

  test.each([
    ["the model", undefined, ['{"private":true}']],
    ["the application's function", (async () => ({ private: true })) satisfies ExtractFacts, []],
  ] as const)("if %s detects the request", async (_, extract, replies) => {
    const { told, options } = listening();
    await turn({ ...options, extract }, ["I like tea, entre nosotras nomás"], { ...location, replies });
    expect(told).toEqual([{ userId: "alice", ...location, detectedBy: "extractor" }]);
    expect(await options.memory.list("alice")).toEqual([]);
  });

  test("also in a worker", async () => {
    const memory = new MemoryUserMemory();
    const { told, options } = listening(memory);
    const since = await memory.mark("alice");
    const waiting = {
      said: ["I like tea"],
      reply: "ok",
      saidAt: new Date(),
      tags: [],
      threshold: 0.7,
      since,
    };
    await memory.queue.enqueue({ id: "1", userId: "alice", ...waiting }, { leaseMs: 0 });
    const { onOffRecord } = options;
    await processExtractions(memory, { complete: async () => '{"private":true}', onOffRecord });
    expect(told).toMatchObject([{ userId: "alice", detectedBy: "extractor" }]);
  });

  test("without content, and for no other turn", async () => {
    const { told, options } = listening();
    await turn(options, secretly, { ...location, declared: verbatim });
    await turn(options, ["I like tea."], { declared: verbatim });
    expect(told).toHaveLength(1);
    expect(JSON.stringify(told)).not.toMatch(/tea|save/);
  });
});
