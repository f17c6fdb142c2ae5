import { describe, expect, it } from "vitest";
import { createScriptedModel } from "../../src/testing/index.ts";
import { abortable } from "../support/abort.ts";
import { clientSetup, type Session } from "../support/client.ts";
import { user } from "../support/setup.ts";

describe("a streamed prompt", () => {
  it("streams the reply in pieces and stores the conversation", async () => {
    const { client } = clientSetup({ model: ["Hello there.", "Still here."] });

    const stream = client.forUser("u").stream("Hi");
    let text = "";
    for await (const event of stream) if (event.type === "llm_delta") text += event.data.text;
    const { conversationId = "", ...first } = await stream.result;
    const second = await client.forUser("u").continue(conversationId).stream("And now?").result;

    expect(text).toBe("Hello there.");
    expect(first.text).toBe("Hello there.");
    expect(second.finalState.messages).toHaveLength(4);
  });

  it("has the same precedence as a prompt", async () => {
    const { client, store } = clientSetup({ agent: { conversational: { user: "declared" } } });

    await client.stream("Hi").result;
    await client.stream("Hi", { conversation: { user: "per-call" } }).result;
    await client.stream("Hi", { conversation: false }).result;
    await client.forUser("explicit").stream("Hi").result;

    const owners = (await store.list()).map(({ userId }) => userId);
    expect(owners.sort()).toEqual(["declared", "explicit", "per-call"]);
  });

  it("is aborted when its loop is left, and stores nothing", async () => {
    const model = createScriptedModel<Session>(["Hello there."]);
    const { client, store } = clientSetup({ model, agent: { conversational: { user: "u" } } });

    const stream = client.stream("Hi");
    for await (const event of stream) if (event.type === "llm_delta") break;

    expect((await stream.result).outcome).toMatchObject({ error: { _tag: "RunAborted" } });
    expect(await store.list("u")).toEqual([]);
  });

  it("is aborted by its signal", async () => {
    const { signal, abort } = abortable();
    const { client } = clientSetup({
      model: [
        () => {
          abort();
          return "too late";
        },
      ],
    });

    const { outcome } = await client.stream("Hi", { signal }).result;

    expect(outcome).toMatchObject({ error: { _tag: "RunAborted", reason: "enough" } });
  });

  it("rejects in the loop and the result if a prompt would reject", async () => {
    const { client } = clientSetup();
    const refused = () => client.forUser("u").continue("no-such-id").stream("Hi");

    const looped = async () => {
      for await (const _ of refused());
    };

    await expect(looped()).rejects.toThrow("no such conversation");
    await expect(refused().result).rejects.toThrow("no such conversation");
    await expect(client.stream("").result).rejects.toThrow(TypeError);
    await expect(client.stream("Hi", { signal: {} as AbortSignal }).result).rejects.toThrow("signal");
  });

  it("can be left before it fails, without an unhandled rejection", async () => {
    const unseen: unknown[] = [];
    const note = (reason: unknown) => unseen.push(reason);
    process.on("unhandledRejection", note);
    try {
      const lost = async () => {
        throw new Error("the session is lost");
      };
      const { client } = clientSetup({ config: { context: lost } });
      await client.stream("Hi")[Symbol.asyncIterator]().return?.();
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off("unhandledRejection", note);
    }
    expect(unseen).toEqual([]);
  });

  it("gets a history in a stateless call", async () => {
    const { client } = clientSetup();

    const { text } = await client.stream("two", { messages: [user("one")] }).result;

    expect(text).toBe("one | two");
  });
});
