// biome-ignore-all lint/style/noNonNullAssertion: verbatim
// biome-ignore-all lint/correctness/noUnusedVariables: verbatim
// The examples of the text on memory and persistence, as they are, in the text's order: conversations, and the memory of
// users. Prompt caching and the registry of providers are no part of this project. A mistake of the text's own is marked
// where it stands.

import {
  Agent,
  type AiMessage,
  assertValidContinuation,
  type ContinuationRejectionCode,
  type ConversationStoreListEntry,
  type ConversationStoreMeta,
  defaultContinuationValidator,
  MemoryConversationStore,
  type MemoryEntry,
  MemoryUserMemory,
  sanitizeConversation,
  setConversationStore,
  setUserMemory,
  validateContinuation,
  withMemoryExtract,
  withMemoryInject,
} from "@gemstack/ai-sdk";
import { createAgentClient, type ModelProvider, type Agent as OurAgent } from "@jaf/core";
import type { ConversationStore as OurConversationStore } from "@jaf/memory";
import { asUserMemory, type UserMemory as OurUserMemory } from "@jaf/user-memory";

declare namespace Spec {
  interface ConversationStore {
    create(title?: string, meta?: ConversationStoreMeta): Promise<string>;
    load(conversationId: string): Promise<AiMessage[]>;
    append(conversationId: string, messages: AiMessage[]): Promise<void>;
    setTitle(conversationId: string, title: string): Promise<void>;
    list(userId?: string): Promise<ConversationStoreListEntry[]>;
    delete?(conversationId: string): Promise<void>; // optional
  }

  interface UserMemory {
    remember(userId: string, fact: string, opts?: { tags?: string[]; score?: number }): Promise<MemoryEntry>;
    recall(userId: string, query: string, opts?: { limit?: number; tags?: string[] }): Promise<MemoryEntry[]>;
    forget(userId: string, factId: string): Promise<void>;
    list(userId: string, opts?: { tags?: string[]; limit?: number }): Promise<MemoryEntry[]>;
    forgetAll?(userId: string): Promise<void>; // optional GDPR cascade
  }
}

declare const currentUserId: string | undefined;
declare const userId: string;
declare function loadUserId(): Promise<string | null>;
declare const input: string;
declare const conversationId: string;
declare const messages: AiMessage[];
declare const persisted: AiMessage[];
declare const agent: Agent;
declare const modelProvider: ModelProvider<object>;

class AssistantAgent extends Agent {}

export async function conversations() {
  setConversationStore(new MemoryConversationStore()); // in-memory default: dev / tests

  const first = await new AssistantAgent().forUser("user-42").prompt("My name is Alice.");
  const second = await new AssistantAgent().continue(first.conversationId!).prompt("What's my name?");
  // second.text -> 'Your name is Alice.'
  const text: string = second.text;
}

export const storeToSpec = (store: OurConversationStore): Spec.ConversationStore => store;
export const storeToOurs = (store: Spec.ConversationStore): OurConversationStore => store;
/** "Free-form resourceSlug / recordId fields", beside the owner and the key of the agent. */
export const meta: Required<ConversationStoreMeta> = {
  userId: "user-42",
  agent: "ChatAgent",
  resourceSlug: "orders",
  recordId: "17",
};

abstract class OwnStore implements Spec.ConversationStore {
  abstract readFromBackend(conversationId: string): Promise<AiMessage[]>;
  abstract create(title?: string, meta?: ConversationStoreMeta): Promise<string>;
  abstract append(conversationId: string, messages: AiMessage[]): Promise<void>;
  abstract setTitle(conversationId: string, title: string): Promise<void>;
  abstract list(userId?: string): Promise<ConversationStoreListEntry[]>;

  async load(conversationId: string) {
    const messages = await this.readFromBackend(conversationId);
    return sanitizeConversation(messages);
  }
}

export function ownStore(store: OwnStore) {
  setConversationStore(store);
  createAgentClient(agent, { modelProvider, context: {}, store });
}

export async function autoPersist() {
  class ChatAgent extends Agent {
    conversational() {
      return { user: currentUserId }; // falsy user -> opt-out
    }
  }

  await new ChatAgent().prompt("Hi"); // auto-loads thread, runs, auto-saves
  await new ChatAgent().prompt("Still you?"); // resumes the same thread
}

export class AsyncAgent extends Agent {
  // The text awaits in a function that isn't async, which no compiler takes:
  // conversational() { return Promise.resolve({ user: await loadUserId() }) }
  async conversational() {
    return Promise.resolve({ user: await loadUserId() });
  }
}

export class LongRunningAgent extends Agent {
  conversational() {
    return { user: userId, historyLimit: 50 };
  }
}

export class RenamedAgent extends Agent {
  conversational() {
    return { user: userId, agent: "custom" };
  }
}

export async function precedence(id: string) {
  await agent.forUser(id).prompt(input);
  await agent.continue(id).prompt(input);
  await agent.prompt(input, { conversation: false });
  await agent.prompt(input, { conversation: { user: userId } });
  await agent.prompt(input, { conversation: { user: userId, id, historyLimit: 50 } });
}

export async function validated() {
  await agent.continue(conversationId).prompt(input, {
    messages, // client-supplied continuation
    validate: defaultContinuationValidator(), // throws ContinuationValidationError on forgery
  });
  for await (const event of agent.stream(input, { messages, validate: defaultContinuationValidator() })) {
    console.log(event.type);
  }
  const verdict = validateContinuation(persisted, messages, {});
  if (!verdict.ok) {
    const { code, reason, index } = verdict;
    const known: ContinuationRejectionCode = code;
    console.error(known, reason, index);
  }
  assertValidContinuation(persisted, messages);
}

export async function userMemory() {
  setUserMemory(new MemoryUserMemory()); // in-memory default: dev / tests

  const mem = new MemoryUserMemory();
  await mem.remember("user_123", "Project name is Foo", { tags: ["project"] });
  const facts = await mem.recall("user_123", "project");
  //=> [{ id: '...', userId: 'user_123', fact: 'Project name is Foo', tags: ['project'], createdAt: ... }]
}

export const memoryToSpec = (memory: OurUserMemory | MemoryUserMemory): Spec.UserMemory => memory;
export const memoryToOurs = (memory: Spec.UserMemory): OurUserMemory => memory;
export const entry: MemoryEntry = { id: "1", userId: "user_123", fact: "", createdAt: new Date() };

export function ownUserMemory(memory: Spec.UserMemory) {
  setUserMemory(memory);
  createAgentClient(agent, { modelProvider, context: {}, userMemory: asUserMemory(memory) });
}

export class SupportAgent extends Agent {
  remembers() {
    return {
      user: currentUserId,
      inject: "auto", // recall + prepend per turn
      extract: "auto", // distill new facts per turn
      extractWith: "anthropic/claude-haiku-4-5", // small model for distillation
      tags: ["support"], // recall + extract scope
      injectLimit: 5, // cap injected facts
      injectTokenBudget: 400, // hard token cap; lowest-score drops first
    };
  }
}

export async function escapeHatches(user: string) {
  await agent.prompt(input, { memory: false });
  await agent.prompt(input, { memory: { user } });
  await agent.prompt(input, { memory: { user, inject: "auto", extract: false } });
}

/** "Compose them onto an agent by hand". */
export const composed: OurAgent<object, string> = {
  name: "support",
  instructions: () => "",
  middleware: [
    withMemoryInject({ user: userId }),
    withMemoryExtract(
      { user: userId },
      { onExtracted: (entries) => console.log(entries), onError: console.error },
    ),
  ],
};
