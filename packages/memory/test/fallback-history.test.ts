// What may become of a conversation's history when both stores answer for it in turn.
import { describe, expect, it } from "vitest";
import type { MemoryProvider, Result } from "../src/index.ts";
import { expectError, expectOk, readContents } from "../src/testing/expectations.ts";
import { users } from "../src/testing/messages.ts";
import { setUp } from "./support/outage.ts";

const UNOWNED = { createIfMissing: "unowned" } as const;

describe("a conversation that was last read from the fallback, with writes that fail", () => {
  const reads: readonly (readonly [string, (provider: MemoryProvider) => Promise<Result<unknown>>])[] = [
    ["getConversation", (provider) => provider.getConversation("c")],
    ["getRecentMessages", (provider) => provider.getRecentMessages("c")],
    ["findConversations", (provider) => provider.findConversations({ conversationId: "c" })],
  ];

  it.each(reads)(
    "is not written to after %s until the primary has answered a read of it",
    async (_, read) => {
      const { provider, primary, outage, down } = setUp();
      expectOk(await primary.appendMessages("c", users("1"), {}, UNOWNED));
      outage.error = down;
      expectOk(await read(provider));
      outage.error = undefined;
      for (const write of ["appendMessages", "storeMessages"] as const) {
        const error = expectError(await provider[write]("c", users("2"), {}, {}), "MemoryConnectionError");
        expect(error).toMatchObject({ operation: write, retryable: true });
        expect(error.message).toContain("Read the conversation again");
      }
      expectOk(await provider.appendMessages("other", users("1"), {}, UNOWNED));
      expect(await readContents(provider, "c")).toEqual(["1"]);
      expectOk(await provider.appendMessages("c", users("2"), {}, UNOWNED));
      expect(await readContents(provider, "c")).toEqual(["1", "2"]);
    },
  );

  it("is one that was in a listing of the fallback", async () => {
    const { provider, fallback, outage, down } = setUp();
    expectOk(await fallback.appendMessages("c", users("old"), { userId: "u" }, UNOWNED));
    outage.error = down;
    expectOk(await provider.findConversations({ userId: "u" }));
    outage.error = undefined;
    expectError(await provider.appendMessages("c", users("2"), {}, UNOWNED), "MemoryConnectionError");
  });
});

describe("a conversation that was written to the fallback", () => {
  it("is the primary's again when the fallback has evicted it, journal and all", async () => {
    const { provider, primary, outage, down } = setUp({ writes: "fallback" }, { maxConversations: 2 });
    expectOk(await primary.appendMessages("c", users("1"), {}, UNOWNED));
    outage.error = down;
    expectOk(await provider.appendMessages("c", users("2"), {}, UNOWNED));
    expectOk(await provider.appendMessages("d", users("3"), {}, UNOWNED));
    outage.error = undefined;
    const forged = await provider.appendMessages("c", users("4"), {}, { expectedVersion: 0 });
    expectError(forged, "MemoryConflictError");
    expect(await readContents(provider, "c")).toEqual(["1"]);
    expectOk(await provider.appendMessages("c", users("5"), {}, { expectedVersion: 1 }));
    expect(await readContents(primary, "c")).toEqual(["1", "5"]);
    expect(await readContents(provider, "d")).toEqual(["3"]);
  });

  it("is replayed from its journal when the fallback has lost it, by each way of reading", async () => {
    const reads: readonly ((provider: MemoryProvider) => Promise<Result<unknown>>)[] = [
      (provider) => provider.getConversation("c"),
      (provider) => provider.getRecentMessages("c"),
      (provider) => provider.findConversations({ conversationId: "c" }),
      (provider) => provider.findConversations({}),
    ];
    for (const read of reads) {
      const { provider, primary, fallback, outage, down } = setUp({ writes: "fallback" });
      expectOk(await primary.appendMessages("c", users("1"), {}, UNOWNED));
      outage.error = down;
      expectOk(await provider.appendMessages("c", users("2"), {}, UNOWNED));
      outage.error = undefined;
      expectOk(await fallback.deleteConversation("c"));
      const found = JSON.stringify(expectOk(await read(provider)));
      expect(found).toMatch(/"1".*"2"/);
      expect(await readContents(primary, "c")).toEqual(["1", "2"]);
    }
  });

  it("is the primary's again when its user was cleared", async () => {
    const { provider, primary, fallback, outage, down } = setUp({ writes: "fallback" });
    outage.error = down;
    expectOk(await provider.appendMessages("c", users("1"), { userId: "u" }, UNOWNED));
    outage.error = undefined;
    expectOk(await provider.clearUserConversations("u"));
    // Somebody else's, under the same id: it is not the one that was written here.
    expectOk(await fallback.appendMessages("c", users("2"), { userId: "v" }, UNOWNED));
    expectOk(await provider.appendMessages("c", users("3"), { userId: "w" }, UNOWNED));
    expect(await readContents(primary, "c")).toEqual(["3"]);
  });

  it("is neither lost nor split by an append that runs during its deletion", async () => {
    const { provider, primary, fallback, outage, down } = setUp({ writes: "fallback" });
    outage.error = down;
    expectOk(await provider.appendMessages("c", users("1"), {}, UNOWNED));
    outage.error = undefined;
    const [deleted, appended] = await Promise.all([
      provider.deleteConversation("c"),
      provider.appendMessages("c", users("2"), {}, UNOWNED),
    ]);
    expect(expectOk(deleted)).toBe(true);
    expectOk(appended);
    expect(await readContents(provider, "c")).toEqual(["2"]);
    expect(await readContents(primary, "c")).toEqual(["2"]);
    expect(expectOk(await fallback.getConversation("c"))).toBeNull();
  });
});
