import { runInbox, runLedger } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryInbox, createInMemoryLedger, createInMemoryTimers } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { operations } from "../support/documented.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

/** Calls a route and parses the response by the schema of the OpenAPI document. */
async function askParsed(
  server: TestServer,
  [method, path]: readonly [string, string],
  ids: Readonly<Record<string, string>>,
  body?: unknown,
) {
  const [route = "", query] = path.split("?");
  const operation = operations.find((one) => one.method === method && one.path === route);
  const filled = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
  const asked = query === undefined ? filled : `${filled}?${query}`;
  const answer = await server.ask("ada", method.toUpperCase(), asked, body);
  expect(answer, asked).toMatchObject({ status: 200, body: { success: true } });
  const parsed = operation?.answer?.safeParse(answer.body.data);
  expect(parsed?.error, `${method} ${path}`).toBeUndefined();
  expect(parsed?.success, `${method} ${path}`).toBe(true);
  return answer.body.data;
}

describe("responses", () => {
  it("match the OpenAPI document on every route", async () => {
    const server = await startTestServer(
      createScriptedModel([
        { toolCalls: [{ name: "remove", arguments: { what: "all" } }] },
        ...["Done.", "By name.", "Edited.", "Again."],
      ]),
      { mayReadLedger: () => true, timers: createInMemoryTimers() },
      undefined,
      {
        ledger: runLedger({ store: createInMemoryLedger() }),
        memory: { inbox: runInbox(createInMemoryInbox()) },
      },
    );
    const askedPaths = new Set<string>();
    const call = (
      route: readonly [string, string],
      ids: Readonly<Record<string, string>> = {},
      body?: unknown,
    ) => {
      askedPaths.add(route.join(" ").replace(/\?.*/, ""));
      return askParsed(server, route, ids, body);
    };
    await call(["get", "/health"]);
    const { agents } = await call(["get", "/agents"]);
    expect(agents).toMatchObject([
      {
        name: "assistant",
        tools: [
          { name: "add", approval: false },
          { name: "remove", approval: true },
        ],
      },
    ]);
    const { conversationId } = await call(["post", "/chat"], {}, { message: "Remove all." });
    const ids = { conversationId, agentName: "assistant" };
    const { approvals } = await call(["get", "/approvals/pending"]);
    const { toolCallId, approvalId } = approvals[0].interruption;
    const conversation = "/conversations/{conversationId}";
    expect(await call(["post", `${conversation}/inbox`], ids, { message: "Thanks." })).toEqual({
      sent: true,
    });
    await call(["get", conversation], ids);
    await call(["get", `${conversation}/turns`], ids);
    expect((await call(["get", "/turns/open"])).turns).toMatchObject([{ conversationId, state: "waiting" }]);
    const timer = { message: "Drink!", cron: "0 9 * * *" };
    const timerIds = { ...ids, timerId: "t" };
    await call(["put", `${conversation}/timers/{timerId}`], timerIds, timer);
    expect((await call(["get", "/timers/pending"])).timers).toMatchObject([timer]);
    expect((await call(["get", `${conversation}/timers`], ids)).timers).toMatchObject([timer]);
    const removed = await call(["delete", `${conversation}/timers/{timerId}`], timerIds);
    expect(removed).toEqual({ removed: true });
    await call(
      ["post", "/chat"],
      {},
      {
        conversationId,
        approvals: [{ toolCallId, approvalId, approved: true }],
      },
    );
    await call(["post", "/agents/{agentName}/chat"], ids, { conversationId, message: "Again" });
    const { version, messages } = await call(["get", conversation], ids);
    const { position } = messages.findLast(
      ({ message }: { message: { role: string } }) => message.role === "user",
    );
    const edited = await call(["post", `${conversation}/edit`], ids, { position, version, message: "Other" });
    const regenerated = await call(["post", `${conversation}/regenerate`], ids, { version: edited.version });
    expect(regenerated.text).toBe("Again.");
    const copy = await call(["post", `${conversation}/copy`], ids, { version: regenerated.version });
    expect(copy.conversationId).not.toBe(conversationId);
    expect(await call(["patch", conversation], ids, { title: " Mine " })).toEqual({ title: "Mine" });
    expect((await call(["get", "/conversations"])).conversations).toHaveLength(2);
    const found = await call(["get", "/messages/search?query=remove"]);
    expect(found.messages).toContainEqual(expect.objectContaining({ conversationId, title: "Mine" }));
    await call(["get", `${conversation}/events`], ids);
    await call(["get", `${conversation}/turns`], ids);
    expect(await call(["post", `${conversation}/stop`], ids, {})).toEqual({ stopping: false });
    const exported = await server.send("ada", `/conversations/${conversationId}/export`);
    expect(exported.headers.get("content-disposition")).toContain("attachment");
    expect(await exported.json()).toMatchObject({ userId: "ada" });
    const { fact } = await call(["post", "/facts"], {}, { fact: "Lives in Oslo", tags: ["home"] });
    await call(["get", "/facts"]);
    await call(["get", "/facts/{factId}"], { factId: fact.id });
    await call(["post", "/facts"], {}, { fact: "Is living in Oslo" });
    const { findings } = await call(["get", "/facts/health"]);
    const { outcomes } = await call(["post", "/facts/health"], {}, { findings: [findings[0].id] });
    expect(outcomes).toEqual([{ findingId: findings[0].id, outcome: "applied" }]);
    await call(["delete", "/facts/{factId}"], { factId: fact.id });
    await call(["delete", "/facts"]);
    expect((await call(["get", "/ledger"])).rows).toHaveLength(1);
    expect((await call(["get", "/ledger/all"])).rows).toHaveLength(1);
    await call(["get", "/memory/health"]);
    await call(["get", "/memory/stats"]);
    expect(await call(["delete", conversation], ids)).toEqual({ deleted: true });
    expect((await server.ask("ada", "GET", `/conversations/${conversationId}/events`)).status).toBe(404);
    expect(await call(["delete", "/conversations"])).toEqual({ deleted: 1 });
    const left = operations
      .filter(({ method, path }) => !askedPaths.has(`${method} ${path}`) && !path.startsWith("/ai-sdk/"))
      .map(({ path }) => path);
    // The document, a file, a stream, and a review of a quarantined fact. The AI SDK's routes have tests with its own client.
    expect(left).toEqual([
      ...["/openapi.json", `${conversation}/export`, "/approvals/stream", "/facts/{factId}/review"],
    ]);
  });

  it("page through conversations and messages, each once", async () => {
    const replies = Array.from({ length: 7 }, (_, index) => `Reply ${index}.`);
    const server = await startTestServer(createScriptedModel(replies));
    const ids: string[] = [];
    for (let count = 0; count < 5; count++)
      ids.push(
        (await server.ask("ada", "POST", "/chat", { message: `Hi ${count}` })).body.data.conversationId,
      );
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const { data } = (await server.ask("ada", "GET", `/conversations?limit=2${query}`)).body;
      seen.push(...data.conversations.map((one: { conversationId: string }) => one.conversationId));
      cursor = data.nextCursor;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(ids.toSorted());

    const [conversationId] = ids;
    for (let count = 0; count < 2; count++)
      await server.ask("ada", "POST", "/chat", { conversationId, message: "More" });
    const path = `/conversations/${conversationId}`;
    const last = (await server.ask("ada", "GET", `${path}?limit=4`)).body.data;
    expect(last.messages.map(({ position }: { position: number }) => position)).toEqual([2, 3, 4, 5]);
    expect(last.earlier).toBe(true);
    const first = (await server.ask("ada", "GET", `${path}?limit=4&before=2`)).body.data;
    expect(first.messages.map(({ position }: { position: number }) => position)).toEqual([0, 1]);
    expect(first.earlier).toBe(false);
    expect((await server.ask("ada", "GET", "/conversations?cursor=forged")).status).toBe(400);
    expect((await server.ask("ada", "GET", `${path}?limit=0`)).status).toBe(400);
  });

  it("say that facts aren't configured without user memory", async () => {
    const server = await startTestServer(undefined, { userMemory: undefined });
    for (const [method, path] of [
      ["GET", "/facts"],
      ["DELETE", "/facts"],
      ["GET", "/facts/1"],
    ] as const)
      expect(await server.ask("ada", method, path)).toMatchObject({
        status: 404,
        body: { error: { code: "not-configured" } },
      });
  });
});
