import { createInMemoryProvider, type Message } from "@jaf/memory";
import { createMemoryConflictError, createMemoryStorageError } from "@jaf/memory/internal";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Agent, ModelProvider } from "../../src/index.ts";
import { createJobClient, type PromptJob } from "../../src/internal.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { deferred } from "../support/setup.ts";

const LONG = { timeout: 10_000 };

type Hooks = PromptJob<unknown>["writes"];

/** A client of conversation "c", whose log tells when a write was asked for and done. */
async function turnSetup(
  modelProvider: ModelProvider<unknown>,
  beforeWrite: Hooks["beforeWrite"],
  onWritten: Hooks["onWritten"] = () => {},
) {
  const store = createInMemoryProvider();
  await store.appendMessages("c", [], { userId: "ada" }, { createIfMissing: true });
  const log: string[] = [];
  const provider = {
    ...store,
    appendMessages: async (...args: Parameters<typeof store.appendMessages>) => {
      log.push("write");
      return store.appendMessages(...args);
    },
  };
  const agent: Agent<unknown, string> = { name: "helper", instructions: () => "" };
  const memory = { durability: "turn", leaseMs: 60 } as const;
  const client = createJobClient(agent, { modelProvider, memory, store: provider });
  const turn: PromptJob<unknown> = {
    ...{ userId: "ada", conversation: "c", context: {}, middleware: { name: "none" }, sink: () => {} },
    writes: {
      beforeWrite: async (known) => {
        log.push("ask");
        return beforeWrite(known);
      },
      onWritten: (receipt) => {
        log.push("written");
        onWritten(receipt);
      },
    },
  };
  const messages = async (): Promise<readonly Message[]> => {
    const read = await store.getConversation("c");
    return (read.success && read.data?.messages) || [];
  };
  return { log, messages, prompt: () => client.prompt("Hi", {}, turn) };
}

test("Each write of a turn's run is asked for first, also a heartbeat and the end of a failed run's lease", async () => {
  const fail = deferred();
  const model = createScriptedModel<unknown>([
    async () => {
      await fail.promise;
      throw new Error("down");
    },
  ]);
  const { log, prompt } = await turnSetup(model, async () => undefined);
  const prompted = prompt();
  await vi.waitFor(() => expect(log.length).toBeGreaterThanOrEqual(3 * 3), LONG);
  const before = log.length;
  fail.resolve();
  expect((await prompted).outcome.status).toBe("error");
  expect(log.length).toBeGreaterThan(before);
  expect(log).toEqual(Array.from({ length: log.length / 3 }, () => ["ask", "write", "written"]).flat());
});

test("Nothing is written from the refusal of a write on", async () => {
  const reply = deferred();
  const model = createScriptedModel<unknown>([
    async () => {
      await reply.promise;
      return "Hello.";
    },
  ]);
  let isLost = false;
  const lost = createMemoryConflictError("lease", { operation: "appendMessages" });
  const { log, messages, prompt } = await turnSetup(model, async () => (isLost ? { refused: lost } : {}));
  const prompted = prompt();
  await vi.waitFor(() => expect(log).toContain("written"), LONG);
  isLost = true;
  const before = log.filter((entry) => entry === "write").length;
  await vi.waitFor(() => expect(log.at(-1)).toBe("ask"), LONG);
  reply.resolve();
  expect((await prompted).outcome).toMatchObject({ error: { error: { reason: "lease" } } });
  expect(log.filter((entry) => entry === "write")).toHaveLength(before);
  expect((await messages()).map(({ content }) => content)).toEqual(["Hi"]);
});

test("A write is asked for again where the refusal may pass", async () => {
  const failure = createMemoryStorageError("begin", "the log is away", { retryable: true });
  const answers = [failure, undefined];
  const { messages, prompt } = await turnSetup(
    createScriptedModel<unknown>(["Hello."]),
    async ({ version }) => {
      expect(version).toBeDefined();
      return { refused: answers.shift() };
    },
  );
  expect((await prompt()).text).toBe("Hello.");
  expect((await messages()).map(({ content }) => content)).toEqual(["Hi", "Hello."]);
});

test("What throws once a write is stored changes nothing of the turn, and what throws before it is named", async () => {
  const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  onTestFinished(() => warnings.mockRestore());
  const reply = deferred();
  const model = createScriptedModel<unknown>([
    async () => {
      await reply.promise;
      return "Hello.";
    },
  ]);
  const { log, messages, prompt } = await turnSetup(
    model,
    async () => undefined,
    () => {
      throw new Error("not told");
    },
  );
  const prompted = prompt();
  // The first write, and a heartbeat.
  await vi.waitFor(() => expect(log.length).toBeGreaterThanOrEqual(2 * 3), LONG);
  reply.resolve();
  expect((await prompted).text).toBe("Hello.");
  expect((await messages()).map(({ content }) => content)).toEqual(["Hi", "Hello."]);
  expect(warnings).toHaveBeenCalled();

  const broken = await turnSetup(createScriptedModel<unknown>([]), () => Promise.reject(new Error("no log")));
  expect((await broken.prompt()).outcome).toMatchObject({
    error: { error: { _tag: "MemoryStorageError", message: expect.stringContaining("the hook before") } },
  });
  expect(await broken.messages()).toEqual([]);
});
