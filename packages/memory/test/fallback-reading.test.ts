import { describe, expect, it } from "vitest";
import { isVersionedProvider } from "../src/adapter/index.ts";
import {
  createFailure,
  createInMemoryProvider,
  createMemoryConnectionError,
  type MemoryProvider,
  type VersionedMemoryProvider,
  withFallback,
} from "../src/index.ts";
import { ANSWERS_FROM_FALLBACK } from "../src/resilience/fallback-mark.ts";
import { contents, expectError, expectOk } from "../src/testing/expectations.ts";
import { users } from "../src/testing/messages.ts";
import { setUp } from "./support/outage.ts";

const UNOWNED = { createIfMissing: "unowned" } as const;

/** The ten methods of a provider, as somebody else writes them. */
function tenOf(provider: VersionedMemoryProvider): MemoryProvider {
  const { readConversation: _, exportConversation: _1, importConversation: _2, ...ten } = provider;
  return ten;
}

describe("readConversation through withFallback", () => {
  it("is answered by the fallback while the primary is out of reach", async () => {
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

  it("makes a conflict of a turn that began in the fallback and ends in the primary", async () => {
    const { provider, primary, outage, down } = setUp({ writes: "fallback" });
    expectOk(await primary.storeMessages("c", users("1")));
    outage.error = down;
    const { incarnation, conversation } = expectOk(await provider.readConversation("c"));
    expect(conversation).toBeNull();
    outage.error = undefined;
    const late = await provider.appendMessages(
      "c",
      users("2"),
      {},
      {
        ...UNOWNED,
        expectedIncarnation: incarnation,
      },
    );
    expect(expectError(late, "MemoryConflictError").reason).toBe("incarnation");
  });

  it("gives the primary's incarnation once it has what was begun in the fallback", async () => {
    const { provider, primary, outage, down } = setUp({ writes: "fallback" });
    outage.error = down;
    const { incarnation } = expectOk(await provider.readConversation("c"));
    const options = { ...UNOWNED, expectedIncarnation: incarnation };
    expectOk(await provider.appendMessages("c", users("1"), {}, options));
    const there = expectOk(await provider.readConversation("c"));
    outage.error = undefined;
    const late = { expectedIncarnation: there.incarnation };
    const refused = await provider.appendMessages("c", users("2"), {}, late);
    expect(expectError(refused, "MemoryConflictError").reason).toBe("incarnation");
    const read = expectOk(await provider.readConversation("c"));
    expect(read.conversation?.messages).toEqual(users("1"));
    expect(read.incarnation).toBe(expectOk(await primary.readConversation("c")).incarnation);
    expectOk(await provider.appendMessages("c", users("2"), {}, { expectedIncarnation: read.incarnation }));
    expect(expectOk(await provider.exportConversation("c"))?.messages).toHaveLength(2);
  });

  it("is made of getConversation where the fallback has no other, with an incarnation that nothing has", async () => {
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
    const provider = withFallback(primary, fallback, { cooldownMs: 0, writes: "fallback" });
    outage.error = down;
    const read = expectOk(await provider.readConversation("c", { messages: { limit: 1 } }));
    expect([contents(read.conversation?.messages ?? []), read.firstPosition]).toEqual([["3"], 2]);
    outage.error = undefined;
    const options = { ...UNOWNED, expectedIncarnation: read.incarnation };
    const late = await provider.appendMessages("c", users("4"), {}, options);
    expect(expectError(late, "MemoryConflictError").reason).toBe("incarnation");
  });

  it("is there only where the primary has it", () => {
    const versioned = createInMemoryProvider();
    expect(isVersionedProvider(withFallback(versioned, tenOf(versioned)))).toBe(true);
    const wrapped = withFallback(tenOf(versioned), versioned);
    const ten = [...Object.keys(tenOf(versioned)), ANSWERS_FROM_FALLBACK];
    expect(Object.keys(wrapped).sort()).toEqual(ten.sort());
  });
});

describe("exportConversation and importConversation through withFallback", () => {
  it("are routed as reads and writes are", async () => {
    const { provider, primary, fallback, outage, events, down } = setUp({ writes: "fallback" });
    expectOk(await primary.storeMessages("c", users("1")));
    const record = expectOk(await provider.exportConversation("c"));
    if (record === null) throw new Error("expected a conversation");
    outage.error = down;
    expect(expectOk(await provider.exportConversation("c"))).toBeNull();
    expectOk(await provider.importConversation({ ...record, conversationId: "d" }));
    expect(expectOk(await fallback.exportConversation("d"))).toMatchObject({ version: 1 });
    outage.error = undefined;
    expect(expectOk(await provider.readConversation("d")).conversation?.messages).toEqual(users("1"));
    expect(events.map(({ operation, conversationId }) => [operation, conversationId])).toEqual([
      ["exportConversation", "c"],
      ["importConversation", "d"],
    ]);
  });

  it("fail with the primary by default, an import at least", async () => {
    const { provider, primary, outage, down } = setUp();
    expectOk(await primary.storeMessages("c", users("1")));
    const record = expectOk(await provider.exportConversation("c"));
    if (record === null) throw new Error("expected a conversation");
    outage.error = down;
    const result = await provider.importConversation({ ...record, conversationId: "d" });
    expect(result).toEqual(createFailure(down));
    expectError(await provider.importConversation(null as never), "MemoryConnectionError");
    outage.error = undefined;
    expectError(await provider.importConversation(null as never), "MemoryValidationError");
  });

  it("fail for now where the fallback hasn't got them", async () => {
    const { primary, outage } = setUp();
    const provider = withFallback(primary, tenOf(createInMemoryProvider()), { writes: "fallback" });
    expectOk(await primary.storeMessages("c", users("1")));
    const record = expectOk(await provider.exportConversation("c"));
    if (record === null) throw new Error("expected a conversation");
    outage.error = createMemoryConnectionError("memory");
    const exported = expectError(await provider.exportConversation("c"), "MemoryConnectionError");
    expect(exported).toMatchObject({ retryable: true, operation: "exportConversation" });
    const imported = await provider.importConversation({ ...record, conversationId: "d" });
    expect(expectError(imported, "MemoryConnectionError").message).toContain("no importConversation");
  });
});
