import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { runStream } from "@jaf/core";
import { describe, expect, it } from "vitest";
import { configOf, fakeChat, providerOf, says } from "../support/setup.ts";

const STREAMS = 200;
const ROUNDS = 6;
/** 600,000 words in all streams and rounds: as one stream at 1,000 words per second for ten minutes. */
const WORDS = 500;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const megabytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

describe(`${STREAMS} concurrent streams of ${WORDS} words, ${ROUNDS} times`, () => {
  it("leave no listeners and requests, and don't grow memory", async () => {
    const text = Array.from({ length: WORDS }, (_, word) => `word${word} `)
      .join("")
      .trim();
    const fake = await fakeChat([{ kind: "reply", message: { content: text, reasoning_content: "Hm." } }]);
    const modelProvider = providerOf(fake);
    const { signal } = new AbortController();
    const heap: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const runs = Array.from({ length: STREAMS }, async () => {
        const { config } = configOf(modelProvider, {}, { signal, onEvent: () => {} });
        const stream = runStream<unknown, string>(says("Hi"), config);
        let length = 0;
        for await (const event of stream) if (event.type === "llm_delta") length += event.data.text.length;
        const { outcome } = await stream.result;
        expect(outcome.status).toBe("completed");
        return length;
      });
      expect(new Set(await Promise.all(runs))).toEqual(new Set([text.length]));
      expect(getEventListeners(signal, "abort")).toHaveLength(0);
      heap.push(megabytes());
    }
    const [, second = 0] = heap;
    const last = heap.at(-1) ?? 0;
    console.log(`Heap after each round, in MB: ${heap.map((each) => each.toFixed(0)).join(", ")}`);
    expect(last - second).toBeLessThan(10);
  });

  it("leave none if they are aborted", async () => {
    const text = "word ".repeat(500);
    const fake = await fakeChat([{ kind: "reply", message: { content: text }, pieceDelayMs: 5 }]);
    const modelProvider = providerOf(fake);
    const controller = new AbortController();
    const runs = Array.from({ length: STREAMS }, () => {
      const { config } = configOf(modelProvider, {}, { signal: controller.signal });
      return runStream<unknown, string>(says("Hi"), config).result;
    });
    await expect.poll(() => fake.requests.length, { timeout: 60_000 }).toBe(STREAMS);
    controller.abort(new Error("enough"));
    for (const { outcome } of await Promise.all(runs)) {
      expect(outcome).toMatchObject({ status: "error", error: { _tag: "RunAborted" } });
    }
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    await expect.poll(fake.open, { timeout: 15_000 }).toBe(0);
  });
});
