import type { ConversationSource, ConversationWrite, JsonObject } from "@jaf/memory/adapter";
import * as z from "zod";

const messageSchema = z
  .object({
    body: z.string(),
    isToolResult: z.boolean(),
    own: z.object({ id: z.string(), hash: z.string() }).exactOptional(),
  })
  .readonly();

// Not z.record, which leaves out a field named `__proto__`.
const metadataSchema = z.custom<JsonObject>((value) => typeof value === "object" && value !== null);

const sourceSchema = z.object({
  createdAt: z.number(),
  lastActivity: z.number(),
  version: z.number(),
  metadataVersion: z.number(),
  firstPosition: z.number(),
  traceIds: z.array(z.string()).readonly(),
});

const parentSchema = z.object({ conversationId: z.string(), incarnation: z.string() }).readonly();

const writeSchema = z.object({
  kind: z.literal("write"),
  mode: z.enum(["append", "replace"]),
  /** The conversation's id, on the line that creates it. Lines before it no longer count. */
  begins: z.string().optional(),
  /** Only on the line that creates the conversation. */
  incarnation: z.string().optional(),
  /** Only for a child, on the line that creates the conversation. */
  childOf: parentSchema.optional(),
  /** Only for an import, on the line that creates the conversation. */
  source: sourceSchema.optional(),
  /** `Date.now()` at the time of the write. */
  at: z.number(),
  messages: z.array(messageSchema).readonly(),
  metadata: metadataSchema,
  userId: z.string().optional(),
  traceId: z.string().optional(),
  idempotency: z.object({ key: z.string(), bodyHash: z.string() }).optional(),
  dropLast: z.number().optional(),
  maxMessages: z.number().optional(),
  ttlSeconds: z.number().optional(),
});

const keySchema = z.object({ bodyHash: z.string(), write: z.number(), nextPosition: z.number() });

/** The first line of a compacted log: everything but the messages, which follow. */
const snapshotSchema = z.object({
  kind: z.literal("snapshot"),
  conversationId: z.string(),
  incarnation: z.string(),
  childOf: parentSchema.optional(),
  userId: z.string().optional(),
  metadata: metadataSchema,
  keys: z.array(z.tuple([z.string(), keySchema])),
  traceIds: z.array(z.string()),
  createdAt: z.number(),
  lastActivity: z.number(),
  ttlSeconds: z.number().optional(),
  version: z.number(),
  metadataVersion: z.number(),
  firstPosition: z.number(),
  writes: z.number(),
});

const messagesSchema = z.object({ kind: z.literal("messages"), messages: z.array(messageSchema).readonly() });

/** The tombstones of one erasure or, after a compaction, of several: `key` is a hash, `at` is in milliseconds. */
export const tombstonesSchema = z.object({
  kind: z.literal("tombstones"),
  left: z.array(z.object({ key: z.string(), id: z.string(), at: z.number() })).readonly(),
});

/** A line of a conversation's log. */
export const entrySchema = z.discriminatedUnion("kind", [writeSchema, snapshotSchema, messagesSchema]);

export type LoggedMessage = z.infer<typeof messageSchema>;
export type WriteEntry = z.infer<typeof writeSchema>;
export type SnapshotEntry = z.infer<typeof snapshotSchema>;
export type TombstonesEntry = z.infer<typeof tombstonesSchema>;
export type Entry = z.infer<typeof entrySchema>;

/** Returns the log line of an accepted write, without the write's expectations. */
export function toEntry(
  write: ConversationWrite,
  { at, begins }: { readonly at: number; readonly begins: boolean },
): WriteEntry {
  const { conversationId, create, childOf, source, expectedVersion: _, ...rest } = write;
  const { expectedMetadataVersion: _metadata, expectedIncarnation: _incarnation, ...kept } = rest;
  return {
    kind: "write",
    at,
    ...(begins && create !== undefined ? { begins: conversationId, incarnation: create.incarnation } : {}),
    ...(begins && childOf !== undefined ? { childOf } : {}),
    ...(source === undefined ? {} : { source: toSource(source) }),
    ...kept,
  };
}

const toSource = (source: ConversationSource): NonNullable<WriteEntry["source"]> => ({
  ...source,
  createdAt: source.createdAt.getTime(),
  lastActivity: source.lastActivity.getTime(),
});
