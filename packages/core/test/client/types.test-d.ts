import type { AnyConversationStore, ConversationStore, ProviderConversationStore } from "@jaf/memory";
import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";
import {
  type Agent,
  type AgentClient,
  type AgentClientConfig,
  type ClientMemoryConfig,
  createAgentClient,
  getConversationStore,
  type ModelProvider,
  type PromptInput,
  type PromptOptions,
  type PromptResult,
  type RunResult,
  type setConversationStore,
  type TraceEvent,
} from "../../src/index.ts";

interface Session {
  readonly userId: string;
}

declare const agent: Agent<Session, { readonly sum: number }>;
declare const modelProvider: ModelProvider<Session>;
declare const context: Session;

describe("an agent client", () => {
  it("has the agent's output and context as its own", () => {
    const client = createAgentClient(agent, { modelProvider, context });

    expectTypeOf(client).toEqualTypeOf<AgentClient<{ readonly sum: number }, Session>>();
    expectTypeOf(client.forUser("u").continue("c")).toEqualTypeOf(client);
    expectTypeOf(client.prompt).returns.resolves.toEqualTypeOf<PromptResult<{ readonly sum: number }>>();
    expectTypeOf(client.stream("Hi")).toExtend<AsyncIterable<TraceEvent>>();
    expectTypeOf(client.stream("Hi").result).resolves.toEqualTypeOf<PromptResult<{ readonly sum: number }>>();
  });

  it("infers the output from an agent's codec", () => {
    const client = createAgentClient(
      { name: "sums", instructions: () => "", outputCodec: z.object({ sum: z.number() }) },
      { modelProvider, context },
    );

    expectTypeOf(client).toEqualTypeOf<AgentClient<{ sum: number }, Session>>();
  });

  it("takes the context as a value or as a function, async or not", () => {
    expectTypeOf<Session>().toExtend<AgentClientConfig<Session>["context"]>();
    expectTypeOf<() => Session>().toExtend<AgentClientConfig<Session>["context"]>();
    expectTypeOf<() => Promise<Session>>().toExtend<AgentClientConfig<Session>["context"]>();
    // @ts-expect-error: another context than the agent's
    createAgentClient(agent, { modelProvider, context: { name: "Alice" } });
    // @ts-expect-error: a model provider for another context
    createAgentClient(agent, { modelProvider: {} as ModelProvider<{ name: string }>, context });
    expectTypeOf<PromptOptions<Session>["context"]>().toEqualTypeOf<Readonly<Session> | undefined>();
  });

  it("sets provider, autoStore and userId of its memory itself", () => {
    expectTypeOf<ClientMemoryConfig>().not.toHaveProperty("provider");
    expectTypeOf<ClientMemoryConfig>().not.toHaveProperty("autoStore");
    expectTypeOf<ClientMemoryConfig>().not.toHaveProperty("userId");
    expectTypeOf<ClientMemoryConfig>().toHaveProperty("durability");
    expectTypeOf<ClientMemoryConfig>().toHaveProperty("window");
  });

  it("can't be changed through its results or its configuration", () => {
    expectTypeOf<PromptResult<string>>().toEqualTypeOf<Readonly<PromptResult<string>>>();
    expectTypeOf<AgentClientConfig<Session>>().toEqualTypeOf<Readonly<AgentClientConfig<Session>>>();
    expectTypeOf<PromptResult<string>["outcome"]>().toEqualTypeOf<RunResult<string>["outcome"]>();
    expectTypeOf<PromptResult<string>["conversationId"]>().toEqualTypeOf<string | undefined>();
  });

  it("is prompted with a text, with the parts of a message, or with messages of the user", () => {
    const of = (input: PromptInput) => input;
    const image = { type: "media", mediaType: "image/png", data: new Uint8Array() } as const;

    of("Hi");
    of([]);
    of([{ type: "text", text: "What is this?" }, image]);
    of([{ role: "user", content: "Hi" }]);
    of([{ role: "user", content: [{ type: "text", text: "What is this?" }, image] }]);
    // @ts-expect-error: a media part says of which type it is
    of([{ type: "media", data: "" }]);
    // @ts-expect-error: no user thinks aloud
    of([{ role: "user", content: [{ type: "reasoning", text: "Hm." }] }]);
    // @ts-expect-error: either parts or messages
    of([image, { role: "user", content: "Hi" }]);
  });

  it("takes an application's store and returns it", () => {
    expectTypeOf<ConversationStore>().toExtend<Parameters<typeof setConversationStore>[0]>();
    expectTypeOf<ProviderConversationStore>().toExtend<Parameters<typeof setConversationStore>[0]>();
    expectTypeOf(getConversationStore).returns.toEqualTypeOf<AnyConversationStore | undefined>();
  });
});

describe("an agent's conversational", () => {
  it("is a value, nothing, or a function of the agent's context", () => {
    const of = (conversational: Agent<Session, string>["conversational"]) => conversational;

    of({ user: "u", agent: "chat", historyLimit: 50, id: "c" });
    of({ user: undefined });
    of(false);
    of(({ userId }) => ({ user: userId }));
    of(async ({ userId }) => (userId === "" ? null : { user: userId }));
    // @ts-expect-error: whose it is has to be said
    of({ historyLimit: 50 });
    // @ts-expect-error: an unknown field
    of({ user: "u", limit: 50 });
  });
});
