import { createTool } from "@jaf/core";
import { createFailure, createInMemoryProvider, createMemoryConnectionError } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { createServerApp, runServer } from "@jaf/server";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { assistant, saying, startTestServer } from "../support/test-server.ts";

const config = { modelProvider: saying("Hi.") };
const stores = () => ({
  defaultMemoryProvider: createInMemoryProvider(),
  turnLog: createInMemoryTurnLog(),
});

describe("the agents", () => {
  it("are listed with their tools, where these run, and whether they need an approval", async () => {
    const { ask } = await startTestServer();
    const { data } = (await ask("ada", "GET", "/agents")).body;
    expect(data.defaultAgent).toBe("assistant");
    expect(data.agents).toEqual([
      {
        name: "assistant",
        tools: [
          { name: "add", description: "Adds two numbers.", runs: "server", approval: false },
          { name: "remove", description: expect.any(String), runs: "server", approval: true },
        ],
      },
    ]);
    expect(JSON.stringify(data)).not.toContain(String(assistant.instructions));
  });

  it("can be given as a map with names, and client tools are marked", async () => {
    const tool = createTool({ name: "locate", description: "Where the user is.", parameters: z.object({}) });
    const agents = new Map([
      ["first", assistant],
      ["second", { ...assistant, tools: [tool] }],
    ]);
    const app = await createServerApp(agents, config, { ...stores(), defaultAgent: "second" });
    onTestFinished(async () => void (await app.close()));
    const response = await app.fetch(new Request("http://localhost/agents"));
    const { data } = (await response.json()) as { data: { agents: object[]; defaultAgent: string } };
    expect(data).toMatchObject({ defaultAgent: "second", agents: [{ name: "first" }, { name: "second" }] });
    expect(data.agents[1]).toMatchObject({ tools: [{ name: "locate", runs: "client" }] });
    const chat = await app.fetch(
      new Request("http://localhost/agents/first/chat", {
        ...{ method: "POST", headers: { "content-type": "application/json" }, body: '{"message":"Hi"}' },
      }),
    );
    expect(chat.status).toBe(200);
  });
});

describe("health and statistics", () => {
  it("cover each store, and only the user's own data", async () => {
    const { ask } = await startTestServer();
    await ask("ada", "POST", "/chat", { message: "Hi" });
    await ask("eve", "POST", "/chat", { message: "Hi" });
    const healthy = { healthy: true, latencyMs: expect.any(Number) };
    expect((await ask("ada", "GET", "/memory/health")).body.data).toEqual({
      ...{ healthy: true, store: healthy, turnLog: healthy, userMemory: healthy, runningTurns: 0 },
    });
    expect((await ask("ada", "GET", "/memory/stats")).body.data).toMatchObject({
      ...{ totalConversations: 1, totalMessages: 2 },
    });
    expect((await ask("bob", "GET", "/memory/stats")).body.data).toMatchObject({ totalConversations: 0 });
  });

  it("report a store that is down, and its requests fail with 503 and Retry-After", async () => {
    const provider = createInMemoryProvider();
    const secret = "connect ECONNREFUSED 10.1.2.3:5432";
    const down = async () => createFailure(createMemoryConnectionError(secret, "memory"));
    const errors: unknown[] = [];
    const { ask, send } = await startTestServer(saying("Hi."), {
      defaultMemoryProvider: {
        ...provider,
        ...{ healthCheck: down, findConversations: down, readConversation: down, appendMessages: down },
      } as never,
      onError: (error) => errors.push(error),
    });
    expect((await ask("ada", "GET", "/memory/health")).body.data).toMatchObject({
      ...{ healthy: false, store: { healthy: false }, turnLog: { healthy: true } },
    });
    for (const path of ["/conversations", "/conversations/x"]) {
      const response = await send("ada", path);
      expect(response.status).toBe(503);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      const text = await response.text();
      expect(JSON.parse(text).error).toMatchObject({ code: "unavailable", retryable: true });
      expect(text).not.toContain("10.1.2.3");
    }
    expect((await ask("ada", "POST", "/chat", { message: "Hi" })).status).toBe(503);
    expect(errors.length).toBeGreaterThan(0);
  });
});

describe("a server", () => {
  it.each([
    ["no agents", [], {}, "defaultAgent"],
    ["an unknown default agent", [assistant], { defaultAgent: "x" }, "defaultAgent"],
    ["two agents with one name", [assistant, assistant], {}, "a unique name"],
    ["an invalid limit", [assistant], { limits: { bodyBytes: 0 } }, "limits.bodyBytes"],
    ["an unknown limit", [assistant], { limits: { bodyMegabytes: 1 } }, "bodyMegabytes"],
    [
      "an option of the run configuration",
      [assistant],
      { userMemory: {} },
      "userMemory: expected no such field",
    ],
    ["an invalid origin", [assistant], { cors: { origins: ["app"] } }, "cors"],
    ["an authenticate that isn't a function", [assistant], { authenticate: "ada" }, "authenticate"],
  ])("isn't created with %s, and names the reason", async (_what, agents, options, said) => {
    const made = runServer(agents, config, { port: 0, ...stores(), ...options } as object);
    await expect(made).rejects.toThrow(TypeError);
    await expect(made).rejects.toThrow(said);
  });

  it("isn't created without a store", async () => {
    await expect(runServer([assistant], config, { port: 0 })).rejects.toThrow(
      "defaultMemoryProvider: expected a memory provider",
    );
  });

  it("rejects with the system's error if the port is taken", async () => {
    const { port } = await startTestServer();
    await expect(runServer([assistant], config, { port, ...stores() })).rejects.toThrow("EADDRINUSE");
  });

  it("closes once if close is called several times", async () => {
    const server = await startTestServer();
    await Promise.all([server.close(), server.close()]);
    await expect(server.send("ada", "/health")).rejects.toThrow();
  });
});
