import { describe, expect, it, vi } from "vitest";
import { createMemoryStorageError } from "../../src/contract/errors.ts";
import { defineTurnLog, type TurnLogBackend } from "../../src/turn-log/define-turn-log.ts";
import { createInMemoryTurnLog } from "../../src/turn-log/in-memory.ts";

const unused = () => expect.fail("not used here");

/** A backend with only the methods that a test needs. */
const backendOf = (methods: Partial<TurnLogBackend>): TurnLogBackend => ({
  name: "test",
  ...{ begin: unused, append: unused, renew: unused, takeOver: unused, release: unused },
  ...{ read: unused, readAll: unused, turnsOf: unused, find: unused, requestStop: unused },
  ...{ abandoned: unused, deleteConversation: unused, deleteUser: unused, close: async () => {} },
  toMemoryError: (operation, cause) =>
    createMemoryStorageError(operation, "it failed", { provider: "test", cause }),
  ...methods,
});

describe("a turn log of a backend", () => {
  it.each<[string, TurnLogBackend["close"]]>([
    ["rejects", () => Promise.reject(new Error("broken"))],
    ["throws", () => expect.fail("broken")],
  ])("answers with an error after every close, if the backend's close %s", async (_how, close) => {
    const closed = vi.fn(close);
    const log = defineTurnLog(backendOf({ close: closed }));
    const failed = { success: false, error: { _tag: "MemoryStorageError", operation: "close" } };
    expect(await log.close()).toMatchObject(failed);
    expect(await log.close()).toMatchObject(failed);
    expect(closed).toHaveBeenCalledOnce();
    expect(await log.abandoned(1)).toMatchObject({
      success: false,
      error: { _tag: "MemoryConnectionError" },
    });
  });

  it("fills in query fields that are absent or undefined", async () => {
    const read = vi.fn(async () => null);
    const readAll = vi.fn(async () => [null, null]);
    const log = defineTurnLog(backendOf({ read, readAll }));
    await log.read({ conversationId: "c" });
    expect(read).toHaveBeenCalledWith({ conversationId: "c", from: 0, limit: 1_000 });
    const absent = { from: undefined, limit: undefined } as unknown as { from: number; limit: number };
    await log.readAll([
      { conversationId: "c", ...absent },
      { conversationId: "d", from: 2, limit: 3 },
    ]);
    expect(readAll).toHaveBeenCalledWith([
      { conversationId: "c", from: 0, limit: 1_000 },
      { conversationId: "d", from: 2, limit: 3 },
    ]);
  });
});

it("a failure of the in-memory log contains its provider and its cause", async () => {
  const log = createInMemoryTurnLog({
    now: () => {
      throw new RangeError("no time");
    },
  });
  const answer = await log.begin({
    ...{ conversationId: "c", userId: "u", turnId: "t", request: "" },
    ...{ leaseSeconds: 1, keepSeconds: 1 },
  });
  expect(answer).toMatchObject({ error: { provider: "memory", cause: { name: "RangeError" } } });
});
