import { expect, it } from "vitest";
import { until } from "../../../../test/polling.ts";
import { startTestServer } from "../support/test-server.ts";
import { createPausingModel } from "../turns/support/turn-fixtures.ts";

it.each([
  ["one conversation", (id: string) => `/conversations/${id}`],
  ["all conversations", () => "/conversations"],
])("deletes %s while a turn runs, which brings nothing back", async (_what, pathOf) => {
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
