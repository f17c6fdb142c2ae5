import { createScriptedModel, type ScriptedStep } from "@jaf/core/testing";
import { createInMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { createServerApp } from "@jaf/server";
import { createJafClient, type JafClient } from "@jaf/server/client";
import { createMessageSearch, createMessageSearchTool } from "@jaf/user-memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPostgres, openRedis, type Stores } from "./support/server/stores.ts";

type SearchedStores = Pick<Stores, "provider" | "turnLog">;

const stores: readonly (readonly [name: string, open: () => Promise<SearchedStores>])[] = [
  ["memory", async () => ({ provider: createInMemoryProvider(), turnLog: createInMemoryTurnLog() })],
  ["Redis", openRedis],
  ["Postgres", openPostgres],
];

interface Context {
  readonly userId: string;
}

/** Starts a server process over the stores, with an agent that has the tool. Returns a client for each user. */
async function startServer(
  { provider, turnLog }: SearchedStores,
  replies: readonly ScriptedStep<Context>[] = [],
): Promise<(userId: string) => JafClient> {
  const messageSearch = createMessageSearch(provider);
  const search = createMessageSearchTool<Context>({ search: messageSearch, user: ({ userId }) => userId });
  const app = await createServerApp<Context>(
    [{ name: "assistant", instructions: "Help.", tools: [search] }],
    { modelProvider: createScriptedModel<Context>(replies) },
    {
      ...{ defaultMemoryProvider: provider, turnLog, messageSearch },
      authenticate: ({ headers }) => ({ userId: headers.get("x-user") ?? "" }),
    },
  );
  onTestFinished(async () => void (await app.close()));
  return (userId) =>
    createJafClient({
      baseUrl: "http://localhost",
      headers: { "x-user": userId },
      fetch: async (url, init) => app.fetch(new Request(url, init)),
    });
}

describe.each(stores)("message search through the server, on %s", (_name, open) => {
  it("finds the user's own messages alone, also in a second process, and nothing after an erasure", async () => {
    const opened = await open();
    const replies = ["A ferry leaves at nine.", "Bo's ferry leaves at ten.", "Fine."];
    const clientOf = await startServer(opened, replies);
    const [ada, bo] = [clientOf("ada"), clientOf("bo")];
    const { conversationId } = await ada.ask({ message: "When does the ferry to Bergen leave?" });
    const other = await bo.ask({ message: "And my ferry to Bergen?" });
    const { messages } = await ada.conversations.search({ query: "ferries" });
    expect(messages).toHaveLength(2);
    expect(messages).toContainEqual({
      ...{ conversationId, title: "When does the ferry to Bergen leave?" },
      ...{ createdAt: expect.any(String), lastActivity: expect.any(String) },
      ...{ position: 1, role: "assistant", passage: "A ferry leaves at nine." },
      matches: [{ start: 2, end: 7 }],
    });
    await ada.ask({ conversationId, message: "The zeppelin would be faster." });

    const second = (await startServer(opened))("ada");
    expect((await second.conversations.search({ query: "zeppelin" })).messages).toMatchObject([
      { conversationId, position: 2, role: "user" },
    ]);
    const inOther = { query: "ferry", conversationId: other.conversationId };
    await expect(second.conversations.search(inOther)).rejects.toMatchObject({ code: "not-found" });

    await ada.conversations.deleteAll();
    for (const client of [ada, second])
      expect(await client.conversations.search({ query: "ferry zeppelin" })).toEqual({ messages: [] });
    expect((await bo.conversations.search({ query: "ferry" })).messages).toHaveLength(2);
  });

  it("gives the agent's tool the passages, but none of its own turn", async () => {
    const call = { name: "search_conversations", arguments: { query: "ferry to Bergen" } };
    const clientOf = await startServer(await open(), [
      "At nine.",
      { text: "I look for the ferry.", toolCalls: [call] },
      "At nine, as I said.",
    ]);
    const ada = clientOf("ada");
    const first = await ada.ask({ message: "When does the ferry to Bergen leave?" });
    const { conversationId } = await ada.ask({ message: "What did I ask about the ferry to Bergen?" });
    const { messages } = await ada.conversations.get(conversationId);
    const shown = messages.find(({ message }) => message.role === "tool")?.message.content ?? "";
    expect(shown).toContain(`[${first.conversationId}, message 0,`);
    expect(shown).toContain("user: When does the ferry to Bergen leave?");
    expect(shown).not.toMatch(/What did I ask|I look for/);
  });
});
