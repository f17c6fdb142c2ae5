import { createInMemoryProvider, type Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { type RunWindow, run } from "../../src/index.ts";
import { converse, stored, storing, talk } from "../support/conversations.ts";
import { assistant, errorOf, eventsOfType, says, setup, user } from "../support/setup.ts";
import { returning } from "../support/tool-answers.ts";

type WindowFunction = Extract<RunWindow, (...args: never) => unknown>;

const isUser = ({ role }: Message) => role === "user";
const ask = { toolCalls: [{ name: "tool" }, { name: "tool" }] };

describe("the messages that a window's function gets", () => {
  it("can't be changed at any depth, so neither the store nor the state can", async () => {
    const rich = { ...user("secret"), attachments: [{ url: "secret" }] };
    const writes: ((message: Message) => unknown)[] = [
      (message) => Object.assign(message, { content: "***" }),
      (message) => Object.assign((message as unknown as typeof rich).attachments[0] ?? {}, { url: "***" }),
    ];
    for (const write of writes) {
      for (const autoStore of [true, false]) {
        const provider = createInMemoryProvider();
        const window = (messages: readonly Message[]) => {
          for (const message of messages) write(message);
          return messages;
        };
        const said = { ...rich, attachments: [{ url: "secret" }] };
        const { ended, views } = await converse({ provider, memory: { window, autoStore }, said: [said] });
        expect(errorOf(ended)).toMatchObject({
          _tag: "InternalError",
          detail: "RunConfig.memory.window failed",
        });
        expect(views).toEqual([]);
        expect(ended.finalState.messages).toEqual([rich]);
        expect(Object.isFrozen(said)).toBe(false);
      }
    }
  });

  it("have the same bytes and URLs as for the model", async () => {
    const content = [
      { type: "media", mediaType: "image/png", data: new Uint8Array([1, 2]) },
      { type: "media", mediaType: "image/png", url: new URL("https://example.org/a") },
    ];
    const provider = createInMemoryProvider();
    const memory = { window: (messages: readonly Message[]) => messages, autoStore: false };
    const { views } = await converse({ provider, memory, said: [{ role: "user", content } as never] });
    expect(views[0]?.[0]).toStrictEqual({ role: "user", content });
  });

  it("are the same objects in every call", async () => {
    const seen: (readonly Message[])[] = [];
    const window = (messages: readonly Message[]) => {
      seen.push(messages);
      return messages;
    };
    await converse({
      provider: await storing(talk(1)),
      memory: { window },
      tools: [returning("ok")],
      steps: [ask, "Done."],
    });
    expect(seen).toHaveLength(2);
    for (const [index, message] of (seen[0] ?? []).entries()) expect(seen[1]?.[index]).toBe(message);
  });
});

describe("the messages that a window's function returns", () => {
  const lacking: readonly (readonly [string, WindowFunction])[] = [
    ["nothing", () => []],
    ["no newest message", (messages) => messages.slice(0, -1)],
    ["no last user message", (messages) => messages.filter((each) => !isUser(each))],
    [
      "an older user message in place of the last",
      (messages) => [...messages.filter(isUser).slice(0, -1), ...messages.slice(-3)],
    ],
    ["one of two newest results", (messages) => messages.filter((_, index) => index !== messages.length - 2)],
    [
      "a result of another call for the newest",
      (messages) => [...messages.slice(0, -2), ...messages.slice(2, 5)],
    ],
  ];

  it.each(lacking)("ends the run before the model is called if they have %s", async (_, window) => {
    const provider = await storing(talk(2));
    const asked = await converse({
      provider,
      memory: { durability: "step" },
      tools: [returning("ok")],
      steps: [ask, new Error("gone")],
    });
    expect(asked.views).toHaveLength(2);
    const { ended, views } = await converse({ provider, said: [], memory: { window } });
    expect(errorOf(ended)).toMatchObject({
      _tag: "MemoryError",
      error: { _tag: "MemoryValidationError", issues: [{ path: "RunConfig.memory.window" }] },
    });
    expect(views).toEqual([]);
  });

  const complete: readonly (readonly [string, WindowFunction])[] = [
    ["all", (messages) => messages],
    ["the last turn", (messages) => messages.slice(messages.findLastIndex(isUser))],
    ["copies with other words", (messages) => messages.map((each) => ({ ...each, content: "***" }))],
    ["something behind the newest", (messages) => [...messages, user("Answer briefly.")]],
  ];

  it.each(complete)("are sent if they have %s", async (_, window) => {
    const { ended, views } = await converse({
      provider: await storing(talk(2)),
      memory: { window },
      tools: [returning("ok")],
      steps: [ask, "Done."],
    });
    expect(ended.outcome.status).toBe("completed");
    expect(views).toHaveLength(2);
  });

  it.each([
    [{ role: "banana", content: "x" }, "[0].role"],
    [{ role: "user", content: 5 }, "[0].content"],
    [{ role: "user" }, "[0].content"],
    [null, "[0]"],
  ])("end the run if one isn't a message: %j", async (odd, path) => {
    const { ended, views } = await converse({
      provider: await storing(talk(1)),
      memory: { window: (messages) => [odd as never, ...messages] },
    });
    expect(errorOf(ended)).toMatchObject({
      _tag: "InternalError",
      cause: {
        message: expect.stringContaining(`it returned an invalid list of messages: ${path}: expected`),
      },
    });
    expect(views).toEqual([]);
  });

  it("have correct labels even if an object occurs twice in the history", async () => {
    const again = user("ok");
    const { config, events } = setup({
      model: ["Done."],
      config: { memory: { provider: createInMemoryProvider(), window: (messages) => messages.slice(1) } },
    });
    await run(says(again, assistant("a"), again), config);
    expect(eventsOfType(events, "context")[0]).toMatchObject({
      sent: 2,
      ranges: [
        { from: 0, to: 0, fate: "trimmed", reason: "function" },
        { from: 1, to: 2, fate: "sent" },
      ],
    });
  });

  it("aren't stored", async () => {
    const provider = await storing(talk(1));
    const window = (messages: readonly Message[]) => messages.map((each) => ({ ...each, content: "***" }));
    await converse({ provider, memory: { window } });
    expect((await stored(provider)).messages).toEqual([...talk(1), user("now"), assistant("Done.")]);
  });
});
