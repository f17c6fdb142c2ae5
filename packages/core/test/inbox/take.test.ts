import { createInMemoryInbox, createInMemoryProvider } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Agent, asTool, createTool, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { failingInbox, inboxWorld, OWNER } from "../support/inbox.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";
import { recordWrites, tenMethods } from "../support/stores.ts";

const DURABILITIES = ["completed", "turn", "step"] as const;

/** A tool during whose call the user says something. */
const during = (say: () => Promise<unknown>) =>
  createTool({
    name: "work",
    description: "",
    parameters: z.object({}),
    execute: async () => {
      await say();
      return "worked";
    },
  });
const working = { toolCalls: [{ name: "work", id: "w", arguments: {} }] };

describe.each(DURABILITIES)("a run with an inbox, durability %s", (durability) => {
  it("takes what waits after its own input, in order", async () => {
    const world = inboxWorld({ memory: { durability } });
    await world.send("one", "two");
    const { ended, events } = await world.process(["Hi"], ["Hello."]);
    expect(ended.outcome).toEqual({ status: "completed", output: "Hello." });
    expect(await world.said()).toEqual(["user: Hi", "user: one", "user: two", "assistant: Hello."]);
    const messages = [
      { role: "user", content: "one" },
      { role: "user", content: "two" },
    ];
    expect(eventsOfType(events, "inbox_taken")).toEqual([{ count: 2, messages }]);
    expect(await world.waiting()).toEqual([]);
  });

  it("takes before the next model call what comes while a tool runs", async () => {
    const world = inboxWorld({ memory: { durability } });
    const model = createScriptedModel([working, "Done."]);
    await world.process(["Hi"], model, { tools: [during(() => world.send("make it short"))] });
    expect(model.requests[1]?.state.messages.map(messageText)).toEqual([
      ...["Hi", "", "worked", "make it short"],
    ]);
    expect((await world.said()).slice(2)).toEqual([
      ...["tool: worked", "user: make it short", "assistant: Done."],
    ]);
    expect(await world.waiting()).toEqual([]);
  });

  it("leaves what comes during its last model call, which begins the next turn of a run without input", async () => {
    const world = inboxWorld({ memory: { durability } });
    const late = async () => {
      await world.send("late");
      return "Hello.";
    };
    await world.process(["Hi"], [late]);
    expect(await world.waiting()).toHaveLength(1);
    const { ended } = await world.process([], ["Late, too."]);
    expect(ended.outcome).toEqual({ status: "completed", output: "Late, too." });
    expect(await world.said()).toEqual([
      ...["user: Hi", "assistant: Hello.", "user: late", "assistant: Late, too."],
    ]);
    // Nothing waits any more, so the reply is the output.
    expect((await world.process([], [])).ended.outcome).toEqual({
      status: "completed",
      output: "Late, too.",
    });
  });

  it("stores how far it has read with the messages, and removes the entries only then", async () => {
    const { provider, writes } = recordWrites(createInMemoryProvider());
    const world = inboxWorld({ provider, memory: { durability } });
    await world.send("one");
    const [{ cursor } = { cursor: "" }] = await world.waiting();
    await world.process(["Hi"], ["Hello."]);
    const first = writes.findIndex(({ messages }) => messages.some((each) => messageText(each) === "one"));
    expect(writes[first]?.metadata?.["jafInbox"]).toMatchObject({ format: 1, readUpTo: cursor });
    expect(writes.filter(({ metadata }) => metadata?.["jafInbox"] !== undefined)).toHaveLength(1);
  });

  it("is the same run again after its end, also if it has taken messages", async () => {
    const world = inboxWorld({ memory: { durability } });
    await world.send("one");
    const state = says("Hi");
    const { config } = world.configured({ model: ["Hello."] });
    await run(state, config);
    await world.send("two");
    const again = await run(state, config);
    expect(again.outcome).toEqual({ status: "completed", output: "Hello." });
    expect(await world.said()).toHaveLength(3);
    // Also if another turn has taken messages since.
    await world.process(["More"], ["Sure."]);
    expect((await run(state, config)).outcome).toEqual({ status: "completed", output: "Hello." });
  });

  it("isn't begun twice if it is repeated after a crash", async () => {
    const world = inboxWorld({ memory: { durability } });
    await world.send("one");
    const state = says("Hi");
    const failing = world.configured({
      model: [new Error("crashed")],
      config: { modelRetry: { maxAttempts: 1 } },
    });
    errorOf(await run(state, failing.config));
    await world.send("two");
    const { config } = world.configured({ model: ["Hello."] });
    expect((await run(state, config)).outcome.status).toBe("completed");
    expect(await world.said()).toEqual([...["user: Hi", "user: one", "user: two", "assistant: Hello."]]);
  });
});

