// The types as the texts declare them: providers and stores with these types need no cast.
import { describe, expectTypeOf, it } from "vitest";
import {
  type AnyConversationStore,
  type ConversationMemory,
  type ConversationStore,
  type ConversationStoreListEntry,
  type ConversationStoreMeta,
  createChatMemory,
  createConversationStore,
  diagnoseMemoryProvider,
  type HealthStatus,
  MemoryPerformanceMonitor,
  type MemoryProvider,
  type MemoryQuery,
  type MemoryStats,
  type Message,
  monitorProvider,
  providerOf,
  type Result,
  sanitizeConversation,
  type TraceId,
  withFallback,
  withRetry,
} from "../src/index.ts";
import { readFrom } from "../src/wrappers/read-from.ts";

/** As in the text on the memory system. */
interface TextProvider {
  readonly storeMessages: (
    conversationId: string,
    messages: readonly Message[],
    // biome-ignore lint/suspicious/noExplicitAny: verbatim
    metadata?: { userId?: string; traceId?: TraceId; [key: string]: any },
  ) => Promise<Result<void>>;
  readonly getConversation: (conversationId: string) => Promise<Result<ConversationMemory | null>>;
  readonly appendMessages: (
    conversationId: string,
    messages: readonly Message[],
    // biome-ignore lint/suspicious/noExplicitAny: verbatim
    metadata?: { traceId?: TraceId; [key: string]: any },
  ) => Promise<Result<void>>;
  readonly findConversations: (query: MemoryQuery) => Promise<Result<ConversationMemory[]>>;
  readonly getRecentMessages: (conversationId: string, limit?: number) => Promise<Result<readonly Message[]>>;
  readonly deleteConversation: (conversationId: string) => Promise<Result<boolean>>;
  readonly clearUserConversations: (userId: string) => Promise<Result<number>>;
  readonly getStats: (userId?: string) => Promise<Result<MemoryStats>>;
  readonly healthCheck: () => Promise<Result<HealthStatus>>;
  readonly close: () => Promise<Result<void>>;
}

/** As in the text on memory and persistence. Its `AiMessage` is our `Message`. */
interface TextStore {
  create(title?: string, meta?: ConversationStoreMeta): Promise<string>;
  load(conversationId: string): Promise<Message[]>;
  append(conversationId: string, messages: Message[]): Promise<void>;
  setTitle(conversationId: string, title: string): Promise<void>;
  list(userId?: string): Promise<ConversationStoreListEntry[]>;
  delete?(conversationId: string): Promise<void>;
}

declare const provider: TextProvider;
declare const store: TextStore;

describe("a provider that is typed as the text has it", () => {
  it("is a MemoryProvider, and the other way round", () => {
    expectTypeOf<TextProvider>().toExtend<MemoryProvider>();
    expectTypeOf<MemoryProvider>().toExtend<TextProvider>();
  });

  it("is accepted by everything that takes a provider, and keeps its type", () => {
    void (() => {
      createConversationStore(provider);
      createChatMemory({ memoryId: "c", maxMessages: 5 }, provider);
      diagnoseMemoryProvider(provider);
      readFrom(provider, "c");
      expectTypeOf(withRetry(provider)).toEqualTypeOf<TextProvider>();
      expectTypeOf(withFallback(provider, provider)).toEqualTypeOf<TextProvider>();
      expectTypeOf(monitorProvider(provider, new MemoryPerformanceMonitor())).toEqualTypeOf<TextProvider>();
    });
  });

  it("may be a class", () => {
    class Provider implements MemoryProvider {
      declare readonly storeMessages: TextProvider["storeMessages"];
      declare readonly getConversation: TextProvider["getConversation"];
      declare readonly findConversations: TextProvider["findConversations"];
      declare readonly getRecentMessages: TextProvider["getRecentMessages"];
      declare readonly deleteConversation: TextProvider["deleteConversation"];
      declare readonly clearUserConversations: TextProvider["clearUserConversations"];
      declare readonly getStats: TextProvider["getStats"];
      declare readonly healthCheck: TextProvider["healthCheck"];
      declare readonly close: TextProvider["close"];
      async appendMessages(
        _conversationId: string,
        _messages: readonly Message[],
        _metadata?: { traceId?: TraceId },
      ): Promise<Result<void>> {
        return { success: true, data: undefined };
      }
    }
    expectTypeOf<Provider>().toExtend<MemoryProvider>();
  });
});

describe("a store that is typed as the text has it", () => {
  it("is a ConversationStore, and the other way round", () => {
    expectTypeOf<TextStore>().toExtend<ConversationStore>();
    expectTypeOf<ConversationStore>().toExtend<TextStore>();
    void (() => providerOf(store));
  });

  it("returns arrays that belong to the caller", () => {
    void (async () => {
      const messages: Message[] = await createConversationStore(provider).load("c");
      messages.push({ role: "user", content: "mine" });
      const entries: ConversationStoreListEntry[] = await createConversationStore(provider).list();
      entries.reverse();
    });
  });

  it("may sanitize in load as the text does", () => {
    class Store {
      async readFromBackend(_conversationId: string): Promise<Message[]> {
        return [];
      }
      async load(conversationId: string) {
        const messages = await this.readFromBackend(conversationId);
        return sanitizeConversation(messages);
      }
    }
    expectTypeOf<Store["load"]>().returns.resolves.toEqualTypeOf<Message[]>();
    expectTypeOf(sanitizeConversation([] as readonly Message[])).toEqualTypeOf<readonly Message[]>();
  });

  it("is taken with readonly arrays as well", () => {
    class Readonly implements AnyConversationStore {
      declare readonly create: TextStore["create"];
      declare readonly append: TextStore["append"];
      declare readonly setTitle: TextStore["setTitle"];
      async load(_conversationId: string): Promise<readonly Message[]> {
        return [];
      }
      async list(): Promise<readonly ConversationStoreListEntry[]> {
        return [];
      }
    }
    expectTypeOf<Readonly>().not.toExtend<ConversationStore>();
    void (() => providerOf(new Readonly()));
  });
});
