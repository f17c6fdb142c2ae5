import type { VersionedMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { abortable } from "../support/abort.ts";
import { converse, storedSummary, storing, talk } from "../support/conversations.ts";
import { errorOf } from "../support/setup.ts";

type Step = "look" | "store" | "pause";

interface Hanging {
  readonly provider: VersionedMemoryProvider;
  /** Lets the calls that hang go on. */
  readonly goOn: () => void;
  readonly hangs: () => boolean;
}

/** Hangs in one of the steps of making a summary. */
function hanging(inner: VersionedMemoryProvider, step: Step, onHang = () => {}): Hanging {
  const { promise, resolve } = deferred();
  let hangs = false;
  const hang = () => {
    hangs = true;
    onHang();
    return promise;
  };
  const stepOf = (metadata: Readonly<Record<string, unknown>> = {}): Step | undefined => {
    if (metadata["jafSummary"] !== undefined) return "store";
    return metadata["jafSummaryPause"] === undefined ? undefined : "pause";
  };
  return {
    goOn: resolve,
    hangs: () => hangs,
    provider: {
      ...inner,
      appendMessages: async (id, messages, metadata, options) => {
        if (stepOf(metadata) === step) await hang();
        return inner.appendMessages(id, messages, metadata, options);
      },
      readConversation: async (id, options) => {
        if (step === "look" && options?.messages === "none") await hang();
        return inner.readConversation(id, options);
      },
    },
  };
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const summarize = async () => "sum";

describe("a store that hangs while messages are summarised", () => {
  it.each([
    ["look", "unstored"],
    ["store", "unstored"],
  ] as const)(
    "in the step %s doesn't delay the run for longer than the summary's timeout",
    async (step, outcome) => {
      const { provider, hangs } = hanging(await storing(talk(5)), step);
      const memory = { compressionThreshold: 4, summary: { summarize, timeoutMs: 20 } };
      const { ended, contexts, views } = await converse({ provider, memory });
      expect(hangs()).toBe(true);
      expect(ended.outcome.status).toBe("completed");
      expect(contexts[0]?.compaction).toMatchObject({ outcome, reason: "it took longer than 20 ms" });
      expect(views[0]).toHaveLength(4);
    },
  );

  it.each(["look", "store"] as const)("in the step %s doesn't hold up an abort", async (step) => {
    const { signal, abort } = abortable();
    const { provider } = hanging(await storing(talk(5)), step, () => setImmediate(abort));
    const { ended, views } = await converse({
      provider,
      memory: { compressionThreshold: 4, summary: { summarize } },
      config: { signal },
    });
    expect(errorOf(ended)._tag).toBe("RunAborted");
    expect(views).toEqual([]);
  });

  it("stores the summary when it continues", async () => {
    const inner = await storing(talk(5));
    const { provider, goOn } = hanging(inner, "store");
    const memory = { compressionThreshold: 4, summary: { summarize, timeoutMs: 20 } };
    await converse({ provider, memory });
    expect(await storedSummary(inner)).toBeUndefined();
    goOn();
    await expect.poll(() => storedSummary(inner)).toMatchObject({ text: "sum", upTo: 7 });
  });
});

describe("a store that hangs after a summary has failed", () => {
  it("isn't awaited", async () => {
    const { provider, hangs } = hanging(await storing(talk(5)), "pause");
    const { ended, contexts } = await converse({
      provider,
      memory: { compressionThreshold: 4, summary: { summarize: () => Promise.reject(new Error("no")) } },
    });
    await expect.poll(hangs).toBe(true);
    expect(ended.outcome.status).toBe("completed");
    expect(contexts[0]?.compaction?.outcome).toBe("failed");
  });
});
