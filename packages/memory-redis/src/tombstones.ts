import type { Tombstones } from "@jaf/memory/adapter";
import { TOMBSTONE_SECONDS } from "@jaf/memory/adapter";
import type { RedisPort } from "./client/port.ts";
import type { Deadlines } from "./command-deadlines.ts";
import { list, text } from "./decoding.ts";
import type { Keys } from "./keys.ts";
import type { ReplicaWait, RunScript } from "./scripts/runner.ts";

export interface TombstoneOptions {
  readonly port: RedisPort;
  readonly run: RunScript;
  readonly keys: Keys;
  /** Whether all tombstones are on one server. */
  readonly atomic: boolean;
  readonly deadlines: Deadlines;
  readonly wait?: ReplicaWait | undefined;
}

const toId = (reply: unknown): string | null => (reply == null ? null : text(reply));

/** What a deletion puts into a tombstone: its random id, and in how many milliseconds it expires. */
export const newTombstone = (): readonly [id: string, expiresInMs: number] => [
  crypto.randomUUID(),
  TOMBSTONE_SECONDS * 1_000,
];

/** Tombstones, which erasures create: see the scripts `write`, `delete` and `reserveIndexEntry` for how writes find them. */
export function createTombstones({ port, run, keys, atomic, deadlines, wait }: TombstoneOptions) {
  async function get(key: string): Promise<string | null> {
    return toId(await deadlines(port.send(["GET", key], key)));
  }

  const ofUser = (userId: string): Promise<string | null> => get(keys.userTombstone(userId));

  return {
    ofUser,

    read: async (conversationId: string, userId: string | undefined): Promise<Tombstones> => {
      const key = keys.conversationTombstone(conversationId);
      if (userId === undefined) return { conversation: await get(key), user: null };
      if (!atomic) {
        const [conversation, user] = await Promise.all([get(key), ofUser(userId)]);
        return { conversation, user };
      }
      const both = ["MGET", key, keys.userTombstone(userId)];
      const [conversation, user] = list(await deadlines(port.send(both, key)));
      return { conversation: toId(conversation), user: toId(user) };
    },

    createForUser: (userId: string): Promise<unknown> =>
      run("tombstone", { keys: [keys.userTombstone(userId)], args: newTombstone() }, wait),
  };
}

export type TombstoneStore = ReturnType<typeof createTombstones>;
