import * as z from "zod";
import { sha256 } from "#digest";
import { parseOptions } from "../codec/checks.ts";
import { conversationCursor } from "../codec/query.ts";
import { createMemoryNotFoundError, isMemoryConflictError } from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import type { Message } from "../contract/message.ts";
import type {
  ConversationMemory,
  MemoryProvider,
  MemoryQuery,
  WriteMetadata,
  WriteOptions,
} from "../contract/provider.ts";
import { isVersionedProvider } from "../contract/versioned-provider.ts";
import { sanitizeConversation } from "../history/messages/sanitizer.ts";
import { createInMemoryProvider, type InMemoryConfig } from "../in-memory/provider.ts";
import { copyArgument, present } from "../runtime/objects.ts";
import { readFrom } from "../wrappers/read-from.ts";
import { type RetryOptions, retrySchema, withRetry } from "../wrappers/retry.ts";
import {
  ConversationStoreError,
  type ConversationStoreListEntry,
  type ConversationStoreMeta,
  invalidInput,
  type ProviderConversationStore,
  unwrap,
} from "./store.ts";

/** Options of `createConversationStore`. */
export interface ConversationStoreOptions {
  /**
   * Options of the `withRetry` that the store puts around the provider. Default: the defaults of `withRetry`. `false`
   * turns retries off (e.g. because the provider is already wrapped in `withRetry`).
   */
  readonly retry?: RetryOptions | false | undefined;
}

const optionsSchema = z.strictObject({
  retry: z.union([retrySchema, z.literal(false)]).prefault({}),
});

interface Written {
  readonly messages: readonly Message[];
  readonly metadata: WriteMetadata;
}

const isIncarnationConflict = (thrown: unknown): boolean =>
  thrown instanceof ConversationStoreError &&
  isMemoryConflictError(thrown.memoryError) &&
  thrown.memoryError.reason === "incarnation";

const ownerOf = ({ userId }: ConversationMemory): WriteMetadata => present({ userId });

type Expected = Pick<WriteOptions, "expectedIncarnation">;

/** Returns write options with `expectedIncarnation`, or `{}` if the incarnation is unknown. */
const expecting = (incarnation: unknown): Expected =>
  // A provider of another project may have no incarnations.
  typeof incarnation === "string" ? { expectedIncarnation: incarnation } : {};

/**
 * Creates a conversation store over any memory provider.
 *
 * - All attempts of a write have the same idempotency key. So if the reply of the provider is lost, the next attempt
 *   stores nothing twice.
 * - `append` and `setTitle` reject with `MemoryNotFoundError` if the conversation doesn't exist, so an invented id
 *   creates nothing. They reject with a `MemoryConflictError` if the conversation was deleted and created again during
 *   the call. If the provider has incarnations, as all providers of this project have, no write creates a deleted
 *   conversation again.
 * - Failures reject with {@link ConversationStoreError}. An invalid title or invalid meta rejects with a `TypeError`.
 *
 * The store doesn't check access. Before you show a conversation to a user, check that the user is its owner, as the
 * engine does. Throws a `TypeError` if the options are invalid.
 *
 * @example
 * ```ts
 * import { createConversationStore, createInMemoryProvider } from "@jaf/memory";
 *
 * const store = createConversationStore(createInMemoryProvider());
 * const id = await store.create("Order 17", { userId: "user-42", agent: "support" });
 * await store.append(id, [{ role: "user", content: "Where is my order?" }]);
 * console.log(await store.load(id), await store.list("user-42"));
 * ```
 */
