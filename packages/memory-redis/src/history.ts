import { type HistoryReader, present } from "@jaf/memory/adapter";
import { list, number, text } from "./decoding.ts";
import type { Keys } from "./keys.ts";
import type { RunScript } from "./scripts/runner.ts";
import { itemOf } from "./stored-message.ts";

/** Reads messages with their digests, in one script. */
export function createHistoryReader(run: RunScript, keys: Keys, isCluster: boolean): HistoryReader {
  return {
    algorithm: "sha1",
    read: async ({ conversationId, from, limit }) => {
      const scriptKeys = keys.ofScript(conversationId, isCluster);
      const reply = await run("history", { keys: scriptKeys, args: [keys.prefix, from, limit] });
      if (reply === null) return null;
      const [first, total, base, digest, items] = list(reply);
      const firstPosition = number(first);
      const messages = list(items).map(itemOf);
      const historyDigest = text(digest) || (number(total) === 0 ? text(base) : undefined);
      return {
        firstPosition,
        nextPosition: firstPosition + number(total),
        base: text(base),
        ...present({ historyDigest }),
        messages,
      };
    },
  };
}
