/** What blocks of the text on memory and persistence use and don't declare: from the prose, or from another block. */
import type { CacheAdapter } from "@jaf/memory";
import { Agent, type AiMessage, type ConversationStoreListEntry } from "./ai-sdk.ts";

export {
  Agent,
  type AiMessage,
  type ConversationStore,
  type ConversationStoreListEntry,
  type ConversationStoreMeta,
  type MemoryEntry,
  MemoryUserMemory,
  type UserMemory,
} from "./ai-sdk.ts";
export { type Assignable, assertType } from "./same.ts";

export declare const LONG_SYSTEM_PROMPT: string;
export declare const myCacheAdapter: CacheAdapter;
export declare const agent: Agent;
export declare const input: string;
export declare const conversationId: string;
export declare const messages: AiMessage[];
export declare const userId: string;
export declare const currentUserId: string | undefined;
export declare function loadUserId(): Promise<string | null>;

export class AssistantAgent extends Agent {}

/** What a store of one's own has beside the `load` that the text shows. */
export abstract class OwnStore {
  abstract readFromBackend(conversationId: string): Promise<AiMessage[]>;
  abstract create(): Promise<string>;
  abstract append(conversationId: string, messages: AiMessage[]): Promise<void>;
  abstract setTitle(conversationId: string, title: string): Promise<void>;
  abstract list(userId?: string): Promise<ConversationStoreListEntry[]>;
}
