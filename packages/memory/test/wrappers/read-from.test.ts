import { describe, expect, it, vi } from "vitest";
import { createInMemoryProvider, type MemoryProvider, type Message } from "../../src/index.ts";
import { readFrom } from "../../src/wrappers/read-from.ts";

const said = (...contents: readonly string[]): Message[] =>
  contents.map((content) => ({ role: "user", content }));

/** A provider of another project: the ten methods, and one conversation's metadata. */
function foreignProvider(messages: readonly Message[], metadata: Record<string, unknown>): MemoryProvider {
  const at = new Date(0);
  const times = { createdAt: at, updatedAt: at, lastActivity: at, totalMessages: messages.length };
  const conversation = { conversationId: "c", messages, metadata: { ...times, ...metadata } };
  return {
    ...createInMemoryProvider(),
    readConversation: undefined,
    getConversation: async (id: string) => ({ success: true, data: id === "c" ? conversation : null }),
  } as MemoryProvider;
}

const contentsOf = (messages: readonly Message[] | undefined) => messages?.map(({ content }) => content);

describe("readFrom", () => {
  it("uses the provider's own readConversation if it exists", async () => {
    const provider = createInMemoryProvider();
    await provider.storeMessages("c", said("a", "b", "c"));
    const spy = vi.spyOn(provider, "readConversation");
    const options = { messages: { after: 0 } };
    const read = await readFrom(provider, "c", options);
    expect(spy).toHaveBeenCalledExactlyOnceWith("c", options);
    expect(read).toBe(await spy.mock.results[0]?.value);
  });

  it("calls a class's method on its instance", async () => {
    const inner = createInMemoryProvider();
    class Provider {
      readonly #inner = inner;
      readConversation(...given: Parameters<typeof inner.readConversation>) {
        return this.#inner.readConversation(...given);
      }
    }
    const provider = Object.assign(new Provider(), { getConversation: inner.getConversation });
    const read = await readFrom(provider as unknown as MemoryProvider, "c");
    expect(read).toMatchObject({ success: true, data: { conversation: null } });
  });

  it("selects from getConversation if the provider has no other read", async () => {
    const provider = foreignProvider(said("a", "b", "c", "d"), {});
    const select = async (messages: NonNullable<Parameters<typeof readFrom>[2]>["messages"]) => {
      const read = await readFrom(provider, "c", { ...(messages === undefined ? {} : { messages }) });
      if (!read.success) throw new Error(read.error.message);
      const { conversation, firstPosition, incarnation } = read.data;
      expect(incarnation).toBeUndefined();
      expect(Object.isFrozen(conversation?.messages)).toBe(true);
      return [firstPosition, contentsOf(conversation?.messages)];
    };
    expect(await select(undefined)).toEqual([0, ["a", "b", "c", "d"]]);
    expect(await select("none")).toEqual([4, []]);
    expect(await select({ limit: 2 })).toEqual([2, ["c", "d"]]);
    expect(await select({ after: 0, limit: 2 })).toEqual([1, ["b", "c"]]);
    expect(await select({ before: 3, limit: 2 })).toEqual([1, ["b", "c"]]);
    expect(await select({ messageId: "m" })).toEqual([4, []]);
  });

  it("uses the positions and the incarnation in the metadata of another provider", async () => {
    const provider = foreignProvider(said("y", "z"), { nextPosition: 26, incarnation: "i" });
    const read = await readFrom(provider, "c", { messages: { after: 24 } });
    expect(read).toMatchObject({ data: { incarnation: "i", firstPosition: 25 } });
    const impossible = foreignProvider(said("y", "z"), { nextPosition: 1, incarnation: 3 });
    const counted = await readFrom(impossible, "c");
    expect(counted).toMatchObject({ data: { incarnation: undefined, firstPosition: 0 } });
  });

  it("returns null for a missing conversation, and passes failures on", async () => {
    const provider = foreignProvider([], {});
    const absent = { conversation: null, incarnation: undefined, firstPosition: 0 };
    expect(await readFrom(provider, "elsewhere")).toEqual({ success: true, data: absent });
    const invalid = await readFrom(provider, "c", { messages: { limit: -1 } });
    expect(invalid).toMatchObject({
      error: { _tag: "MemoryValidationError", operation: "readConversation" },
    });
    const error = { _tag: "MemoryStorageError" };
    const failing = { ...provider, getConversation: async () => ({ success: false, error }) };
    expect(await readFrom(failing as unknown as MemoryProvider, "c")).toEqual({ success: false, error });
  });
});
