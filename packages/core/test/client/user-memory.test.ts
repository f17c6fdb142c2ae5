import { MemoryConversationStore } from "@jaf/memory";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type Agent,
  createAgentClient,
  createTool,
  type PromptOptions,
  setRunUserMemory,
} from "../../src/index.ts";
import { createScriptedModel, type ScriptedModel } from "../../src/testing/index.ts";
import { clientSetup, createEcho, type Session } from "../support/client.ts";
import { recorder } from "../support/middleware.ts";
import { memoryOf } from "../support/user-memory.ts";

afterEach(() => setRunUserMemory(undefined));

const alice = { user: "alice" } as const;
const bob = { user: "bob" } as const;

const instructionsOf = (model: ScriptedModel<Session>): readonly string[] =>
  model.requests.map(({ instructions }) => instructions);

type Memory = PromptOptions<Session>["memory"];

describe("the remembers declaration of a prompt", () => {
  it.each<[string, Agent<Session, string>["remembers"], { readonly memory?: Memory }, string | undefined]>([
    ["the declaration's", alice, {}, "alice"],
    ["the call's, which outranks the declaration", alice, { memory: bob }, "bob"],
    ["the call's alone", undefined, { memory: bob }, "bob"],
    ["none if the option is false", alice, { memory: false }, undefined],
    ["none if the option has no user", alice, { memory: { user: null } }, undefined],
    ["none if the untyped option is null", alice, { memory: null as never }, undefined],
    ["the declaration's without an option", alice, { memory: undefined }, "alice"],
    ["those that the session says", ({ userId }) => ({ user: userId }), {}, "session"],
    ["none without option and declaration", undefined, {}, undefined],
  ])("%s", async (_title, remembers, options, user) => {
    const { memory, asked } = memoryOf();
    const model = createScriptedModel<Session>(["Hello."]);
    const { client } = clientSetup({
      model,
      agent: remembers === undefined ? {} : { remembers },
      config: { userMemory: memory, context: { userId: "session" } },
    });
    await client.prompt("Hi", options);
    expect(instructionsOf(model)).toEqual([user === undefined ? "Help." : `Help.\n\nfacts of ${user}`]);
    expect(asked.map((spec) => spec.user)).toEqual(user === undefined ? [] : [user]);
  });

  it("is independent of the conversation's user", async () => {
    const { memory, started } = memoryOf();
    const model = createScriptedModel<Session>(["One.", "Two."]);
    const { client, store } = clientSetup({
      model,
      agent: { remembers: alice, conversational: { user: "carol" } },
      config: { userMemory: memory },
    });
    const first = await client.prompt("Hi");
    await client.forUser("dave").prompt("Hi", { memory: bob });
    expect(instructionsOf(model)).toEqual(["Help.\n\nfacts of alice", "Help.\n\nfacts of bob"]);
    expect((await store.list()).map(({ userId }) => userId).sort()).toEqual(["carol", "dave"]);
    expect(started[0]).toMatchObject({ conversationId: first.conversationId, position: 0 });
  });

  it("applies to stateless prompts, too", async () => {
    const { memory, started, finished } = memoryOf();
    const { client } = clientSetup({ agent: { remembers: alice }, config: { userMemory: memory } });
    const { text } = await client.prompt("Hi", { conversation: false });
    expect(started[0]).toMatchObject({ conversationId: undefined, position: undefined });
    expect(finished[0]?.reply.content).toBe(text);
  });

  it("applies to streamed prompts, and facts are stored before their result", async () => {
    const { memory, finished } = memoryOf();
    const model = createScriptedModel<Session>(["Hello there."]);
    const { client } = clientSetup({ model, agent: { remembers: alice }, config: { userMemory: memory } });
    const { text } = await client.forUser("u").stream("Hi").result;
    expect(instructionsOf(model)).toEqual(["Help.\n\nfacts of alice"]);
    expect(finished.map(({ reply }) => reply.content)).toEqual([text]);
  });

  it("can be turned off for a streamed prompt", async () => {
    const { memory, asked } = memoryOf();
    const { client } = clientSetup({ agent: { remembers: alice }, config: { userMemory: memory } });
    await client.forUser("u").stream("Hi", { memory: false }).result;
    expect(asked).toEqual([]);
  });
});

