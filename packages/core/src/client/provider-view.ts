import type {
  ConversationMemory,
  MediaResolver,
  MemoryProvider,
  Message,
  VersionedMemoryProvider,
} from "@jaf/memory";
import { conversationMetadata, isMediaResolver, isVersionedProvider } from "@jaf/memory/turns";
import { frozenMessages, ownConversation } from "../immutable/messages.ts";

/**
 * A memory provider as the runs of agent clients use it. There is one view of each provider, so that runs that wait for the same
 * conversation are in one queue.
 */
export interface ProviderView {
  readonly provider: MemoryProvider;
  /** Observes the readings of a conversation until the watch ends. */
  readonly watch: (conversationId: string, options: WatchOptions) => Watch;
}

interface WatchOptions {
  /** Stored with each write, so that a listing shows the conversation's agent. */
  readonly agent: string | undefined;
}

export interface Watch {
  /** Whether this message object has been read from the store since the watch began. */
  readonly isStored: (message: Message) => boolean;
  readonly end: () => void;
}

interface Watcher extends WatchOptions {
  readonly loads: (readonly unknown[])[];
}

type Watchers = Map<string, Set<Watcher>>;

const views = new WeakMap<MemoryProvider, ProviderView>();

export function viewOf(provider: MemoryProvider): ProviderView {
  const view = views.get(provider) ?? createView(provider);
  views.set(provider, view);
  return view;
}

function createView(provider: MemoryProvider): ProviderView {
  const watchers: Watchers = new Map();
  const view = watched(provider, watchers);
  return {
    provider: view,
    watch: (conversationId, options) => {
      const watcher: Watcher = { ...options, loads: [] };
      const all = watchers.get(conversationId) ?? new Set();
      watchers.set(conversationId, all.add(watcher));
      return {
        isStored: (message) => watcher.loads.some((messages) => holds(messages, message)),
        end: () => {
          all.delete(watcher);
          if (all.size === 0 && watchers.get(conversationId) === all) watchers.delete(conversationId);
        },
      };
    },
  };
}

function watched(provider: MemoryProvider, watchers: Watchers): MemoryProvider {
  const watching = (conversationId: string) => [...(watchers.get(conversationId) ?? [])];
  const seen = (
    conversation: ConversationMemory | null | undefined,
  ): ConversationMemory | null | undefined => {
    // A provider that breaks its contract is the engine's to report.
    if (typeof conversation !== "object" || !Array.isArray(conversation?.messages)) return conversation;
    const own = ownConversation(conversation);
    const messages = frozenMessages(own.messages);
    for (const { loads } of watching(conversation.conversationId)) loads.push(messages);
    return { ...own, messages };
  };
  return {
    ...versioned(provider, seen),
    ...mediaOf(provider),
    getConversation: async (conversationId) => {
      const loaded = await provider.getConversation(conversationId);
      if (loaded?.success !== true) return loaded;
      return { ...loaded, data: seen(loaded.data) as ConversationMemory | null };
    },
    appendMessages: (conversationId, messages, metadata, options) => {
      const agent = watching(conversationId).find((watcher) => watcher.agent !== undefined)?.agent;
      const labelled = agent === undefined ? metadata : { ...conversationMetadata({ agent }), ...metadata };
      return provider.appendMessages(conversationId, messages, labelled, options);
    },
    storeMessages: (...args) => provider.storeMessages(...args),
    findConversations: (query) => provider.findConversations(query),
    getRecentMessages: (...args) => provider.getRecentMessages(...args),
    deleteConversation: (conversationId) => provider.deleteConversation(conversationId),
    clearUserConversations: (userId) => provider.clearUserConversations(userId),
    getStats: (...user) => provider.getStats(...user), // `()` is everybody's, `(undefined)` is refused.
    healthCheck: () => provider.healthCheck(),
    close: () => provider.close(),
  };
}

type Seen = (conversation: ConversationMemory | null) => ConversationMemory | null | undefined;

/** Of a provider whose media lie in a blob store. */
function mediaOf(provider: MemoryProvider): Partial<MediaResolver> {
  if (!isMediaResolver(provider)) return {};
  return {
    readBlob: (...args) => provider.readBlob(...args),
    resolveMedia: (...args) => provider.resolveMedia(...args),
  };
}

/** The methods that not every provider has. */
function versioned(provider: MemoryProvider, seen: Seen): Partial<VersionedMemoryProvider> {
  if (!isVersionedProvider(provider)) return {};
  return {
    readConversation: async (...args) => {
      const read = await provider.readConversation(...args);
      if (read?.success !== true || typeof read.data !== "object" || read.data === null) return read;
      const conversation = seen(read.data.conversation) as ConversationMemory | null;
      return { ...read, data: { ...read.data, conversation } };
    },
    exportConversation: (...args) => provider.exportConversation(...args),
    importConversation: (...args) => provider.importConversation(...args),
  };
}

/** From the end, near which a run looks, and by hand: `lastIndexOf` of a frozen array is many times slower. */
function holds(messages: readonly unknown[], message: Message): boolean {
  for (let index = messages.length - 1; index >= 0; index--) if (messages[index] === message) return true;
  return false;
}
