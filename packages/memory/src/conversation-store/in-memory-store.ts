import type { InMemoryConfig } from "../in-memory/config.ts";
import { createInMemoryProvider } from "../in-memory/provider.ts";
import type { Message } from "../message.ts";
import type { MemoryProvider } from "../provider.ts";
import type {
  ConversationStoreListEntry,
  ConversationStoreMeta,
  ProviderConversationStore,
} from "./store.ts";
import { createConversationStore } from "./store-over-provider.ts";

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
