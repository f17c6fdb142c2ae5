import {
  type ConversationStore,
  createInMemoryProvider,
  MemoryConversationStore,
  type MemoryProvider,
} from "@jaf/memory";
import { describe, expect, it } from "vitest";
import {
  type AgentClient,
  ConversationOwnershipError,
  type MaybeConversational,
  type PromptOptions,
} from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { clientSetup, MapStore, type Session } from "../support/client.ts";

type Prompt = (client: AgentClient<string, Session>, options?: PromptOptions<Session>) => Promise<unknown>;
const prompt: Prompt = (client, options) => client.prompt("Go on.", options);
const stream: Prompt = (client, options) => client.stream("Go on.", options).result;

/** All properties of an error that a caller could compare. */
async function refusalOf(prompted: Promise<unknown>) {
  const thrown: unknown = await prompted.then(
    () => expect.fail("nothing was refused"),
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ConversationOwnershipError);
  const { name, message, cause, ...rest } = thrown as Error;
  return { name, message, cause, rest };
}

describe.each([
  ["a store over a provider", () => new MemoryConversationStore()],
  ["a store of five methods", () => new MapStore()],
])("continuing with %s", (_name, createStore: () => ConversationStore) => {
  it("refuses another user's conversation and an unknown one with the same error", async () => {
    const { client } = clientSetup({ config: { store: createStore() } });
    const { conversationId = "" } = await client.forUser("alice").prompt("My secret is 42.");
    const mallory = client.forUser("mallory");

    const refused = await refusalOf(mallory.continue(conversationId).prompt("Go on."));

    expect(await refusalOf(mallory.continue("no-such-id").prompt("Go on."))).toEqual(refused);
    expect(JSON.stringify(refused)).not.toMatch(/alice|42|secret/);
    expect(JSON.stringify(refused)).not.toContain(conversationId);
    expect((await client.forUser("alice").continue(conversationId).prompt("Me.")).text).toBe(
      "My secret is 42. | Me.",
    );
  });

  it("calls no model and stores nothing for a user without access", async () => {
    const store = createStore();
    const model = createScriptedModel<Session>(["Hello."]);
    const { client } = clientSetup({ model, config: { store } });
    const { conversationId = "" } = await client.forUser("alice").prompt("Hi");

    await refusalOf(client.forUser("mallory").continue(conversationId).prompt("Go on."));

    model.assertDone();
    expect(await store.load(conversationId)).toHaveLength(2);
    expect(await store.list("mallory")).toEqual([]);
  });

  it("refuses the same in a stream, by an option and by a declaration", async () => {
    const store = createStore();
    const { client } = clientSetup({ config: { store } });
    const { conversationId: id = "" } = await client.forUser("alice").prompt("Hi");
    const declaring = clientSetup({
      agent: { conversational: { user: "mallory" } },
      config: { store },
    }).client;
    const naming = clientSetup({
      agent: { conversational: { user: "mallory", id } },
      config: { store },
    }).client;

    await refusalOf(client.forUser("mallory").continue(id).stream("Go on.").result);
    await refusalOf(client.prompt("Go on.", { conversation: { user: "mallory", id } }));
    await refusalOf(client.continue(id).prompt("Go on.", { conversation: { user: "mallory" } }));
    await refusalOf(declaring.continue(id).prompt("Go on."));
    await refusalOf(naming.prompt("Go on."));
  });

  it("refuses a conversation without a signed-in user, even if its id is named", async () => {
    const store = createStore();
    const { client } = clientSetup({
      agent: { conversational: ({ userId }) => ({ user: userId }) },
      config: { store },
    });
    const { conversationId = "" } = await client.forUser("alice").prompt("Hi");

    await refusalOf(client.continue(conversationId).prompt("Go on."));
  });

  it.each([
    ["", ""],
    ["NUL", "a\0b"],
    ["256 characters", "x".repeat(256)],
    ["half a character", "\ud83d"],
  ])("refuses an id of %s in the same words as an unknown one", async (_title, id) => {
    const { client } = clientSetup({ config: { store: createStore() } });
    const mine = client.forUser("alice");
    const refused = await refusalOf(mine.continue("no-such-id").prompt("Go on."));

    expect(await refusalOf(mine.continue(id).prompt("Go on."))).toEqual(refused);
    expect(await refusalOf(mine.continue(id).stream("Go on.").result)).toEqual(refused);
    expect(await refusalOf(client.continue(id).prompt("Go on."))).toEqual(refused);
    expect(await refusalOf(client.prompt("Go on.", { conversation: { user: "alice", id } }))).toEqual(
      refused,
    );
  });

  it("trusts a server that names no user", async () => {
    const store = createStore();
    const { client } = clientSetup({ config: { store } });
    const { conversationId = "" } = await client.forUser("alice").prompt("Hi");

    expect((await client.continue(conversationId).prompt("Go on.")).text).toBe("Hi | Go on.");
  });
});

const nobodyDeclared = {
  "a function that gives undefined": ({ userId }: Session) => (userId ? { user: userId } : undefined),
  "a function that gives null": () => null,
  "an async function that gives false": async () => false as const,
  "undefined itself": undefined,
  "null itself": null,
  "false itself": false,
} as const;

const nobodyCalls: Record<string, MaybeConversational> = {
  undefined,
  null: null,
  false: false,
  "a user that is undefined": { user: undefined },
};

