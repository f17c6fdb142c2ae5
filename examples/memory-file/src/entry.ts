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

const writeSchema = z.object({
  kind: z.literal("write"),
  mode: z.enum(["append", "replace"]),
  /** The conversation's id, on the line that creates it; what stood before that line is gone. */
  begins: z.string().optional(),
  /** On that line alone. */
  incarnation: z.string().optional(),
  /** Of an import, on that line as well. */
  source: sourceSchema.optional(),
  /** Milliseconds, as `Date.now()` gives them. */
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

/** First line of a log that was compacted: everything but the messages, which follow. */
const snapshotSchema = z.object({
  kind: z.literal("snapshot"),
  conversationId: z.string(),
  incarnation: z.string(),
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

/** What one erasure left, or, after a compaction, several: named by hashes, at a time in milliseconds. */
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

/** The line of a write that was let through: all that it says, and nothing of what it expected. */
export function toEntry(
  write: ConversationWrite,
  { at, begins }: { readonly at: number; readonly begins: boolean },
): WriteEntry {
  const { conversationId, create, source, expectedVersion: _, ...rest } = write;
  const { expectedMetadataVersion: _metadata, expectedIncarnation: _incarnation, ...kept } = rest;
  return {
    kind: "write",
    at,
    ...(begins && create !== undefined ? { begins: conversationId, incarnation: create.incarnation } : {}),
    ...(source === undefined ? {} : { source: toSource(source) }),
    ...kept,
  };
}

const toSource = (source: ConversationSource): NonNullable<WriteEntry["source"]> => ({
  ...source,
  createdAt: source.createdAt.getTime(),
  lastActivity: source.lastActivity.getTime(),
});
