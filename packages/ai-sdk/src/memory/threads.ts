import type { ConversationMemory, MemoryProvider } from "@jaf/memory";
import { conversationCursor } from "@jaf/memory/adapter";
import { allConversations, checkedProvider, present } from "@jaf/memory/internal";
import { invalid } from "./chat.ts";

/** What {@link threadsOf} lists. */
export interface ThreadsQuery {
  readonly provider: MemoryProvider;
  /** The user who owns the conversations. */
  readonly userId: string;
  /** The maximum number of conversations in a page. Default 50. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before. Default: the first page. */
  readonly cursor?: string | undefined;
}

/** A conversation in a list, without its messages. */
export interface Thread {
  readonly conversationId: string;
  /** The metadata field `title`, if a write has set it to a text. */
  readonly title?: string;
  readonly createdAt: Date;
  /** The time of the last write. */
  readonly updatedAt: Date;
  /** The number of stored messages. A reply with tools is stored as several. */
  readonly messages: number;
}

/** A page of a user's conversations, the one with the newest activity first. */
export interface ThreadPage {
  readonly threads: readonly Thread[];
  /** The `cursor` of the next page. Absent: there are no more conversations. */
  readonly nextCursor?: string;
}

/**
 * Lists a user's conversations without their messages, a page at a time. Leaves out the checkpoints and documents of
 * `@jaf/langgraph`, which are stored as conversations, too. Rejects with a `MemoryCallError` if the provider
 * fails, or if `limit` or `cursor` is invalid, and with a `TypeError` if another setting is.
 *
 * @example
 * ```ts
 * import { threadsOf } from "@jaf/ai-sdk/memory";
 * import type { MemoryProvider } from "@jaf/memory";
 *
 * declare const provider: MemoryProvider;
 *
 * const { threads, nextCursor } = await threadsOf({ provider, userId: "user-42", limit: 20 });
 * console.log(threads.map(({ title }) => title ?? "New chat"), nextCursor);
 * ```
 */
export async function threadsOf(asked: ThreadsQuery): Promise<ThreadPage> {
  const provider = checkedProvider("threadsOf", asked, ["userId"]);
  const { userId, limit = 50, cursor } = asked;
  if (!Number.isSafeInteger(limit) || limit < 1) throw invalid("limit", "a whole number from 1", "threadsOf");
  const found: ConversationMemory[] = [];
  const query = { userId, limit: limit + 1, includeMessages: false, ...present({ cursor }) };
  for await (const conversation of allConversations(provider, query)) {
    if (!OF_LANGGRAPH.test(conversation.conversationId)) found.push(conversation);
    if (found.length > limit) break;
  }
  const threads = found.slice(0, limit);
  const last = threads.at(-1);
  const nextCursor = found.length > limit && last !== undefined ? conversationCursor(last) : undefined;
  return { threads: threads.map(threadOf), ...present({ nextCursor }) };
}

/** The ids under which `@jaf/langgraph` stores checkpoints and documents, which aren't chats. */
const OF_LANGGRAPH = /^langgraph(-[a-z]+)?:/;

function threadOf({ conversationId, metadata }: ConversationMemory): Thread {
  const title: unknown = metadata?.["title"];
  return {
    conversationId,
    ...(typeof title === "string" ? { title } : {}),
    createdAt: metadata?.createdAt ?? new Date(0),
    updatedAt: metadata?.updatedAt ?? new Date(0),
    messages: metadata?.totalMessages ?? 0,
  };
}
