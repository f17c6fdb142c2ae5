import * as z from "zod";
import { schemaIssues } from "../codec/checks.ts";
import { decodeMessage, encodeMessages } from "../codec/messages.ts";
import type { JsonObject } from "../contract/backend.ts";
import type { MemoryIssue } from "../contract/errors.ts";
import type { Message } from "../contract/message.ts";
import { type AnyConversationStore, storeFailure } from "./store.ts";

// Accepts what databases return: `null` or an empty text for a missing value, and times in various formats.
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

/** A conversation as the store's `list` returns it, after validation. It has no messages. */
export type ListedConversation = Readonly<z.output<typeof listSchema>[number]>;

/**
 * Returns the conversations of the user or, without a user, of all users. Throws a `ConversationStoreError` if the
 * store returns an invalid list.
 */
export async function listConversations(
  store: AnyConversationStore,
  userId: string | undefined,
): Promise<readonly ListedConversation[]> {
  // Nothing is cached, because the result decides who has access to a conversation, and access can change.
  // Without a user, `list` must be called without an argument to list all users' conversations.
  const listing: unknown = await (userId === undefined ? store.list() : store.list(userId));
  const parsed = listSchema.safeParse(listing);
  if (!parsed.success) {
    const [issue] = schemaIssues(parsed.error);
    const found = `entries${issue?.path}: expected ${issue?.expected}`;
    throw storeFailure("list", `the conversation store's list() returned an invalid listing: ${found}`);
  }
  if (userId === undefined) return parsed.data;
  // A store that lists one user's conversations may leave `userId` out of its entries. So the requested user is added.
  const named = parsed.data.map((entry) => ({ ...entry, userId: entry.userId ?? userId }));
  return named.filter((entry) => entry.userId === userId);
}

/** Converts title and meta of a listed conversation into the metadata of a provider's conversation. */
export function listedMetadata(listed: ListedConversation): JsonObject {
  const { title, agent, resourceSlug, recordId } = listed;
  const fields = Object.entries({ title, agent, resourceSlug, recordId });
  return Object.fromEntries(fields.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

/**
 * Returns the messages from the store's `load`, as checked and frozen copies. Throws a `ConversationStoreError` if a
 * message is invalid.
 */
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
  throw storeFailure("load", `the conversation store's load() returned invalid messages: ${found}`);
}
