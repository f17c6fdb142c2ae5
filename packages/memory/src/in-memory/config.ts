import * as z from "zod";

/** Limits are whole numbers from 1; both default to 1,000. */
export const inMemoryConfigSchema = z.strictObject({
  type: z.literal("memory").default("memory"),
  /** Beyond this, the least recently active conversation is evicted. */
  maxConversations: z.int().min(1).default(1_000),
  /** Beyond this, an append drops the oldest messages, never splitting a tool call from its results. */
  maxMessagesPerConversation: z.int().min(1).default(1_000),
});

export type InMemoryConfig = z.input<typeof inMemoryConfigSchema>;
export type InMemoryLimits = z.output<typeof inMemoryConfigSchema>;
