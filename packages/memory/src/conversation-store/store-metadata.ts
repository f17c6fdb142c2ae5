import * as z from "zod";
import { parseOptions } from "../codec/schema-issues.ts";
import { present } from "../present.ts";
import type { ConversationMemory, WriteMetadata } from "../provider.ts";
import type { ConversationStoreListEntry, ConversationStoreMeta } from "./store.ts";

/** The metadata keys that are the store's, beside the index field `userId`. */
const KEYS = ["title", "agent", "resourceSlug", "recordId"] as const;

const optionalText = z.string().optional();

const metaSchema = z.strictObject({
  title: optionalText,
  // A user id that is `undefined` would make a conversation that belongs to nobody.
  userId: z.string().exactOptional(),
  agent: optionalText,
  resourceSlug: optionalText,
  recordId: optionalText,
});

/**
 * Title and meta as the metadata of a write: `title`, `agent`, `resourceSlug` and `recordId` under these names, and
 * `userId`. For whoever writes to the provider of a store directly and wants the store to list what was written.
 * Throws a `TypeError` that names a field which is unknown or no string.
 */
export function conversationMetadata(meta: ConversationStoreMeta = {}, title?: string): WriteMetadata {
  const named = title === undefined ? meta : { ...meta, title };
  const parsed = parseOptions(metaSchema, named, "conversation meta");
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== undefined));
}

/** Metadata may have been written by anybody: what is no string is left out. */
export function toListEntry(conversation: ConversationMemory): ConversationStoreListEntry {
  const { conversationId, userId, metadata } = conversation;
  const fields = KEYS.flatMap((key) => {
    const value: unknown = metadata?.[key];
    return typeof value === "string" ? [[key, value] as const] : [];
  });
  return {
    id: conversationId,
    ...present({ userId }),
    ...Object.fromEntries(fields),
    ...(metadata === undefined ? {} : { createdAt: metadata.createdAt, updatedAt: metadata.updatedAt }),
  };
}
