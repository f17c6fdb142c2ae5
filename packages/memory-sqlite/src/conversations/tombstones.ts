import { randomUUID } from "node:crypto";
import { TOMBSTONE_SECONDS, type Tombstones, tombstoneKey } from "@jaf/memory/adapter";
import type { SqliteClient } from "../client/client.ts";

const LEAVE = `
INSERT INTO tombstones (key, id, expires_at) VALUES (?, ?, ?)
ON CONFLICT (key) DO UPDATE SET id = excluded.id, expires_at = excluded.expires_at`;

type TombstoneKind = Parameters<typeof tombstoneKey>[0];

/** Leaves a tombstone, which replaces an earlier one. */
export function leaveTombstone(client: SqliteClient, kind: TombstoneKind, id: string, now: number): void {
  client.run(LEAVE, tombstoneKey(kind, id), randomUUID(), now + TOMBSTONE_SECONDS * 1_000);
}

const FIND = "SELECT id FROM tombstones WHERE key = ? AND expires_at > ?";

interface Erasable {
  readonly conversationId: string;
  readonly userId?: string;
}

export function tombstonesOf(
  client: SqliteClient,
  { conversationId, userId }: Erasable,
  now: number,
): Tombstones {
  const idOf = (kind: TombstoneKind, id: string): string | null => {
    const row = client.first(FIND, tombstoneKey(kind, id), now);
    return row === undefined ? null : String(row["id"]);
  };
  return {
    conversation: idOf("conversation", conversationId),
    user: userId === undefined ? null : idOf("user", userId),
  };
}

const TOMBSTONES_AT_ONCE = 1_000;

const SWEEP = `DELETE FROM tombstones WHERE key IN (
  SELECT key FROM tombstones WHERE expires_at <= ? LIMIT ${TOMBSTONES_AT_ONCE})`;

/** Deletes some tombstones that have expired. */
export const sweepTombstones = (client: SqliteClient, now: number): void => void client.run(SWEEP, now);