export function createConversationStore(
  provider: MemoryProvider,
  options: ConversationStoreOptions = {},
): ProviderConversationStore {
  const { retry } = parseOptions(optionsSchema, options, "conversation store options");
  const retrying = retry === false ? provider : withRetry(provider, retry);

  async function find(operation: string, conversationId: string): Promise<ConversationMemory> {
    const query = { conversationId, includeMessages: false };
    const [found] = await unwrap(operation, () => retrying.findConversations(query));
    if (found !== undefined) return found;
    throw new ConversationStoreError(createMemoryNotFoundError(conversationId, { operation }));
  }

  /**
   * Looks up the conversation, and then writes to it. The write is refused if the conversation was deleted in between.
   */
  async function write(
    operation: string,
    conversationId: string,
    { messages, metadata }: Written,
  ): Promise<void> {
    const found = await find(operation, conversationId);
    const owned = { ...ownerOf(found), ...metadata };
    const expected = expecting(found.metadata?.incarnation);
    try {
      await unwrap(operation, () => retrying.appendMessages(conversationId, messages, owned, expected));
    } catch (thrown) {
      if (isIncarnationConflict(thrown)) await find(operation, conversationId);
      throw thrown;
    }
  }

  async function create(title?: string, meta?: ConversationStoreMeta): Promise<string> {
    const metadata = conversationMetadata(meta, title);
    const id = crypto.randomUUID();
    const { userId } = metadata;
    let expected: Expected = {};
    if (userId !== undefined && isVersionedProvider(retrying)) {
      // Read the incarnation first, and expect it in the write. If the user's conversations are cleared after the first
      // attempt, a repeated attempt then creates nothing.
      const options = { messages: "none", userId } as const;
      const read = await unwrap("create", () => readFrom(retrying, id, options));
      expected = expecting(read.incarnation);
    }
    const demands = { expectedVersion: 0, ...expected };
    await unwrap("create", () => retrying.storeMessages(id, [], metadata, demands));
    return id;
  }

  return {
    provider,
    threadFor: threadId,
    create,
    load: async (conversationId) => {
      const found = await unwrap("load", () => retrying.getConversation(conversationId));
      return [...sanitizeConversation(found?.messages ?? [])];
    },
    append: (conversationId, messages) =>
      write("append", conversationId, { messages: copyArgument(messages), metadata: {} }),
    setTitle: async (conversationId, title) => {
      if (typeof title !== "string") throw new TypeError("Invalid title: expected a string.");
      await write("setTitle", conversationId, { messages: [], metadata: conversationMetadata({}, title) });
    },
    list: async (...args: readonly [userId?: string]) => {
      const [userId] = args;
      if (args.length === 0) return listAll(retrying, {});
      if (userId !== undefined) return listAll(retrying, { userId });
      const expected = "a user id; omit the argument to list all users' conversations";
      throw invalidInput([{ path: "userId", expected }], { operation: "list" });
    },
    delete: async (conversationId) => {
      await unwrap("delete", () => retrying.deleteConversation(conversationId));
    },
  };
}

/**
 * Returns the id that `threadFor` returns: a hash of the user and the agent. Throws {@link ConversationStoreError} if
 * `userId` or `agent` is invalid.
 */
function threadId(userId: string, agent: string): string {
  const issues = [idIssue("userId", userId), idIssue("agent", agent)].filter((issue) => issue !== undefined);
  if (issues.length > 0) throw invalidInput(issues, { operation: "threadFor" });
  return `thread_${sha256(JSON.stringify(["jaf:thread", userId, agent]), "base64url")}`;
}

const PAGE = 100;

/** Returns list entries of all conversations that match the query, newest activity first and without duplicates. */
async function listAll(
  provider: MemoryProvider,
  query: Pick<MemoryQuery, "userId">,
): Promise<ConversationStoreListEntry[]> {
  const entries = new Map<string, ConversationStoreListEntry>();
  /** Reads all pages of the query into `entries`. Returns the number of pages. */
  async function readPages(since: Pick<MemoryQuery, "since">): Promise<number> {
    const all = { ...query, ...since, limit: PAGE, includeMessages: false };
    let cursor: string | undefined;
    for (let pages = 1; ; pages++) {
      const page = cursor === undefined ? all : { ...all, cursor };
      const found = await unwrap("list", () => provider.findConversations(page));
      for (const conversation of found) entries.set(conversation.conversationId, toListEntry(conversation));
      const last = found.length < PAGE ? undefined : found.at(-1);
      cursor = last && conversationCursor(last);
      if (cursor === undefined) return pages;
    }
  }
  const pages = await readPages({});
  const since = entries.values().next().value?.updatedAt;
  // A conversation that was written while the pages were read has moved to the front of the list, so it may be missing.
  // Therefore read the conversations that were active since the newest activity on the first page.
  if (pages > 1 && since !== undefined) await readPages({ since });
  return [...entries.values()].sort(byActivity);
}

