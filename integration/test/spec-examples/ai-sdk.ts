/** What the text calls `@gemstack/ai-sdk`. */
import {
  type AgentClient,
  type Agent as AgentValue,
  type ConversationalDeclaration,
  createAgentClient,
  type ModelProvider,
  type RemembersDeclaration,
} from "@jaf/core";

export { setConversationStore } from "@jaf/core";
export {
  assertValidContinuation,
  type ContinuationRejectionCode,
  ContinuationValidationError,
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
  withMemoryExtract,
  withMemoryInject,
} from "@jaf/user-memory";

declare const modelProvider: ModelProvider<object>;

type Returned<Declaration> = Declaration extends (context: object) => infer Result ? Result : never;

/**
 * The text's agents are classes that are prompted themselves. Here an agent is a value, also an instance of a class, and
 * `createAgentClient` makes the client that is prompted.
 */
export abstract class Agent implements AgentClient<string, object>, AgentValue<object, string> {
  conversational?(): Returned<ConversationalDeclaration<object>>;
  remembers?(): Returned<RemembersDeclaration<object>>;
  get name() {
    return this.constructor.name;
  }
  instructions() {
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
    return createAgentClient<object, string>(this, { modelProvider, context: {} });
  }
}
