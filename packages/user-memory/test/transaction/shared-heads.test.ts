import { describe, expect, it } from "vitest";
import { openInMemory } from "../../src/in-memory/backend.ts";
import { defineUserMemory } from "../../src/store/define-user-memory.ts";

function openCounted(settings: Parameters<typeof defineUserMemory>[1] = {}) {
  const { backend } = openInMemory();
  let reads = 0;
  const counted: typeof backend = {
    ...backend,
    read: (...given) => {
      reads += 1;
      return backend.read(...given);
    },
  };
  const store = defineUserMemory(counted, settings);
  return {
    store,
    readsOf: async (action: () => Promise<unknown>) => {
      reads = 0;
      await action();
      return reads;
    },
  };
}

describe("A mark", () => {
  it("shares the read of a recall that begins before it", async () => {
    const { store, readsOf } = openCounted();
    await store.remember("u", "I live in Ulm.");
    const alone = await readsOf(() => store.recall("u", "Ulm"));
    const both = await readsOf(() => Promise.all([store.recall("u", "Ulm"), store.mark("u")]));
    expect(both).toBe(alone);
  });

  it("reads itself if the recall reads nothing, fails, or is of another user", async () => {
    const { store, readsOf } = openCounted();
    await store.remember("u", "I live in Ulm.");
    const beside = (recalled: Promise<unknown>) =>
      readsOf(() => Promise.all([recalled.catch(() => {}), store.mark("u")]));
    expect(await beside(store.recall("u", "zzz"))).toBe(1);
    expect(await beside(store.recall("u", "Ulm", { limit: -1 }))).toBe(1);
    expect(await beside(store.recall("v", "Ulm"))).toBe(1);
  });

  it("is the epoch at its call or later, whatever a recall has read before", async () => {
    const { store } = openCounted();
    await store.remember("u", "I live in Ulm.");
    const before = await store.mark("u");
    const recalling = store.recall("u", "Ulm");
    await store.forgetAll("u");
    expect(await store.mark("u")).toBeGreaterThan(before);
    await recalling;
  });

  it("doesn't wait for the embedding of a recall", async () => {
    let embed = async (): Promise<number[]> => [1, 0];
    const { store } = openCounted({ embed: (texts) => Promise.all(texts.map(() => embed())) });
    await store.remember("u", "I live in Ulm.");
    const before = await store.mark("u");
    let resume: (vector: number[]) => void = () => {};
    embed = () =>
      new Promise((resolve) => {
        resume = resolve;
      });
    const recalling = store.recall("u", "Where do I live?");
    expect(await store.mark("u")).toBe(before);
    resume([1, 0]);
    await recalling;
  });
});
