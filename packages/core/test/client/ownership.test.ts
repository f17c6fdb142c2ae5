import {
  type ConversationStore,
  createInMemoryProvider,
  MemoryConversationStore,
  type MemoryProvider,
} from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { ConversationOwnershipError } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { clientSetup, MapStore, type Session } from "./support.ts";

/** Everything of an error that a caller could tell two by. */
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
  it("refuses another user's conversation and an unknown one in the same words", async () => {
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

  it("asks no model and stores nothing for somebody without a right", async () => {
    const store = createStore();
    const model = createScriptedModel<Session>(["Hello."]);
    const { client } = clientSetup({ model, config: { store } });
    const { conversationId = "" } = await client.forUser("alice").prompt("Hi");

    await refusalOf(client.forUser("mallory").continue(conversationId).prompt("Go on."));

    model.assertDone();
    expect(await store.load(conversationId)).toHaveLength(2);
    expect(await store.list("mallory")).toEqual([]);
  });

  it("refuses the same on a stream, by an option and by a declaration", async () => {
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

  it("refuses a conversation to somebody who isn't signed in, though its id is named", async () => {
    const store = createStore();
    const { client } = clientSetup({
      agent: { conversational: ({ userId }) => ({ user: userId }) },
      config: { store },
    });
    const { conversationId = "" } = await client.forUser("alice").prompt("Hi");

    await refusalOf(client.continue(conversationId).prompt("Go on."));
  });

  it("trusts a server that names no user, as nobody is asked for one", async () => {
    const store = createStore();
    const { client } = clientSetup({ config: { store } });
    const { conversationId = "" } = await client.forUser("alice").prompt("Hi");

    expect((await client.continue(conversationId).prompt("Go on.")).text).toBe("Hi | Go on.");
  });
});

describe("continuing with a provider", () => {
  it("refuses what nobody owns, so that nobody can take it by guessing its id", async () => {
    const provider = createInMemoryProvider();
    await provider.appendMessages("chat-1", [{ role: "user", content: "Hi" }]);
    const { client } = clientSetup({ config: { store: provider } });

    await refusalOf(client.forUser("mallory").continue("chat-1").prompt("Go on."));
  });

  it("goes on with a conversation that the application made for the user under an id of its own", async () => {
    const provider = createInMemoryProvider();
    await provider.appendMessages("order-17", [], { userId: "alice" });
    const { client } = clientSetup({ config: { store: provider } });

    const { text, conversationId } = await client.forUser("alice").continue("order-17").prompt("Hi");

    expect([text, conversationId]).toEqual(["Hi", "order-17"]);
  });

  it("keeps a thread whose id somebody took before its user came", async () => {
    const store = new MemoryConversationStore();
    await store.provider.appendMessages(store.threadFor("alice", "helper"), [], { userId: "mallory" });
    const { client } = clientSetup({ agent: { conversational: { user: "alice" } }, config: { store } });

    await refusalOf(client.prompt("My secret is 42."));
  });

  it("reports a store that fails as an outcome, not as a matter of ownership", async () => {
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

  it("asks the store for no more than the head before it knows whose it is", async () => {
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
