import { createFailure, createMemoryConnectionError, type MemoryProvider } from "@jaf/memory";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemoryConfig } from "../../src/index.ts";
import { abortable } from "../support/abort.ts";
import { errorOf, user } from "../support/setup.ts";
import { converse, passPause, stored, storedSummary, storing, talk } from "./conversations.ts";

const never = () => new Promise<never>(() => {});

describe("a summarize that fails", () => {
  const failing: readonly (readonly [string, () => unknown, string])[] = [
    [
      "rejects",
      () => Promise.reject(Object.assign(new RangeError("it said: secret"), { code: "E_LONG" })),
      "summarize failed: RangeError E_LONG",
    ],
    [
      "throws",
      () => {
        throw Object.assign(new Error("secret"), { name: "as it said: secret" });
      },
      "summarize failed",
    ],
    ["throws what is no error", () => Promise.reject(undefined), "summarize failed: NonError"],
    ["returns nothing", async () => "", "summarize returned no text"],
    ["returns white space", async () => " \n\0", "summarize returned no text"],
    ["returns something else", async () => ({ text: "summary" }), "summarize returned no text"],
    ["takes too long", never, "it took longer than 20 ms"],
  ];

  it.each(failing)(
    "because it %s leaves the run as it is, tells nothing of what was said, and is tried again later",
    async (_, fail, reason) => {
      const provider = await storing(talk(5));
      const { views, contexts, ended } = await converse({
        provider,
        memory: { compressionThreshold: 4, summarize: fail as never, summarizeTimeoutMs: 20 },
      });
      expect(ended.outcome).toEqual({ status: "completed", output: "Done." });
      expect(views[0]).toEqual([...talk(5), user("now")]);
      expect(contexts[0]?.compaction).toMatchObject({ outcome: "failed", messages: 0, reason });
      expect(JSON.stringify(contexts)).not.toContain("secret");
      expect(await storedSummary(provider)).toBeUndefined();
      await passPause(provider);
      const next = await converse({
        provider,
        memory: { compressionThreshold: 4, summarize: async () => "sum" },
      });
      expect(next.contexts[0]?.compaction?.outcome).toBe("stored");
    },
  );

  it("is asked once in a run", async () => {
    let calls = 0;
    const summarize = async () => {
      calls += 1;
      throw new Error("no");
    };
    await converse({
      provider: await storing(talk(5)),
      memory: { compressionThreshold: 4, summarize },
      steps: [{ toolCalls: [{ name: "unknown" }] }, { toolCalls: [{ name: "unknown" }] }, "Done."],
    });
    expect(calls).toBe(1);
  });

  it("leaves the summary of before in use", async () => {
    const provider = await storing(talk(5));
    await converse({ provider, memory: { compressionThreshold: 4, summarize: async () => "good" } });
    await provider.appendMessages("c", talk(3, 7));
    const { views } = await converse({
      provider,
      memory: { compressionThreshold: 4, summarize: () => Promise.reject(new Error("no")) },
    });
    expect(views[0]?.[0]?.content).toContain("\ngood\n");
    expect(views[0]).toHaveLength(1 + 2 + 2 + 6 + 1);
  });

  it("doesn't hold up an abort, and gets its signal", async () => {
    const { signal, abort } = abortable();
    let seen: AbortSignal | undefined;
    const summarize = (input: { readonly signal: AbortSignal }) => {
      seen = input.signal;
      setImmediate(abort);
      return never();
    };
    const { ended, views } = await converse({
      provider: await storing(talk(5)),
      memory: { compressionThreshold: 4, summarize },
      config: { signal },
    });
    expect(errorOf(ended)._tag).toBe("RunAborted");
    expect(seen?.aborted).toBe(true);
    expect(views).toEqual([]);
  });
});

