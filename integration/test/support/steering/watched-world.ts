import * as z from "zod";
import type { Notes } from "./notes.ts";
import type { World } from "./process.ts";
import { wordsIn } from "./words.ts";

const entrySchema = z.object({ content: z.string() });

/** Returns the stores. Notes the results of tools that are stored, and the entries of the inbox in their order. */
export function watchedWorld({ provider, log, inbox, timers }: World, notes: Notes): World {
  const seen = new Set<string>();
  return {
    log,
    timers,
    provider: new Proxy(provider, {
      get: (target, name) => {
        if (name !== "appendMessages") return Reflect.get(target, name, target);
        const append: World["provider"]["appendMessages"] = async (...args) => {
          const written = await target.appendMessages(...args);
          if (!written.success) return written;
          for (const { role, tool_call_id: callId = "" } of args[1])
            if (role === "tool") notes.add({ type: "result", callId });
          return written;
        };
        return append;
      },
    }),
    inbox: {
      ...inbox,
      read: async (query) => {
        const read = await inbox.read(query);
        for (const { cursor, content } of read.success ? read.data : []) {
          if (seen.has(cursor)) continue;
          seen.add(cursor);
          notes.add({ type: "entry", text: wordsIn(entrySchema.parse(JSON.parse(content)).content) });
        }
        return read;
      },
    },
  };
}
