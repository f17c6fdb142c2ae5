import { messageText } from "@jaf/memory/history";
import { NAMES } from "../agent-tree.ts";
import type { World } from "../worlds.ts";

/** Checks that no tool runs again once its result is stored, and that each runs under one idempotency key. */
export function createJudge() {
  const broken: string[] = [];
  const stored = new Set<string>();
  const keys = new Map<string, string>();
  const conversationIds = new Set<string>();
  return {
    broken,
    /** The conversations that were written. */
    conversationIds,
    onRun: (name: string, key: string): void => {
      if (stored.has(name)) broken.push(`ran again after its result was stored: ${name}`);
      if ((keys.get(name) ?? key) !== key) broken.push(`ran with another key: ${name}`);
      keys.set(name, key);
    },
    /** Returns the stores. The judge sees each write to them. */
    watched: ({ log, provider }: World): World => ({
      log,
      provider: {
        ...provider,
        appendMessages: async (conversationId, messages, ...rest) => {
          const written = await provider.appendMessages(conversationId, messages, ...rest);
          if (!written.success) return written;
          conversationIds.add(conversationId);
          const results = messages.filter(({ role }) => role === "tool").map(messageText);
          for (const name of NAMES) if (results.includes(`${name} did work`)) stored.add(name);
          return written;
        },
      },
    }),
  };
}
