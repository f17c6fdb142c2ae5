import { describe, expect, it, onTestFinished } from "vitest";
import {
  createJafClient,
  emptyTurn,
  type FoldedTurn,
  foldTurn,
  type TurnItem,
  type WaitingCall,
} from "../../src/client/index.ts";
import type { TurnRecord } from "../../src/jobs/turn-record.ts";
import { agentTree, DONE } from "../support/agent-tree.ts";
import { startTestServer } from "../support/test-server.ts";

async function startTree(options: Parameters<typeof agentTree>[0] = {}) {
  const { agent, model, executed } = agentTree(options);
  const server = await startTestServer(model, {}, [agent]);
  const client = createJafClient({ baseUrl: server.url, headers: { "x-user": "ada" } });
  const fold = async (request: Parameters<typeof client.chat>[0]): Promise<FoldedTurn> => {
    let turn = emptyTurn;
    for await (const event of client.chat(request)) turn = foldTurn(turn, event);
    return turn;
  };
  const childrenOf = async (id: string) => {
    const found = await server.provider.findConversations({ childrenOf: id });
    return found.success ? found.data.map(({ conversationId }) => conversationId) : [];
  };
  return { server, client, executed, fold, childrenOf };
}

const waitingIds = (waiting: readonly WaitingCall[]) =>
  waiting.map(
    ({ type, agentName, toolName, toolCallId }) => `${type} ${agentName} ${toolName} ${toolCallId}`,
  );

/** The calls as lines, those of inner agents indented. */
const shown = (items: readonly TurnItem[] = [], indent = ""): readonly string[] =>
  items.flatMap((item) =>
    item.type === "tool"
      ? [`${indent}${item.toolCallId} ${item.toolName} ${item.state}`, ...shown(item.inner, `${indent}  `)]
      : [],
  );

const decide = (call: WaitingCall | undefined, approved: boolean) => {
  if (call?.type !== "approval") throw new Error("no approval");
  return { toolCallId: call.toolCallId, approvalId: call.approvalId, approved };
};

const ASKED = [
  "approval front act call_1",
  "approval expert act call_2/call_1",
  "approval intern act call_2/call_2/call_1",
];

