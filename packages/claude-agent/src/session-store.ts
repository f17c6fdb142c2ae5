import type { ConversationMemory, MemoryQuery, WriteMetadata } from "@jaf/memory";
import { allConversations, checkedProvider, createKeyedQueue } from "@jaf/memory/internal";
import { entryOf } from "./entries.ts";
import { ownerOf, placeOf, traceOf } from "./keys.ts";
import type { SessionStoreSettings } from "./settings.ts";
import { createTranscripts, type Head } from "./transcripts.ts";
import type {
  ConversationSessionStore,
  SessionKey,
  SessionStoreEntry,
  SessionSummaryEntry,
} from "./types.ts";

/**
 * A `SessionStore` for the Claude Agent SDK. A transcript is a conversation; a subagent's transcript is a child of its
 * session's. All methods reject with a `MemoryCallError`. Calling it makes no request. It throws a `TypeError` if the
 * settings are invalid.
 *
 * @example
 * ```ts
 * import { query } from "@anthropic-ai/claude-agent-sdk";
 * import { createSessionStore } from "@jaf/claude-agent";
 * import { createInMemoryProvider } from "@jaf/memory";
 *
 * const sessionStore = createSessionStore({ provider: createInMemoryProvider(), userId: "ada" });
 *
 * export const ask = (prompt: string, resume?: string) =>
 *   query({ prompt, options: { sessionStore, ...(resume === undefined ? {} : { resume }) } });
 * ```
 */
export function createSessionStore(settings: SessionStoreSettings): ConversationSessionStore {
  const { userId, foldSessionSummary: fold } = settings;
  const provider = checkedProvider("createSessionStore", settings);
  const transcripts = createTranscripts(provider, {
    countsEntries: ({ subpath }) => subpath === undefined && fold !== undefined,
    metadataOf: describe,
  });
  // Entries of one process are stored in the order of the calls.
  const queue = createKeyedQueue();

  async function all(query: MemoryQuery): Promise<ConversationMemory[]> {
    const found: ConversationMemory[] = [];
    for await (const one of allConversations(provider, { ...query, includeMessages: false })) found.push(one);
    return found;
  }

  /** The main transcripts of a project that have entries. */
  async function sessionsOf(projectKey: string): Promise<ConversationMemory[]> {
    const owner = userId ?? ownerOf(projectKey);
    const found = await all({ userId: owner, traceId: traceOf(owner, projectKey) });
    return found.filter(({ metadata }) => (metadata?.totalMessages ?? 0) > 0);
  }

  function describe(
    key: SessionKey,
    entries: readonly SessionStoreEntry[],
    head: Head,
  ): WriteMetadata | undefined {
    const { projectKey, sessionId, subpath } = key;
    const owner = userId ?? ownerOf(projectKey);
    const previous = summaryOf(head.metadata);
    const folds = subpath === undefined && fold !== undefined && entries.length > 0;
    if (head.metadata !== undefined && !folds) return undefined;
    const summary = folds ? fold(previous, key, [...entries]).data : undefined;
    return {
      // A subagent's transcript is no result of a search for sessions.
      ...(subpath === undefined ? { traceId: traceOf(owner, projectKey) } : {}),
      // As JSON text, because metadata hold neither NUL nor unpaired surrogates.
      claudeAgent: JSON.stringify({ sessionId, subpath, summary }),
    };
  }

  return {
    append: async (key, entries) => {
      if (entries.length === 0) return;
      const place = placeOf(key, userId);
      await queue.run(place.conversationId, () => transcripts.append(place, entries));
    },
    load: async (key) => {
      const messages = await transcripts.read(placeOf(key, userId));
      const entries = messages?.flatMap((message) => entryOf(message) ?? []) ?? [];
      return entries.length === 0 ? null : entries;
    },
    listSessions: async (projectKey) =>
      (await sessionsOf(projectKey)).flatMap(({ metadata }) => {
        const sessionId = describedIn(metadata)?.sessionId;
        return sessionId === undefined ? [] : { sessionId, mtime: metadata?.updatedAt.getTime() ?? 0 };
      }),
    listSubkeys: async (key) => {
      const { conversationId } = placeOf(key, userId);
      const found = await all({ childrenOf: conversationId });
      return found.flatMap(({ metadata }) => describedIn(metadata)?.subpath ?? []);
    },
    delete: (key) => transcripts.remove(placeOf(key, userId)),
    ...(fold === undefined
      ? {}
      : {
          listSessionSummaries: async (projectKey: string) =>
            (await sessionsOf(projectKey)).flatMap(({ metadata }) => summaryOf(metadata) ?? []),
        }),
  };
}

interface Described {
  readonly sessionId: string;
  readonly subpath?: string;
  readonly summary?: Record<string, unknown>;
}

/** `undefined` if the application has replaced the conversation, and with it its metadata. */
function describedIn(metadata: Head["metadata"]): Described | undefined {
  const text = metadata?.["claudeAgent"];
  return typeof text === "string" ? (JSON.parse(text) as Described) : undefined;
}

function summaryOf(metadata: Head["metadata"]): SessionSummaryEntry | undefined {
  const { sessionId, summary: data } = describedIn(metadata) ?? {};
  const updatedAt = metadata?.["updatedAt"];
  return sessionId === undefined || data === undefined || !(updatedAt instanceof Date)
    ? undefined
    : { sessionId, mtime: updatedAt.getTime(), data };
}
