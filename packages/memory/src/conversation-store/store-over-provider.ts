import * as z from "zod";
import { sha256 } from "#digest";
import { conversationCursor } from "../codec/cursor.ts";
import { idIssue } from "../codec/ids.ts";
import { parseOptions } from "../codec/schema-issues.ts";
import { createMemoryNotFoundError, isMemoryConflictError } from "../errors.ts";
import type { Message } from "../message.ts";
import { sanitizeConversation } from "../messages/sanitizer.ts";
import { present } from "../present.ts";
import type {
  ConversationMemory,
  MemoryProvider,
  MemoryQuery,
  WriteMetadata,
  WriteOptions,
} from "../provider.ts";
import { readFrom } from "../read-from.ts";
import { copyArgument } from "../resilience/argument-copy.ts";
import { retrySchema } from "../resilience/options.ts";
import { withRetry } from "../resilience/retry.ts";
import { isVersionedProvider } from "../versioned-provider.ts";
import type {
  ConversationStoreListEntry,
  ConversationStoreMeta,
  ProviderConversationStore,
} from "./store.ts";
import { ConversationStoreError, invalidInput, unwrap } from "./store-error.ts";
import { conversationMetadata, toListEntry } from "./store-metadata.ts";

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
      if (args.length === 0) return listConversations(retrying, {});
      if (userId !== undefined) return listConversations(retrying, { userId });
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
async function listConversations(
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
