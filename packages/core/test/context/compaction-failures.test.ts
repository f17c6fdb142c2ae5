import {
  createFailure,
  createMemoryConnectionError,
  type MemoryProvider,
  type VersionedMemoryProvider,
} from "@jaf/memory";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemoryConfig, Summarize } from "../../src/index.ts";
import { abortable } from "../support/abort.ts";
import {
  converse,
  passPause,
  stored,
  storedSummary,
  storing,
  talk,
  ticks,
} from "../support/conversations.ts";
import { errorOf, user } from "../support/setup.ts";

const never = () => new Promise<never>(() => {});

describe("a failing summarize", () => {
  const failing: readonly (readonly [string, () => unknown, string])[] = [
    [
      "rejects",
      () => Promise.reject(Object.assign(new RangeError("it said: secret"), { code: "E_LONG" })),
      "summarize failed: RangeError (E_LONG)",
    ],
    [
      "throws",
      () => {
        throw Object.assign(new Error("secret"), { name: "as it said: secret" });
      },
      "summarize failed: Error",
    ],
    ["throws what is no error", () => Promise.reject(undefined), "summarize failed: NonError"],
    ["returns nothing", async () => "", "summarize returned no text"],
    ["returns white space", async () => " \n\0", "summarize returned no text"],
    ["returns something else", async () => ({ text: "summary" }), "summarize returned no text"],
    ["takes too long", never, "it took longer than 20 ms"],
  ];

  it.each(failing)(
    "doesn't affect the run because it %s, quotes nothing, and is retried later",
    async (_, fail, reason) => {
      const provider = await storing(talk(5));
      const { views, contexts, ended } = await converse({
        provider,
        memory: { compressionThreshold: 4, summary: { summarize: fail as never, timeoutMs: 20 } },
      });
      expect(ended.outcome).toEqual({ status: "completed", output: "Done." });
      expect(views[0]).toEqual([...talk(5), user("now")]);
      expect(contexts[0]?.compaction).toMatchObject({ outcome: "failed", messages: 0, reason });
      expect(JSON.stringify(contexts)).not.toContain("secret");
      expect(await storedSummary(provider)).toBeUndefined();
      await passPause(provider);
      const next = await converse({
        provider,
        memory: { compressionThreshold: 4, summary: { summarize: async () => "sum" } },
      });
      expect(next.contexts[0]?.compaction?.outcome).toBe("stored");
    },
  );

  it("is called once per run", async () => {
    let calls = 0;
    const summarize = async () => {
      calls += 1;
      throw new Error("no");
    };
    await converse({
      provider: await storing(talk(5)),
      memory: { compressionThreshold: 4, summary: { summarize } },
      steps: [{ toolCalls: [{ name: "unknown" }] }, { toolCalls: [{ name: "unknown" }] }, "Done."],
    });
    expect(calls).toBe(1);
  });

  it("keeps the previous summary in use", async () => {
    const provider = await storing(talk(5));
    await converse({
      provider,
      memory: { compressionThreshold: 4, summary: { summarize: async () => "good" } },
    });
    await provider.appendMessages("c", talk(3, 7));
    const { views } = await converse({
      provider,
      memory: { compressionThreshold: 4, summary: { summarize: () => Promise.reject(new Error("no")) } },
    });
    expect(views[0]?.[0]?.content).toContain("\ngood\n");
    expect(views[0]).toHaveLength(1 + 2 + 2 + 6 + 1);
  });

  it("doesn't delay an abort, and gets its signal", async () => {
    const { signal, abort } = abortable();
    let seen: AbortSignal | undefined;
    const summarize = (input: { readonly signal: AbortSignal }) => {
      seen = input.signal;
      setImmediate(abort);
      return never();
    };
    const { ended, views } = await converse({
      provider: await storing(talk(5)),
      memory: { compressionThreshold: 4, summary: { summarize } },
      config: { signal },
    });
    expect(errorOf(ended)._tag).toBe("RunAborted");
    expect(seen?.aborted).toBe(true);
    expect(views).toEqual([]);
  });
});

describe("a store that fails while messages are summarised", () => {
  /** Fails appends without messages, which write the summary. */
  const failing = (inner: MemoryProvider): MemoryProvider => ({
    ...inner,
    appendMessages: async (id, messages, ...rest) =>
      messages.length === 0
        ? createFailure(createMemoryConnectionError("test"))
        : inner.appendMessages(id, messages, ...rest),
  });

  it("lets only this run use the summary if it can't be stored", async () => {
    const inner = await storing(talk(5));
    const { views, contexts, ended } = await converse({
      provider: failing(inner),
      memory: { compressionThreshold: 4, summary: { summarize: async () => "sum" } },
    });
    expect(ended.outcome.status).toBe("completed");
    expect(views[0]?.[0]?.content).toContain("\nsum\n");
    expect(contexts[0]?.compaction?.outcome).toBe("unstored");
    expect(await storedSummary(inner)).toBeUndefined();
  });

  it("stores a summary once if the answer of the write is lost", async () => {
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
      memory: { compressionThreshold: 4, summary: { summarize: async () => "sum" } },
    });
    expect(lost).toBe(1);
    expect(contexts[0]?.compaction?.outcome).toBe("stored");
  });
});

