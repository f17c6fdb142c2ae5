import { request } from "node:http";
import { createInMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { createServerApp, runServer } from "@jaf/server";
import { describe, expect, it } from "vitest";
import { assistant, saying, startTestServer } from "../support/test-server.ts";

/** The status of a request with headers that `fetch` wouldn't send. */
function statusOf(url: string, headers: Readonly<Record<string, string>>, method = "GET"): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { "content-type": "application/json", ...headers } });
    sent.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? '{"message":"Hi"}' : undefined);
  });
}

const stores = () => ({
  defaultMemoryProvider: createInMemoryProvider(),
  turnLog: createInMemoryTurnLog(),
});

describe("without authenticate", () => {
  it.each(["0.0.0.0", "::", "192.168.0.1", "example.org"])("a server doesn't listen on %s", async (host) => {
    const refused = runServer([assistant], { modelProvider: saying("Hi") }, { port: 0, host, ...stores() });
    await expect(refused).rejects.toThrow(/loopback.*without authenticate\(\)/);
  });

  it("everybody is the one local user, by a loopback name alone", async () => {
    const server = await startTestServer(saying("Hi"), { authenticate: undefined });
    const port = new URL(server.url).port;
    const url = `${server.url}/chat`;
    expect(await statusOf(url, { host: `localhost:${port}` }, "POST")).toBe(200);
    expect(await statusOf(url, { host: "evil.example" }, "POST")).toBe(403);
    expect(await statusOf(url, { host: `127.0.0.1.evil.example:${port}` }, "POST")).toBe(403);
    const found = await server.provider.findConversations({ userId: "local" });
    expect(found).toMatchObject({ data: [{ userId: "local" }] });
  });

  it("allowedHosts are the names instead", async () => {
    const server = await startTestServer(saying("Hi"), { allowedHosts: ["jaf.example"] });
    expect(await statusOf(`${server.url}/health`, { host: "jaf.example" })).toBe(200);
    expect(await statusOf(`${server.url}/health`, { host: "localhost" })).toBe(403);
  });
});

describe("pages of other origins", () => {
  const origin = "https://app.example";

  it("are refused by default, also before a body is read, and nothing happens", async () => {
    const server = await startTestServer();
    const url = `${server.url}/chat`;
    const user = { "x-user": "ada" };
    expect(await statusOf(url, { ...user, origin }, "POST")).toBe(403);
    expect(await statusOf(url, { ...user, origin: "null" }, "POST")).toBe(403);
    expect(await statusOf(url, { ...user, "sec-fetch-site": "cross-site" }, "POST")).toBe(403);
    expect(await statusOf(url, { ...user, origin, "access-control-request-method": "POST" }, "OPTIONS")).toBe(
      403,
    );
    expect(await statusOf(url, { ...user, origin: server.url }, "POST")).toBe(200);
    expect(await server.provider.findConversations({ userId: "ada" })).toMatchObject({ data: { length: 1 } });
  });

  it("are let in by their name, also to a stream", async () => {
    const server = await startTestServer(saying("Hi"), { cors: { origins: [`${origin}/`] } });
    const preflight = await server.send("ada", "/chat", { method: "OPTIONS", headers: { origin } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
    expect(preflight.headers.get("access-control-allow-methods")).toContain("PATCH");
    const streamed = await server.send("ada", "/chat", {
      method: "POST",
      headers: { origin, accept: "text/event-stream" },
      body: JSON.stringify({ message: "Hi" }),
    });
    expect(streamed.headers.get("access-control-allow-origin")).toBe(origin);
    expect(streamed.headers.get("access-control-allow-credentials")).toBe("true");
    await streamed.text();
    const other = await server.send("ada", "/agents", { headers: { origin: "https://app.example.evil" } });
    expect(other.status).toBe(403);
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("are all let in without their cookies by cors: true", async () => {
    const server = await startTestServer(saying("Hi"), { cors: true });
    const { headers } = await server.send("ada", "/agents", { headers: { origin } });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });
});

describe("who isn't authenticated", () => {
  it("gets 401 on every route but /health", async () => {
    const { url } = await startTestServer();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    for (const path of ["/agents", "/conversations", "/facts", "/memory/health", "/openapi.json", "/nothing"])
      expect((await fetch(`${url}${path}`)).status, path).toBe(401);
  });

  it("learns nothing from an error of authenticate, which onError is told", async () => {
    const told: unknown[] = [];
    const failure = new Error("secret of the directory");
    const app = await createServerApp(
      [assistant],
      { modelProvider: saying("Hi") },
      {
        ...stores(),
        authenticate: () => {
          throw failure;
        },
        onError: (error) => void told.push(error),
      },
    );
    const response = await app.fetch(new Request("http://jaf.example/agents"));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret");
    expect(told).toEqual([failure]);
    await app.close();
  });
});

it("says what browsers must not do, in each answer, with the id of the request", async () => {
  const server = await startTestServer();
  const requests: readonly (readonly [string, RequestInit])[] = [
    ["/agents", {}],
    ["/nothing", {}],
    ["/chat", { method: "POST", body: '{"message":"Hi"}' }],
    ["/chat", { method: "POST", body: '{"message":"Hi","stream":true}' }],
    ["/chat", { method: "POST", body: "{" }],
  ];
  for (const [path, init] of requests) {
    const { headers, body } = await server.send("ada", path, init);
    await body?.cancel();
    expect(headers.get("x-content-type-options"), path).toBe("nosniff");
    expect(headers.get("cache-control"), path).toContain("no-store");
    expect(headers.get("content-security-policy"), path).toContain("default-src 'none'");
    expect(headers.get("x-request-id"), path).toMatch(/^[0-9a-f-]{36}$/);
  }
});
