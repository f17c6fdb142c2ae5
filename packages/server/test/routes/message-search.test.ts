import { createFailure, createInMemoryProvider, createMemoryConnectionError } from "@jaf/memory";
import { createMessageSearch } from "@jaf/user-memory";
import { describe, expect, it } from "vitest";
import { saying, startTestServer } from "../support/test-server.ts";

describe("GET /messages/search", () => {
  it("finds the words that were asked for, in one conversation if asked, and no more than the limit", async () => {
    const { ask } = await startTestServer(saying("Noted."));
    const { conversationId } = (await ask("ada", "POST", "/chat", { message: "I move to Oslo." })).body.data;
    await ask("ada", "POST", "/chat", { message: "Oslo is cold." });
    const found = async (query: string) =>
      (await ask("ada", "GET", `/messages/search?${query}`)).body.data.messages;
    const words = (one: { passage: string; matches: { start: number; end: number }[] }) =>
      one.matches.map(({ start, end }) => one.passage.slice(start, end));
    const both = await found("query=move%20oslo");
    expect(both.map(words)).toEqual([["move", "Oslo"], ["Oslo"]]);
    expect(await found("query=oslo&limit=1")).toHaveLength(1);
    const inOne = await found(`query=oslo&conversationId=${conversationId}`);
    expect(inOne).toMatchObject([{ conversationId, title: "I move to Oslo.", position: 0, role: "user" }]);
    expect(await found("query=zeppelin")).toEqual([]);
    expect(await found("query=the%20of")).toEqual([]);
  });

  it.each([
    "",
    "query=",
    "query=%20",
    `query=${"x".repeat(1_001)}`,
    "query=x&limit=0",
    "query=x&limit=101",
    "query=x&conversationId=",
  ])("refuses ?%s", async (query) => {
    const { ask } = await startTestServer();
    expect(await ask("ada", "GET", `/messages/search?${query}`)).toMatchObject({
      ...{ status: 400, body: { error: { code: "invalid-request" } } },
    });
  });

  it("is reported as not configured without messageSearch", async () => {
    const { ask } = await startTestServer(saying("Hi."), { messageSearch: undefined });
    expect(await ask("ada", "GET", "/messages/search?query=x")).toMatchObject({
      ...{ status: 404, body: { error: { code: "not-configured" } } },
    });
  });

  it("is unavailable while the store is", async () => {
    const down = async () => createFailure(createMemoryConnectionError("down", "memory"));
    const failing = createMessageSearch({ ...createInMemoryProvider(), findConversations: down });
    const options = { messageSearch: failing, onError: () => undefined };
    const { ask } = await startTestServer(saying("Hi."), options);
    expect(await ask("ada", "GET", "/messages/search?query=x")).toMatchObject({
      ...{ status: 503, body: { error: { code: "unavailable", retryable: true } } },
    });
  });

  it("drops the user's index when the user deletes all conversations", async () => {
    const dropped: string[] = [];
    const search = createMessageSearch(createInMemoryProvider());
    const messageSearch = { ...search, drop: (userId: string) => void dropped.push(userId) };
    const { ask } = await startTestServer(saying("Hi."), { messageSearch });
    await ask("ada", "DELETE", "/conversations");
    expect(dropped).toEqual(["ada"]);
  });

  it("needs a search as its option", async () => {
    await expect(startTestServer(saying("Hi."), { messageSearch: {} as never })).rejects.toThrow(
      /messageSearch: expected a search of createMessageSearch/,
    );
  });
});
