import {
  createInMemoryProvider,
  createSuccess,
  type MemoryProvider,
  type Message,
  type VersionedMemoryProvider,
} from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type MemoryConfig, run } from "../../src/index.ts";
import type { ScriptedStep } from "../../src/testing/index.ts";
import { assistant, deferred, errorOf, says, setup, user } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

const erased = {
  _tag: "MemoryError",
  error: { _tag: "MemoryConflictError", reason: "incarnation" },
};

const ERASURES = [
  ["deleted", (provider: MemoryProvider) => provider.deleteConversation("c")],
  ["cleared with its user's", (provider: MemoryProvider) => provider.clearUserConversations("alice")],
] as const;

const work = createTool({ name: "work", description: "", parameters: z.object({}), execute: () => "done" });

function runner(provider: MemoryProvider, memory: Partial<MemoryConfig>) {
  return (steps: readonly ScriptedStep<unknown>[], message: string) =>
    run(
      says(message),
      setup({
        model: steps,
        tools: [work],
        config: {
          memory: { provider, autoStore: true, userId: "alice", ...memory },
          conversationId: "c",
        },
      }).config,
    );
}

/** A run with a second model call after a tool, which answers when the test lets it. */
function slowTurn() {
  const asked = deferred();
  const answer = deferred();
  const reply: ScriptedStep<unknown> = async () => {
    asked.resolve();
    await answer.promise;
    return "It was about the merger.";
  };
  return {
    steps: [{ toolCalls: [{ name: "work" }] }, reply] as readonly ScriptedStep<unknown>[],
    asked: asked.promise,
    answer: answer.resolve,
  };
}

/** Like after lost answers: no receipt identifies the created conversation. */
function withoutReceipts(inner: VersionedMemoryProvider): VersionedMemoryProvider {
  return {
    ...inner,
    appendMessages: async (...args) => {
      const written = await inner.appendMessages(...args);
      return written.success ? createSuccess(undefined) : written;
    },
  };
}

const STORES = [
  ["with receipts", createInMemoryProvider],
  ["without receipts", () => withoutReceipts(createInMemoryProvider())],
] as const;

const SETTINGS = (["completed", "turn", "step"] as const).flatMap((durability) =>
  STORES.map(([name, open]) => [durability, name, open] as const),
);

describe.each(SETTINGS)("a run in durability %s, %s", (durability, _name, open) => {
  describe.each(ERASURES)("with a conversation that is %s meanwhile", (_how, erase) => {
    async function overtaken(before: readonly Message[], restart: string | undefined) {
      const provider = open();
      if (before.length > 0) await provider.storeMessages("c", before, { userId: "alice" });
      const start = runner(provider, { durability });
      const turn = slowTurn();
      const running = start(turn.steps, "What was it about?");
      await turn.asked;
      await erase(provider);
      if (restart !== undefined) await start(["Hello."], restart);
      turn.answer();
      return { ended: await running, stored: await storedMessages(provider) };
    }

    it.each([
      ["a conversation", [user("The merger."), assistant("Noted.")]],
      ["nothing", []],
    ])("and that saw %s stores nothing more", async (_what, before) => {
      const { ended, stored } = await overtaken(before, undefined);
      expect(errorOf(ended)).toMatchObject(erased);
      expect(stored).toEqual([]);
    });

    it.each([
      ["a conversation", [user("The merger."), assistant("Noted.")]],
      ["nothing", []],
    ])("doesn't change a new conversation under the same id after it saw %s", async (_what, before) => {
      const { ended, stored } = await overtaken(before, "Good morning.");
      expect(errorOf(ended)).toMatchObject(erased);
      expect(stored).toEqual([user("Good morning."), assistant("Hello.")]);
    });
  });

  it.each(ERASURES)(
    "stores nothing in an imported copy of its conversation after that was %s",
    async (_how, erase) => {
      const provider = open();
      const turn = slowTurn();
      const running = runner(provider, { durability })(turn.steps, "What was it about?");
      await turn.asked;
      const exported = await provider.exportConversation("c");
      await erase(provider);
      if (exported.success && exported.data !== null) await provider.importConversation(exported.data);
      const imported = await storedMessages(provider);
      turn.answer();
      expect(errorOf(await running)).toMatchObject(erased);
      expect(await storedMessages(provider)).toEqual(imported);
    },
  );

  it("doesn't write to a conversation that began after an erasure if it was queued", async () => {
    const provider = open();
    await provider.storeMessages("c", [user("The merger."), assistant("Noted.")], { userId: "alice" });
    const start = runner(provider, { durability, concurrency: "queue" });
    const turn = slowTurn();
    const first = start(turn.steps, "What was it about?");
    await turn.asked;
    const second = start(["never"], "And the price?");
    await new Promise((resolve) => setTimeout(resolve, 20));
    await provider.deleteConversation("c");
    turn.answer();
    expect(errorOf(await first)).toMatchObject(erased);
    expect(errorOf(await second)).toMatchObject(erased);
    expect(await storedMessages(provider)).toEqual([]);
    expect((await start(["Hello."], "Good morning.")).outcome.status).toBe("completed");
  });

  it("doesn't create an existing conversation again, and creates one without owner if it has no user", async () => {
    const provider = open();
    const unowned = { provider, autoStore: true, durability };
    const { config } = setup({ model: ["Hello."], config: { memory: unowned, conversationId: "c" } });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    const read = await provider.getConversation("c");
    expect(read.success && read.data !== null && "userId" in read.data).toBe(false);
  });
});

describe("the heartbeat of a run", () => {
  it("doesn't bring back an erased conversation", async () => {
    const provider = createInMemoryProvider();
    const start = runner(provider, { durability: "turn", leaseMs: 30 });
    const turn = slowTurn();
    const running = start(turn.steps, "Hi");
    await turn.asked;
    await provider.deleteConversation("c");
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await provider.getConversation("c")).toEqual({ success: true, data: null });
    turn.answer();
    expect(errorOf(await running)._tag).toBe("MemoryError");
    expect(await provider.getConversation("c")).toEqual({ success: true, data: null });
  });
});
