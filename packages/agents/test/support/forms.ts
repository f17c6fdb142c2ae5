import {
  type AgentClient,
  type Agent as AgentValue,
  createAgentClient,
  createTool,
  type Tool,
} from "@jaf/core";
import { createScriptedModel, type ScriptedModel, type ScriptedRequest } from "@jaf/core/testing";
import type { AnyConversationStore, MemoryProvider } from "@jaf/memory";
import { MemoryUserMemory } from "@jaf/user-memory";
import * as z from "zod";
import { Agent, type AgentConfig, AiRegistry } from "../../src/index.ts";

export interface Session {
  readonly userId?: string;
}

type Client = AgentClient<string, Session>;

/** The same agent in one of two forms, with its own model and facts. */
export interface Form {
  readonly client: Client;
  readonly model: ScriptedModel<Session>;
}

const lookUp = createTool({
  name: "look_up",
  description: "Looks something up",
  parameters: z.object({ what: z.string() }),
  execute: ({ what }, { userId }: Session) => `${what} of ${userId ?? "nobody"}`,
});
const pay = createTool({
  name: "pay",
  description: "Pays",
  parameters: z.object({ cents: z.number() }),
  needsApproval: true,
  execute: ({ cents }) => `paid ${cents}`,
});
const locate = createTool({
  name: "locate",
  description: "Where the user is",
  parameters: z.object({}),
});
// biome-ignore lint/suspicious/noExplicitAny: each tool has its own arguments
const tools: readonly Tool<any, Session>[] = [lookUp, pay, locate];

const CALLS: Readonly<Record<string, object>> = {
  look_up: { what: "the order" },
  pay: { cents: 5 },
  locate: {},
};

/** Calls the tool named in the user's last message, otherwise replies with the number of messages. */
function answer({ state: { messages } }: ScriptedRequest<Session>) {
  const last = messages.at(-1);
  const name = last?.role === "user" && typeof last.content === "string" ? last.content : "";
  const call = CALLS[name];
  if (call !== undefined) return { toolCalls: [{ name, arguments: call }] };
  if (name === "fail") return new Error("the model is down");
  return `I was shown ${messages.length}.`;
}

const createModel = () => createScriptedModel<Session>(Array.from({ length: 100 }, () => answer));

async function knownFacts() {
  const memory = new MemoryUserMemory();
  await memory.remember("ann", "Project Foo deploys to fly.io", { tags: ["support"] });
  await memory.remember("bob", "Project Bar deploys at home", { tags: ["support"] });
  return memory;
}

type Store = AnyConversationStore | MemoryProvider | undefined;

const LOUD = { name: "loud", onStart: () => ({ instructions: "Speak up." }) } as const;
const LIMITS = { maxTurns: 4, modelRetry: { maxAttempts: 1 } } as const;

export async function classForm(store: Store): Promise<Form> {
  const model = createModel();
  const userMemory = await knownFacts();
  AiRegistry.reset();
  AiRegistry.register({ name: "scripted", ...model });
  AiRegistry.setDefault("scripted/one");

  class SupportAgent extends Agent<Session> {
    override instructions({ context }: { readonly context: Session }) {
      return `You help ${context.userId ?? "nobody"}.`;
    }
    override tools() {
      return tools;
    }
    override modelConfig() {
      return { temperature: 0.5, maxTokens: 100 };
    }
    override cacheable() {
      return { instructions: true, messages: "all", ttl: "2h" };
    }
    override async conversational({ userId }: Session) {
      return { user: userId, historyLimit: 6 };
    }
    override middleware() {
      return [LOUD];
    }
    override remembers({ userId }: Session) {
      return { user: userId, inject: "auto", tags: ["support"], injectLimit: 5, injectTokenBudget: 400 };
    }
    override config(): AgentConfig<Session> {
      return { ...LIMITS, context: { userId: "ann" }, userMemory, ...(store && { store }) };
    }
  }
  return { client: new SupportAgent(), model };
}

export async function valueForm(store: Store): Promise<Form> {
  const model = createModel();
  const userMemory = await knownFacts();
  const support: AgentValue<Session, string> = {
    name: "SupportAgent",
    instructions: ({ context }) => `You help ${context.userId ?? "nobody"}.`,
    tools,
    modelConfig: { temperature: 0.5, maxTokens: 100 },
    cacheable: { instructions: true, messages: "all", ttl: "2h" },
    conversational: async ({ userId }) => ({ user: userId, historyLimit: 6 }),
    middleware: [LOUD],
    remembers: ({ userId }) => ({
      user: userId,
      inject: "auto",
      tags: ["support"],
      injectLimit: 5,
      injectTokenBudget: 400,
    }),
  };
  const client = createAgentClient(support, {
    ...LIMITS,
    modelProvider: model,
    modelOverride: "one",
    context: { userId: "ann" },
    userMemory,
    ...(store && { store }),
  });
  return { client, model };
}
