// The types of the specification fit the engine without a cast.
import {
  type ConversationMemory,
  type ConversationStore,
  type ConversationStoreListEntry,
  type ConversationStoreMeta,
  createChatMemory,
  createConversationStore,
  type HealthStatus,
  type MemoryProvider,
  type MemoryQuery,
  type MemoryStats,
  type Message,
  type Result,
  sanitizeConversation,
  type TraceId,
  withRetry,
} from "@jaf/memory";
import { describe, expectTypeOf, it } from "vitest";
import {
  type Agent,
  createAgentClient,
  type Guardrail,
  type MemoryConfig,
  type ModelProvider,
  type RunConfig,
  type RunState,
  setConversationStore,
} from "../../src/index.ts";

interface Session {
  readonly userId: string;
}

/** The type in the specification of the memory system and the core concepts. */
type TextProvider = {
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
};

declare const provider: TextProvider;
declare const agent: Agent<Session, string>;
declare const modelProvider: ModelProvider<Session>;
declare const context: Session;

describe("a provider with the types of the specification", () => {
  it("is accepted by runs, clients and wrappers", () => {
    void (() => {
      const memory: RunConfig<Session>["memory"] = { provider, autoStore: true, maxMessages: 100, ttl: 3600 };
      createAgentClient(agent, { modelProvider, context, store: provider });
      setConversationStore(provider);
      createConversationStore(provider);
      createChatMemory({ memoryId: "c", maxMessages: 5 }, provider);
      const retried: MemoryConfig = { provider: withRetry(provider) };
      return [memory, retried];
    });
    expectTypeOf<RunConfig<Session>["memory"]>().toEqualTypeOf<MemoryConfig | undefined>();
    expectTypeOf<MemoryConfig["provider"]>().toEqualTypeOf<MemoryProvider>();
  });
});

/** The type in the specification of memory and persistence. */
abstract class TextStore implements ConversationStore {
  abstract readFromBackend(conversationId: string): Promise<Message[]>;
  abstract create(title?: string, meta?: ConversationStoreMeta): Promise<string>;
  abstract append(conversationId: string, messages: Message[]): Promise<void>;
  abstract setTitle(conversationId: string, title: string): Promise<void>;
  abstract list(userId?: string): Promise<ConversationStoreListEntry[]>;

  async load(conversationId: string) {
    const messages = await this.readFromBackend(conversationId);
    return sanitizeConversation(messages);
  }
}

/** The same over a database that gives readonly arrays. */
interface ReadonlyStore extends Pick<TextStore, "create" | "append" | "setTitle"> {
  load(conversationId: string): Promise<readonly Message[]>;
  list(userId?: string): Promise<readonly ConversationStoreListEntry[]>;
}

describe("a store with the types of the specification", () => {
  it.each([
    ["with mutable arrays", {} as TextStore],
    ["with readonly arrays", {} as ReadonlyStore],
  ])("%s is taken by clients and by the process", (_what, store) => {
    void (() => {
      createAgentClient(agent, { modelProvider, context, store });
      setConversationStore(store);
    });
  });
});

describe("an agent that is a class, as in the specification", () => {
  abstract class Base implements Agent<Session, string> {
    get name() {
      return this.constructor.name;
    }
    instructions(state: Readonly<RunState<Session>>) {
      return state.context.userId;
    }
  }

  it("declares by methods with the wide types that TypeScript infers", () => {
    class SupportAgent extends Base {
      conversational({ userId }: Session) {
        return { user: userId, historyLimit: 50 };
      }
      remembers({ userId }: Session) {
        return { user: userId, inject: "auto", extract: "auto", tags: ["support"], injectLimit: 5 };
      }
    }
    expectTypeOf<SupportAgent>().toExtend<Agent<Session, string>>();
    void (() => createAgentClient(new SupportAgent(), { modelProvider, context }));
  });

  it("rejects declarations of another type", () => {
    class Wrong extends Base {
      remembers({ userId }: Session) {
        return { user: userId, inject: true };
      }
    }
    expectTypeOf<Wrong>().not.toExtend<Agent<Session, string>>();
  });
});

describe("a guardrail with one type parameter, as in the specification", () => {
  it("accepts every context", () => {
    expectTypeOf<readonly Guardrail<string>[]>().toExtend<RunConfig<Session>["initialInputGuardrails"]>();
    // biome-ignore lint/suspicious/noExplicitAny: verbatim
    expectTypeOf<readonly Guardrail<any>[]>().toExtend<RunConfig<Session>["finalOutputGuardrails"]>();
  });
});