describe("a store that fails while messages are summarised", () => {
  /** Fails the empty appends from this one on, from 1: those that concern the summary. */
  function failing(inner: MemoryProvider, from: number): MemoryProvider {
    let writes = 0;
    return {
      ...inner,
      appendMessages: async (id, messages, ...rest) => {
        if (messages.length === 0) writes += 1;
        return messages.length === 0 && writes >= from
          ? createFailure(createMemoryConnectionError("test"))
          : inner.appendMessages(id, messages, ...rest);
      },
    };
  }

  it("leaves the run without a summary if nobody can say that it is this run's to make", async () => {
    let calls = 0;
    const summarize = async () => `${++calls}`;
    const inner = await storing(talk(5));
    const { views, contexts } = await converse({
      provider: failing(inner, 1),
      memory: { compressionThreshold: 4, summarize },
    });
    expect(calls).toBe(0);
    expect(views[0]).toHaveLength(11);
    expect(contexts[0]?.compaction?.outcome).toBe("failed");
  });

  it("leaves the run with a summary that is this run's alone if it can't be stored", async () => {
    const inner = await storing(talk(5));
    const { views, contexts, ended } = await converse({
      provider: failing(inner, 2),
      memory: { compressionThreshold: 4, summarize: async () => "sum" },
    });
    expect(ended.outcome.status).toBe("completed");
    expect(views[0]?.[0]?.content).toContain("\nsum\n");
    expect(contexts[0]?.compaction?.outcome).toBe("unstored");
    expect(await storedSummary(inner)).toBeUndefined();
  });

  it("stores a summary once, though the answer of the write got lost", async () => {
    const inner = await storing(talk(5));
    let lost = 0;
    const provider: MemoryProvider = {
      ...inner,
      appendMessages: async (id, messages, metadata, options) => {
        const written = await inner.appendMessages(id, messages, metadata, options);
        if (metadata?.["jafSummary"] === undefined || lost > 0) return written;
        lost += 1;
        return createFailure(createMemoryConnectionError("test"));
      },
    };
    const { contexts } = await converse({
      provider,
      memory: { compressionThreshold: 4, summarize: async () => "sum" },
    });
    expect(lost).toBe(1);
    expect(contexts[0]?.compaction?.outcome).toBe("stored");
  });
});

describe("runs that come to summarise at once", () => {
  const durabilities = ["completed", "turn", "step"] as const;

  it("make one summary, however many there are and whatever they do meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 12 }),
        fc.constantFrom(...durabilities),
        fc.array(fc.nat(3), { minLength: 12, maxLength: 12 }),
        async (runs, durability, delays) => {
          const provider = await storing(talk(25));
          let calls = 0;
          const summarize = async () => {
            calls += 1;
            await ticks(3);
            return "the one summary";
          };
          const memory: Partial<MemoryConfig> = { compressionThreshold: 50, summarize, durability };
          const all = await Promise.all(
            Array.from({ length: runs }, async (_, index) => {
              await ticks(delays[index] ?? 0);
              const { views, ended } = await converse({ provider, memory, said: [`${index}`] });
              expect(views[0]?.at(-1) ?? user(`${index}`)).toEqual(user(`${index}`));
              return { ended, sent: views[0]?.length };
            }),
          );
          expect(calls).toBe(1);
          expect(await storedSummary(provider)).toMatchObject({ text: "the one summary", upTo: 25 });
          // One sees the whole history or the summary, and whatever was said since by those that were faster.
          for (const { sent = 51 } of all) expect(sent).toBeGreaterThanOrEqual(sent % 2 === 0 ? 26 : 51);
          expect(all.some(({ sent }) => sent === 26)).toBe(true);
          expect(all.some(({ ended }) => ended.outcome.status === "completed")).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("take over from one whose process is gone, once its time is up", async () => {
    const provider = await storing(talk(5));
    const memory = { compressionThreshold: 4, summarize: async () => "sum" };
    await provider.appendMessages("c", [], { jafSummaryClaim: { id: "gone", until: Date.now() + 60_000 } });
    const early = await converse({ provider, memory });
    expect(early.contexts[0]?.compaction).toMatchObject({ outcome: "elsewhere", messages: 0 });
    expect(early.views[0]).toHaveLength(11);
    await provider.appendMessages("c", [], { jafSummaryClaim: { id: "gone", until: Date.now() - 1 } });
    const late = await converse({ provider, memory, said: ["later"] });
    expect(late.contexts[0]?.compaction?.outcome).toBe("stored");
  });

  it("take over from a run that was aborted while it summarised, once its time is up", async () => {
    const provider = await storing(talk(5));
    const { signal, abort } = abortable();
    const summarize = () => {
      abort();
      return never();
    };
    await converse({
      provider,
      memory: { compressionThreshold: 4, summarize, summarizeTimeoutMs: 1_000 },
      config: { signal },
    });
    const lease = (await stored(provider)).metadata?.["jafSummaryClaim"];
    expect(lease.until).toBeGreaterThan(Date.now());
    expect(lease.until).toBeLessThanOrEqual(Date.now() + 11_000);
  });

  it("don't overwrite the summary of the one that took over", async () => {
    const provider = await storing(talk(5));
    const slow = async () => {
      await provider.appendMessages("c", [], {
        jafSummaryClaim: { id: "other", until: 0 },
        jafSummary: { format: 1, text: "of the other", upTo: 7, gaps: [] },
      });
      return "too late";
    };
    const { contexts } = await converse({ provider, memory: { compressionThreshold: 4, summarize: slow } });
    expect(contexts[0]?.compaction?.outcome).toBe("unstored");
    expect(await storedSummary(provider)).toMatchObject({ text: "of the other" });
  });
});

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await new Promise(setImmediate);
}
