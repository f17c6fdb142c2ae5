import { countCalls, createScriptedModel } from "@jaf/core/testing";
import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../support/test-server.ts";

interface Owned {
  readonly conversationId: string;
  readonly turnId: string;
  readonly factId: string;
}

/** Each route that has an id, with ids to put in. */
const routes: readonly (readonly [method: string, path: (ids: Owned) => string, body?: unknown])[] = [
  ["GET", ({ conversationId }) => `/conversations/${conversationId}`],
  ["PATCH", ({ conversationId }) => `/conversations/${conversationId}`, { title: "Mine" }],
  ["DELETE", ({ conversationId }) => `/conversations/${conversationId}`],
  ["GET", ({ conversationId }) => `/conversations/${conversationId}/export`],
  [
    "POST",
    ({ conversationId }) => `/conversations/${conversationId}/edit`,
    { position: 0, version: 1, message: "Mine" },
  ],
  ["POST", ({ conversationId }) => `/conversations/${conversationId}/regenerate`, { version: 1 }],
  ["POST", ({ conversationId }) => `/conversations/${conversationId}/copy`, { version: 1 }],
  ["POST", ({ conversationId }) => `/conversations/${conversationId}/stop`, {}],
  ["GET", ({ conversationId }) => `/conversations/${conversationId}/events`],
  ["GET", ({ conversationId, turnId }) => `/conversations/${conversationId}/events?turnId=${turnId}`],
  ["GET", ({ conversationId }) => `/conversations/${conversationId}/turns`],
  ["GET", ({ factId }) => `/facts/${factId}`],
  ["DELETE", ({ factId }) => `/facts/${factId}`],
  ["POST", ({ factId }) => `/facts/${factId}/review`, { decision: "approve" }],
  ["POST", ({ factId }) => `/facts/${factId}/review`, { decision: "reject" }],
];

/** Ada has a conversation with a call that waits, and a fact. */
async function startWithAda(
  defaultMemoryProvider = createInMemoryProvider() as MemoryProvider,
): Promise<{ readonly server: TestServer; readonly ids: Owned }> {
  const server = await startTestServer(
    createScriptedModel([{ toolCalls: [{ name: "remove", arguments: { what: "all" } }] }, "Done."]),
    { defaultMemoryProvider },
  );
  const { data } = (await server.ask("ada", "POST", "/chat", { message: "Remove all." })).body;
  const { id } = (await server.ask("ada", "POST", "/facts", { fact: "Lives in Oslo" })).body.data.fact;
  return { server, ids: { conversationId: data.conversationId, turnId: data.turnId, factId: id } };
}

const nobodys: Owned = {
  conversationId: "00000000-0000-4000-8000-000000000000",
  turnId: "00000000-0000-4000-8000-000000000001",
  factId: "00000000-0000-4000-8000-000000000002",
};

/** An answer without what is different in each. */
const withoutRequestId = ({ status, body }: Awaited<ReturnType<TestServer["ask"]>>) => {
  const { requestId, ...error } = body.error;
  expect(requestId).toEqual(expect.any(String));
  return { status, body: { ...body, error } };
};

describe("what is somebody else's", () => {
  it("is answered as what doesn't exist, on every route, and stays as it was", async () => {
    const { server, ids } = await startWithAda();
    const path = `/conversations/${ids.conversationId}`;
    const before = (await server.ask("ada", "GET", path)).body;
    const explained = (await server.ask("ada", "GET", `/facts/${ids.factId}`)).body;
    for (const [method, pathOf, body] of routes) {
      const theirs = await server.ask("eve", method, pathOf(ids), body);
      const missing = await server.ask("eve", method, pathOf(nobodys), body);
      expect(theirs.status, pathOf(nobodys)).toBe(404);
      expect(withoutRequestId(theirs), pathOf(nobodys)).toEqual(withoutRequestId(missing));
    }
    expect((await server.ask("ada", "GET", path)).body).toEqual(before);
    expect((await server.ask("ada", "GET", `/facts/${ids.factId}`)).body).toEqual(explained);
  });

  it("costs the store the same calls as what doesn't exist, so that the time tells nothing", async () => {
    const provider = countCalls(createInMemoryProvider());
    const { server, ids } = await startWithAda(provider);
    const chat: (typeof routes)[number] = ["POST", () => "/chat"];
    for (const [method, pathOf, body] of [...routes, chat]) {
      const callsOf = async (asked: Owned) => {
        const before = { ...provider.calls };
        const { conversationId } = asked;
        const sent = pathOf === chat[1] ? { conversationId, message: "Hi" } : body;
        expect((await server.ask("eve", method, pathOf(asked), sent)).status).toBe(404);
        return Object.entries(provider.calls).map(([name, count]) => [
          name,
          count - (before[name as keyof typeof before] ?? 0),
        ]);
      };
      expect(await callsOf(ids), pathOf(nobodys)).toEqual(await callsOf(nobodys));
    }
  });

  it("can't be gone on with by chat, by its message, its approvals or its history", async () => {
    const { server, ids } = await startWithAda();
    const { interruption } = (await server.ask("ada", "GET", "/approvals/pending")).body.data.approvals[0];
    const { toolCallId, approvalId } = interruption;
    const bodies = [
      { message: "Hi" },
      { approvals: [{ toolCallId, approvalId, approved: true }] },
      { toolResults: [{ toolCallId, result: "done" }] },
      { message: "Hi", history: [{ role: "user", content: "Remove all." }] },
    ];
    for (const body of bodies) {
      const { conversationId } = ids;
      const theirs = await server.ask("eve", "POST", "/chat", { conversationId, ...body });
      const missing = await server.ask("eve", "POST", "/chat", {
        conversationId: nobodys.conversationId,
        ...body,
      });
      expect(theirs.status).toBe(404);
      expect(withoutRequestId(theirs)).toEqual(withoutRequestId(missing));
    }
  });

  it("is in no list, and no deletion of everything reaches it", async () => {
    const { server, ids } = await startWithAda();
    expect((await server.ask("eve", "GET", "/conversations")).body.data.conversations).toEqual([]);
    expect((await server.ask("eve", "GET", "/facts")).body.data.facts).toEqual([]);
    expect((await server.ask("eve", "GET", "/memory/stats")).body.data).toMatchObject({
      totalConversations: 0,
    });
    expect((await server.ask("eve", "DELETE", "/conversations")).body.data).toEqual({ deleted: 0 });
    await server.ask("eve", "DELETE", "/facts");
    expect((await server.ask("ada", "GET", `/conversations/${ids.conversationId}`)).status).toBe(200);
    expect((await server.ask("ada", "GET", `/facts/${ids.factId}`)).status).toBe(200);
  });

  it.each(["*", "%25", "a:b", "{}", "__proto__", "%00", "%F0%9F%98%80", "x".repeat(256), "..%2F..%2Fhealth"])(
    "isn't found by the id %s",
    async (id) => {
      const { server } = await startWithAda();
      for (const path of [`/conversations/${id}`, `/conversations/${id}/events`, `/facts/${id}`]) {
        expect((await server.ask("eve", "GET", path)).status, path).toBe(404);
      }
    },
  );
});
