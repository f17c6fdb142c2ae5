import type { ConversationQuery, MemoryBackend, StoredConversation, TurnBeginner } from "@jaf/memory/adapter";
import type { RedisClient } from "../client/clients.ts";
import { createDeadlines } from "../client/command-deadlines.ts";
import { toMemoryError } from "../errors.ts";
import { createKeys, slotOf } from "../keys.ts";
import { createCalls, type StoreOptions } from "../open-store.ts";
import { TurnLogPlace } from "../turn-log/place.ts";
import { createClearUser, createDeletion, createTombstones } from "./erasure.ts";
import { createHeadReader, type Head } from "./head.ts";
import { createEveryEntry } from "./index-scan.ts";
import { createIndexes, createSweep } from "./indexes.ts";
import { createListing, createStats, matches } from "./listing.ts";
import { createConversationReader, createHistoryReader, toStored } from "./read.ts";
import { scripts } from "./scripts/index.ts";
import { createWriter } from "./write.ts";

export interface ConversationBackendOptions extends StoreOptions {
  /** The client that the application passed in. Absent if the store opened its own connection. */
  readonly client?: RedisClient | undefined;
  /** Seconds after the last read or write until a conversation expires. Absent: no expiry. */
  readonly ttl?: number | undefined;
}

const PING_TIMEOUT_MS = 5_000;

/** How many conversations a listing with messages reads at the same time. */
const READ_AT_ONCE = 8;

/** Creates the backend for conversations on Redis. On one server, each write is one script in one round trip. */
export function createConversationBackend(options: ConversationBackendOptions): MemoryBackend & TurnBeginner {
  const { client, port, commandTimeoutMs, ttl, close } = options;
  const keys = createKeys(options.keyPrefix);
  const atomic = !port.isCluster || keys.inOneSlot;
  const { deadlines, wait, run } = createCalls(options, scripts);
  const pingDeadlines = createDeadlines(Math.min(PING_TIMEOUT_MS, commandTimeoutMs), port.onTimeout);
  const indexes = createIndexes(run, keys, wait);
  const readHeads = createHeadReader(run, keys, atomic);
  const tombstones = createTombstones({ port, run, keys, atomic, deadlines, wait });
  const { read, peekAll } = createConversationReader({
    ...{ port, run, keys, indexes, tombstones, atomic, deadlines },
    touches: ttl !== undefined,
  });
  const listConversations = createListing({ run, keys, indexes, readHeads });
  const onCreated = createSweep({ run, keys, indexes, readHeads });
  const everyEntry = createEveryEntry(run);
  const deleteOne = createDeletion({ run, keys, indexes, atomic, isCluster: port.isCluster, wait });
  const write = createWriter({ run, keys, indexes, tombstones, atomic, port, ttl, wait, onCreated });

  /**
   * Reads the messages of listed conversations. Leaves out conversations that were deleted since, or that no longer
   * match the query.
   */
  async function withMessages(
    heads: readonly Head[],
    query: ConversationQuery,
  ): Promise<readonly StoredConversation[]> {
    const found: StoredConversation[] = [];
    for (let from = 0; from < heads.length; from += READ_AT_ONCE) {
      const some = heads.slice(from, from + READ_AT_ONCE);
      const read = await Promise.all(some.map(({ conversationId }) => peekAll(conversationId)));
      for (const [at, conversation] of read.entries()) {
        const same = conversation?.incarnation === some[at]?.incarnation;
        if (conversation !== null && same && matches(conversation, query)) found.push(conversation);
      }
    }
    return found;
  }

  return {
    name: "redis",
    write,
    canBegin: ({ place }) =>
      place instanceof TurnLogPlace &&
      place.client === client &&
      (!port.isCluster || (atomic && place.slot === slotOf(keys.prefix))),
    read,
    history: createHistoryReader(run, keys, port.isCluster),
    find: async (query) => {
      const heads = await listConversations(query);
      return query.includeMessages ? withMessages(heads, query) : heads.map((head) => toStored(head, []));
    },
    delete: async (conversationId) => (await deleteOne(conversationId)).deleted,
    clearUser: createClearUser({ keys, indexes, tombstones, atomic, deleteOne, everyEntry }),
    stats: createStats({ keys, indexes, readHeads, everyEntry }),
    ping: async () => {
      await pingDeadlines(port.send(["PING"]));
    },
    close,
    toMemoryError: (operation, thrown) => toMemoryError(operation, thrown, port.isCluster),
  };
}
