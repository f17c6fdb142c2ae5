import * as z from "zod";
import { parseOptions } from "../codec/schema-issues.ts";
import { createMemoryNotFoundError, createMemoryValidationError, isMemoryConflictError } from "../errors.ts";
import { sanitizeConversation } from "../history/sanitizer.ts";
import type { ConversationMemory, MemoryProvider, WriteMetadata } from "../provider.ts";
import { copyArgument } from "../resilience/argument-copy.ts";
import { retrySchema } from "../resilience/options.ts";
import { withRetry } from "../resilience/retry.ts";
import { ConversationStoreError, unwrap } from "./error.ts";
import { listConversations } from "./listing.ts";
import { conversationMetadata } from "./meta.ts";
import type { ProviderConversationStore } from "./store.ts";
import { threadId } from "./thread.ts";

const optionsSchema = z.strictObject({
  /**
   * How calls that failed for a passing reason are tried again; `false`: not at all, e.g. because the provider is
   * wrapped already. Default: as `withRetry` does.
   */
  retry: z.union([retrySchema, z.literal(false)]).prefault({}),
});

export type ConversationStoreOptions = z.input<typeof optionsSchema>;

/** Each one means that somebody else wrote in between. */
const MAX_TITLE_ATTEMPTS = 50;

const isOvertaken = (thrown: unknown): boolean =>
  thrown instanceof ConversationStoreError &&
  isMemoryConflictError(thrown.memoryError) &&
  thrown.memoryError.reason === "version";

const ownerOf = ({ userId }: ConversationMemory): WriteMetadata => (userId === undefined ? {} : { userId });

function versionOf({ metadata }: ConversationMemory): { readonly expectedVersion?: number } {
  const version: unknown = metadata?.["version"];
  return typeof version === "number" ? { expectedVersion: version } : {};
}

/**
 * A conversation store over any memory provider.
 *
 * - Writes are tried again under one idempotency key, so that a lost reply doubles nothing.
 * - `append` and `setTitle` reject with `MemoryNotFoundError` for a conversation that doesn't exist, so that an id
 *   which somebody made up creates nothing. An append while the conversation is being deleted may bring it back, with
 *   the same owner and that batch alone.
 * - What fails rejects with {@link ConversationStoreError}, a bad title or meta with a `TypeError`.
 *
 * The store doesn't know who asks: compare the owner, as the engine does, before showing a conversation to a user.
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

  async function setTitle(conversationId: string, title: string): Promise<void> {
    if (typeof title !== "string") throw new TypeError("Invalid title: expected a string.");
    const metadata = conversationMetadata({}, title);
    for (let attempt = 1; ; attempt++) {
      const found = await find("setTitle", conversationId);
      const named = { ...ownerOf(found), ...metadata };
      try {
        // With the version, so that a title brings no deleted conversation back, unless that was empty.
        await unwrap("setTitle", () => retrying.appendMessages(conversationId, [], named, versionOf(found)));
        return;
      } catch (thrown) {
        if (!isOvertaken(thrown) || attempt === MAX_TITLE_ATTEMPTS) throw thrown;
      }
    }
  }

  return {
    provider,
    threadFor: threadId,
    create: async (title, meta) => {
      const metadata = conversationMetadata(meta, title);
      const id = crypto.randomUUID();
      await unwrap("create", () => retrying.appendMessages(id, [], metadata, { expectedVersion: 0 }));
      return id;
    },
    load: async (conversationId) => {
      const found = await unwrap("load", () => retrying.getConversation(conversationId));
      return [...sanitizeConversation(found?.messages ?? [])];
    },
    append: async (conversationId, messages) => {
      const batch = copyArgument(messages);
      const found = await find("append", conversationId);
      await unwrap("append", () => retrying.appendMessages(conversationId, batch, ownerOf(found)));
    },
    setTitle,
    list: async (...args: readonly [userId?: string]) => {
      const [userId] = args;
      if (args.length === 0) return listConversations(retrying, {});
      if (userId !== undefined) return listConversations(retrying, { userId });
      const expected = "a user id; leave the argument out to list everybody's conversations";
      throw new ConversationStoreError(
        createMemoryValidationError([{ path: "userId", expected }], { operation: "list" }),
      );
    },
    delete: async (conversationId) => {
      await unwrap("delete", () => retrying.deleteConversation(conversationId));
    },
  };
}
