import { setTimeout as sleep } from "node:timers/promises";
import type { MemoryProvider } from "@jaf/memory";
import { defineMemoryProvider } from "@jaf/memory/adapter";
import { describe, expect, inject, it } from "vitest";
import { startBlackHoleProxy } from "../../../../test/black-hole-proxy.ts";
import { createConversationBackend } from "../../src/conversations/backend.ts";
import { openConnection } from "../../src/open-store.ts";
import { libraries } from "../support/libraries.ts";
import { freshPrefix } from "../support/stores.ts";

const SECONDS = 15;
const WRITERS = 20;
const commandTimeoutMs = 300;

/** Appends messages one after another, retrying each until it is acknowledged. */
async function write(
  provider: MemoryProvider,
  id: string,
  isOver: () => boolean,
): Promise<readonly string[]> {
  const done: string[] = [];
  while (!isOver()) {
    const content = `${id} ${done.length}`;
    const options = { createIfMissing: "unowned", idempotencyKey: content } as const;
    for (let acknowledged = false; !acknowledged; ) {
      const result = await provider.appendMessages(id, [{ role: "user", content }], {}, options);
      if (!result.success) {
        expect(result.error).toMatchObject({ _tag: "MemoryConnectionError", retryable: true });
        await sleep(20);
      }
      acknowledged = result.success;
    }
    done.push(content);
    await sleep(5);
  }
  return done;
}

describe.each(Object.entries(libraries))(
  "twenty writers on one connection that goes dead every second, by %s",
  (_, load) => {
    it("lose nothing, duplicate nothing, and leave no connection open", async () => {
      const proxy = await startBlackHoleProxy(Number(new URL(inject("redisUrl")).port));
      const settings = { host: "127.0.0.1", port: proxy.port, db: 0, commandTimeoutMs };
      const times = { connectTimeoutMs: 300 };
      const { port, close } = await openConnection({ settings, operation: "test", libraries: [load], times });
      const options = { port, keyPrefix: freshPrefix(), minReplicas: 0, commandTimeoutMs, close };
      const provider = defineMemoryProvider(createConversationBackend(options));
      const endMs = performance.now() + SECONDS * 1_000;
      const isOver = () => performance.now() > endMs;
      const writers = Array.from({ length: WRITERS }, (_, n) => write(provider, `c${n}`, isOver));
      let holes = 0;
      while (!isOver()) {
        proxy.swallowNew(holes % 3 === 2);
        proxy.swallow(holes % 2 === 0 ? "all" : "replies");
        holes += 1;
        await sleep(500);
        proxy.swallowNew(false);
        await sleep(500);
      }
      const written = await Promise.all(writers);
      for (const [n, expected] of written.entries()) {
        const read = await provider.getConversation(`c${n}`);
        const stored = read.success ? read.data?.messages.map(({ content }) => content) : read.error;
        expect(stored).toEqual(expected);
      }
      expect(holes).toBeGreaterThan(SECONDS / 2);
      expect(Math.min(...written.map(({ length }) => length)), "each goes on between").toBeGreaterThan(
        holes * 5,
      );
      expect(proxy.accepted(), "not one for each call").toBeLessThan(holes * 6);
      expect(proxy.open()).toBe(1);
      await provider.close();
      await expect.poll(proxy.open).toBe(0);
      await proxy.stop();
    });
  },
);
