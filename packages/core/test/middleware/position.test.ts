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

/** What a turn on the conversation "c" is told. */
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

describe.each(durabilities)("what a turn answers, and where it stands, in durability %s", (durability) => {
  const memory = { durability };

  it("is at 0 in a new conversation", async () => {
    const provider = createInMemoryProvider();
    const turn = await turnOn({ provider, said: ["Hi", "I am Alice."], memory });
    expect(turn).toMatchObject({ said: [user("Hi"), user("I am Alice.")], position: 0, starts: 1 });
    expect(turn.turn?.conversationId).toBe("c");
  });

  it("is behind what is stored", async () => {
    const provider = await storeWith(user("Hi"), assistant("Hello?"));
    const turn = await turnOn({ provider, said: ["I am Alice."], memory });
    expect(turn).toMatchObject({ said: [user("I am Alice.")], position: 2 });
    expect(turn.turn?.state.messages).toHaveLength(3);
  });

  it("counts what the store has dropped", async () => {
    const provider = createInMemoryProvider();
    const messages = [user("one"), assistant("1"), user("two"), assistant("2")];
    await provider.appendMessages("c", messages, {}, { maxMessages: 2, createIfMissing: "unowned" });
    const turn = await turnOn({ provider, said: ["three"], memory: { ...memory, maxMessages: 2 } });
    expect(turn).toMatchObject({ said: [user("three")], position: 4 });
  });

  it("is what is new of a whole history that is handed in", async () => {
    const provider = await storeWith(user("Hi"), assistant("Hello?"));
    const said = [user("Hi"), assistant("Hello?"), user("I am Alice.")];
    expect(await turnOn({ provider, said, memory })).toMatchObject({ said: [said[2]], position: 2 });
  });

  it("is the last that was said where a history is handed in for a new conversation", async () => {
    const said = [user("Hi"), assistant("Hello?"), user("I am Alice.")];
    const turn = await turnOn({ provider: createInMemoryProvider(), said, memory });
    expect(turn).toMatchObject({ said: [said[2]], position: 2 });
  });

  it("is found where the same was said before, as the very same message too", async () => {
    const yes = user("Yes.");
    const provider = await storeWith(yes, assistant("Sure?"));
    expect(await turnOn({ provider, said: [yes], memory })).toMatchObject({ said: [yes], position: 2 });
    expect(await turnOn({ provider, said: [yes, yes], memory })).toMatchObject({
      said: [yes, yes],
      position: 4,
    });
  });

  it("is the same when a turn that failed is tried again, with the messages or without", async () => {
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

  it("is everything that waits for a reply, also what an earlier run stored", async () => {
    const provider = await storeWith(user("Hi"), assistant("Hello?"), user("I am Alice."));
    const turn = await turnOn({ provider, said: ["From Rome."], memory });
    expect(turn).toMatchObject({ said: [user("I am Alice."), user("From Rome.")], position: 2 });
  });

  it("is the same where the run goes on in the middle of its tools", async () => {
    const provider = await storeWith(user("Before."), assistant("Yes."), ...unfinished);
    const { config } = await resumed({ history: [user("x")] });
    const turn = await turnOn({ provider, memory, config: { agentRegistry: config.agentRegistry } });
    expect(turn).toMatchObject({ said: [unfinished[0]], position: 2, starts: 1 });
    expect(turn.finished).toHaveLength(1);
  });

  it("is nothing where the last that was said has its reply", async () => {
    const provider = createInMemoryProvider();
    const said = [user("Hi"), assistant("Hello?")];
    expect(await turnOn({ provider, said, memory })).toMatchObject({ said: [], position: undefined });
  });

  it("is found behind calls that were given up", async () => {
    const provider = await storeWith(user("Hi"), calling(["a", "gone"], ["b", "gone"]), result("a", "done"));
    const turn = await turnOn({ provider, said: ["Never mind."], memory });
    expect(turn).toMatchObject({ said: [user("Never mind.")], position: 3 });
  });
});

describe("a run on a conversation that ends with its reply", () => {
  const history = [user("Before."), assistant("Yes."), user("Hi"), user("I am Alice."), assistant("Hello.")];

  it("only finishes, as the run that stored the reply may have died before it did", async () => {
    const provider = await storeWith(...history);
    const ended = await turnOn({ provider, steps: [] });
    expect(ended.outcome).toEqual({ status: "completed", output: "Hello." });
    expect(ended).toMatchObject({ starts: 0, said: history.slice(2, 4), position: 2 });
    expect(ended.finished).toHaveLength(1);
    expect(ended.finished[0]?.reply).toEqual(assistant("Hello."));
    expect(ended.turn?.state.messages).toEqual(history.slice(0, 4));
    expect(ended.turn).toMatchObject({ isContinuation: false, agentName: "helper", conversationId: "c" });
  });

  it("is told of the same turn as the run that stored it", async () => {
    const provider = await storeWith(user("Hi"));
    const first = await turnOn({ provider, said: ["I am Alice."] });
    const second = await turnOn({ provider, steps: [] });
    expect(second).toMatchObject({ said: [...(first.said ?? [])], position: first.position });
    expect(second.finished[0]?.reply).toEqual(first.finished[0]?.reply);
  });

  it("says that the turn began when the conversation was last written, not now", async () => {
    const provider = await storeWith(...history);
    const loaded = await provider.getConversation("c");
    const updatedAt = loaded.success ? loaded.data?.metadata?.updatedAt.getTime() : undefined;
    while (Date.now() === updatedAt) await new Promise(setImmediate);
    expect((await turnOn({ provider, steps: [] })).turn?.startedAt).toBe(updatedAt);
  });

  it("doesn't finish where the stored reply is refused", async () => {
    const provider = await storeWith(...history);
    const refuse = () => ({ isValid: false, errorMessage: "no longer" }) as const;
    const ended = await turnOn({ provider, steps: [], config: { finalOutputGuardrails: [refuse] } });
    expect(ended.finished).toEqual([]);
  });

  it("stores nothing and asks no model", async () => {
    const provider = await storeWith(...history);
    const model = createScriptedModel([]);
    await turnOn({ provider, config: { modelProvider: model } });
    expect(model.requests).toEqual([]);
    expect(await storedMessages(provider)).toEqual(history);
  });
});