describe("runs that summarise at the same time", () => {
  const durabilities = ["completed", "turn", "step"] as const;

  it("make at most one each, and the one with the highest position stays", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 12 }),
        fc.constantFrom(...durabilities),
        fc.array(fc.nat(3), { minLength: 24, maxLength: 24 }),
        async (runs, durability, delays) => {
          const provider = await storing(talk(25));
          const made: number[] = [];
          let reach = -1;
          const all = await Promise.all(
            Array.from({ length: runs }, async (_, index) => {
              let calls = 0;
              const summarize = async ({ messages }: Parameters<Summarize>[0]) => {
                calls += 1;
                await ticks(delays[12 + index] ?? 0);
                made.push(messages.length - 1);
                return `of ${messages.length}`;
              };
              await ticks(delays[index] ?? 0);
              const memory: Partial<MemoryConfig> = {
                compressionThreshold: 50,
                summary: { summarize },
                durability,
              };
              const { views, contexts, ended } = await converse({ provider, memory, said: [`${index}`] });
              expect(calls).toBeLessThanOrEqual(1);
              expect(views[0]?.at(-1) ?? user(`${index}`)).toEqual(user(`${index}`));
              const { upTo } = (await storedSummary(provider)) ?? {};
              expect(upTo ?? -1).toBeGreaterThanOrEqual(reach);
              reach = Number(upTo ?? -1);
              return { ended, contexts };
            }),
          );
          expect(await storedSummary(provider)).toMatchObject({ upTo: Math.max(...made) });
          const outcomes = all.flatMap(({ contexts }) =>
            contexts.map(({ compaction }) => compaction?.outcome),
          );
          for (const outcome of outcomes) expect([undefined, "stored", "elsewhere"]).toContain(outcome);
          expect(outcomes).toContain("stored");
          expect(all.some(({ ended }) => ended.outcome.status === "completed")).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });

  /** Meanwhile another run adds messages and stores a summary up to the same position or later. */
  const overtaken = async (text: string, more: number) => {
    const provider = await storing(talk(5));
    const slow = async () => {
      await provider.appendMessages("c", talk(more, 5));
      await converse({
        provider,
        memory: { compressionThreshold: 4, summary: { summarize: async () => text } },
      });
      return "too late";
    };
    const run = await converse({
      provider,
      memory: { compressionThreshold: 4, summary: { summarize: slow } },
    });
    return { provider, run };
  };

  it("use the summary of a faster run", async () => {
    const { provider, run } = await overtaken("of the other", 0);
    expect(run.contexts[0]?.compaction).toMatchObject({ outcome: "elsewhere", messages: 0 });
    expect(run.views[0]?.[0]?.content).toContain("\nof the other\n");
    expect(await storedSummary(provider)).toMatchObject({ text: "of the other" });
  });

  it("use their own if the faster run's has messages that they don't know", async () => {
    const { provider, run } = await overtaken("of more", 10);
    expect(run.contexts[0]?.compaction?.outcome).toBe("elsewhere");
    expect(run.views[0]?.[0]?.content).toContain("\ntoo late\n");
    expect(await storedSummary(provider)).toMatchObject({ text: "of more" });
  });

  it("store theirs even if the metadata change meanwhile, e.g. by a heartbeat", async () => {
    const provider = await storing(talk(5));
    let changes = 0;
    const changing: VersionedMemoryProvider = {
      ...provider,
      readConversation: async (id, options) => {
        const read = await provider.readConversation(id, options);
        if (options?.messages === "none" && ++changes <= 2)
          await provider.appendMessages(id, [], { title: `${changes}` });
        return read;
      },
    };
    const memory = { compressionThreshold: 4, summary: { summarize: async () => "sum" } };
    const { contexts } = await converse({ provider: changing, memory });
    expect(changes).toBe(3);
    expect(contexts[0]?.compaction?.outcome).toBe("stored");
  });

  it("write nothing if the run was aborted", async () => {
    const provider = await storing(talk(5));
    const { signal, abort } = abortable();
    const summarize = () => {
      abort();
      return never();
    };
    await converse({
      provider,
      memory: { compressionThreshold: 4, summary: { summarize } },
      config: { signal },
    });
    await ticks(20);
    const { metadata } = await stored(provider);
    expect(metadata).not.toHaveProperty("jafSummary");
    expect(metadata).not.toHaveProperty("jafSummaryPause");
  });
});