describe("a tree of agents on a server", () => {
  it("shows the calls of inner agents under the calls that run them", async () => {
    const { fold, client } = await startTree({ asking: [] });
    const turn = await fold({ message: "work" });
    expect(turn.status).toBe("completed");
    expect(shown(turn.items)).toEqual([
      "call_1 act success",
      "call_2 expert success",
      "  call_2/call_1 act success",
      "  call_2/call_2 intern success",
      "    call_2/call_2/call_1 act success",
    ]);
    expect(turn.messages.at(-1)?.content).toBe(DONE);
    expect(turn.modelCalls).toHaveLength(2);
    const { conversations } = await client.conversations.list();
    expect(conversations.map(({ conversationId }) => conversationId)).toEqual([turn.conversationId]);
  });

  it("asks for the approvals of each depth, and resumes by qualified ids", async () => {
    const { fold, client, executed } = await startTree();
    const first = await fold({ message: "work" });
    expect(first.status).toBe("interrupted");
    expect(waitingIds(first.interruptions)).toEqual(ASKED);
    expect(shown(first.items)).toEqual([
      "call_1 act waiting",
      "call_2 expert waiting",
      "  call_2/call_1 act waiting",
      "  call_2/call_2 intern waiting",
      "    call_2/call_2/call_1 act waiting",
    ]);
    const { approvals } = await client.approvals.pending();
    expect(waitingIds(approvals.map(({ interruption }) => interruption))).toEqual(ASKED);
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const watched = client.approvals.watch({ signal: leaving.signal });
    const listed = await watched.next();
    expect(listed.value?.map(({ interruption }) => interruption.toolCallId)).toHaveLength(3);
    const { conversationId = "" } = first;
    const [own, middle, deepest] = first.interruptions;
    const second = await fold({ conversationId, approvals: [decide(deepest, true)] });
    expect(second.status).toBe("interrupted");
    expect(waitingIds(second.interruptions)).toEqual(ASKED.slice(0, 2));
    expect(executed).toEqual(["intern: work"]);
    expect((await client.approvals.pending()).approvals).toHaveLength(2);
    expect((await watched.next()).value).toHaveLength(2);
    const third = await fold({ conversationId, approvals: [decide(own, true), decide(middle, false)] });
    expect(third.status).toBe("completed");
    expect(executed).toEqual(["intern: work", "front: work"]);
    expect((await client.approvals.pending()).approvals).toEqual([]);
  });

  it("runs the tools of inner agents at the client", async () => {
    const { client } = await startTree({ asking: [], atClient: ["expert", "intern"] });
    const first = await client.ask({ message: "work" });
    expect(waitingIds(first.interruptions)).toEqual([
      "client_tool expert act call_2/call_1",
      "client_tool intern act call_2/call_2/call_1",
    ]);
    const { conversationId } = first;
    const toolResults = first.interruptions.map(({ toolCallId, agentName }) => ({
      toolCallId,
      result: `${agentName} did work`,
    }));
    const second = await client.ask({ conversationId, toolResults });
    expect(second).toMatchObject({ status: "completed", text: DONE });
  });

  it("keeps inner conversations from every client, and erases them with the outer one", async () => {
    const { server, client, childrenOf } = await startTree();
    const { conversationId } = await client.ask({ message: "work" });
    const [child = ""] = await childrenOf(conversationId);
    const [grandchild = ""] = await childrenOf(child);
    for (const id of [child, grandchild]) {
      for (const user of ["ada", "bob"]) {
        const statusOf = async (method: string, path: string, body?: unknown) =>
          (await server.ask(user, method, path, body)).status;
        expect(await statusOf("GET", `/conversations/${id}`)).toBe(404);
        expect(await statusOf("GET", `/conversations/${id}/export`)).toBe(404);
        expect(await statusOf("PATCH", `/conversations/${id}`, { title: "Mine" })).toBe(404);
        expect(await statusOf("DELETE", `/conversations/${id}`)).toBe(404);
        expect(await statusOf("POST", "/chat", { conversationId: id, message: "Hi" })).toBe(404);
        const regenerate = { version: 1 };
        expect(await statusOf("POST", `/conversations/${id}/regenerate`, regenerate)).toBe(404);
        const chat = await server.ask(user, "GET", `/ai-sdk/chat/${id}/messages`);
        expect(chat.body.data.messages).toEqual([]);
        expect(chat.body.data.conversationId).not.toBe(id);
      }
    }
    await client.conversations.delete(conversationId);
    for (const id of [child, grandchild])
      expect(await server.provider.getConversation(id)).toEqual({ success: true, data: null });
    const again = await client.ask({ message: "work" });
    const [next = ""] = await childrenOf(again.conversationId);
    expect((await server.ask("ada", "DELETE", "/conversations")).body.data).toEqual({ deleted: 1 });
    expect(await server.provider.getConversation(next)).toEqual({ success: true, data: null });
  });

  it("counts the tokens and records the model calls of inner agents", async () => {
    const { client } = await startTree({ asking: [] });
    const { conversationId, usage } = await client.ask({ message: "work" });
    expect(usage).toEqual({ inputTokens: 60 });
    const { turns } = await client.conversations.turns(conversationId);
    const record = turns[0]?.record as TurnRecord;
    expect(record.usage).toEqual(usage);
    const calls = record.calls.map(({ agentName, toolCallId, instructions = -1, manifest }) => [
      ...[agentName, toolCallId, record.instructions[instructions], manifest !== undefined],
    ]);
    expect(calls).toEqual([
      ["front", undefined, "front", true],
      ["expert", "call_2", "expert", false],
      ["intern", "call_2/call_2", "intern", false],
      ["intern", "call_2/call_2", "intern", false],
      ["expert", "call_2", "expert", false],
      ["front", undefined, "front", true],
    ]);
  });
});
