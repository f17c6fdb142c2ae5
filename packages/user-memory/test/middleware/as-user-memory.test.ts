import { setRunUserMemory as setInEngine } from "@jaf/core";
import { afterEach, describe, expect, test } from "vitest";
import { drainWork, trackWork } from "../../src/background-work.ts";
import { MemoryUserMemory } from "../../src/in-memory/user-memory.ts";
import { asUserMemory, setUserMemory } from "../../src/middleware/as-user-memory.ts";
import { getUserMemory, type MemoryEntry, type UserMemory } from "../../src/user-memory.ts";
import { assistant, turnOf } from "../support/turn.ts";

/** A custom store: an array. */
class OwnMemory implements UserMemory {
  readonly entries: MemoryEntry[] = [];
  async remember(
    userId: string,
    fact: string,
    opts?: { readonly tags?: readonly string[]; readonly score?: number },
  ) {
    const entry = { id: String(this.entries.length), userId, fact, createdAt: new Date(0), ...opts };
    this.entries.push(entry);
    return entry;
  }
  async recall(userId: string, query: string) {
    const words = query.toLowerCase().split(/\W+/);
    return this.entries.filter(
      (entry) => entry.userId === userId && words.some((word) => entry.fact.toLowerCase().includes(word)),
    );
  }
  async forget(userId: string, factId: string) {
    const index = this.entries.findIndex((entry) => entry.userId === userId && entry.id === factId);
    if (index >= 0) this.entries.splice(index, 1);
  }
  async list(userId: string) {
    return this.entries.filter((entry) => entry.userId === userId);
  }
}

afterEach(() => setUserMemory(undefined));

describe("asUserMemory", () => {
  test("makes a custom store inject and extract", async () => {
    const own = new OwnMemory();
    const memory = asUserMemory(own);
    const middleware = memory.middlewareFor({ user: "alice", extract: "auto", tags: ["x"] });
    const facts = [{ fact: "The user owns a bicycle", evidence: "I own a bicycle", score: 0.9 }];
    const turn = turnOf(["I own a bicycle"], { replies: [JSON.stringify({ facts })] });
    for (const each of middleware) await each.onStart?.(turn);
    for (const each of middleware) await each.onFinish?.(turn, assistant("ok"));
    await memory.drain();
    const fact = expect.stringMatching(/^The user said on \d{4}-\d\d-\d\d: "I own a bicycle"$/);
    expect(own.entries).toMatchObject([{ userId: "alice", fact, tags: ["x"], score: 0.9 }]);
    const additions = await Promise.all(middleware.map((each) => each.onStart?.(turnOf(["which bicycle?"]))));
    expect(additions[0]?.instructions).toContain(': "I own a bicycle"');
  });

  test("keeps all methods of a store of this package", async () => {
    const store = new MemoryUserMemory();
    const memory = asUserMemory(store, { extract: { threshold: 0.5 } });
    const facts = [{ fact: "The user lives in Rome", evidence: "I may live in Rome", score: 0.6 }];
    const turn = turnOf(["I may live in Rome"], { replies: [JSON.stringify({ facts })] });
    const [, extract] = memory.middlewareFor({ user: "alice", extract: "auto" });
    await extract?.onFinish?.(turn, assistant("ok"));
    await memory.drain();
    expect(await memory.list("alice")).toMatchObject([{ fact: "I may live in Rome", trust: "inferred" }]);
    expect(await memory.queue.size()).toBe(0);
  });

  test("calls the store's own methods on the store", async () => {
    const memory = asUserMemory(new OwnMemory());
    const { id } = await memory.remember("alice", "a fact");
    expect(await memory.list("alice")).toHaveLength(1);
    await memory.forget("alice", id);
    expect(await memory.recall("alice", "fact")).toEqual([]);
    expect(memory.forgetAll).toBeUndefined();
  });

  test("injects unless it is false, and extracts only if declared", () => {
    const memory = asUserMemory(new MemoryUserMemory());
    const namesFor = (spec: object) => memory.middlewareFor({ user: "u", ...spec }).map(({ name }) => name);
    expect(namesFor({})).toEqual(["memory-inject"]);
    expect(namesFor({ extract: "auto" })).toEqual(["memory-inject", "memory-extract"]);
    expect(namesFor({ inject: false, extract: false })).toEqual([]);
  });

  test("refuses invalid stores", () => {
    expect(() => asUserMemory({ recall: async () => [] } as unknown as UserMemory)).toThrow(
      /Invalid user memory: expected an object with remember\(\)/,
    );
  });
});

describe("the user memory of the process", () => {
  test("is found by the engine, with a narrow store wrapped", () => {
    setUserMemory(new OwnMemory());
    expect(getUserMemory()?.middlewareFor({ user: "u" })).toHaveLength(1);
    expect(() => setInEngine(getUserMemory())).not.toThrow();
  });

  test("is the same object if it needs no wrapping", () => {
    const memory = new MemoryUserMemory();
    setUserMemory(memory);
    expect(getUserMemory()).toBe(memory);
    setUserMemory(undefined);
    expect(getUserMemory()).toBeUndefined();
    setInEngine(memory);
    expect(getUserMemory()).toBe(memory);
  });
});

describe("drainWork", () => {
  test("waits for work that begins meanwhile, and for failing work", async () => {
    const memory = {};
    const done: string[] = [];
    const second = async (): Promise<void> => {
      await Promise.resolve();
      done.push("second");
    };
    const first = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      trackWork(memory, second());
      done.push("first");
      throw new Error("failed");
    };
    trackWork(memory, first());
    await drainWork(memory);
    expect(done).toEqual(["first", "second"]);
  });

  test("waits no longer than timeoutMs", async () => {
    const memory = {};
    trackWork(memory, new Promise(() => undefined));
    await expect(drainWork(memory, { timeoutMs: 5 })).resolves.toBeUndefined();
  });

  test("identifies a store by its queue, so a wrapper drains the wrapped store", async () => {
    const queue = {};
    let isDone = false;
    const work = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      isDone = true;
    };
    trackWork({ queue }, work());
    await drainWork({ queue });
    expect(isDone).toBe(true);
  });
});
