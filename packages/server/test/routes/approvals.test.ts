import { createTool } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { assistant, saying, startTestServer, type TestServer } from "../support/test-server.ts";

const asking = { toolCalls: [{ name: "remove", arguments: { what: "all" } }] };

/** The lists that a stream of approvals sends. */
async function* listsOf(response: Response): AsyncGenerator<readonly { readonly conversationId: string }[]> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const [, data] = /^event: approvals\ndata: (.+)$/m.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data).approvals;
    }
  }
}

async function decide({ ask }: TestServer, userId: string, approved: boolean, reason?: string) {
  const [waiting] = (await ask(userId, "GET", "/approvals/pending")).body.data.approvals;
  const { toolCallId, approvalId } = waiting.interruption;
  return ask(userId, "POST", "/chat", {
    conversationId: waiting.conversationId,
    approvals: [{ toolCallId, approvalId, approved, reason }],
  });
}

describe("approvals", () => {
  it("are streamed as a whole list on each change, only to their user", async () => {
    const server = await startTestServer(createScriptedModel([asking, "Done.", asking]));
    const lists = listsOf(await server.send("ada", "/approvals/stream"));
    expect((await lists.next()).value).toEqual([]);
    const { conversationId } = (await server.ask("ada", "POST", "/chat", { message: "Remove all." })).body
      .data;
    expect((await lists.next()).value).toMatchObject([
      { conversationId, title: "Remove all.", interruption: { toolName: "remove", args: { what: "all" } } },
    ]);
    await decide(server, "ada", true);
    expect((await lists.next()).value).toEqual([]);
    await server.ask("eve", "POST", "/chat", { message: "Remove mine." });
    const others = listsOf(await server.send("eve", "/approvals/stream"));
    expect((await others.next()).value).toHaveLength(1);
    expect((await server.ask("ada", "GET", "/approvals/pending")).body.data.approvals).toEqual([]);
    await Promise.all([lists.return(undefined), others.return(undefined)]);
  });

  it("that are denied reach the model with the reason, and the tool doesn't run", async () => {
    const model = createScriptedModel([asking, "Then not."]);
    const server = await startTestServer(model);
    await server.ask("ada", "POST", "/chat", { message: "Remove all." });
    const { body } = await decide(server, "ada", false, "Too much.");
    expect(body.data).toMatchObject({ status: "completed", text: "Then not." });
    const told = JSON.stringify(model.requests.at(-1)?.state.messages);
    expect(told).toContain("Too much.");
    expect(told).not.toContain("is removed");
  });

  it("are asked for again with the difference if a deployment has changed the tool", async () => {
    const provider = createInMemoryProvider();
    const shared = { defaultMemoryProvider: provider, turnLog: createInMemoryTurnLog() };
    const before = await startTestServer(createScriptedModel([asking]), shared);
    await before.ask("ada", "POST", "/chat", { message: "Remove all." });
    const removed: string[] = [];
    const tool = createTool({
      name: "remove",
      description: "Removes something for ever.",
      parameters: z.object({ what: z.string() }),
      needsApproval: true,
      execute: ({ what }) => {
        removed.push(what);
        return "gone";
      },
    });
    const changed = { ...assistant, tools: [tool] };
    const after = await startTestServer(createScriptedModel(["Done."]), shared, [changed]);
    const [{ conversationId }] = (await after.ask("ada", "GET", "/approvals/pending")).body.data.approvals;
    const refused = await decide(after, "ada", true);
    expect(refused).toMatchObject({ status: 409, body: { error: { message: /tool .* has changed/ } } });
    const asked = await after.ask("ada", "POST", "/chat", { conversationId });
    expect(asked.body.data).toMatchObject({ status: "interrupted" });
    const [waiting] = (await after.ask("ada", "GET", "/approvals/pending")).body.data.approvals;
    expect(waiting.interruption.changed).toEqual({
      description: {
        before: "Removes something, once a person approves.",
        after: "Removes something for ever.",
      },
    });
    expect(removed).toEqual([]);
    expect((await decide(after, "ada", true)).body.data).toMatchObject({ status: "completed" });
    expect(removed).toEqual(["all"]);
  });

  it("can be given once, and a second decision is refused", async () => {
    const server = await startTestServer(createScriptedModel([asking, "Done.", "Unused."]));
    await server.ask("ada", "POST", "/chat", { message: "Remove all." });
    const [waiting] = (await server.ask("ada", "GET", "/approvals/pending")).body.data.approvals;
    const { toolCallId, approvalId } = waiting.interruption;
    const body = {
      conversationId: waiting.conversationId,
      approvals: [{ toolCallId, approvalId, approved: true }],
    };
    expect((await server.ask("ada", "POST", "/chat", body)).status).toBe(200);
    expect((await server.ask("ada", "POST", "/chat", body)).status).toBe(409);
  });

  it("of a deleted conversation are gone", async () => {
    const server = await startTestServer(createScriptedModel([asking]));
    const { conversationId } = (await server.ask("ada", "POST", "/chat", { message: "Remove all." })).body
      .data;
    await server.ask("ada", "DELETE", `/conversations/${conversationId}`);
    expect((await server.ask("ada", "GET", "/approvals/pending")).body.data.approvals).toEqual([]);
  });

  it("of more than a hundred conversations are all listed", async () => {
    const count = 120;
    const server = await startTestServer(createScriptedModel(Array.from({ length: count }, () => asking)));
    const ids = await Promise.all(
      Array.from({ length: count }, async () => {
        const { body } = await server.ask("ada", "POST", "/chat", { message: "Remove all." });
        return body.data.conversationId as string;
      }),
    );
    const { approvals } = (await server.ask("ada", "GET", "/approvals/pending")).body.data;
    const listed = approvals.map(({ conversationId }: { conversationId: string }) => conversationId);
    expect(listed.sort()).toEqual(ids.sort());
  });

  it("are polled once for all streams of their user, and only while there are any", async () => {
    const turnLog = createInMemoryTurnLog();
    const provider = createInMemoryProvider();
    const counts = { find: 0, readConversation: 0 };
    const server = await startTestServer(createScriptedModel([asking]), {
      defaultMemoryProvider: {
        ...provider,
        readConversation: (...read: Parameters<typeof provider.readConversation>) => {
          counts.readConversation += 1;
          return provider.readConversation(...read);
        },
      } as never,
      turnLog: {
        ...turnLog,
        find: (query, limit) => {
          if (query.userId === "ada") counts.find += 1;
          return turnLog.find(query, limit);
        },
      },
    });
    await server.ask("ada", "POST", "/chat", { message: "Remove all." });
    Object.assign(counts, { find: 0, readConversation: 0 });
    const streams = await Promise.all(
      Array.from({ length: 10 }, async () => listsOf(await server.send("ada", "/approvals/stream"))),
    );
    for (const lists of streams) expect((await lists.next()).value).toHaveLength(1);
    const atFirst = counts.find;
    expect(atFirst).toBeLessThan(streams.length);
    await expect.poll(() => counts.find, { timeout: 20_000 }).toBeGreaterThan(atFirst + 1);
    expect(counts.readConversation).toBe(1);
    await Promise.all(streams.map((lists) => lists.return(undefined)));
    await expect
      .poll(
        async () => {
          const before = counts.find;
          await new Promise((resolve) => setTimeout(resolve, 1_500));
          return counts.find - before;
        },
        { timeout: 20_000 },
      )
      .toBe(0);
  });

  it("of a conversation that now belongs to another user aren't shown", async () => {
    const server = await startTestServer(createScriptedModel([asking]));
    const { conversationId } = (await server.ask("ada", "POST", "/chat", { message: "Remove all." })).body
      .data;
    await server.provider.deleteConversation(conversationId);
    await server.provider.appendMessages(
      conversationId,
      [],
      { userId: "eve", title: "Eve's" },
      { createIfMissing: true },
    );
    expect((await server.ask("ada", "GET", "/approvals/pending")).body.data.approvals).toEqual([]);
  });

  it("end their stream when the server closes", async () => {
    const server = await startTestServer(saying("Hi."));
    const lists = listsOf(await server.send("ada", "/approvals/stream"));
    expect((await lists.next()).value).toEqual([]);
    const next = lists.next();
    await server.close();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
