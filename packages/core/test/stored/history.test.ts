import { createInMemoryProvider, type Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, run } from "../../src/index.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { assistant, calling, errorOf, result, says, setup, user } from "../support/setup.ts";
import { seed, storedMessages } from "../support/stores.ts";

/** Runs with a caller's messages on a stored conversation. */
async function handedIn(
  stored: readonly Message[],
  messages: readonly (string | Message)[],
  steps: readonly ScriptedStep<unknown>[] = ["Done."],
) {
  const provider = createInMemoryProvider();
  await seed(provider, stored);
  const executed: string[] = [];
  const tool = createTool({
    name: "tool",
    description: "",
    parameters: z.object({}),
    execute: (_args, _context, call) => {
      executed.push(call?.toolCallId ?? "");
      return "ran";
    },
  });
  const model = createScriptedModel(steps);
  const memory = { provider, autoStore: true, durability: "step" } as const;
  const { config } = setup({ model, tools: [tool], config: { memory, conversationId: "c" } });
  const ended = await run(says(...messages), config);
  return { ended, model, executed, after: await storedMessages(provider) };
}

const conflict = {
  _tag: "MemoryError",
  error: { _tag: "MemoryConflictError", reason: "version", operation: "run" },
};
const nothingToAdd = {
  _tag: "MemoryError",
  error: { _tag: "MemoryValidationError", issues: [{ path: "RunState.messages" }] },
};

describe("a history that doesn't match the stored one", () => {
  it.each([
    ["it is edited", [user("1"), assistant("edited"), user("2")]],
    ["it is behind", [user("1"), assistant("one"), user("2"), assistant("else"), user("3")]],
    ["it is only the end of it", [assistant("two"), user("3")]],
  ])("is never appended again, and the model isn't called: %s", async (_how, messages) => {
    const stored = [user("1"), assistant("one"), user("2"), assistant("two")];
    const { ended, model, after } = await handedIn(stored, messages);
    expect(errorOf(ended)).toMatchObject(conflict);
    expect(errorOf(ended)).toMatchObject({ error: { actualVersion: 1 } });
    expect(model.requests).toHaveLength(0);
    expect(after).toEqual(stored);
  });
});

describe("a retry", () => {
  const begun = [
    user("0"),
    assistant("zero"),
    user("pay"),
    calling(["a", "tool"], ["b", "tool"]),
    result("a", "ran"),
  ];

  it("with the user message of an unfinished turn continues that turn", async () => {
    const { ended, after, executed } = await handedIn(begun, ["pay"]);
    expect(ended.outcome).toEqual({ status: "completed", output: "Done." });
    expect(executed).toEqual(["b"]);
    expect(after).toEqual([...begun, result("b", "ran"), assistant("Done.")]);
  });

  it("isn't assumed after the turn is finished: the same message is new", async () => {
    const stored = [user("yes"), assistant("one")];
    const { after } = await handedIn(stored, ["yes"]);
    expect(after).toEqual([...stored, user("yes"), assistant("Done.")]);
  });
});

describe("a caller's additions to a stored conversation", () => {
  const pending = [user("Hi"), calling(["a", "tool"])];

  it("can't answer a stored call", async () => {
    const { ended, after, model } = await handedIn(pending, [...pending, result("a", "forged")]);
    expect(errorOf(ended)).toMatchObject(nothingToAdd);
    expect(after).toEqual(pending);
    expect(model.requests).toHaveLength(0);
  });

  it("can't answer a stored call together with other messages", async () => {
    const { after, model } = await handedIn(pending, [...pending, result("a", "forged"), user("2")]);
    expect(after).toEqual([...pending, user("2"), assistant("Done.")]);
    expect(model.requests[0]?.state.messages).toEqual([user("Hi"), user("2")]);
  });

  it("don't include an open call, so no later run executes it", async () => {
    const stored = [user("1"), assistant("one")];
    const { after, executed } = await handedIn(stored, [...stored, user("2"), calling(["forged", "tool"])]);
    expect(after).toEqual([...stored, user("2"), assistant("Done.")]);
    expect(executed).toEqual([]);
  });

  it.each([[[calling(["forged", "tool"])]], [[result("forged", "x")]]])(
    "is refused if nothing of it can be added: %j",
    async (messages) => {
      expect(errorOf((await handedIn([], messages)).ended)).toMatchObject(nothingToAdd);
      const stored = [user("1"), assistant("one")];
      expect(errorOf((await handedIn(stored, [...stored, ...messages])).ended)).toMatchObject(nothingToAdd);
    },
  );

  it("can be calls together with their results", async () => {
    const stored = [user("1"), assistant("one")];
    const added = [user("2"), calling(["x", "tool"]), result("x", "imported"), user("3")];
    const { after } = await handedIn(stored, [...stored, ...added]);
    expect(after).toEqual([...stored, ...added, assistant("Done.")]);
  });
});

describe("the messages of a run's state", () => {
  it("can be very many", async () => {
    const messages = Array.from({ length: 200_000 }, (_, index) => user(String(index)));
    const provider = createInMemoryProvider({ maxMessagesPerConversation: 300_000 });
    const memory = { provider, autoStore: true };
    const { config } = setup({ model: ["Done."], config: { memory, conversationId: "c" } });
    expect((await run({ ...says(), messages }, config)).outcome.status).toBe("completed");
    expect(await storedMessages(provider)).toHaveLength(200_001);
  }, 30_000);

  it("are copied at the start, so the caller can reuse its array", async () => {
    const state = says("Hi");
    const messages = [...state.messages];
    const model = createScriptedModel([
      async () => {
        messages.push(user("later"));
        return "Done.";
      },
    ]);
    const { config } = setup({ model });
    const running = run({ ...state, messages }, config);
    messages.push(user("at once"));
    expect((await running).finalState.messages).toEqual([user("Hi"), assistant("Done.")]);
  });
});
