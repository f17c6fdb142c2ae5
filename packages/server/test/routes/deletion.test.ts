import { createFailure, createMemoryConnectionError, type TurnLog } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { expect, it } from "vitest";
import { until } from "../../../../test/polling.ts";
import { saying, startTestServer } from "../support/test-server.ts";
import { createPausingModel } from "../support/turn-fixtures.ts";

it.each([
  ["one conversation", (id: string) => `/conversations/${id}`],
  ["all conversations", () => "/conversations"],
])("deletes %s while a turn runs, which restores nothing", async (_what, pathOf) => {
  const { model, go } = createPausingModel(["One "], ["two"]);
  const { ask, send } = await startTestServer(model);
  const stream = await send("ada", "/chat", { method: "POST", body: '{"message":"Count.","stream":true}' });
  const { conversations } = (await ask("ada", "GET", "/conversations")).body.data;
  const [{ conversationId }] = conversations;
  expect((await ask("ada", "DELETE", pathOf(conversationId))).status).toBe(200);
  go();
  await stream.text();
  await until("the end of the turn", async () => {
    const { body } = await ask("ada", "GET", "/memory/health");
    return body.data.runningTurns === 0;
  });
  for (const path of ["", "/events", "/turns", "/export"])
    expect((await ask("ada", "GET", `/conversations/${conversationId}${path}`)).status, path).toBe(404);
  expect((await ask("ada", "GET", "/conversations")).body.data.conversations).toEqual([]);
  expect((await ask("ada", "GET", "/approvals/pending")).body.data.approvals).toEqual([]);
});

/** A log that fails at its `nth` deletion, from 1, like a store that is down for a moment. */
function failingOnce(nth: number): TurnLog {
  const log = createInMemoryTurnLog();
  let count = 0;
  const failing =
    <Ids>(erase: (ids: Ids) => ReturnType<TurnLog["deleteUser"]>) =>
    async (ids: Ids) => {
      count += 1;
      return count === nth ? createFailure(createMemoryConnectionError("down", "memory")) : erase(ids);
    };
  return {
    ...log,
    deleteConversation: failing(log.deleteConversation),
    deleteUser: failing(log.deleteUser),
  };
}

it.each([
  ["one conversation", 1, (id: string) => `/conversations/${id}`],
  ["one conversation", 2, (id: string) => `/conversations/${id}`],
  ["all conversations", 1, () => "/conversations"],
  ["all conversations", 2, () => "/conversations"],
])(
  "deletes %s at the second attempt if step %i of the log fails at the first",
  async (_what, nth, pathOf) => {
    const turnLog = failingOnce(nth);
    const { ask, provider } = await startTestServer(saying("Hi."), { turnLog, onError: () => undefined });
    const { conversationId } = (await ask("ada", "POST", "/chat", { message: "Hi" })).body.data;
    // A turn that begins after the log was erased.
    const deleting = provider.deleteConversation;
    const turn = { conversationId, turnId: "late", request: "", leaseSeconds: 60, keepSeconds: 60 };
    const begin = () => turnLog.begin({ ...turn, userId: "ada" });
    Object.assign(provider, {
      deleteConversation: async (id: string) => {
        await begin();
        return deleting(id);
      },
    });
    const path = pathOf(conversationId);
    expect(await ask("ada", "DELETE", path)).toMatchObject({
      status: 503,
      body: { error: { retryable: true } },
    });
    expect((await ask("eve", "DELETE", `/conversations/${conversationId}`)).status).toBe(404);
    expect((await ask("ada", "DELETE", path)).status).toBe(200);
    expect(await turnLog.turnsOf(conversationId)).toMatchObject({ data: [] });
    expect((await ask("ada", "GET", "/conversations")).body.data.conversations).toEqual([]);
    if (nth === 1) return;
    // Nothing is left to delete.
    const again = await ask("ada", "DELETE", `/conversations/${conversationId}`);
    expect(again.status).toBe(404);
  },
);
