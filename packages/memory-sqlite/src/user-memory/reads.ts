import type {
  Extent,
  FactSelection,
  StoredFact,
  UserHead,
  UserKey,
  UserMemoryBackend,
} from "@jaf/user-memory/adapter";
import type { SqliteClient } from "../client/client.ts";
import type { OpenedDatabase } from "../database.ts";
import { columnsFor, unpackFact } from "./fact-codec.ts";

type Reads = Pick<UserMemoryBackend, "read" | "list" | "audit">;

const HEAD = "SELECT version, epoch, state FROM fact_heads WHERE user_hash = ?";

export function headOf(client: SqliteClient, { hash }: UserKey): UserHead | null {
  const row = client.first(HEAD, hash);
  if (row === undefined) return null;
  return { version: Number(row["version"]), epoch: Number(row["epoch"]), state: String(row["state"]) };
}

/** The conditions of a selection's lists. A list is one value: the JSON of an array. */
const LISTED = "(SELECT value FROM json_each(?))";
const CONDITIONS: Readonly<Record<Exclude<keyof FactSelection, "locations">, string>> = {
  seqs: `facts.seq IN ${LISTED}`,
  ids: `facts.fact_id IN ${LISTED}`,
  digests: `facts.digest IN ${LISTED}`,
  keys: `facts.key IN ${LISTED}`,
  currentKeys: `facts.key IN ${LISTED} AND facts.status = 'active'`,
  supersededBy: `facts.superseded_by IN ${LISTED}`,
};

const AT_LOCATION = "facts.conversation_id = ? AND facts.position = ?";

/** Returns the selected facts, each once, in the order of their numbers. */
function factsOf(
  client: SqliteClient,
  { hash }: UserKey,
  { brief, locations = [], ...lists }: FactSelection & Extent,
): readonly StoredFact[] {
  const select = (condition: string) =>
    `SELECT ${columnsFor({ brief })} FROM facts WHERE facts.user_hash = ? AND ${condition}`;
  const ofLists = Object.entries(CONDITIONS).flatMap(([name, condition]) => {
    const list = lists[name as keyof typeof CONDITIONS] ?? [];
    return list.length === 0 ? [] : client.all(select(condition), hash, JSON.stringify(list));
  });
  const ofLocations = locations.flatMap(({ conversationId, position }) =>
    client.all(select(AT_LOCATION), hash, conversationId, position),
  );
  const bySeq = new Map([...ofLists, ...ofLocations].map((row) => [Number(row["seq"]), row]));
  return [...bySeq.values()].map(unpackFact).sort((a, b) => a.seq - b.seq);
}

const TOMBSTONES = `SELECT digest, at FROM fact_tombstones WHERE user_hash = ? AND digest IN ${LISTED}`;
const AUDIT = "SELECT seq, body FROM fact_audit WHERE user_hash = ? ORDER BY seq";

export function createReads(database: OpenedDatabase): Reads {
  return {
    read: (user, { tombstones: digests = [], ...selection }) =>
      database.read((client) => ({
        head: headOf(client, user),
        facts: factsOf(client, user, selection),
        tombstones: client
          .all(TOMBSTONES, user.hash, JSON.stringify(digests))
          .map(({ digest, at }) => ({ digest: String(digest), at: Number(at) })),
      })),
    // Each status separately, so that the index finds the newest facts of a status among any number of others.
    list: ({ hash }, { statuses, before = Number.MAX_SAFE_INTEGER, limit, brief }) =>
      database.read((client) => {
        const select = `SELECT ${columnsFor({ brief })} FROM facts
          WHERE facts.user_hash = ? AND facts.status = ? AND facts.seq < ? ORDER BY facts.seq DESC LIMIT ?`;
        const found = [...new Set(statuses)].flatMap((status) =>
          client.all(select, hash, status, before, limit),
        );
        const newest = found.sort((a, b) => Number(b["seq"]) - Number(a["seq"])).slice(0, limit);
        return newest.map(unpackFact);
      }),
    audit: (user) =>
      database.read((client) => ({
        head: headOf(client, user),
        entries: client
          .all(AUDIT, user.hash)
          .map(({ seq, body }) => ({ seq: Number(seq), body: String(body) })),
      })),
  };
}
