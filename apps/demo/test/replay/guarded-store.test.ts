import {
  createFailure,
  createInMemoryProvider,
  createMemoryStorageError,
  type MemoryProvider,
  type VersionedMemoryProvider,
} from "@jaf/memory";
import { afterAll, describe, expect, it, vi } from "vitest";
import { Failure } from "../../src/exit.ts";
import { guardStore } from "../../src/replay/guarded-store.ts";
import { recordedAgent } from "../../src/replay/recorded-agent.ts";
import { replay } from "../../src/replay/replay.ts";
import { verify } from "../../src/replay/verify.ts";
import { asks, calls, recordingLine, replies, result, silentLedger } from "../support/recording-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const { signal } = new AbortController();
const unowned = { createIfMissing: "unowned" } as const;
const recordingOf = (...messages: ReturnType<typeof asks>[]) => ({
  where: "here",
  conversationId: "c",
  messages,
});

/** A provider with permanent failures from the given append on. */
function failingFrom(append: number): MemoryProvider {
  const provider = createInMemoryProvider();
  let appends = 0;
  return {
    ...provider,
    appendMessages: async (...args) => {
      appends += 1;
      if (appends < append) return provider.appendMessages(...args);
      return createFailure(createMemoryStorageError("appendMessages", "the disk is gone"));
    },
  };
}

describe("a guarded store", () => {
  it("accepts only the recorded messages, again after a failure", async () => {
    const inner = failingFrom(2);
    const store = guardStore(recordingOf(asks("1"), replies("1")), inner, 0);
    expect((await store.provider.appendMessages("c", [asks("1")], {}, unowned)).success).toBe(true);
    expect(store.stored()).toBe(1);
    expect((await store.provider.appendMessages("c", [replies("1")])).success).toBe(false);
    expect(store.stored()).toBe(1);
    expect(store.failure()?.message).toMatch(/the disk is gone/);
    expect((await store.provider.appendMessages("c", [replies("2")])).success).toBe(false);
    expect(store.failure()?.message).toMatch(/the disk is gone/);
  });

  it.each([
    ["another message", [asks("2")], 1],
    ["one too many", [asks("1"), asks("2")], 2],
    ["one with more in it", [{ ...asks("1"), name: "x" }], 1],
  ])("refuses %s before it is written", async (_name, messages, number) => {
    const inner = createInMemoryProvider();
    const store = guardStore(recordingOf(asks("1")), inner, 0);
    const refused = await store.provider.appendMessages("c", messages);
    expect(refused).toMatchObject({
      success: false,
      error: { _tag: "MemoryStorageError", retryable: false },
    });
    expect(store.failure()?.message).toMatch(
      `c, message ${number}: the run was stopped, because its message differs`,
    );
    expect(await inner.getConversation("c")).toEqual({ success: true, data: null });
    await store.reached(9); // Releases everything that waits for further messages.
  });
});

describe("a recorded tool", () => {
  const used = async (...messages: ReturnType<typeof asks>[]) => {
    const end = vi.fn();
    const reached = async () => {};
    const recording = recordingOf(...messages);
    const { agent } = recordedAgent(recording, {
      ledger: silentLedger,
      store: { stored: () => 2, reached },
      end,
    });
    const info = { toolCallId: "a" } as Parameters<NonNullable<typeof agent.tools>[0]["execute"]>[2];
    const answer = await agent.tools?.[0]?.execute({}, {}, info).catch(() => "nothing");
    return { answer, end };
  };

  it("returns the result of its own call", async () => {
    const { answer, end } = await used(asks("1"), calls("a"), result("a", "1"), calls("a"), result("a", "2"));
    expect(answer).toBe("1");
    expect(end).not.toHaveBeenCalled();
  });

  it("ends the run at the end of the recording, without an invented result", async () => {
    const { answer, end } = await used(asks("1"), calls("a"));
    expect(answer).toBe("nothing");
    expect(end.mock.calls).toEqual([[undefined]]);
  });

  it("fails the run if a later call has a result with its id", async () => {
    const { answer, end } = await used(asks("1"), calls("a"), replies("1"), calls("a"), result("a"));
    expect(answer).toBe("nothing");
    expect(end).toHaveBeenCalledExactlyOnceWith(expect.any(Failure));
  });
});

describe("a replay", () => {
  const messages = [asks("1"), calls("a", "b", "c"), result("c"), result("a"), result("b"), replies("1")];

  it("stores only recorded messages, even if the run reads other messages", async () => {
    const inner = createInMemoryProvider();
    const provider: VersionedMemoryProvider = {
      ...inner,
      // The run reads other messages than the replay.
      readConversation: async (id, options) => {
        const other = createInMemoryProvider();
        await other.appendMessages(id, [asks("1")], {}, unowned);
        return other.readConversation(id, options);
      },
    };
    const file = folder.write("changing.jsonl", recordingLine("c", [asks("1"), asks("2"), replies("1")]));
    const replayed = replay({ file, provider, ledger: silentLedger, signal });
    await expect(replayed).rejects.toThrow("c, message 1: the run was stopped, because its message differs");
    await expect(replayed).rejects.toBeInstanceOf(Failure);
    expect(await inner.getConversation("c")).toEqual({ success: true, data: null });
  });

  it.each([1, 2, 3, 4, 5, 6])("ends if write %d fails, and can continue", async (append) => {
    const file = folder.write("failing.jsonl", recordingLine("c", messages));
    const failing = failingFrom(append);
    const failed = replay({ file, provider: failing, ledger: silentLedger, signal });
    await expect(failed).rejects.toThrow("the disk is gone");

    const provider = createInMemoryProvider();
    const stored = await failing.getConversation("c");
    if (stored.success && stored.data !== null) {
      expect(stored.data.messages).toEqual(messages.slice(0, append - 1));
      await provider.appendMessages("c", stored.data.messages, {}, unowned);
    }
    await replay({ file, provider, ledger: silentLedger, signal });
    expect((await verify(file, provider)).differences).toEqual([]);
  });

  it("starts each recorded result once and in parallel, in any order of results", async () => {
    const started: number[] = [];
    const ledger = { ...silentLedger, started: (_id: string, index: number) => started.push(index) };
    const file = folder.write("order.jsonl", recordingLine("c", messages));
    await replay({ file, provider: createInMemoryProvider(), ledger, signal });
    expect(started).toEqual([3, 4, 2]); // In the order of the calls.
  });
});
