// What the prose of the text on memory and persistence says of the API, beside its code: that it compiles is all.
import { type Agent as AgentValue, createAgentClient, type ModelProvider } from "@jaf/core";
import { asUserMemory } from "@jaf/user-memory";
import {
  type Agent,
  type AiMessage,
  assertValidContinuation,
  type ContinuationRejectionCode,
  type ConversationStore,
  type ConversationStoreMeta,
  defaultContinuationValidator,
  type MemoryEntry,
  setConversationStore,
  setUserMemory,
  type UserMemory,
  validateContinuation,
  withMemoryExtract,
  withMemoryInject,
} from "./given/ai-sdk.ts";

declare const agent: Agent;
declare const agentValue: AgentValue<object, string>;
declare const modelProvider: ModelProvider<object>;
declare const input: string;
declare const user: string;
declare const messages: AiMessage[];
declare const persisted: AiMessage[];

/** "Free-form resourceSlug / recordId fields", beside the owner and the key of the agent. */
export const meta: Required<ConversationStoreMeta> = {
  userId: "user-42",
  agent: "ChatAgent",
  resourceSlug: "orders",
  recordId: "17",
};

export const entry: MemoryEntry = { id: "1", userId: "user_123", fact: "", createdAt: new Date() };

export function ownStores(store: ConversationStore, memory: UserMemory) {
  setConversationStore(store);
  setUserMemory(memory);
  createAgentClient(agentValue, { modelProvider, context: {}, store, userMemory: asUserMemory(memory) });
}

export async function precedenceOfConversations(id: string) {
  await agent.forUser(id).prompt(input);
  await agent.continue(id).prompt(input);
  await agent.prompt(input, { conversation: false });
  await agent.prompt(input, { conversation: { user } });
  await agent.prompt(input, { conversation: { user, id, historyLimit: 50, agent: "custom" } });
}

export async function validation() {
  for await (const event of agent.stream(input, { messages, validate: defaultContinuationValidator() }))
    console.log(event.type);
  const verdict = validateContinuation(persisted, messages, {});
  if (!verdict.ok) {
    const code: ContinuationRejectionCode = verdict.code;
    console.error(code, verdict.reason, verdict.index);
  }
  assertValidContinuation(persisted, messages);
}

export async function precedenceOfMemory() {
  await agent.prompt(input, { memory: false });
  await agent.prompt(input, { memory: { user } });
  await agent.prompt(input, { memory: { user, inject: "auto", extract: false } });
}

/** "Compose them onto an agent by hand". */
export const composed: AgentValue<object, string> = {
  name: "support",
  instructions: () => "",
  middleware: [
    withMemoryInject({ user }),
    withMemoryExtract({ user }, { onExtracted: (entries) => console.log(entries), onError: console.error }),
  ],
};
