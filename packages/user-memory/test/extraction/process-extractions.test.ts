import { describe, expect, test } from "vitest";
import { ExtractionError } from "../../src/extraction/extraction.ts";
import { processExtractions } from "../../src/extraction/worker.ts";
import { MemoryUserMemory } from "../../src/in-memory/user-memory.ts";
import { withMemoryExtract } from "../../src/middleware/extract.ts";
import { factsOf, reply, spec, tea } from "../support/live-turn.ts";

describe("processExtractions", () => {
  /** A process that crashed between the turn and its extraction. */
  async function crashed(memory: MemoryUserMemory, said: string, isVerbatim = false): Promise<void> {
    const since = await memory.mark("alice");
    const fields = { reply: "ok", saidAt: new Date(), tags: [], threshold: 0.7, since, isVerbatim };
    const turn = { said: [said], ...fields };
    await memory.queue.enqueue({ id: said, userId: "alice", ...turn }, { leaseMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }

  test("runs the jobs of a crashed process", async () => {
    const memory = new MemoryUserMemory();
    await crashed(memory, "I like tea");
    const complete = async () => reply(tea);
    const before = await memory.queue.size();
    const outcome = await processExtractions(memory, { complete, onError: () => undefined });
    expect({ before, outcome }).toEqual({ before: 1, outcome: { done: 1, delayed: 0, givenUp: 0 } });
    expect(await factsOf(memory)).toEqual(["I like tea"]);
    expect(await memory.queue.size()).toBe(0);
  });

  test("tries a job at least once, even if it was leased maxAttempts times before", async () => {
    const memory = new MemoryUserMemory();
    await crashed(memory, "I like tea");
    const outcome = await processExtractions(memory, { complete: async () => reply(tea), maxAttempts: 1 });
    expect(outcome).toEqual({ done: 1, delayed: 0, givenUp: 0 });
    expect(await factsOf(memory)).toEqual(["I like tea"]);
  });

  test("gives up a job that crashed its process each time, without another attempt", async () => {
    const memory = new MemoryUserMemory();
    await crashed(memory, "I like tea");
    for (let crash = 2; crash <= 4; crash++) {
      await memory.queue.lease({ limit: 1, leaseMs: 1 });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    let isAsked = false;
    const complete = async (): Promise<string> => {
      isAsked = true;
      return reply();
    };
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    await processExtractions(memory, { complete, maxAttempts: 1, onError });
    expect(isAsked).toBe(false);
    expect(errors).toMatchObject([{ code: "given-up", attempt: 5 }]);
    expect(errors[0]).toBeInstanceOf(ExtractionError);
  });

  test("respects limit and concurrency", async () => {
    const memory = new MemoryUserMemory();
    for (const said of ["one", "two", "three"]) await crashed(memory, said);
    let [active, most, count] = [0, 0, 0];
    const complete = async (): Promise<string> => {
      active += 1;
      count += 1;
      most = Math.max(most, active);
      await new Promise((resolve) => setTimeout(resolve, 1));
      active -= 1;
      return reply();
    };
    await processExtractions(memory, { complete, limit: 2, concurrency: 1 });
    expect({ most, count }).toEqual({ most: 1, count: 2 });
  });

  test("runs verbatim jobs without a model and leaves other jobs in the queue", async () => {
    const memory = new MemoryUserMemory();
    await crashed(memory, "I like tea", true);
    await crashed(memory, "I like cake");
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const outcome = await processExtractions(memory, { extract: "verbatim", maxAttempts: 1, onError });
    expect(outcome).toEqual({ done: 1, delayed: 1, givenUp: 0 });
    expect(await factsOf(memory)).toEqual(["I like tea"]);
    expect(await memory.queue.size()).toBe(1);
    expect(errors).toMatchObject([{ code: "model", retryable: true }]);
    const both = processExtractions(memory, { extract: "verbatim", complete: async () => reply() });
    await expect(both).rejects.toThrow(/complete: expected none/);
  });

  test("names invalid options", async () => {
    const memory = new MemoryUserMemory();
    await expect(processExtractions(memory, {})).rejects.toThrow(/expected complete, or extract/);
    expect(() => withMemoryExtract(spec, { memory, threshold: 2 })).toThrow(
      /Invalid extract options: threshold/,
    );
  });
});
