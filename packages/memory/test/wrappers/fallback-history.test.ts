import { describe, expect, it } from "vitest";
import type { MemoryProvider, Result } from "../../src/index.ts";
import { expectError, expectOk, readContents } from "../../src/testing/fixtures/expectations.ts";
import { users } from "../../src/testing/fixtures/messages.ts";
import { setUp } from "./outage.ts";

const UNOWNED = { createIfMissing: "unowned" } as const;

describe("a conversation with a latest read from the fallback", () => {
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

  it("includes one from a listing of the fallback", async () => {
    const { provider, fallback, outage, down } = setUp();
    expectOk(await fallback.appendMessages("c", users("old"), { userId: "u" }, UNOWNED));
    outage.error = down;
    expectOk(await provider.findConversations({ userId: "u" }));
    outage.error = undefined;
    expectError(await provider.appendMessages("c", users("2"), {}, UNOWNED), "MemoryConnectionError");
  });
});
