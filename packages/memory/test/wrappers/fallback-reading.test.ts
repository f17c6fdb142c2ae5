import { describe, expect, it } from "vitest";
import { isVersionedProvider } from "../../src/contract/versioned-provider.ts";
import {
  createFailure,
  createInMemoryProvider,
  createMemoryConnectionError,
  type MemoryProvider,
  type VersionedMemoryProvider,
  withFallback,
} from "../../src/index.ts";
import { contents, expectError, expectOk } from "../../src/testing/fixtures/expectations.ts";
import { users } from "../../src/testing/fixtures/messages.ts";
import { ANSWERS_FROM_FALLBACK } from "../../src/wrappers/fallback.ts";
import { setUp } from "./outage.ts";

const UNOWNED = { createIfMissing: "unowned" } as const;

/** The ten methods of a provider, as another project writes them. */
function tenOf(provider: VersionedMemoryProvider): MemoryProvider {
  const { readConversation: _, exportConversation: _1, importConversation: _2, ...ten } = provider;
  return ten;
}

describe("readConversation through withFallback", () => {
  it("returns the fallback's data while the primary can't be reached", async () => {
    const { provider, primary, fallback, outage, events, down } = setUp();
    expectOk(await primary.storeMessages("c", users("new")));
    expectOk(await fallback.storeMessages("c", users("old")));
    const read = async () => {
      const { conversation, incarnation } = expectOk(await provider.readConversation("c"));
      return { texts: contents(conversation?.messages ?? []), incarnation };
    };
    const before = await read();
    expect(before.texts).toEqual(["new"]);
    outage.error = down;
    const during = await read();
    expect(during.texts).toEqual(["old"]);
    expect(events).toEqual([{ operation: "readConversation", conversationId: "c", error: down }]);
    outage.error = undefined;
    const held = await provider.appendMessages(
      "c",
      users("1"),
      {},
      { expectedIncarnation: during.incarnation },
    );
    expect(expectError(held, "MemoryConnectionError").message).toContain("Read the conversation again");
    expect((await read()).incarnation).toBe(before.incarnation);
    const stale = { expectedIncarnation: during.incarnation };
    const refused = expectError(
      await provider.appendMessages("c", users("1"), {}, stale),
      "MemoryConflictError",
    );
    expect(refused.reason).toBe("incarnation");
  });

  it("uses getConversation if the fallback has nothing else, with an incarnation that nothing has", async () => {
    const { primary, outage, down } = setUp();
    const other = createInMemoryProvider();
    expectOk(await other.storeMessages("c", users("1", "2", "3")));
    const strip = async (id: string) => {
      const found = await other.getConversation(id);
      if (!found.success || found.data === null) return found;
      const { incarnation: _, nextPosition: _1, ...metadata } = found.data.metadata ?? {};
      return { success: true, data: { ...found.data, metadata } };
    };
    const fallback = { ...tenOf(other), getConversation: strip } as MemoryProvider;
    const provider = withFallback(primary, fallback, { cooldownMs: 0 });
    outage.error = down;
    const read = expectOk(await provider.readConversation("c", { messages: { limit: 1 } }));
    expect([contents(read.conversation?.messages ?? []), read.firstPosition]).toEqual([["3"], 2]);
    outage.error = undefined;
    expectOk(await provider.readConversation("c"));
    const options = { ...UNOWNED, expectedIncarnation: read.incarnation };
    const late = await provider.appendMessages("c", users("4"), {}, options);
    expect(expectError(late, "MemoryConflictError").reason).toBe("incarnation");
  });

  it("only exists if the primary has it", () => {
    const versioned = createInMemoryProvider();
    expect(isVersionedProvider(withFallback(versioned, tenOf(versioned)))).toBe(true);
    const wrapped = withFallback(tenOf(versioned), versioned);
    const ten = [...Object.keys(tenOf(versioned)), ANSWERS_FROM_FALLBACK];
    expect(Object.keys(wrapped).sort()).toEqual(ten.sort());
  });
});

describe("exportConversation and importConversation through withFallback", () => {
  it("are a read, which the fallback answers, and a write, which fails with the primary", async () => {
    const { provider, primary, fallback, outage, events, down } = setUp();
    expectOk(await primary.storeMessages("c", users("1")));
    const record = expectOk(await provider.exportConversation("c"));
    if (record === null) throw new Error("expected a conversation");
    outage.error = down;
    expect(expectOk(await provider.exportConversation("c"))).toBeNull();
    const result = await provider.importConversation({ ...record, conversationId: "d" });
    expect(result).toEqual(createFailure(down));
    expect(expectOk(await fallback.exportConversation("d"))).toBeNull();
    expectError(await provider.importConversation(null as never), "MemoryConnectionError");
    outage.error = undefined;
    expectError(await provider.importConversation(null as never), "MemoryValidationError");
    expectOk(await provider.importConversation({ ...record, conversationId: "d" }));
    expect(events).toMatchObject([{ operation: "exportConversation", conversationId: "c" }]);
  });

  it("fails to export for now if the fallback can't", async () => {
    const { primary, outage } = setUp();
    const provider = withFallback(primary, tenOf(createInMemoryProvider()));
    outage.error = createMemoryConnectionError("memory");
    const exported = expectError(await provider.exportConversation("c"), "MemoryConnectionError");
    expect(exported).toMatchObject({ retryable: true, operation: "exportConversation" });
  });
});
