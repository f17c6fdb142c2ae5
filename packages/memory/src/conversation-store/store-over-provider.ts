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
import { retrySchema, withRetry } from "../wrappers/retry.ts";
import {
  ConversationStoreError,
  type ConversationStoreListEntry,
  type ConversationStoreMeta,
  invalidInput,
  type ProviderConversationStore,
  unwrap,
} from "./store.ts";

const optionsSchema = z.strictObject({
  /**
   * How calls that failed for a passing reason are tried again; `false`: not at all, e.g. because the provider is
   * wrapped already. Default: as `withRetry` does.
   */
  retry: z.union([retrySchema, z.literal(false)]).prefault({}),
});

export type ConversationStoreOptions = z.input<typeof optionsSchema>;

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

/** No expectation for a provider of another project without incarnations. */
const expecting = (incarnation: unknown): Expected =>
  typeof incarnation === "string" ? { expectedIncarnation: incarnation } : {};

/**
 * A conversation store over any memory provider.
 *
 * - Writes are retried under one idempotency key, so that a lost reply stores nothing twice.
 * - `append` and `setTitle` reject with `MemoryNotFoundError` for a conversation that doesn't exist, so that an id
 *   which somebody made up creates nothing, and with a `MemoryConflictError` for one that was deleted and created again
 *   meanwhile. Nothing brings a deleted conversation back, with a provider that has incarnations, as those of this
 *   project have.
 * - What fails rejects with {@link ConversationStoreError}, a bad title or meta with a `TypeError`.
 *
 * The store doesn't check who is asking: compare the owner, as the engine does, before you show a conversation to a user.
 * Throws a `TypeError` for invalid options.
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

  /** Writes to the conversation that is there now, and to no later one. */
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
      // So that an attempt which is repeated makes nothing that was cleared meanwhile.
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
      const expected = "a user id; leave the argument out to list everybody's conversations";
      throw invalidInput([{ path: "userId", expected }], { operation: "list" });
    },
    delete: async (conversationId) => {
      await unwrap("delete", () => retrying.deleteConversation(conversationId));
    },
  };
}

/**
 * The conversation id of the one thread of a user and an agent: a hash over an encoding that no two pairs share.
 * Throws {@link ConversationStoreError} for what is no id.
 */
function threadId(userId: string, agent: string): string {
  const issues = [idIssue("userId", userId), idIssue("agent", agent)].filter((issue) => issue !== undefined);
  if (issues.length > 0) throw invalidInput(issues, { operation: "threadFor" });
  return `thread_${sha256(JSON.stringify(["jaf:thread", userId, agent]), "base64url")}`;
}

const PAGE = 100;

/** Newest activity first, each once. Holds one page of conversations at a time, and the entries. */
async function listAll(
  provider: MemoryProvider,
  query: Pick<MemoryQuery, "userId">,
): Promise<ConversationStoreListEntry[]> {
  const entries = new Map<string, ConversationStoreListEntry>();
  /** Returns how many pages there were. */
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
  // What was written between two pages has moved to the front, and was never seen if its place came later.
  if (pages > 1 && since !== undefined) await readPages({ since });
  return [...entries.values()].sort(byActivity);
}

const byActivity = (a: ConversationStoreListEntry, b: ConversationStoreListEntry): number =>
  (b.updatedAt?.getTime() ?? 0) - (a.updatedAt?.getTime() ?? 0);

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
function toListEntry(conversation: ConversationMemory): ConversationStoreListEntry {
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
 * Keeps conversations in this process: for development and tests. Nothing survives a restart, and the limits of the
 * in-memory provider hold. Throws a `TypeError` for an invalid configuration, naming the field.
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
