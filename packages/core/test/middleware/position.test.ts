import { createInMemoryProvider, type MemoryProvider, type Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { type Durability, type MemoryConfig, type RunConfig, run } from "../../src/index.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { recorder } from "../support/middleware.ts";
import { resumed, unfinished } from "../support/resumed.ts";
import { assistant, calling, result, says, setup, user } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

const durabilities: readonly Durability[] = ["completed", "turn", "step"];

interface Asked {
  readonly provider: MemoryProvider;
  readonly said?: readonly (string | Message)[];
  readonly steps?: readonly ScriptedStep<unknown>[];
  readonly memory?: Partial<MemoryConfig>;
  readonly config?: Partial<RunConfig<unknown>>;
}

/** The user messages and position of a turn on the conversation "c". */
async function turnOn({ provider, said = [], steps = ["Hello."], memory, config }: Asked) {
  const { middleware, started, finished } = recorder();
  const whole = setup({
    model: steps,
    config: {
      modelRetry: { maxAttempts: 1 },
      middleware: [middleware],
      memory: { provider, autoStore: true, ...memory },
      conversationId: "c",
      ...config,
    },
  });
  const { outcome } = await run(says(...said), whole.config);
  const turn = started[0] ?? finished[0]?.turn;
  return {
    outcome,
    said: turn?.userMessages,
    position: turn?.position,
    turn,
    starts: started.length,
    finished,
  };
}

async function storeWith(...messages: readonly Message[]): Promise<MemoryProvider> {
  const provider = createInMemoryProvider();
  await provider.appendMessages("c", messages, {}, { createIfMissing: "unowned" });
  return provider;
}

describe.each(durabilities)("a turn's user messages and position in durability %s", (durability) => {
  const memory = { durability };

  it("is at 0 in a new conversation", async () => {
    const provider = createInMemoryProvider();
    const turn = await turnOn({ provider, said: ["Hi", "I am Alice."], memory });
    expect(turn).toMatchObject({ said: [user("Hi"), user("I am Alice.")], position: 0, starts: 1 });
    expect(turn.turn?.conversationId).toBe("c");
  });

  it("follows the stored messages", async () => {
    const provider = await storeWith(user("Hi"), assistant("Hello?"));
    const turn = await turnOn({ provider, said: ["I am Alice."], memory });
    expect(turn).toMatchObject({ said: [user("I am Alice.")], position: 2 });
    expect(turn.turn?.state.messages).toHaveLength(3);
  });

  it("counts messages that the store has dropped", async () => {
    const provider = createInMemoryProvider();
    const messages = [user("one"), assistant("1"), user("two"), assistant("2")];
    await provider.appendMessages("c", messages, {}, { maxMessages: 2, createIfMissing: "unowned" });
    const turn = await turnOn({ provider, said: ["three"], memory: { ...memory, maxMessages: 2 } });
    expect(turn).toMatchObject({ said: [user("three")], position: 4 });
  });

  it("is that of the first new message if a whole history is passed in", async () => {
    const provider = await storeWith(user("Hi"), assistant("Hello?"));
    const said = [user("Hi"), assistant("Hello?"), user("I am Alice.")];
    expect(await turnOn({ provider, said, memory })).toMatchObject({ said: [said[2]], position: 2 });
  });

  it("is that of the last user message if a history is passed in for a new conversation", async () => {
    const said = [user("Hi"), assistant("Hello?"), user("I am Alice.")];
    const turn = await turnOn({ provider: createInMemoryProvider(), said, memory });
    expect(turn).toMatchObject({ said: [said[2]], position: 2 });
  });

  it("is found if the same message was said before, even the same object", async () => {
    const yes = user("Yes.");
    const provider = await storeWith(yes, assistant("Sure?"));
    expect(await turnOn({ provider, said: [yes], memory })).toMatchObject({ said: [yes], position: 2 });
    expect(await turnOn({ provider, said: [yes, yes], memory })).toMatchObject({
      said: [yes, yes],
      position: 4,
    });
  });

  it("is the same if a failed turn is retried, with or without the messages", async () => {
    const provider = await storeWith(user("Hi"), assistant("Hello?"));
    const failing = { provider, said: ["I am Alice."], steps: [new Error("down")], memory };
    const first = await turnOn(failing);
    expect(first).toMatchObject({ said: [user("I am Alice.")], position: 2, finished: [] });
    const isStored = durability !== "completed";
    expect(await storedMessages(provider)).toHaveLength(isStored ? 3 : 2);
    const again = await turnOn({
      ...failing,
      said: isStored ? [] : ["I am Alice."],
      steps: [new Error("down")],
    });
    expect(again).toMatchObject({ said: [user("I am Alice.")], position: 2 });
    const third = await turnOn({ ...failing, steps: ["Hello."] });
    expect(third).toMatchObject({ said: [user("I am Alice.")], position: 2, starts: 1 });
    expect(third.finished).toHaveLength(1);
  });

  it("includes all messages without a reply, also those of an earlier run", async () => {
    const provider = await storeWith(user("Hi"), assistant("Hello?"), user("I am Alice."));
    const turn = await turnOn({ provider, said: ["From Rome."], memory });
    expect(turn).toMatchObject({ said: [user("I am Alice."), user("From Rome.")], position: 2 });
  });

  it("is the same if the run resumes between its tools", async () => {
    const provider = await storeWith(user("Before."), assistant("Yes."), ...unfinished);
    const { config } = await resumed({ history: [user("x")] });
    const turn = await turnOn({ provider, memory, config: { agentRegistry: config.agentRegistry } });
    expect(turn).toMatchObject({ said: [unfinished[0]], position: 2, starts: 1 });
    expect(turn.finished).toHaveLength(1);
  });

  it("is absent if the last message has its reply", async () => {
    const provider = createInMemoryProvider();
    const said = [user("Hi"), assistant("Hello?")];
    expect(await turnOn({ provider, said, memory })).toMatchObject({ said: [], position: undefined });
  });

  it("is found after calls that were given up", async () => {
    const provider = await storeWith(user("Hi"), calling(["a", "gone"], ["b", "gone"]), result("a", "done"));
    const turn = await turnOn({ provider, said: ["Never mind."], memory });
    expect(turn).toMatchObject({ said: [user("Never mind.")], position: 3 });
  });
});

describe("a run on a conversation that ends with its reply", () => {
  const history = [user("Before."), assistant("Yes."), user("Hi"), user("I am Alice."), assistant("Hello.")];

  it("only calls onFinish, because the run that stored the reply may have crashed before", async () => {
    const provider = await storeWith(...history);
    const ended = await turnOn({ provider, steps: [] });
    expect(ended.outcome).toEqual({ status: "completed", output: "Hello." });
    expect(ended).toMatchObject({ starts: 0, said: history.slice(2, 4), position: 2 });
    expect(ended.finished).toHaveLength(1);
    expect(ended.finished[0]?.reply).toEqual(assistant("Hello."));
    expect(ended.turn?.state.messages).toEqual(history.slice(0, 4));
    expect(ended.turn).toMatchObject({ isContinuation: false, agentName: "helper", conversationId: "c" });
  });

  it("gets the same turn as the run that stored it", async () => {
    const provider = await storeWith(user("Hi"));
    const first = await turnOn({ provider, said: ["I am Alice."] });
    const second = await turnOn({ provider, steps: [] });
    expect(second).toMatchObject({ said: [...(first.said ?? [])], position: first.position });
    expect(second.finished[0]?.reply).toEqual(first.finished[0]?.reply);
  });

  it("uses the conversation's last write as the turn's start", async () => {
    const provider = await storeWith(...history);
    const loaded = await provider.getConversation("c");
    const updatedAt = loaded.success ? loaded.data?.metadata?.updatedAt.getTime() : undefined;
    while (Date.now() === updatedAt) await new Promise(setImmediate);
    expect((await turnOn({ provider, steps: [] })).turn?.startedAt).toBe(updatedAt);
  });

  it("doesn't call onFinish if the stored reply is refused", async () => {
    const provider = await storeWith(...history);
    const refuse = () => ({ isValid: false, errorMessage: "no longer" }) as const;
    const ended = await turnOn({ provider, steps: [], config: { finalOutputGuardrails: [refuse] } });
    expect(ended.finished).toEqual([]);
  });

  it("stores nothing and calls no model", async () => {
    const provider = await storeWith(...history);
    const model = createScriptedModel([]);
    await turnOn({ provider, config: { modelProvider: model } });
    expect(model.requests).toEqual([]);
    expect(await storedMessages(provider)).toEqual(history);
  });
});
