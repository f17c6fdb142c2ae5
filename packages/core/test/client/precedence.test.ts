import { describe, expect, it } from "vitest";
import type { MaybeConversational } from "../../src/index.ts";
import { clientSetup } from "../support/client.ts";

const declared = { user: "declared" } as const;
const perCall = { user: "per-call" } as const;

/** The owner of a prompt's conversation; `undefined` if nothing was stored. */
async function ownerOf(setup: {
  readonly forUser?: string;
  readonly conversation?: MaybeConversational;
  readonly conversational?: MaybeConversational;
}) {
  const { forUser, conversation, conversational } = setup;
  const { client, store } = clientSetup({ agent: conversational === undefined ? {} : { conversational } });
  const asked = forUser === undefined ? client : client.forUser(forUser);
  await asked.prompt("Hi", conversation === undefined ? {} : { conversation });
  const conversations = await store.list();
  expect(conversations.length).toBeLessThan(2);
  return conversations[0]?.userId;
}

describe("the user and conversation of a prompt", () => {
  it.each([
    [
      "explicit outranks everything",
      { forUser: "explicit", conversation: perCall, conversational: declared },
      "explicit",
    ],
    ["explicit outranks an opt-out", { forUser: "explicit", conversation: false }, "explicit"],
    [
      "explicit ids take precedence over a declaration without user",
      { forUser: "explicit", conversational: { user: "" } },
      "explicit",
    ],
    ["the call outranks the declaration", { conversation: perCall, conversational: declared }, "per-call"],
    ["the call opts out of the declaration", { conversation: false, conversational: declared }, undefined],
    ["the call opts out with null", { conversation: null, conversational: declared }, undefined],
    [
      "an option without user opts out",
      { conversation: { user: undefined }, conversational: declared },
      undefined,
    ],
    ["the declaration applies without option", { conversational: declared }, "declared"],
    ["a declaration without user opts out", { conversational: { user: null } }, undefined],
    ["an empty user is no user", { conversational: { user: "" } }, undefined],
    ["a declaration of nothing opts out", { conversational: false }, undefined],
    ["nothing said at all is stateless", {}, undefined],
  ] as const)("%s", async (_title, setup, owner) => {
    expect(await ownerOf(setup)).toBe(owner);
  });

  it("is absent for a stateless prompt, which remembers nothing", async () => {
    const { client } = clientSetup({ agent: { conversational: { user: undefined } } });

    const first = await client.prompt("one");
    const second = await client.prompt("two");

    expect(first).not.toHaveProperty("conversationId");
    expect(second.text).toBe("two");
  });

  it("can be set by an id in the options, instead of the thread", async () => {
    const { client } = clientSetup({ agent: { conversational: { user: "u" } } });
    await client.prompt("in the thread");
    const { conversationId } = await client.forUser("u").prompt("elsewhere");

    const { text } = await client.prompt("too", { conversation: { user: "u", id: conversationId } });

    expect(text).toBe("elsewhere | too");
  });

  it("comes from continue before an id in the options", async () => {
    const { client } = clientSetup();
    const one = await client.forUser("u").prompt("one");
    const other = await client.forUser("u").prompt("other");

    const { conversationId } = await client
      .continue(one.conversationId ?? "")
      .prompt("more", { conversation: { user: "u", id: other.conversationId } });

    expect(conversationId).toBe(one.conversationId);
  });

  it("is new for each prompt of forUser, which doesn't change the client itself", async () => {
    const { client, store } = clientSetup();
    const mine = client.forUser("u");

    const first = await mine.prompt("one");
    const second = await mine.prompt("two");
    const resumed = mine.continue(first.conversationId ?? "");

    expect(second.conversationId).not.toBe(first.conversationId);
    expect((await resumed.prompt("three")).text).toBe("one | three");
    expect((await mine.prompt("four")).text).toBe("four");
    expect((await client.prompt("five")).conversationId).toBeUndefined();
    expect(await store.list("u")).toHaveLength(3);
  });

  it("can be set by forUser and continue in either order", async () => {
    const { client } = clientSetup();
    const { conversationId = "" } = await client.forUser("u").prompt("one");

    const a = await client.forUser("u").continue(conversationId).prompt("two");
    const b = await client.continue(conversationId).forUser("u").prompt("three");

    expect([a.text, b.text]).toEqual(["one | two", "one | two | three"]);
  });
});
