import { describe, expect, it } from "vitest";
import {
  converse,
  passPause,
  stored,
  storedSummary,
  storing,
  talk,
  ticks,
} from "../support/conversations.ts";

const failing = (calls: { count: number }) => ({
  compressionThreshold: 4,
  summary: {
    summarize: async () => {
      calls.count += 1;
      throw new Error("no");
    },
  },
});

describe("a summary that can't be made", () => {
  it("isn't retried by the next runs", async () => {
    const provider = await storing(talk(5));
    const calls = { count: 0 };
    const outcomes: unknown[] = [];
    for (let run = 0; run < 4; run++) {
      const { contexts, views, ended } = await converse({
        provider,
        memory: failing(calls),
        said: [`${run}`],
      });
      outcomes.push(contexts[0]?.compaction?.outcome);
      expect(views[0]).toHaveLength(11 + 2 * run);
      expect(ended.outcome.status).toBe("completed");
    }
    expect(outcomes).toEqual(["failed", "postponed", "postponed", "postponed"]);
    expect(calls.count).toBe(1);
  });

  it("is retried after a pause, which grows with each failure and ends with a success", async () => {
    const provider = await storing(talk(5));
    const pause = async () => (await stored(provider)).metadata?.["jafSummaryPause"];
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      await converse({ provider, memory: failing({ count: 0 }), steps: [new Error("gone")] });
      pauses.push(Math.round(((await pause()).retryAt - Date.now()) / 1_000));
      await passPause(provider);
    }
    expect(pauses.slice(0, 5)).toEqual([10, 20, 40, 80, 160]);
    expect(pauses.at(-1)).toBe(900);
    await converse({
      provider,
      memory: { compressionThreshold: 4, summary: { summarize: async () => "sum" } },
    });
    expect(await storedSummary(provider)).toMatchObject({ text: "sum" });
    expect(await pause()).toBeNull();
  });

  it("counts one failure if two runs fail at the same time", async () => {
    const provider = await storing(talk(5));
    const summarize = async () => {
      await converse({ provider, memory: failing({ count: 0 }), steps: [new Error("gone")] });
      throw new Error("no");
    };
    await converse({
      provider,
      memory: { compressionThreshold: 4, summary: { summarize } },
      steps: [new Error("gone")],
    });
    await ticks(20);
    expect((await stored(provider)).metadata?.["jafSummaryPause"]).toMatchObject({ failures: 1 });
  });

  it("ignores a pause that ends too far in the future", async () => {
    const provider = await storing(talk(5));
    const jafSummaryPause = { failures: 1, retryAt: Date.now() + 1e12 };
    await provider.appendMessages("c", [], { jafSummaryPause });
    const memory = { compressionThreshold: 4, summary: { summarize: async () => "sum" } };
    const { contexts } = await converse({ provider, memory });
    expect(contexts[0]?.compaction?.outcome).toBe("stored");
  });
});
