import { createInMemoryProvider } from "@jaf/memory";
import { stableLength } from "@jaf/memory/internal";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type Middleware, run, type TraceEvent } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { assistant, says, setup, user } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

const facts: Middleware<unknown> = {
  name: "facts",
  onStart: ({ userMessages }) => ({ beforeNewestMessage: `Facts for ${userMessages.length}.` }),
};
const shown = { type: "text", text: "Facts for 1.", transient: true };
const look = createTool({
  name: "look",
  description: "",
  parameters: z.object({}),
  execute: async () => "seen",
});
const additionsIn = (events: readonly TraceEvent[]) =>
  events.flatMap((event) => (event.type === "context" ? [event.data.additions] : []));

describe("a middleware's addition before the newest message", () => {
  it("precedes it in each call of the turn, and isn't stored or part of a state", async () => {
    const provider = createInMemoryProvider();
    const memory = { provider, autoStore: true, userId: "ada" };
    const model = createScriptedModel([{ toolCalls: [{ name: "look" }] }, "One.", "Two."]);
    const { config, events } = setup({
      model,
      tools: [look],
      config: { memory, conversationId: "c", middleware: [facts] },
    });
    await run(says("Hi"), config);
    const { finalState } = await run(says("And?"), config);
    const contents = model.requests.map(({ state: { messages } }) => messages.map(({ content }) => content));
    const first = [shown, { type: "text", text: "Hi" }];
    expect(contents).toEqual([
      [first],
      [first, "", "seen"],
      ["Hi", "", "seen", "One.", [shown, { type: "text", text: "And?" }]],
    ]);
    expect(model.requests.map(({ state: { messages } }) => stableLength(messages))).toEqual([0, 0, 4]);
    expect(model.requests[0]?.instructions).toBe("Help.");
    expect(JSON.stringify(finalState)).not.toContain("Facts");
    expect(JSON.stringify(await storedMessages(provider, "c"))).not.toContain("Facts");
    const told = { name: "facts", placement: "before-newest-message", characters: 12 };
    expect(additionsIn(events)).toEqual([
      [{ ...told, before: 0 }],
      [{ ...told, before: 0 }],
      [{ ...told, before: 4 }],
    ]);
  });

  it("precedes the content of the last of several unanswered messages", async () => {
    const model = createScriptedModel(["Hello."]);
    const image = { type: "media", mediaType: "image/png", url: "https://example.com/a.png" };
    const last = { role: "user", content: [{ type: "text", text: "This one." }, image] };
    await run(says("Hi", last as never), setup({ model, config: { middleware: [facts] } }).config);
    expect(model.requests[0]?.state.messages).toEqual([
      user("Hi"),
      {
        role: "user",
        content: [
          { type: "text", text: "Facts for 2.", transient: true },
          { type: "text", text: "This one." },
          image,
        ],
      },
    ]);
  });

  it("isn't passed to instructions and doesn't count in a window", async () => {
    const model = createScriptedModel(["Hello."]);
    const seen: unknown[] = [];
    const { config, events } = setup({
      model,
      agent: {
        instructions: ({ messages }) => {
          seen.push(messages.at(-1)?.content);
          return "Help.";
        },
      },
      config: {
        middleware: [facts],
        memory: { provider: createInMemoryProvider(), window: { maxMessages: 1 } },
      },
    });
    await run(says("Hi", assistant("Yes?"), "Go"), config);
    expect(seen).toEqual(["Go"]);
    expect(model.requests[0]?.state.messages).toHaveLength(1);
    expect(model.requests[0]?.state.messages[0]?.content).toEqual([shown, { type: "text", text: "Go" }]);
    expect(additionsIn(events)).toEqual([[expect.objectContaining({ before: 2 })]]);
  });

  it("follows the instructions if there is no user message", async () => {
    const model = createScriptedModel(["Hello."]);
    const { config, events } = setup({ model, config: { middleware: [facts] } });
    await run(says(assistant("Welcome.")), config);
    expect(model.requests[0]?.instructions).toBe("Help.\n\nFacts for 0.");
    expect(additionsIn(events)).toEqual([[{ name: "facts", placement: "instructions", characters: 12 }]]);
  });

  it("can be removed by a wrapModelCall hook like any message", async () => {
    const model = createScriptedModel(["Hello."]);
    const bare: Middleware<unknown> = {
      name: "bare",
      wrapModelCall: ({ state }, next) => next({ messages: state.messages }),
    };
    await run(says("Hi"), setup({ model, config: { middleware: [facts, bare] } }).config);
    expect(model.requests[0]?.state.messages).toEqual([user("Hi")]);
  });
});

it("keeps a caller's transient message at its place unless it is the newest", () => {
  const claims = { role: "user", content: [{ type: "text", text: "x", transient: true }] } as const;
  expect(stableLength([claims, assistant("a"), user("b")])).toBe(3);
  expect(stableLength([user("b"), assistant("a"), claims, assistant("c")])).toBe(2);
  expect(stableLength([])).toBe(0);
});
