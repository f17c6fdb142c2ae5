import { setTimeout as sleep } from "node:timers/promises";
import { createInMemoryProvider, type MemoryProvider, type VersionedMemoryProvider } from "@jaf/memory";
import { messageText } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import { run } from "../../src/index.ts";
import { deferred, says, setup } from "../support/setup.ts";

/** The store in another process, which shares only the store. */
const processOn = (provider: MemoryProvider): MemoryProvider => ({ ...provider });

/** Answers after a millisecond, like a store on the network. */
function withLatency(inner: VersionedMemoryProvider): VersionedMemoryProvider {
  return {
    ...inner,
    readConversation: async (...args) => {
      await sleep(1);
      return inner.readConversation(...args);
    },
    appendMessages: async (...args) => {
      await sleep(1);
      return inner.appendMessages(...args);
    },
  };
}

const take = (provider: MemoryProvider, message: string, reply: () => Promise<string>) =>
  run(
    says(message),
    setup({
      model: [reply],
      config: {
        memory: { provider, autoStore: true, durability: "turn", concurrency: "queue" },
        conversationId: "c",
      },
    }).config,
  );

describe("processes that queue for the lease of a conversation", () => {
  it("get it in turns, even if each wants it again immediately", async () => {
    const store = createInMemoryProvider();
    const takeMany = async (name: string) => {
      const provider = processOn(store);
      // A waiting run can miss the end of a lease between two polls, so there are many runs.
      for (let turn = 0; turn < 20; turn++)
        await take(provider, name, async () => {
          await sleep(20);
          return "ok";
        });
    };
    await Promise.all(["one", "other"].map(takeMany));
    const read = await store.getConversation("c");
    const names = (read.success ? (read.data?.messages ?? []) : [])
      .filter(({ role }) => role === "user")
      .map(messageText);
    expect(names).toHaveLength(40);
    const changes = names.filter((name, index) => index > 0 && name !== names[index - 1]);
    expect(changes.length).toBeGreaterThan(4);
  });

  it.each([3, 150])("get it soon, though another takes it for %i ms without a pause", async (turnMs) => {
    const store = withLatency(createInMemoryProvider());
    let isOver = false;
    const busy = async () => {
      const provider = processOn(store);
      while (!isOver)
        await take(provider, "busy", async () => {
          await sleep(turnMs);
          return "ok";
        });
    };
    const working = busy();
    await sleep(4 * turnMs);
    const start = performance.now();
    const { outcome } = await take(processOn(store), "other", async () => "ok");
    isOver = true;
    await working;
    expect(outcome.status).toBe("completed");
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it("read the history when they hold it, not while they wait", async () => {
    const store = createInMemoryProvider();
    const calls: string[] = [];
    const enough = deferred();
    const watched: VersionedMemoryProvider = {
      ...store,
      readConversation: (id, options) => {
        const isHead = options?.messages === "none";
        if (calls.push(isHead ? "head" : "history") > 4) enough.resolve();
        return store.readConversation(id, options);
      },
    };
    const [asked, answered] = [deferred(), deferred()];
    const first = take(processOn(store), "1", async () => {
      asked.resolve();
      await answered.promise;
      return "one";
    });
    await asked.promise;
    const second = take(watched, "2", async () => "two");
    await enough.promise;
    answered.resolve();
    expect((await first).outcome.status).toBe("completed");
    expect((await second).outcome.status).toBe("completed");
    expect(calls.filter((call) => call === "history")).toHaveLength(2);
    expect([calls.at(0), calls.at(-1)]).toEqual(["history", "history"]);
  });
});
