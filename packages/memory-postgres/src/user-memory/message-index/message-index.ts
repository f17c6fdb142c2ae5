import { createHash } from "node:crypto";
import type { IndexedPassage, IndexedWord, MessageIndex } from "@jaf/user-memory/adapter";
import * as z from "zod";
import type { PostgresClient, SqlClient } from "../../client/clients.ts";
import type { SqlRow } from "../../client/statement.ts";
import { only } from "../../client/statements.ts";
import { type PostgresConfig, parseConfig } from "../../config.ts";
import { toMemoryError } from "../../errors.ts";
import { conversationTables } from "../../migrations/conversations.ts";
import { messageIndexTables } from "../../migrations/message-index.ts";
import { prepareTables } from "../../migrations/migrator.ts";
import { openStore, requireClient } from "../../open-store.ts";
import type { ResolvedNames } from "../../table-names.ts";
import { createMessageIndexStatements } from "./statements.ts";

/**
 * Creates an index for `createMessageSearch` of `@jaf/user-memory` in tables beside the conversations that
 * `createPostgresProvider` stores. All processes share the index. Creates the tables if they are missing, also those of
 * the conversations. `config` must have the `tableName` and the `schema` of the provider. `client` is a `Pool`, a
 * connected `Client` or a PGlite on the same database, and is never closed.
 *
 * The index contains no text: of each message, it has hashes of the user's id with each word. The database deletes the
 * entries of a conversation together with the conversation, by any statement. With a `Client`, calls within a
 * transaction of the application are part of that transaction.
 *
 * Rejects with a `TypeError` for an invalid client or option, and with a `MemorySetupError` if the tables can't be
 * created or found.
 *
 * @example
 * ```ts
 * import { createPostgresProvider } from "@jaf/memory-postgres";
 * import { createPostgresMessageIndex } from "@jaf/memory-postgres/user-memory";
 * import { createMessageSearch } from "@jaf/user-memory";
 * import { Pool } from "pg";
 *
 * const pool = new Pool();
 * const provider = await createPostgresProvider({ schema: "memory" }, pool);
 * const index = await createPostgresMessageIndex({ schema: "memory" }, pool);
 * const messages = createMessageSearch(provider, { index });
 * const found = await messages.search("user-123", "the move to Oslo");
 * ```
 */
export async function createPostgresMessageIndex(
  config: Pick<PostgresConfig, "tableName" | "schema" | "migrate">,
  client: PostgresClient,
): Promise<MessageIndex> {
  const operation = "createPostgresMessageIndex";
  requireClient(client, operation);
  const settings = parseConfig(config);
  // The tables of conversations come first, because those of the index refer to them.
  const opening = { settings, client, group: conversationTables, operation };
  return openStore(opening, async ({ sql }) => {
    const names = await prepareTables(sql, messageIndexTables, { ...settings, operation });
    return createMessageIndex(sql, names);
  });
}

/** Returns a hash of a user's id as a signed 64-bit number. */
const userKeyOf = (userId: string): string =>
  createHash("sha256").update(userId).digest().readBigInt64BE().toString();

const keysOf = (keys: readonly number[]): readonly string[] => [...new Set(keys)].map(String);

/** Creates a message index on existing tables. Each call is one statement, except a `write` that starts over. */
export function createMessageIndex(sql: SqlClient, names: ResolvedNames): MessageIndex {
  const statements = createMessageIndexStatements(names);
  const idsOf = (userId: string) => ({ userId, userKey: userKeyOf(userId) });

  return {
    changed: async (userId, limit) => {
      const rows = await sql.query(statements.changed({ userId, limit }));
      return rows.map((row) => ({
        conversationId: idIn(row),
        indexedTo: Number(row["indexed_to"]),
      }));
    },

    write: async (userId, { conversationId, revision, indexedTo, nextPosition, passages }) => {
      const { incarnation, version } = revision;
      if (indexedTo === 0) {
        const statement = statements.startOver({ conversationId, userId, incarnation });
        await sql.query({ ...statement, writes: true });
      }
      const given = passages.map(({ position: p, isAssistant: a, length: l, terms: t }, n) => ({
        ...{ n, p, a, l, t },
      }));
      const statement = statements.write({
        ...{ ...idsOf(userId), conversationId, incarnation, version, indexedTo, nextPosition },
        passages: JSON.stringify(given),
      });
      return (await sql.query({ ...statement, writes: true })).length > 0;
    },

    count: async (userId, words) => {
      const pairs = words.flatMap((keys, word) => keys.map((key) => [String(word), String(key)] as const));
      const row = only(
        await sql.query(
          statements.count({
            ...{ ...idsOf(userId), words: pairs.map(([word]) => word), keys: pairs.map(([, key]) => key) },
          }),
        ),
      );
      return toCounts(row, words);
    },

    find: async (userId, { any, also, conversationId, limit }) => {
      const values = { ...idsOf(userId), any: keysOf(any), limit };
      const statement =
        conversationId !== undefined
          ? statements.findIn({ ...values, conversationId })
          : also === undefined
            ? statements.find(values)
            : statements.findBoth({ ...values, also: keysOf(also) });
      return (await sql.query(statement)).map(toPassage);
    },

    at: async (userId, places, keys) => {
      const positions = new Map<string, number[]>();
      for (const { conversationId, position } of places) {
        const known = positions.get(conversationId);
        if (known === undefined) positions.set(conversationId, [position]);
        else known.push(position);
      }
      const asked = JSON.stringify(Array.from(positions, ([c, p]) => ({ c, p })));
      const values = { ...idsOf(userId), any: keysOf(keys), places: asked };
      return (await sql.query(statements.at(values))).map(toPassage);
    },

    toMemoryError,
  };
}

const idIn = (row: SqlRow): string => z.string().parse(JSON.parse(row["conversation_id"] ?? "null"));

const holdersSchema = z.record(z.string(), z.number());

function toCounts(row: SqlRow, words: readonly IndexedWord[]) {
  const [size, sampled] = [Number(row["size"]), Number(row["sampled"])];
  const held = holdersSchema.parse(JSON.parse(row["holders"] ?? "{}"));
  const isExact = sampled >= size;
  // A word that isn't in the sample is in some passages perhaps.
  const holders = words.map((_, word) => {
    const count = held[String(word)] ?? 0;
    return isExact ? count : Math.min(size, ((count + 0.5) * size) / sampled);
  });
  return { size, holders, isExact };
}

// May be called for thousands of rows.
function toPassage(row: SqlRow): IndexedPassage {
  const [number = 0, position = 0, isAssistant, length = 0] = (row["numbers"] ?? "").split(" ").map(Number);
  const terms = (row["terms"] ?? "").split(" ").map(Number);
  return { conversationId: idIn(row), number, position, isAssistant: isAssistant === 1, length, terms };
}
