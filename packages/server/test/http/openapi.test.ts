import { runInbox, runLedger } from "@jaf/core";
import { createInMemoryInbox, createInMemoryLedger, createInMemoryTimers } from "@jaf/memory";
import { createServerApp } from "@jaf/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRoutedApp } from "../../src/app.ts";
import { document, documentedAnswers, documentedOperations as operations } from "../support/documented.ts";
import { scenarioModel } from "../support/scenario.ts";
import { assistant, saying, startTestServer } from "../support/test-server.ts";
import { createWorld } from "../support/turn-fixtures.ts";

function options() {
  const { provider, log } = createWorld();
  return { defaultMemoryProvider: provider, turnLog: log };
}

const config = { modelProvider: saying("Hi.") };

describe("the OpenAPI document", () => {
  it("has exactly the routes of the server", async () => {
    const { app, close } = await createRoutedApp([assistant], config, options());
    onTestFinished(async () => void (await close()));
    const routes = app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    expect(operations.map(({ name }) => name).toSorted()).toEqual(routes.toSorted());
  });

  it("has a request body for each route that reads one, and says whether it is required", async () => {
    const server = await startTestServer();
    for (const { name, method, path, requestBody } of operations) {
      if (method === "GET") {
        expect(requestBody, name).toBeUndefined();
        continue;
      }
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, id: string) =>
        id === "agentName" ? "assistant" : "x",
      );
      const broken = await (await server.send("ada", filled, { method, body: "{" })).text();
      expect(broken.includes("The body isn't valid JSON."), name).toBe(requestBody !== undefined);
      if (requestBody === undefined) continue;
      const without = await (await server.send("ada", filled, { method })).text();
      expect(/Invalid (?:body|chat request)/.test(without), name).toBe(requestBody.required);
    }
  });

  it("has all responses of each route with their statuses and media types", async () => {
    const authenticate = ({ headers }: Request) => (headers.get("x-user") === "" ? null : { userId: "ada" });
    const options = { authenticate, mayReadLedger: () => true, timers: createInMemoryTimers() };
    const settings = {
      ledger: runLedger({ store: createInMemoryLedger() }),
      memory: { inbox: runInbox(createInMemoryInbox()) },
    };
    const server = await startTestServer(scenarioModel, options, undefined, settings);
    const given = new Map<string, Set<string>>(operations.map(({ name }) => [name, new Set()]));

    /** Sends a request of a documented operation with its ids filled in. */
    async function send(name: string, ids: Ids = {}, init: RequestInit & { readonly query?: string } = {}) {
      const [method = "", path = ""] = name.split(" ");
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, id: string) => encodeURIComponent(ids[id] ?? id));
      const response = await server.send("ada", `${filled}${init.query ?? ""}`, { ...init, method });
      const type = response.headers.get("content-type")?.split(";")[0];
      given.get(name)?.add([response.status, type].join(" ").trim());
      return response;
    }
    const data = async (response: Promise<Response>) =>
      (JSON.parse(await (await response).text()) as { data: Data }).data;
    const post = (body: unknown, accept = "*/*") => ({ body: JSON.stringify(body), headers: { accept } });
    const stream = { headers: { accept: "text/event-stream" } };
    const read = async (response: Promise<Response>) => void (await (await response).text());

    for (const name of ["/health", "/openapi.json", "/agents", "/conversations", "/facts", "/memory/health"])
      await read(send(`GET ${name}`));
    for (const name of ["/memory/stats", "/ledger", "/ledger/all", "/turns/open", "/timers/pending"])
      await read(send(`GET ${name}`));
    await read(send("GET /approvals/pending"));
    await read(send("GET /messages/search", {}, { query: "?query=hi" }));
    await (await send("GET /approvals/stream")).body?.cancel();

    const { conversationId } = await data(send("POST /chat", {}, post({ message: "Hi" })));
    const ids = { conversationId, agentName: "assistant" };
    const own = "/conversations/{conversationId}";
    await read(send("POST /chat", {}, post({ message: "Hi" }, "text/event-stream")));
    const agentChat = "POST /agents/{agentName}/chat";
    await read(send(agentChat, ids, post({ message: "Hi" })));
    await read(send(agentChat, ids, post({ message: "Hi" }, "text/event-stream")));
    const inBackground = { message: "Hi", background: true };
    const started = [
      await data(send("POST /chat", {}, post(inBackground))),
      await data(send(agentChat, ids, post(inBackground))),
    ];
    for (const { conversationId } of started)
      await read(send(`GET ${own}/events`, { conversationId }, stream));
    const version = async () => (await data(send(`GET ${own}`, ids))).version;
    for (const accept of ["application/json", "text/event-stream"]) {
      const edit = { position: 0, version: await version(), message: "Hello" };
      await read(send(`POST ${own}/edit`, ids, post(edit, accept)));
      await read(send(`POST ${own}/regenerate`, ids, post({ version: await version() }, accept)));
    }
    const edited = { position: 0, version: await version(), message: "Hello", background: true };
    await read(send(`POST ${own}/edit`, ids, post(edited)));
    await read(send(`GET ${own}/events`, ids, stream));
    await read(send(`POST ${own}/regenerate`, ids, post({ version: await version(), background: true })));
    await read(send(`GET ${own}/events`, ids, stream));
    await read(send(`POST ${own}/copy`, ids, post({ version: await version() })));
    await read(send(`PATCH ${own}`, ids, post({ title: "Mine" })));
    await read(send(`POST ${own}/stop`, ids));
    for (const name of ["export", "turns", "events"]) await read(send(`GET ${own}/${name}`, ids));
    await read(send(`GET ${own}/events`, ids, stream));
    await read(send(`GET ${own}/events`, ids, { ...stream, query: "?from=999" }));

    const { fact } = await data(send("POST /facts", {}, post({ fact: "Likes tea." })));
    await read(send("GET /facts/{factId}", { factId: fact.id }));
    await read(send("DELETE /facts/{factId}", { factId: fact.id }));
    await read(send("GET /facts/health"));
    await read(send("POST /facts/health", {}, post({ findings: ["none"] })));
    const waiting = await server.userMemory.remember("ada", "Likes coffee.", { trust: "external" });
    await read(send("POST /facts/{factId}/review", { factId: waiting.id }, post({ decision: "reject" })));
    await read(send("DELETE /facts"));

    const parts = [{ type: "text", text: "Talk." }];
    const body = post({ id: "chat", messages: [{ id: "u1", role: "user", parts }] });
    const talking = await send("POST /ai-sdk/chat", {}, body);
    const chat = { chatId: "chat" };
    await (await send("GET /ai-sdk/chat/{chatId}/stream", chat)).body?.cancel();
    await read(send("POST /ai-sdk/chat/{chatId}/stop", chat));
    await talking.text();
    await read(send("GET /ai-sdk/chat/{chatId}/stream", chat));
    await read(send("GET /ai-sdk/chat/{chatId}/messages", chat));
    await read(send(`POST ${own}/inbox`, ids, post({ message: "Hi" })));
    const timer = { ...ids, timerId: "t" };
    await read(send(`PUT ${own}/timers/{timerId}`, timer, post({ message: "Hi", cron: "@daily" })));
    await read(send(`GET ${own}/timers`, ids));
    await read(send(`DELETE ${own}/timers/{timerId}`, timer));
    await read(send(`DELETE ${own}`, ids));
    await read(send("DELETE /conversations"));

    // Refused requests.
    const evil = { headers: { origin: "https://evil.example" } };
    const long = { conversationId: "x".repeat(300), factId: "x".repeat(300), chatId: "x", agentName: "x" };
    for (const { name, method } of operations) {
      if (name.endsWith("/stream")) continue;
      await read(send(name, {}, evil));
      await read(send(name, {}, { headers: { "x-user": "" } }));
      await read(send(name, long, { query: "?limit=x" }));
      await read(send(name, { agentName: "assistant" }));
      if (method === "GET") continue;
      await read(
        send(name, { agentName: "assistant" }, { body: "x", headers: { "content-type": "text/plain" } }),
      );
      await read(send(name, { agentName: "assistant" }, post({ nonsense: true })));
      await read(send(name, { agentName: "assistant" }, { body: `"${"x".repeat(5_000_000)}"` }));
    }
    await read(send("POST /chat", {}, post({ conversationId: "none", message: "Hi" })));

    const isFailure = (answer: string) => !answer.startsWith("2");
    for (const operation of operations) {
      const answers = [...(given.get(operation.name) ?? [])];
      const documented = documentedAnswers(operation);
      expect(answers.filter((one) => !isFailure(one)).toSorted(), operation.name).toEqual(
        documented.filter((one) => !isFailure(one)).toSorted(),
      );
      const unknown = answers.filter((one) => !documented.includes(one));
      expect(unknown, operation.name).toEqual([]);
    }
  });

  it("is served by the server", async () => {
    const app = await createServerApp([assistant], config, options());
    onTestFinished(async () => void (await app.close()));
    const response = await app.fetch(new Request("http://localhost/openapi.json"));
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
  });
});

type Ids = Readonly<Record<string, string>>;

interface Data {
  readonly conversationId: string;
  readonly version: number;
  readonly fact: { readonly id: string };
}