describe("entries that can't be taken", () => {
  it("are dropped if they aren't a user message, and don't stop those behind them", async () => {
    const world = inboxWorld();
    await world.put("no JSON");
    await world.put('{"format":1,"content":[{"type":"reasoning","text":"hm"}]}');
    await world.put('{"format":1,"content":7}');
    await world.send("fine");
    const { events } = await world.process(["Hi"], ["Hello."]);
    const reason = "the entry isn't a user message";
    expect(eventsOfType(events, "inbox_refused")).toEqual([{ reason, count: 3 }]);
    expect(await world.said()).toEqual(["user: Hi", "user: fine", "assistant: Hello."]);
    expect(await world.waiting()).toEqual([]);
  });

  it("wait with all behind them if a newer release wrote them", async () => {
    const world = inboxWorld();
    await world.send("before");
    await world.put('{"format":2,"said":"new"}');
    await world.send("behind");
    const { events } = await world.process(["Hi"], ["Hello."]);
    expect(await world.said()).toEqual(["user: Hi", "user: before", "assistant: Hello."]);
    expect(await world.waiting()).toHaveLength(2);
    expect(eventsOfType(events, "inbox_refused")).toEqual([]);
    expect((await world.process([], [])).ended.outcome).toMatchObject({ output: "Hello." });
  });

  it("are dropped one by one if an input guardrail blocks them, and the run goes on", async () => {
    const world = inboxWorld();
    await world.send("good", "bad", "also good");
    const blocks = (text: string) =>
      text.includes("bad") ? ({ isValid: false, errorMessage: "no" } as const) : ({ isValid: true } as const);
    const { ended, events } = await world.process(["Hi"], ["Hello."], {
      config: { initialInputGuardrails: [blocks] },
    });
    expect(ended.outcome.status).toBe("completed");
    expect(eventsOfType(events, "inbox_refused")).toEqual([{ reason: "no", count: 1 }]);
    expect(await world.said()).toEqual([
      ...["user: Hi", "user: good", "user: also good", "assistant: Hello."],
    ]);
    expect(await world.waiting()).toEqual([]);
  });

  it("begin no turn if all are dropped", async () => {
    const world = inboxWorld();
    await world.process(["Hi"], ["Hello."]);
    await world.put("{}");
    expect((await world.process([], [])).ended.outcome).toMatchObject({ output: "Hello." });
    expect(await world.waiting()).toEqual([]);
  });

  it("don't take along an earlier entry that isn't stored yet", async () => {
    const world = inboxWorld({ memory: { durability: "completed" } });
    await world.send("kept");
    const tools = [during(() => world.put("{}"))];
    const config = { modelRetry: { maxAttempts: 1 } };
    await world.process(["Hi"], [working, new Error("crashed")], { tools, config });
    expect((await world.waiting()).length).toBe(2);
    await world.process(["Hi"], ["Hello."]);
    expect(await world.said()).toEqual(["user: Hi", "user: kept", "assistant: Hello."]);
    expect(await world.waiting()).toEqual([]);
  });

  it("are dropped if another user owned the conversation's id before", async () => {
    const world = inboxWorld();
    const content = '{"format":1,"content":"secret"}';
    await world.inbox.put({ conversationId: "c", userId: "bob", key: "k", content });
    const { events } = await world.process(["Hi"], ["Hello."]);
    expect(await world.said()).toEqual(["user: Hi", "assistant: Hello."]);
    expect(eventsOfType(events, "inbox_refused")).toHaveLength(1);
  });
});

describe("an inbox that fails", () => {
  it("doesn't end the run, and the entries wait", async () => {
    const { inbox, state } = failingInbox("read");
    const world = inboxWorld({ inbox });
    await world.send("one");
    const { ended, events } = await world.process(["Hi"], ["Hello."]);
    expect(ended.outcome.status).toBe("completed");
    expect(eventsOfType(events, "inbox_failed")[0]?.reason).toContain("the inbox is down");
    state.isDown = false;
    await world.process([], ["One."]);
    expect((await world.said()).slice(2)).toEqual(["user: one", "assistant: One."]);
  });

  it("may keep entries that were taken: they aren't taken again, and the next run removes them", async () => {
    const { inbox, state } = failingInbox("remove");
    const world = inboxWorld({ inbox });
    await world.send("one");
    await world.process(["Hi"], ["Hello."]);
    expect(await world.waiting()).toHaveLength(1);
    state.isDown = false;
    expect((await world.process([], [])).ended.outcome).toMatchObject({ output: "Hello." });
    expect(await world.waiting()).toEqual([]);
    expect(await world.said()).toHaveLength(3);
  });
});

describe("the configuration of an inbox", () => {
  it.each([
    ["no autoStore", { autoStore: false }, "memory.autoStore"],
    ["no inbox", { inbox: {} as never }, "an inbox"],
    ["no versions", { provider: tenMethods(createInMemoryProvider()) }, "versions"],
  ])("is refused: %s", async (_, memory, expected) => {
    const world = inboxWorld({ memory });
    const error = errorOf((await world.process(["Hi"], [])).ended);
    expect(error._tag === "MemoryError" && error.error.message).toContain(expected);
  });

  it("isn't that of an agent's agent", async () => {
    const inbox = createInMemoryInbox();
    const read: string[] = [];
    const world = inboxWorld({
      inbox: {
        ...inbox,
        read: (query) => {
          read.push(query.conversationId);
          return inbox.read(query);
        },
      },
    });
    const inner: Agent<unknown, string> = { name: "inner", instructions: "" };
    const model = createScriptedModel<unknown>(({ agent, state: { messages } }) => {
      if (agent.name === "inner") return "inner reply";
      return messages.length > 1
        ? "Done."
        : { toolCalls: [{ name: "inner", id: "i", arguments: { task: "t" } }] };
    });
    const tools = [asTool(inner, { description: "Asks", memory: "conversation" })];
    expect((await world.process(["Hi"], model, { tools })).ended.outcome.status).toBe("completed");
    expect(new Set(read)).toEqual(new Set(["c"]));
  });

  it("isn't touched by a run without one", async () => {
    const { provider, writes } = recordWrites(createInMemoryProvider());
    const { config } = setup({
      model: ["Hello."],
      config: { conversationId: "c", memory: { provider, autoStore: true, userId: OWNER } },
    });
    await run(says("Hi"), config);
    expect(writes.flatMap(({ metadata = {} }) => Object.keys(metadata))).not.toContain("jafInbox");
  });
});
