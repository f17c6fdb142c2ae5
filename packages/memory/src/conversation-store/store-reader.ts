import * as z from "zod";
import { schemaIssues } from "../codec/checks.ts";
import { decodeMessage, encodeMessages } from "../codec/messages.ts";
import type { JsonObject } from "../contract/backend.ts";
import type { MemoryIssue } from "../contract/errors.ts";
import type { Message } from "../contract/message.ts";
import { type AnyConversationStore, storeFailure } from "./store.ts";

// Databases return `null` or an empty text for missing values, and times in various formats.
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

/** The store's data about a conversation, without its messages. */
export type ListedConversation = Readonly<z.output<typeof listSchema>[number]>;

/**
 * Lists the user's conversations, by default those of all users. The result decides who has access, and that can
 * change, so the store is asked each time. Throws the store's errors, and `ConversationStoreError` for an invalid
 * listing.
 */
export async function listConversations(
  store: AnyConversationStore,
  userId: string | undefined,
): Promise<readonly ListedConversation[]> {
  // Called without an argument: that lists all users' conversations.
  const listing: unknown = await (userId === undefined ? store.list() : store.list(userId));
  const parsed = listSchema.safeParse(listing);
  if (!parsed.success) {
    const [issue] = schemaIssues(parsed.error);
    const found = `entries${issue?.path}: expected ${issue?.expected}`;
    throw storeFailure("list", `the conversation store's list() returned an invalid listing: ${found}`);
  }
  if (userId === undefined) return parsed.data;
  // A store that filters by user may leave the user out.
  const named = parsed.data.map((entry) => ({ ...entry, userId: entry.userId ?? userId }));
  return named.filter((entry) => entry.userId === userId);
}

/** Title and meta, under the same names as in a store over a provider. */
export function listedMetadata(listed: ListedConversation): JsonObject {
  const { title, agent, resourceSlug, recordId } = listed;
  const fields = Object.entries({ title, agent, resourceSlug, recordId });
  return Object.fromEntries(fields.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

/** Returns a checked, frozen copy of the messages from `load`. */
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
