import type { TestStore } from "@jaf/memory/testing";
import { createClient } from "redis";
import { inject } from "vitest";

/** Replaces the first character of the message's content. */
const changed = (item: string): string =>
  item.replace(/(?<="content":")./, (first) => (first === "x" ? "y" : "x"));

/** Changes the list of messages, as a person with access to the server could. */
export const tamperUnder =
  (keyPrefix: string): NonNullable<TestStore["tamper"]> =>
  async (conversationId, { kind, index }) => {
    const client = await createClient({ url: inject("redisUrl") }).connect();
    const key = `${keyPrefix}messages:{${keyPrefix}${conversationId}}`;
    const items = await client.lRange(key, 0, -1);
    const [item = "", next = ""] = items.slice(index);
    switch (kind) {
      case "change":
        await client.lSet(key, index, changed(item));
        break;
      case "remove":
        await client.lRem(key, 1, item);
        break;
      case "double":
        await client.lInsert(key, "AFTER", item, item);
        break;
      case "swap":
        await client.lSet(key, index, next);
        await client.lSet(key, index + 1, item);
        break;
    }
    await client.close();
  };