const byActivity = (a: ConversationStoreListEntry, b: ConversationStoreListEntry): number =>
  (b.updatedAt?.getTime() ?? 0) - (a.updatedAt?.getTime() ?? 0);

/** The metadata fields in which the conversation store keeps title and meta, besides `userId`. */
const KEYS = ["title", "agent", "resourceSlug", "recordId"] as const;

const optionalText = z.string().optional();

const metaSchema = z.strictObject({
  title: optionalText,
  // The value `undefined` is refused as `userId`, because a conversation without an owner would be created by mistake.
  userId: z.string().exactOptional(),
  agent: optionalText,
  resourceSlug: optionalText,
  recordId: optionalText,
});

/**
 * Converts a conversation store's title and meta into the metadata of a write: `title`, `agent`, `resourceSlug`,
 * `recordId` and `userId`. Use this function if you create a conversation directly in the provider of a conversation
 * store. Then the store's `list` returns the conversation with its title and meta. Throws a `TypeError` that names the
 * field if a field is unknown or not a string.
 *
 * @example
 * ```ts
 * import { conversationMetadata, createInMemoryProvider } from "@jaf/memory";
 *
 * const provider = createInMemoryProvider();
 * const metadata = conversationMetadata({ userId: "user-42", agent: "support" }, "Order 17");
 * await provider.storeMessages("conv-123", [{ role: "user", content: "Where is my order?" }], metadata);
 * ```
 */
export function conversationMetadata(meta: ConversationStoreMeta = {}, title?: string): WriteMetadata {
  const named = title === undefined ? meta : { ...meta, title };
  const parsed = parseOptions(metaSchema, named, "conversation meta");
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== undefined));
}

/** Converts a conversation of the provider into a list entry. Leaves out metadata fields that aren't strings. */
function toListEntry(conversation: ConversationMemory): ConversationStoreListEntry {
  // Other programs may have written the conversation's metadata.
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

/**
 * A conversation store in this process's memory, for development and tests. A restart loses all conversations, and the
 * limits of the in-memory provider apply. The constructor throws a `TypeError` that names the field if the
 * configuration is invalid.
 *
 * @example
 * ```ts
 * import { MemoryConversationStore } from "@jaf/memory";
 *
 * const store = new MemoryConversationStore({ maxConversations: 100 });
 * const id = await store.create("Order 17", { userId: "user-42" });
 * await store.append(id, [{ role: "user", content: "Where is my order?" }]);
 * ```
 */
export class MemoryConversationStore implements ProviderConversationStore {
  readonly #store: ProviderConversationStore;

  constructor(config: InMemoryConfig = {}) {
    this.#store = createConversationStore(createInMemoryProvider(config), { retry: false });
  }

  get provider(): MemoryProvider {
    return this.#store.provider;
  }

  threadFor(userId: string, agent: string): string {
    return this.#store.threadFor(userId, agent);
  }

  create(title?: string, meta?: ConversationStoreMeta): Promise<string> {
    return this.#store.create(title, meta);
  }

  load(conversationId: string): Promise<Message[]> {
    return this.#store.load(conversationId);
  }

  append(conversationId: string, messages: readonly Message[]): Promise<void> {
    return this.#store.append(conversationId, messages);
  }

  setTitle(conversationId: string, title: string): Promise<void> {
    return this.#store.setTitle(conversationId, title);
  }

  list(...args: [userId?: string]): Promise<ConversationStoreListEntry[]> {
    return this.#store.list(...args);
  }

  delete(conversationId: string): Promise<void> {
    return this.#store.delete(conversationId);
  }
}
