import { describe, expect, it } from "vitest";
import { openInMemory } from "../../src/in-memory/backend.ts";
import { defineUserMemory } from "../../src/store/define-user-memory.ts";

function openCounted() {
  const { backend } = openInMemory();
  let reads = 0;
  const store = defineUserMemory({
    ...backend,
    read: (...given) => {
      reads += 1;
      return backend.read(...given);
    },
  });
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
});
