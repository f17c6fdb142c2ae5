import * as z from "zod";
import { schemaIssues } from "../codec/checks.ts";
import { decodeMessage, encodeMessages } from "../codec/messages.ts";
import type { JsonObject } from "../contract/backend.ts";
import type { MemoryIssue } from "../contract/errors.ts";
import type { Message } from "../contract/message.ts";
import { type AnyConversationStore, storeFailure } from "./store.ts";

// Databases say `null` or an empty text where there is nothing, and give times as they like.
const text = z
  .string()
  .nullish()
  .transform((value) => value || undefined);
const time = z.coerce.date().optional().catch(undefined);

const listSchema = z.array(
  z.object({
    id: z.string().min(1),
    title: text,
    userId: text,
    agent: text,
    resourceSlug: text,
    recordId: text,
    createdAt: time,
    updatedAt: time,
  }),
);

/** What a store tells of a conversation without its messages. */
export type ListedConversation = Readonly<z.output<typeof listSchema>[number]>;

/**
 * The conversations that the store lists for the user, by default for everybody. It decides who has access, and that may
 * change, so it is asked each time. Throws what the store throws, and `ConversationStoreError` for what is no listing.
 */
export async function listConversations(
  store: AnyConversationStore,
  userId: string | undefined,
): Promise<readonly ListedConversation[]> {
  // Without an argument, as that is what asks for everybody's.
  const listing: unknown = await (userId === undefined ? store.list() : store.list(userId));
  const parsed = listSchema.safeParse(listing);
  if (!parsed.success) {
    const [issue] = schemaIssues(parsed.error);
    const found = `entries${issue?.path}: expected ${issue?.expected}`;
    throw storeFailure("list", `the conversation store's list() returned no listing: ${found}`);
  }
  if (userId === undefined) return parsed.data;
  // A store that filters need not repeat whom it filtered by.
  const named = parsed.data.map((entry) => ({ ...entry, userId: entry.userId ?? userId }));
  return named.filter((entry) => entry.userId === userId);
}

/** Title and meta, under the names that a store over a provider keeps them as. */
export function listedMetadata(listed: ListedConversation): JsonObject {
  const { title, agent, resourceSlug, recordId } = listed;
  const fields = Object.entries({ title, agent, resourceSlug, recordId });
  return Object.fromEntries(fields.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

/** A checked, frozen copy of what `load` returns. */
export async function loadMessages(
  store: AnyConversationStore,
  conversationId: string,
): Promise<readonly Message[]> {
  const loaded: unknown = await store.load(conversationId);
  const issues: MemoryIssue[] = [];
  const encoded = encodeMessages(loaded ?? [], issues);
  const [issue] = issues;
  if (issue === undefined) return encoded.map(({ body }, index) => decodeMessage(body, index));
  const found = `${issue.path}: expected ${issue.expected}`;
  throw storeFailure("load", `the conversation store's load() returned no messages: ${found}`);
}
