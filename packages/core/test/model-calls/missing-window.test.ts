import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type MemoryConfig, type Middleware, run } from "../../src/index.ts";
import { clientSetup } from "../support/client.ts";
import { storing, talk } from "../support/conversations.ts";
import { type Setup, says, setup, user } from "../support/setup.ts";
import { returning } from "../support/tool-answers.ts";

const warnings = () => vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
let warned: ReturnType<typeof warnings>;
beforeEach(() => {
  warned = warnings();
});
afterEach(() => vi.restoreAllMocks());

/** One run of a stored conversation. Each test names its own agent, since a process warns once for each agent. */
async function converse(
  name: string,
  messages: number,
  { memory = {}, ...rest }: Partial<Setup> & { readonly memory?: Partial<MemoryConfig> } = {},
) {
  const provider = await storing(messages % 2 === 0 ? talk(messages / 2 - 1) : talk((messages - 1) / 2));
  const said = messages % 2 === 0 ? [user("a"), user("b")] : [user("a")];
  const { config } = setup({
    model: ["Done."],
    ...rest,
    agent: { name, ...rest.agent },
    config: { conversationId: "c", memory: { provider, autoStore: true, ...memory }, ...rest.config },
  });
  const { outcome } = await run({ ...says(...said), currentAgentName: name }, config);
  expect(outcome.status).toBe("completed");
}

describe("A run without a window warns of more than 500 messages", () => {
  it("in one line with the agent, the number, the reason and the option, and without content", async () => {
    await converse("unlimited support", 501);
    expect(warned).toHaveBeenCalledExactlyOnceWith(
      'The agent "unlimited support" sent 501 messages to the model in one call. Without a window, every call reads and sends the ' +
        "whole history. Set memory: { window: { maxMessages: 50 } } in the configuration of the run, agent client, server " +
        "or agent class, or memory: { maxMessages: 50 } in an agent state of @jaf/xflow. " +
        "See https://github.com/jaf-agents/jaf/blob/main/docs/windows.md.",
      { type: "JAFWindowWarning", code: "JAF_NO_WINDOW" },
    );
  });

  it("once for each agent", async () => {
    await converse("first", 600);
    await converse("first", 700);
    await converse("second", 600);
    expect(warned.mock.calls.map(([message]) => String(message).slice(0, 26))).toEqual([
      'The agent "first" sent 600',
      'The agent "second" sent 60',
    ]);
  });

  it("not of 500", async () => {
    await converse("short", 500);
    expect(warned).not.toHaveBeenCalled();
  });

  it("in the step that passes the limit", async () => {
    const steps = [{ toolCalls: [{ name: "tool" }] }, "Done."];
    await converse("growing", 499, { model: steps, tools: [returning("ok")] });
    expect(warned.mock.calls).toMatchObject([[expect.stringMatching(/"growing" sent 501 messages/), {}]]);
  });

  it("also if nothing is stored, where a compressionThreshold has no effect", async () => {
    const memory = { provider: await storing([]), compressionThreshold: 100 };
    const { config } = setup({ model: ["Done."], agent: { name: "stateless" }, config: { memory } });
    await run({ ...says(...talk(300), "now"), currentAgentName: "stateless" }, config);
    expect(warned).toHaveBeenCalledOnce();
  });
});

describe("A run doesn't warn if its history is limited", () => {
  it.each<[string, Partial<MemoryConfig>]>([
    ["a window of messages, even a large one", { window: { maxMessages: 550 } }],
    ["a window function", { window: (messages) => messages }],
    ["a compressionThreshold", { compressionThreshold: 1_000 }],
  ])("by %s", async (_how, memory) => {
    await converse("limited", 600, { memory });
    expect(warned).not.toHaveBeenCalled();
  });

  it("by middleware that leaves out messages", async () => {
    const last: Middleware<unknown> = {
      name: "last",
      wrapModelCall: ({ messages }, next) => next({ messages: messages.slice(-1) }),
    };
    await converse("trimmed", 600, { config: { middleware: [last] } });
    expect(warned).not.toHaveBeenCalled();
  });
});

describe("An agent client warns", () => {
  const history = { messages: talk(300) };

  it("without a window, and names the option that helps", async () => {
    await clientSetup({ agent: { name: "client" } }).client.prompt("now", history);
    expect(warned).toHaveBeenCalledOnce();
    const memory = { window: { maxMessages: 50 } };
    expect(String(warned.mock.calls[0]?.[0])).toContain("memory: { window: { maxMessages: 50 } }");
    await clientSetup({ agent: { name: "helped" }, config: { memory } }).client.prompt("now", history);
    expect(warned).toHaveBeenCalledOnce();
  });

  it("not with a history limit", async () => {
    const { client } = clientSetup({ agent: { name: "limited client" } });
    await client.prompt("now", { ...history, conversation: { user: undefined, historyLimit: 50 } });
    expect(warned).not.toHaveBeenCalled();
  });
});

it("A process warns about at most 100 agents, in one line whatever their names", async () => {
  // An instance of its own, because the module counts for the whole process, in which other tests run, too.
  const instance = "../../src/model-calls/missing-window.ts?at-most";
  const { warnOfMissingWindow }: typeof import("../../src/model-calls/missing-window.ts") = await import(
    instance
  );
  const messages = [...talk(251), user("now")];
  for (let index = 0; index < 110; index++) {
    const { config } = setup({ model: [] });
    const state = { ...says(...messages), currentAgentName: `agent\n${index}` };
    warnOfMissingWindow({ config, journal: undefined }, state);
  }
  expect(warned).toHaveBeenCalledTimes(100);
  expect(String(warned.mock.calls[0]?.[0])).not.toContain("\n");
});
