import * as z from "zod";
import type { JsonObject } from "../codec/json.ts";
import { schemaIssues } from "../codec/schema-issues.ts";
import { createMemoryStorageError } from "../errors.ts";
import { lazy } from "../lazy.ts";
import type { AnyConversationStore } from "./store.ts";
import { ConversationStoreError } from "./store-error.ts";

// Databases say `null` or an empty text where there is nothing.
const text = lazy(() =>
  z
    .string()
    .nullish()
    .transform((value) => value || undefined),
);

const time = lazy(() =>
  z
    .union([z.date(), z.string(), z.number()], { error: "expected a Date" })
    .nullish()
    .transform((value) => {
      const date = new Date(value ?? Number.NaN);
      return Number.isNaN(date.getTime()) ? undefined : date;
    }),
);

const listSchema = lazy(() =>
  z.array(
    z.object({
      id: z.string().min(1),
      title: text(),
      userId: text(),
      agent: text(),
      resourceSlug: text(),
      recordId: text(),
      createdAt: time(),
      updatedAt: time(),
    }),
  ),
);

export type ListedConversation = z.output<ReturnType<typeof listSchema>>[number];

/** Title and meta, under the names that a store over a provider keeps them as. */
export function listedMetadata(listed: ListedConversation): JsonObject {
  const { title, agent, resourceSlug, recordId } = listed;
  const fields = Object.entries({ title, agent, resourceSlug, recordId });
  return Object.fromEntries(fields.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

/** Throws {@link ConversationStoreError} for what is no listing. */
export function parseListing(listing: unknown): readonly ListedConversation[] {
  const parsed = listSchema().safeParse(listing);
  if (parsed.success) return parsed.data;
  const [issue] = schemaIssues(parsed.error);
  const reason = `the conversation store's list() returned no listing: entries${issue?.path}: expected ${issue?.expected}`;
  throw new ConversationStoreError(
    createMemoryStorageError("list", reason, { provider: "conversation-store" }),
  );
}

export interface StoreDirectory {
  /** The conversations of `userId`, by default of the viewer; without either, of all users. */
  readonly list: (userId?: string) => Promise<readonly ListedConversation[]>;
  /** Looked up in the listing each time: it decides who has access, and that may change. */
  readonly find: (conversationId: string, userId?: string) => Promise<ListedConversation | undefined>;
}

/** `viewer` is the user that the view is for; absent: it sees everything. */
export function createStoreDirectory(
  store: AnyConversationStore,
  viewer: string | undefined,
): StoreDirectory {
  async function list(userId = viewer): Promise<readonly ListedConversation[]> {
    if (viewer !== undefined && userId !== viewer) return [];
    // Without an argument, as that is what asks for everybody's.
    const all = parseListing(await (userId === undefined ? store.list() : store.list(userId)));
    const mine = all.filter(
      (entry) => userId === undefined || entry.userId === undefined || entry.userId === userId,
    );
    // A store that filters need not repeat whom it filtered by.
    return mine.map((entry) => ({ ...entry, userId: entry.userId ?? userId }));
  }

  async function find(conversationId: string, userId = viewer): Promise<ListedConversation | undefined> {
    return (await list(userId)).find(({ id }) => id === conversationId);
  }

  return { list, find };
}
