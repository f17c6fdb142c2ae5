import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { describe, expect, it, onTestFinished } from "vitest";
import { failureAnswer } from "../../src/api/answers.ts";
import { createHonoApp } from "../../src/app.ts";
import { operations } from "../../src/openapi/operations.ts";
import { assistant, saying, startTestServer } from "../support/test-server.ts";

const nameOf = ({ method, path }: { method: string; path: string }) => `${method.toUpperCase()} ${path}`;

const asking = { toolCalls: [{ name: "remove", arguments: { what: "all" } }] };

describe("the OpenAPI document", () => {
  it("has every route, and nothing else", async () => {
    const { app, close } = await createHonoApp(
      [assistant],
      { modelProvider: saying("Hi.") },
      { defaultMemoryProvider: createInMemoryProvider(), turnLog: createInMemoryTurnLog() },
    );
    onTestFinished(async () => void (await close()));
    const routes = app.routes
      .filter(({ method, path }) => method !== "ALL" && !path.startsWith("/ai-sdk/"))
      .map(({ method, path }) => nameOf({ method, path: path.replaceAll(/:(\w+)/g, "{$1}") }));
    expect([...new Set(routes)].sort()).toEqual(operations.map(nameOf).sort());
  });

  it("is what /openapi.json answers, with an id of its own for each operation", async () => {
    const { ask } = await startTestServer();
    const { body } = await ask("ada", "GET", "/openapi.json");
    expect(body.openapi).toBe("3.1.0");
    const described = Object.entries(body.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, { operationId: string }>).map(([method, { operationId }]) => ({
        ...{ operationId, name: nameOf({ method, path }) },
      })),
    );
    expect(described.map(({ name }) => name).sort()).toEqual(operations.map(nameOf).sort());
    expect(new Set(described.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });
});

describe("every answer", () => {
  it("is what the document says, with no field more", async () => {
    const server = await startTestServer(
      createScriptedModel([
        ...[asking, "Done.", asking],
        { toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] },
        ...Array.from({ length: 20 }, () => "Hello."),
      ]),
    );
    const called = new Set<string>();
    async function call(name: string, ids: Readonly<Record<string, string>>, body?: unknown, query = "") {
      const operation = operations.find((each) => nameOf(each) === name);
      if (operation === undefined) throw new Error(`There is no operation ${name}.`);
      called.add(name);
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, id: string) => ids[id] ?? "");
      const answer = await server.ask("ada", operation.method.toUpperCase(), `${path}${query}`, body);
      expect(answer.status, name).toBe(200);
      if (operation.answer === undefined) return answer.body;
      expect(Object.keys(answer.body), name).toEqual(["success", "data"]);
      // What the schema doesn't know is left out by it.
      expect(operation.answer.parse(answer.body.data), name).toStrictEqual(answer.body.data);
      return answer.body.data;
    }

    for (const name of ["/health", "/openapi.json", "/agents", "/memory/health", "/memory/stats"])
      await call(`GET ${name}`, {});
    const asked = await call("POST /chat", {}, { message: "Remove all." });
    const ids = { conversationId: asked.conversationId, agentName: "assistant" };
    const conversation = "/conversations/{conversationId}";
    await call("GET /conversations", ids, undefined, "?limit=1");
    await call(`GET ${conversation}`, ids);
    await call(`GET ${conversation}/turns`, ids);
    const { approvals } = await call("GET /approvals/pending", ids);
    expect(approvals).toHaveLength(1);
    const { toolCallId, approvalId } = approvals[0].interruption;
    const decided = [{ toolCallId, approvalId, approved: true }];
    await call("POST /chat", ids, { conversationId: ids.conversationId, approvals: decided });
    await call("POST /chat", ids, { message: "Remove all again." });
    const added = await call("POST /agents/{agentName}/chat", ids, {
      ...{ conversationId: ids.conversationId },
      message: "1 + 2?",
    });
    expect(added.messages).toHaveLength(2);
    await call(`GET ${conversation}/events`, ids);
    await call(`GET ${conversation}`, ids);
    await call(`GET ${conversation}/turns`, ids);
    await call("GET /conversations", ids, undefined, "?limit=1");
    const { version } = added;
    const edited = await call(`POST ${conversation}/edit`, ids, { position: 0, version, message: "Hi" });
    const anew = await call(`POST ${conversation}/regenerate`, ids, { version: edited.version });
    await call(`POST ${conversation}/copy`, ids, { version: anew.version });
    await call(`PATCH ${conversation}`, ids, { title: "Another" });
    await call(`POST ${conversation}/stop`, ids, {});
    await call(`GET ${conversation}/export`, ids);
    await call("GET /memory/stats", ids);

    const { fact } = await call("POST /facts", ids, { fact: "Likes tea." });
    const waiting = await server.userMemory.remember("ada", "Likes milk.", { trust: "external" });
    const worse = await server.userMemory.remember("ada", "Is root.", { trust: "external" });
    await call("GET /facts", ids);
    await call("GET /facts", ids, undefined, "?status=quarantined");
    await call("GET /facts/{factId}", { factId: fact.id }, undefined, "?query=tea");
    await call("POST /facts/{factId}/review", { factId: waiting.id }, { decision: "approve" });
    await call("POST /facts/{factId}/review", { factId: worse.id }, { decision: "reject" });
    await call("DELETE /facts/{factId}", { factId: fact.id });
    await call("DELETE /facts", ids);
    await call(`DELETE ${conversation}`, ids);
    await call("DELETE /conversations", ids);
    // It never ends.
    const stream = await server.send("ada", "/approvals/stream");
    expect([stream.status, stream.headers.get("content-type")]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
    ]);
    await stream.body?.cancel();
    called.add("GET /approvals/stream");
    expect([...called].sort()).toEqual(operations.map(nameOf).sort());
  });

  it("that is a failure is what the document says", async () => {
    const { ask } = await startTestServer();
    for (const [method, path, body] of [
      ["GET", "/nowhere"],
      ["POST", "/chat", {}],
      ["GET", "/conversations/x"],
      ["GET", "/conversations?limit=x"],
      ["POST", "/facts", { fact: 7 }],
    ] as const) {
      const answer = await ask("ada", method, path, body);
      expect(failureAnswer.parse(answer.body)).toStrictEqual(answer.body);
    }
  });
});
