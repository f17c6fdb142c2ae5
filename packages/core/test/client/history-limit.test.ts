import { describe, expect, it } from "vitest";
import { createScriptedModel } from "../../src/testing/index.ts";
import { clientSetup, type Session, shown } from "../support/client.ts";
import { assistant, user } from "../support/setup.ts";

const replies = ["a", "b", "c"];
const said = [user("1"), assistant("a"), user("2"), assistant("b"), user("3"), assistant("c")];

describe("a history limit", () => {
  it("in a declaration limits the model to the last messages, and all stay stored", async () => {
    const model = createScriptedModel<Session>(replies);
    const { client, store } = clientSetup({
      model,
      agent: { conversational: { user: "u", historyLimit: 3 } },
    });

    for (const input of ["1", "2"]) await client.prompt(input);
    const { conversationId = "", finalState, messages } = await client.prompt("3");

    expect(shown(model)).toEqual([[user("1")], said.slice(0, 3), said.slice(2, 5)]);
    expect(await store.load(conversationId)).toEqual(said);
    expect(finalState.messages).toEqual(said);
    expect(messages).toEqual(said.slice(4));
  });

  it("in an option applies to that call, also with forUser and continue", async () => {
    const model = createScriptedModel<Session>(replies);
    const { client } = clientSetup({ model, agent: { conversational: { user: "u", historyLimit: 5 } } });
    const { conversationId = "" } = await client.forUser("u").prompt("1");
    const mine = client.forUser("u").continue(conversationId);

    await mine.prompt("2", { conversation: { user: "u", historyLimit: 1 } });
    await mine.prompt("3");

    expect(shown(model)).toEqual([[user("1")], [user("2")], said.slice(0, 5)]);
  });

  it("takes precedence over the client's window", async () => {
    const model = createScriptedModel<Session>(replies);
    const { client } = clientSetup({
      model,
      agent: { conversational: { user: "u" } },
      config: { memory: { window: { memoryType: "message_window", maxMessages: 3 } } },
    });

    await client.prompt("1");
    await client.prompt("2");
    await client.prompt("3", { conversation: { user: "u", historyLimit: 1 } });

    expect(shown(model)).toEqual([[user("1")], said.slice(0, 3), [user("3")]]);
  });

  it("applies to a history that isn't stored, too, like a window", async () => {
    const model = createScriptedModel<Session>(["c", "c"]);
    const { client } = clientSetup({
      model,
      config: { memory: { window: { memoryType: "message_window", maxMessages: 3 } } },
    });
    const messages = said.slice(0, 4);

    await client.prompt("3", { messages });
    await client.prompt("3", { messages, conversation: { user: "", historyLimit: 1 } });

    expect(shown(model)).toEqual([said.slice(2, 5), [user("3")]]);
  });
});
