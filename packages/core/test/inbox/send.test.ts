import { createInMemoryInbox, createInMemoryProvider, type Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { ConversationOwnershipError, runInbox } from "../../src/index.ts";
import { clientSetup } from "../support/client.ts";

const echo = () => {
  const inbox = createInMemoryInbox();
  const provider = createInMemoryProvider();
  const { client } = clientSetup({ config: { store: provider, memory: { inbox: runInbox(inbox) } } });
  return { client, inbox, provider };
};

/** A conversation of ada with one turn. */
async function begun() {
  const world = echo();
  const { conversationId = "" } = await world.client.forUser("ada").prompt("Hi");
  return { ...world, conversationId, ada: world.client.forUser("ada").continue(conversationId) };
}

describe("AgentClient.send", () => {
  it("leaves a message, which a prompt without input takes as the next turn", async () => {
    const { ada } = await begun();
    expect(await ada.send("One")).toMatchObject({ success: true, data: { isNew: true } });
    const reply = await ada.prompt([]);
    expect(reply.text).toBe("Hi | One");
    expect(reply.messages).toEqual([
      { role: "user", content: "One" },
      { role: "assistant", content: "Hi | One" },
    ]);
  });

  it("leaves a message once under the same key", async () => {
    const { ada } = await begun();
    await ada.send("One", { key: "k" });
    expect(await ada.send("One", { key: "k" })).toMatchObject({ data: { isNew: false } });
    expect((await ada.prompt([])).text).toBe("Hi | One");
    // Also if it was taken.
    await ada.send("One", { key: "k" });
    expect((await ada.prompt("Two")).text).toBe("Hi | One | Two");
  });

  it("sends parts, with bytes in base64", async () => {
    const { ada } = await begun();
    const text = { type: "text", text: "Look" } as const;
    await ada.send([text, { type: "media", mediaType: "image/png", data: new Uint8Array([1, 2, 3]) }]);
    const [said]: readonly Message[] = (await ada.prompt([])).messages;
    expect(said?.content).toEqual([text, { type: "media", mediaType: "image/png", data: "AQID" }]);
  });

  it("sends to the user's thread with the agent", async () => {
    const { client } = echo();
    const conversation = { user: "ada" };
    await client.send("One", { conversation });
    expect((await client.prompt([], { conversation })).text).toBe("One");
  });

  it("refuses the conversation of another user, and one that isn't there, in the same words", async () => {
    const { client, inbox, conversationId } = await begun();
    for (const refused of [
      client.forUser("bob").continue(conversationId),
      client.forUser("ada").continue("unknown"),
      client.forUser("ada").continue("\0"),
      client.continue("unknown"),
    ]) {
      await expect(refused.send("One")).rejects.toThrow(ConversationOwnershipError);
    }
    expect(await inbox.waiting()).toMatchObject({ data: [] });
  });

  it("sends as the conversation's owner if the server names no user", async () => {
    const { client, inbox, conversationId } = await begun();
    await client.continue(conversationId).send("One");
    expect(await inbox.waiting()).toMatchObject({ data: [{ userId: "ada", entries: 1 }] });
  });

  it.each([
    ["an empty text", "", {}],
    ["no parts", [], {}],
    ["a part that only a model writes", [{ type: "reasoning", text: "hm" }], {}],
    ["a picture without data", [{ type: "media", mediaType: "image/png" }], {}],
    ["an empty key", "Hi", { key: "" }],
    ["an unknown option", "Hi", { id: "c" }],
  ])("refuses %s", async (_, message, options) => {
    const { ada } = await begun();
    await expect(ada.send(message as never, options as never)).rejects.toThrow(TypeError);
  });

  it("needs a conversation and an inbox", async () => {
    const { client } = echo();
    await expect(client.forUser("ada").send("Hi")).rejects.toThrow(/No conversation to send to/);
    await expect(client.send("Hi")).rejects.toThrow(/No conversation to send to/);
    const without = clientSetup().client;
    await expect(without.forUser("ada").continue("c").send("Hi")).rejects.toThrow(/No inbox/);
  });

  it("refuses an inbox that is none when the client is created", () => {
    const create = () => clientSetup({ config: { memory: { inbox: {} as never } } });
    expect(create).toThrow(/memory.inbox: expected an inbox/);
  });

  it("tells what failed", async () => {
    const { ada, inbox } = await begun();
    await inbox.close();
    expect(await ada.send("One")).toMatchObject({ success: false });
  });
});
