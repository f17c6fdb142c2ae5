import type { JsonObject, JsonValue, StoredConversation } from "@jaf/memory";

/** A script's reply that is none of ours. */
export class UnexpectedReply extends TypeError {
  override readonly name = "UnexpectedReply";
}

// A client may be set to give Buffers.
export function text(value: unknown): string {
  if (typeof value === "string") return value;
  if (Buffer.isBuffer(value)) return value.toString();
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  throw new UnexpectedReply("expected text in the reply of a script");
}

export const number = (value: unknown): number => Number(text(value));

export function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new UnexpectedReply("expected a list in the reply of a script");
}

const METADATA = "metadata:";

/** A conversation without its messages. */
export interface Head extends Omit<StoredConversation, "messages"> {
  /** 0: kept for ever. */
  readonly ttlMs: number;
}

/** Fields and values, which clients and versions of the protocol put into different shapes. */
export function pairs(reply: unknown): readonly (readonly [string, string])[] {
  if (Array.isArray(reply)) {
    return Array.from({ length: reply.length / 2 }, (_, at) => [
      text(reply[2 * at]),
      text(reply[2 * at + 1]),
    ]);
  }
  const entries = reply instanceof Map ? [...reply] : Object.entries(reply ?? {});
  return entries.map(([field, value]) => [text(field), text(value)]);
}

/** Of the fields of its hash. */
export function parseHead(conversationId: string, hash: unknown): Head {
  const fields = new Map<string, string>();
  const metadata: [string, JsonValue][] = [];
  for (const [field, value] of pairs(hash)) {
    if (field.startsWith(METADATA)) metadata.push([field.slice(METADATA.length), JSON.parse(value)]);
    else fields.set(field, value);
  }
  const userId = fields.get("userId") || undefined;
  return {
    conversationId,
    ...(userId === undefined ? {} : { userId }),
    metadata: Object.fromEntries(metadata) as JsonObject,
    createdAt: new Date(Number(fields.get("createdAt"))),
    lastActivity: new Date(Number(fields.get("lastActivity"))),
    totalMessages: Number(fields.get("totalMessages")),
    version: Number(fields.get("version")),
    ttlMs: Number(fields.get("ttlMs") ?? 0),
  };
}
