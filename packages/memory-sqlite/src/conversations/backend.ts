import type { MemoryBackend, TurnBeginner } from "@jaf/memory/adapter";
import type { OpenedDatabase } from "../database.ts";
import { toMemoryError } from "../errors.ts";
import { TurnLogPlace } from "../turn-log/place.ts";
import { clearSome, deleteConversation, leaveTombstoneOfUser } from "./erasure.ts";
import { countConversations, findConversations } from "./listing.ts";
import { readConversation, readHistory } from "./read.ts";
import { writeConversation } from "./write.ts";

/** Creates the backend for conversations in a SQLite file. `close` closes what the caller opened for it. */
export function createConversationBackend(
  database: OpenedDatabase,
  close: () => Promise<void>,
): MemoryBackend & TurnBeginner {
  return {
    name: "sqlite",
    write: (write) => database.write((client) => writeConversation(client, write)),
    canBegin: ({ place }) => place instanceof TurnLogPlace && place.database === database,
    read: (request) => database.read((client) => readConversation(client, request)),
    history: {
      algorithm: "sha256",
      read: (request) => database.read((client) => readHistory(client, request)),
    },
    find: (query) => database.read((client) => findConversations(client, query)),
    delete: (conversationId) => database.write((client) => deleteConversation(client, conversationId)),
    clearUser: async (userId) => {
      await database.write((client) => leaveTombstoneOfUser(client, userId));
      for (let total = 0; ; ) {
        const { count, done } = await database.write((client) => clearSome(client, userId));
        total += count;
        if (done) return total;
      }
    },
    stats: (userId) => database.read((client) => countConversations(client, userId)),
    ping: () => database.read((client) => void client.first("SELECT 1 FROM conversations LIMIT 1")),
    close,
    toMemoryError,
  };
}