describe("continuing without a user", () => {
  it.each(Object.entries(nobodyDeclared))("is refused if %s is declared", async (_title, conversational) => {
    const { client } = clientSetup({ agent: { conversational } as never });
    const { conversationId = "" } = await client.forUser("alice").prompt("Hi");

    await refusalOf(prompt(client.continue(conversationId)));
    await refusalOf(stream(client.continue(conversationId)));
  });

  it.each(Object.entries(nobodyCalls))("is refused if the option is %s", async (_title, conversation) => {
    const { client } = clientSetup();
    const { conversationId = "" } = await client.forUser("alice").prompt("Hi");

    await refusalOf(prompt(client.continue(conversationId), { conversation }));
    await refusalOf(stream(client.continue(conversationId), { conversation }));
  });

  it("is overridden by forUser, which takes precedence over both", async () => {
    const { client } = clientSetup({ agent: { conversational: () => null } });
    const { conversationId: id = "" } = await client.forUser("alice").prompt("Hi");
    const said = { conversation: false } as const;

    expect((await client.forUser("alice").continue(id).prompt("Me.", said)).text).toBe("Hi | Me.");
    await refusalOf(client.forUser("mallory").continue(id).prompt("Me.", said));
  });

  it("uses the user of the declaration if the call has no option", async () => {
    const { client } = clientSetup({ agent: { conversational: ({ userId }) => ({ user: userId }) } });
    const { conversationId: id = "" } = await client.forUser("alice").prompt("Hi");
    const as = (userId: string) => ({ context: { userId }, conversation: undefined });

    expect((await client.continue(id).prompt("Me.", as("alice"))).text).toBe("Hi | Me.");
    await refusalOf(client.continue(id).prompt("Me.", as("mallory")));
  });
});

describe("continuing with five methods", () => {
  it("notices immediately if a conversation gets another owner", async () => {
    const store = new MapStore();
    const { client } = clientSetup({ config: { store } });
    const { conversationId: id = "" } = await client.forUser("alice").prompt("Hi");
    await client.forUser("alice").continue(id).prompt("Still me.");
    const row = store.rows.get(id) ?? expect.fail("it isn't there");
    store.rows.set(id, { ...row, meta: { userId: "bob" } });

    await refusalOf(client.forUser("alice").continue(id).prompt("Me again."));

    expect((await client.forUser("bob").continue(id).prompt("Mine.")).text).toBe("Hi | Still me. | Mine.");
  });

  it("stores nothing if the conversation gets another owner while the model answers", async () => {
    const store = new MapStore();
    let id = "";
    const giveAway = () => {
      const row = store.rows.get(id) ?? expect.fail("it isn't there");
      store.rows.set(id, { ...row, meta: { userId: "bob" } });
      return "Too late.";
    };
    const { client } = clientSetup({ model: ["Hello.", giveAway], config: { store } });
    ({ conversationId: id = "" } = await client.forUser("alice").prompt("Hi"));

    await refusalOf(client.forUser("alice").continue(id).prompt("My secret."));

    expect(await store.load(id)).toHaveLength(2);
  });
});

describe("continuing with a provider", () => {
  it("refuses a conversation without owner, so it can't be taken by guessing its id", async () => {
    const provider = createInMemoryProvider();
    await provider.storeMessages("chat-1", [{ role: "user", content: "Hi" }]);
    const { client } = clientSetup({ config: { store: provider } });

    await refusalOf(client.forUser("mallory").continue("chat-1").prompt("Go on."));
  });

  it("continues a conversation that the application created for the user with its own id", async () => {
    const provider = createInMemoryProvider();
    await provider.appendMessages("order-17", [], { userId: "alice" }, { createIfMissing: true });
    const { client } = clientSetup({ config: { store: provider } });

    const { text, conversationId } = await client.forUser("alice").continue("order-17").prompt("Hi");

    expect([text, conversationId]).toEqual(["Hi", "order-17"]);
  });

  it("keeps a thread if another user took its id before", async () => {
    const store = new MemoryConversationStore();
    await store.provider.appendMessages(
      store.threadFor("alice", "helper"),
      [],
      { userId: "mallory" },
      { createIfMissing: true },
    );
    const { client } = clientSetup({ agent: { conversational: { user: "alice" } }, config: { store } });

    await refusalOf(client.prompt("My secret is 42."));
  });

  it("reports a failing store as an outcome, not as an ownership error", async () => {
    const inner = createInMemoryProvider();
    const { client } = clientSetup({ config: { store: inner } });
    const { conversationId = "" } = await client.forUser("alice").prompt("Hi");
    await inner.close();

    const { outcome } = await client.forUser("alice").continue(conversationId).prompt("Go on.");

    expect(outcome).toMatchObject({
      status: "error",
      error: { _tag: "MemoryError", error: { _tag: "MemoryConnectionError" } },
    });
  });

  it("reads only the head before it knows the owner", async () => {
    const inner = createInMemoryProvider();
    const asked: string[] = [];
    const store: MemoryProvider = {
      ...inner,
      getConversation: (id) => {
        asked.push("getConversation");
        return inner.getConversation(id);
      },
    };
    const { client } = clientSetup({ config: { store } });
    const { conversationId = "" } = await client.forUser("alice").prompt("Hi");
    asked.length = 0;

    await refusalOf(client.forUser("mallory").continue(conversationId).prompt("Go on."));

    expect(asked).toEqual([]);
  });
});
