import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import type { ExtractInput } from "../../src/extraction/options.ts";
import { MemoryUserMemory } from "../../src/in-memory/user-memory.ts";
import { withMemoryExtract } from "../../src/middleware/extract.ts";
import { factsOf, reply, spec, tea, turn } from "../support/live-turn.ts";
import { assistant, turnOf } from "../support/turn.ts";

describe("forgetting", () => {
  test("a forgotten fact stays forgotten if its job runs again, without a report", async () => {
    const memory = new MemoryUserMemory();
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const fields = { replies: [reply(tea)], conversationId: "c", position: 0, startedAt: Date.now() - 1_000 };
    await turn({ memory, onError }, ["I like tea"], fields);
    const [fact] = await memory.list("alice");
    await memory.forget("alice", fact?.id ?? "");
    await turn({ memory, onError }, ["I like tea"], fields);
    expect(await factsOf(memory)).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("a turn that began before an erasure stores nothing", async () => {
    const memory = new MemoryUserMemory();
    const errors: unknown[] = [];
    const middleware = withMemoryExtract(spec, { memory, onError: (error) => errors.push(error) });
    const begun = turnOf(["I like tea"], { replies: [reply(tea)] });
    await middleware.onStart?.(begun);
    await memory.drain();
    await new Promise((resolve) => setTimeout(resolve, 2));
    await memory.forgetAll("alice");
    await middleware.onFinish?.(begun, assistant("ok"));
    await memory.drain();
    expect(await factsOf(memory)).toEqual([]);
    expect(begun.asked).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("a waiting job isn't sent to the model after an erasure", async () => {
    const memory = new MemoryUserMemory();
    const shown: string[] = [];
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const extract = async ({ said }: ExtractInput) => {
      shown.push(...said);
      await ended;
      return [tea];
    };
    const middleware = withMemoryExtract(spec, { memory, extract, concurrency: 1 });
    for (const said of ["I like coffee", "I like tea"]) {
      const begun = turnOf([said]);
      await middleware.onStart?.(begun);
      await middleware.onFinish?.(begun, assistant("ok"));
    }
    await memory.forgetAll("alice");
    end();
    await memory.drain();
    expect(shown).toEqual(["I like coffee"]);
    expect(await factsOf(memory)).toEqual([]);
  });
});

describe("a failure", () => {
  const onErrors = () => {
    const errors: unknown[] = [];
    return { errors, onError: (error: unknown) => void errors.push(error) };
  };

  test("of the model is reported, and the job is retried", async () => {
    const memory = new MemoryUserMemory();
    const { errors, onError } = onErrors();
    const options = { memory, onError, retryDelayMs: 50, leaseMs: 50 };
    await turn(options, ["I like tea"], { replies: [new Error("secret words")] });
    expect(errors[0]).toMatchObject({ name: "ExtractionError", code: "model", attempt: 1, retryable: true });
    expect(inspect(errors[0])).not.toContain("secret");
    expect(await memory.queue.size()).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await turn(options, ["Hello"], { replies: [reply(), reply(tea)] });
    expect(await factsOf(memory)).toEqual(["I like tea"]);
    expect(await memory.queue.size()).toBe(0);
  });

  test("of a reply without JSON is reported as `reply`", async () => {
    const memory = new MemoryUserMemory();
    const { errors, onError } = onErrors();
    await turn({ memory, onError }, ["I like tea"], { replies: ["I don't do JSON"] });
    expect(errors).toMatchObject([{ code: "reply" }]);
  });

  test("that repeats is given up after maxAttempts", async () => {
    const memory = new MemoryUserMemory();
    const { errors, onError } = onErrors();
    await turn({ memory, onError, maxAttempts: 1 }, ["I like tea"], { replies: [new Error("no")] });
    expect(errors).toMatchObject([
      { code: "given-up", retryable: false, cause: { name: "ExtractionError", code: "model" } },
    ]);
    expect(await memory.queue.size()).toBe(0);
  });

  test("to queue the job doesn't fail the run", async () => {
    const memory = new MemoryUserMemory();
    await memory.close();
    const { errors, onError } = onErrors();
    await turn({ memory, onError }, ["I like tea"], { replies: [reply(tea)] });
    expect(errors).toMatchObject([{ name: "UserMemoryError", code: "unavailable" }]);
  });

  test("of a callback is ignored", async () => {
    const memory = new MemoryUserMemory();
    const fail = (): never => {
      throw new Error("no");
    };
    await turn({ memory, onExtracted: fail, onError: fail }, ["I like tea"], { replies: [reply(tea)] });
    await turn({ memory, onExtracted: fail, onError: fail }, ["I like tea"], { replies: [new Error("no")] });
    expect(await factsOf(memory)).toEqual(["I like tea"]);
  });

  test("by a full memory is reported, and the job completes", async () => {
    const memory = new MemoryUserMemory({ limits: { maxFacts: 1 } });
    await memory.remember("alice", "one");
    const { errors, onError } = onErrors();
    await turn({ memory, onError, verify: () => true }, ["I like tea"], { replies: [reply(tea)] });
    expect(errors).toMatchObject([{ code: "full" }]);
    expect(await memory.queue.size()).toBe(0);
  });
});