describe("a prompt that continues", () => {
  const locate = createTool({ name: "locate", description: "", parameters: z.object({}) });

  async function interrupted() {
    const { memory, started } = memoryOf();
    const model = createScriptedModel<Session>([{ toolCalls: [{ name: "locate", id: "w" }] }, "Here."]);
    const { client } = clientSetup({
      model,
      agent: { remembers: alice, tools: [locate] },
      config: { userMemory: memory },
    });
    const { conversationId = "", finalState } = await client.forUser("u").prompt("Where?");
    return { client: client.forUser("u").continue(conversationId), started, sent: finalState.messages };
  }

  it("is a continuation with a history that a client sent back", async () => {
    const { client, started, sent } = await interrupted();
    const messages = [...sent, { role: "tool", tool_call_id: "w", content: "Rome" } as const];
    await client.prompt("", { messages });
    expect(started.map(({ isContinuation }) => isContinuation)).toEqual([false, true]);
  });

  it("is a continuation with results of a client's tools", async () => {
    const { client, started } = await interrupted();
    await client.prompt("", { toolResults: [{ toolCallId: "w", result: "Rome" }] });
    expect(started.map(({ isContinuation }) => isContinuation)).toEqual([false, true]);
  });

  it("is a continuation if nothing is stored, too", async () => {
    const { memory, started } = memoryOf();
    const { client } = clientSetup({ agent: { remembers: alice }, config: { userMemory: memory } });
    await client.prompt("Hi", { messages: [{ role: "user", content: "Before." }] });
    await client.prompt("Hi", { approvals: [], toolResults: [] });
    expect(started.map(({ isContinuation }) => isContinuation)).toEqual([true, false]);
  });

  it("is a new turn with only a conversation's id", async () => {
    const { memory, started } = memoryOf();
    const { client } = clientSetup({ agent: { remembers: alice }, config: { userMemory: memory } });
    const { conversationId = "" } = await client.forUser("u").prompt("one");
    await client.forUser("u").continue(conversationId).prompt("two");
    expect(started.map(({ isContinuation, position }) => ({ isContinuation, position }))).toEqual([
      { isContinuation: false, position: 0 },
      { isContinuation: false, position: 2 },
    ]);
  });
});

describe("an agent client", () => {
  it("uses its own user memory before that of the process", async () => {
    setRunUserMemory(memoryOf("process").memory);
    const model = createScriptedModel<Session>(["One.", "Two."]);
    const agent = { remembers: alice };
    const { memory } = memoryOf("client");
    await clientSetup({ model, agent, config: { userMemory: memory } }).client.prompt("Hi");
    await clientSetup({ model, agent }).client.prompt("Hi");
    expect(instructionsOf(model)).toEqual(["Help.\n\nclient of alice", "Help.\n\nprocess of alice"]);
  });

  it("passes its middleware on to its runs", async () => {
    const { middleware, started, finished } = recorder();
    const { client } = clientSetup({ config: { middleware: [middleware] } });
    await client.prompt("Hi");
    expect([started.length, finished.length]).toEqual([1, 1]);
  });

  it.each([
    ["agent client configuration: userMemory", { userMemory: {} }, {}],
    ["agent client configuration: middleware", { middleware: [{}] }, {}],
    ["Agent.middleware", {}, { middleware: [{ name: "" }] }],
    ["Agent.remembers: injectLimit", {}, { remembers: { user: "u", injectLimit: 0 } }],
  ])("throws for an invalid value: %s", (field, config, agent) => {
    const helper: Agent<Session, string> = { name: "helper", instructions: () => "", ...(agent as object) };
    const create = () =>
      createAgentClient(helper, { modelProvider: createEcho(), context: {}, ...(config as object) });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(`Invalid ${field}`);
  });

  it("refuses an invalid option", async () => {
    const { client } = clientSetup({ config: { store: new MemoryConversationStore() } });
    const bad: readonly unknown[] = [{ user: 7 }, { user: "u", injectLimit: "5" }, true, "alice"];
    for (const memory of bad) {
      await expect(client.prompt("Hi", { memory: memory as never })).rejects.toThrow("Invalid memory option");
    }
  });
});
