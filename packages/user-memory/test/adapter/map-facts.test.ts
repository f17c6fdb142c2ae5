import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { mapFacts, type UserKey, type UserMemoryBackend } from "../../src/adapter/index.ts";
import { userKeyOf } from "../../src/backend.ts";
import { createInMemoryUserMemoryBackend } from "../../src/in-memory/backend.ts";
import { defineUserMemory } from "../../src/store/define-user-memory.ts";

/** A codec that marks texts and refuses to decode texts of other users. */
class Marker {
  readonly #mark = "~";

  encode(text: string, { userId }: UserKey): string {
    return `${this.#mark}${userId}${this.#mark}${[...text].reverse().join("")}`;
  }

  async decode(text: string, { userId }: UserKey): Promise<string> {
    const start = `${this.#mark}${userId}${this.#mark}`;
    if (!text.startsWith(start)) throw new Error("not encoded for this user");
    return [...text.slice(start.length)].reverse().join("");
  }
}

const alice = userKeyOf("alice");
const everything = { statuses: ["active", "quarantined", "superseded"], limit: 100 } as const;

/** Returns all stored data of a user except the fields that facts are found by. */
async function keptBy(backend: UserMemoryBackend): Promise<string> {
  const facts = await backend.list(alice, everything);
  const jobs = await backend.jobs.lease({ leaseMs: 0, limit: 100 });
  const { head, entries } = await backend.audit(alice);
  return JSON.stringify([facts.map(({ terms: _, ...fact }) => fact), jobs, head, entries]);
}

async function fill(backend: UserMemoryBackend) {
  const memory = defineUserMemory(backend);
  const provenance = { evidence: "I really like green tea", conversationId: "c", position: 0 };
  const fact = await memory.remember("alice", "Likes green tea", { tags: ["drinks"], provenance });
  const since = await memory.mark("alice");
  const job = { id: "turn", userId: "alice", said: ["I moved to Oslo"], reply: "Noted.", tags: [], since };
  await memory.queue.enqueue({ ...job, saidAt: new Date(), threshold: 0.7 }, { leaseMs: 0 });
  return { memory, fact };
}

describe("a backend with mapped texts", () => {
  test("stores no text unencoded and returns all texts decoded", async () => {
    const inner = createInMemoryUserMemoryBackend();
    const { memory, fact } = await fill(mapFacts(inner, new Marker()));
    expect(await memory.recall("alice", "tea", { tags: ["drinks"] })).toEqual([fact]);
    expect(await memory.verifyAudit("alice")).toMatchObject({ ok: true, facts: 1 });
    const [leased] = await memory.queue.lease({ limit: 1, leaseMs: 0 });
    expect(leased?.job.said).toEqual(["I moved to Oslo"]);
    const kept = await keptBy(inner);
    for (const text of ["green", "drinks", "Oslo", "Noted", "remembered", "erasedAt"])
      expect(kept).not.toContain(text);
    expect(kept).toContain("neerg");
  });

  test("recognizes a repeated fact and supersedes by key", async () => {
    const memory = defineUserMemory(mapFacts(createInMemoryUserMemoryBackend(), new Marker()));
    const rome = await memory.remember("alice", "Lives in Rome", { key: "city" });
    expect((await memory.remember("alice", "lives in rome!", { key: "city" })).id).toBe(rome.id);
    const oslo = await memory.remember("alice", "Lives in Oslo", { key: "city" });
    expect(await memory.list("alice")).toEqual([oslo]);
    await memory.forget("alice", oslo.id);
    expect(await memory.list("alice")).toMatchObject([{ fact: "Lives in Rome" }]);
  });

  test("can be an instance of a class, without vectors", async () => {
    class Wrapped {
      readonly #inner = createInMemoryUserMemoryBackend();
      readonly name = "of a class";
      readonly jobs = this.#inner.jobs;
      read(...given: Parameters<UserMemoryBackend["read"]>) {
        return this.#inner.read(...given);
      }
      commit(...given: Parameters<UserMemoryBackend["commit"]>) {
        return this.#inner.commit(...given);
      }
      erase(...given: Parameters<UserMemoryBackend["erase"]>) {
        return this.#inner.erase(...given);
      }
      match(...given: Parameters<UserMemoryBackend["match"]>) {
        return this.#inner.match(...given);
      }
      list(...given: Parameters<UserMemoryBackend["list"]>) {
        return this.#inner.list(...given);
      }
      audit(...given: Parameters<UserMemoryBackend["audit"]>) {
        return this.#inner.audit(...given);
      }
      close() {
        return this.#inner.close();
      }
      toMemoryError(...given: Parameters<UserMemoryBackend["toMemoryError"]>) {
        return this.#inner.toMemoryError(...given);
      }
    }
    const mapped = mapFacts(new Wrapped(), new Marker());
    expect(mapped).not.toHaveProperty("nearest");
    const { memory, fact } = await fill(mapped);
    expect(await memory.recall("alice", "tea")).toEqual([fact]);
    expect(await memory.forgetAll("alice")).toMatchObject({ facts: 1, jobs: 1 });
    await memory.close();
    await expect(memory.list("alice")).rejects.toMatchObject({ code: "unavailable" });
  });

  test("rejects with a storage error if the codec fails, and writes nothing", async () => {
    const inner = createInMemoryUserMemoryBackend();
    await fill(inner);
    const before = await keptBy(inner);
    const failing = {
      encode: (text: string) => Promise.reject(new RangeError(`no key for ${text}`)),
      decode: (text: string) => text,
    };
    const memory = defineUserMemory(mapFacts(inner, failing));
    const thrown: unknown = await memory.remember("alice", "Likes milk").catch((error: unknown) => error);
    expect(thrown).toMatchObject({ name: "UserMemoryError", code: "storage" });
    expect(String(thrown)).toContain("RangeError");
    expect(inspect(thrown, { depth: 9 })).not.toContain("milk");
    const nothing = { encode: () => undefined as never, decode: (text: string) => text };
    await expect(
      defineUserMemory(mapFacts(inner, nothing)).remember("alice", "Likes milk"),
    ).rejects.toMatchObject({ code: "storage" });
    expect((await keptBy(inner)).replaceAll(/"attempts":\d+/g, "")).toBe(
      before.replaceAll(/"attempts":\d+/g, ""),
    );
    const other = defineUserMemory(mapFacts(inner, new Marker()));
    await expect(other.list("alice")).rejects.toMatchObject({ code: "storage" });
  });
});
