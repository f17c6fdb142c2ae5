import type { ConversationWrite, JsonObject } from "@jaf/memory";
import * as z from "zod";

const messageSchema = z.object({ body: z.string(), isToolResult: z.boolean() }).readonly();

// Not z.record, which leaves out a field named `__proto__`.
const metadataSchema = z.custom<JsonObject>((value) => typeof value === "object" && value !== null);

const writeSchema = z.object({
  kind: z.literal("write"),
  mode: z.enum(["append", "replace"]),
  /** The conversation's id, on the line that creates it; what stood before that line is gone. */
  begins: z.string().optional(),
  /** Milliseconds, as `Date.now()` gives them. */
  at: z.number(),
  messages: z.array(messageSchema).readonly(),
  metadata: metadataSchema,
  userId: z.string().optional(),
  traceId: z.string().optional(),
  idempotency: z.object({ key: z.string(), bodyHash: z.string() }).optional(),
  maxMessages: z.number().optional(),
  ttlSeconds: z.number().optional(),
});

/** First line of a log that was compacted: everything but the messages, which follow. */
const snapshotSchema = z.object({
  kind: z.literal("snapshot"),
  conversationId: z.string(),
  userId: z.string().optional(),
  metadata: metadataSchema,
  keys: z.array(z.tuple([z.string(), z.object({ bodyHash: z.string(), write: z.number() })])),
  traceIds: z.array(z.string()),
  createdAt: z.number(),
  lastActivity: z.number(),
  ttlSeconds: z.number().optional(),
  version: z.number(),
  writes: z.number(),
});

const messagesSchema = z.object({ kind: z.literal("messages"), messages: z.array(messageSchema).readonly() });

/** One line of a log. */
export const entrySchema = z.discriminatedUnion("kind", [writeSchema, snapshotSchema, messagesSchema]);

export type LoggedMessage = z.infer<typeof messageSchema>;
export type WriteEntry = z.infer<typeof writeSchema>;
export type SnapshotEntry = z.infer<typeof snapshotSchema>;
export type Entry = z.infer<typeof entrySchema>;

/** The line of a write that was let through. */
export function toEntry(
  write: ConversationWrite,
  { at, begins }: { at: number; begins: boolean },
): WriteEntry {
  const { conversationId, expectedVersion: _, ...kept } = write;
  return { kind: "write", at, ...(begins ? { begins: conversationId } : {}), ...kept };
}
