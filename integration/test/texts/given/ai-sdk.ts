/** What the third text calls `@gemstack/ai-sdk`. */
import {
  type AgentClient,
  type Agent as AgentValue,
  type CacheableConfig,
  type ConversationalDeclaration,
  createAgentClient,
  type ModelProvider,
  type RemembersDeclaration,
  type Tool,
} from "@jaf/core";

export { setConversationStore } from "@jaf/core";
export { GoogleCacheRegistry } from "@jaf/google";
export {
  assertValidContinuation,
  type CacheAdapter,
  type ContinuationRejectionCode,
  ContinuationValidationError,
  type ConversationStore,
  type ConversationStoreListEntry,
  type ConversationStoreMeta,
  defaultContinuationValidator,
  MemoryConversationStore,
  type Message as AiMessage,
  sanitizeConversation,
  validateContinuation,
} from "@jaf/memory";
export {
  type MemoryEntry,
  MemoryUserMemory,
  setUserMemory,
  type UserMemory,
  withMemoryExtract,
  withMemoryInject,
} from "@jaf/user-memory";

type Returned<Declaration> = Declaration extends (context: object) => infer Result ? Result : never;

/** The model of all agents below; the text has a registry of providers, which this doesn't. */
export const registered: { modelProvider?: ModelProvider<object> } = {};

/**
 * The text's agents are classes that are prompted themselves. Here an agent is a value, also an instance of a class, and
 * `createAgentClient` makes the client that is prompted.
 */
export abstract class Agent implements AgentClient<string, object> {
  conversational?(): Returned<ConversationalDeclaration<object>>;
  remembers?(): Returned<RemembersDeclaration<object>>;
  cacheable?(): CacheableConfig;
  tools?(): readonly Tool<never, object>[];
  instructions(): string {
    return "";
  }
  get prompt() {
    return this.#client.prompt;
  }
  get stream() {
    return this.#client.stream;
  }
  get forUser() {
    return this.#client.forUser;
  }
  get continue() {
    return this.#client.continue;
  }
  get #client(): AgentClient<string, object> {
    const { modelProvider } = registered;
    if (modelProvider === undefined) throw new Error("No model provider is registered.");
    const cacheable = this.cacheable?.();
    const agent: AgentValue<object, string> = {
      name: this.constructor.name,
      instructions: () => this.instructions(),
      ...(this.conversational && { conversational: () => this.conversational?.() }),
      ...(this.remembers && { remembers: () => this.remembers?.() }),
      ...(cacheable && { cacheable }),
    };
    return createAgentClient(agent, { modelProvider, context: {} });
  }
}
