// biome-ignore-all lint/suspicious/noExplicitAny: verbatim
import type {
  MemoryConfig,
  MemoryErrorUnion,
  Message,
  MemoryProvider as OurMemoryProvider,
  Result as OurResult,
  TraceId,
} from "@jaf/core";
import type { ConversationMemory } from "@jaf/memory";
import { assertType, type Same } from "./support.ts";

declare namespace Spec {
  export type MemoryProvider = {
    readonly storeMessages: (
      conversationId: string,
      messages: readonly Message[],
      metadata?: { userId?: string; traceId?: TraceId; [key: string]: any },
    ) => Promise<OurResult<void>>;

    readonly getConversation: (conversationId: string) => Promise<OurResult<ConversationMemory | null>>;

    readonly appendMessages: (
      conversationId: string,
      messages: readonly Message[],
      metadata?: { traceId?: TraceId; [key: string]: any },
    ) => Promise<OurResult<void>>;

    // ... other methods
  };

  export interface MemoryConfig {
    readonly provider: OurMemoryProvider;
    readonly autoStore?: boolean; // Automatically store conversation history
    readonly maxMessages?: number; // Maximum messages to keep in memory
    readonly ttl?: number; // Time-to-live in seconds for conversations
    readonly compressionThreshold?: number; // Compress conversations after N messages
  }

  export type Result<T, E = MemoryErrorUnion> =
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: E };
}

assertType<Same<Spec.MemoryConfig, Pick<MemoryConfig, keyof Spec.MemoryConfig>>>();
assertType<Same<Spec.Result<string>, OurResult<string>>>();
export const toSpec = (provider: OurMemoryProvider): Spec.MemoryProvider => provider;
export const toOurs = (config: Spec.MemoryConfig): MemoryConfig => config;

declare const memoryProvider: OurMemoryProvider;

export async function usage(conversationId: string) {
  // Usage
  const result = await memoryProvider.getConversation(conversationId);
  if (result.success) {
    // @ts-expect-error By the text's own type the data are `null` where there is no conversation.
    console.log("Messages:", result.data.messages);
  } else {
    console.error("Memory error:", result.error.message);
  }
}
