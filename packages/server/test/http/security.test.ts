import { request } from "node:http";
import { createInMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { runServer } from "@jaf/server";
import { describe, expect, it } from "vitest";
import { assistant, saying, startTestServer } from "../support/test-server.ts";

const app = "https://app.example.org";

const stores = () => ({
  defaultMemoryProvider: createInMemoryProvider(),
  turnLog: createInMemoryTurnLog(),
});

/** A server on which all requests have the user "local". */
const startLocal = () => startTestServer(saying("Hi."), { authenticate: undefined } as object);

/** Sends a request with any headers, even those that `fetch` sets automatically. */
function raw(url: string, headers: Readonly<Record<string, string>>, method = "GET") {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const sent = request(url, { method, headers }, (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (text: string) => {
          body += text;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      });
      sent.on("error", reject);
      sent.end();
    },
  );
}

const SECURITY = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
};

describe("a server without authenticate", () => {
  it.each(["0.0.0.0", "::", "192.0.2.1", "example.org"])("doesn't start at the host %s", async (host) => {
    await expect(
      runServer([assistant], { modelProvider: saying("Hi.") }, { ...stores(), port: 0, host }),
    ).rejects.toThrow(/^Invalid server options: host: expected a loopback address, not ".+", since without/);
  });

  it.each([
    ["another host name", { host: "evil.example" }],
    ["another host name with the right port", { host: "evil.example:3000" }],
    ["a name that begins like loopback", { host: "localhost.evil.example" }],
    ["a page of another origin", { origin: "https://evil.example" }],
    ["a page without an origin", { origin: "null" }],
    ["a page of another port", { origin: "http://127.0.0.1:1" }],
    ["another site that hides its origin", { "sec-fetch-site": "cross-site" }],
    ["an image of another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }],
  ])("refuses %s", async (_what, headers) => {
    const { url } = await startLocal();
    for (const path of ["/agents", "/health", "/conversations", "/nowhere"]) {
      const answer = await raw(`${url}${path}`, headers);
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.body)).toMatchObject({ success: false, error: { code: "forbidden" } });
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  it("accepts requests from its own page, programs and links", async () => {
    const { url, port } = await startLocal();
    for (const headers of [
      {},
      { origin: url },
      { origin: url, "sec-fetch-site": "same-origin" },
      { host: `localhost:${port}` },
      { host: `[::1]:${port}` },
      { host: "LOCALHOST" },
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
    ])
      expect((await raw(`${url}/agents`, headers)).status).toBe(200);
  });

  it("accepts only the host names of allowedHosts", async () => {
    const { url } = await startTestServer(saying("Hi."), {
      ...({ authenticate: undefined } as object),
      allowedHosts: ["jaf.example.org"],
    });
    expect((await raw(`${url}/agents`, { host: "jaf.example.org" })).status).toBe(200);
    expect((await raw(`${url}/agents`, { host: "JAF.example.org" })).status).toBe(200);
    expect((await raw(`${url}/agents`, {})).status).toBe(403);
  });
});

describe("authentication", () => {
  it("rejects requests without a user on every route except /health", async () => {
    const { url } = await startTestServer();
    for (const path of [
      "/agents",
      "/conversations",
      "/facts",
      "/openapi.json",
      "/memory/stats",
      "/nowhere",
    ]) {
      const answer = await raw(`${url}${path}`, {});
      expect(answer.status).toBe(401);
      expect(JSON.parse(answer.body).error).toMatchObject({ code: "not-authenticated", retryable: false });
    }
    expect((await raw(`${url}/health`, {})).status).toBe(200);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("password 1234"))],
    ["throws a value that isn't an Error", () => Promise.reject("password 1234")],
    ["returns no user id", () => ({ userId: "" })],
    ["returns undefined", () => undefined],
  ])("fails as a server error without details if it %s", async (_what, authenticate) => {
    const errors: unknown[] = [];
    const { url } = await startTestServer(saying("Hi."), {
      authenticate: authenticate as () => Promise<never>,
      onError: (error) => errors.push(error),
    });
    const answer = await raw(`${url}/agents`, {});
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain("1234");
    expect(JSON.parse(answer.body)).toMatchObject({ success: false, error: { code: "internal" } });
    expect(errors).toHaveLength(1);
  });
});

describe("cors", () => {
  const startWith = (cors: boolean | { origins: string[] }) => startTestServer(saying("Hi."), { cors });
  const user = { "x-user": "ada" };

  it("allows pages of the given origins with credentials", async () => {
    const { url } = await startWith({ origins: [`${app}/`] });
    const preflight = await raw(
      `${url}/chat`,
      {
        origin: app,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type, x-api-key",
      },
      "OPTIONS",
    );
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      "access-control-allow-origin": app,
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": expect.stringContaining("DELETE"),
      "access-control-allow-headers": "content-type, x-api-key",
      vary: "origin",
    });
    const own = { "access-control-allow-origin": app, vary: "origin" };
    expect(await raw(`${url}/agents`, { ...user, origin: app })).toMatchObject({ status: 200, headers: own });
    // The page can read the failure.
    expect(await raw(`${url}/agents`, { origin: app })).toMatchObject({ status: 401, headers: own });
    expect(await raw(`${url}/nowhere`, { ...user, origin: app })).toMatchObject({
      status: 404,
      headers: own,
    });
  });

  it.each(["https://evil.example", "http://app.example.org", `${app}.evil.example`, "null"])(
    "rejects pages of %s",
    async (origin) => {
      const { url } = await startWith({ origins: [app] });
      for (const method of ["OPTIONS", "GET", "DELETE"]) {
        const answer = await raw(`${url}/conversations`, { ...user, origin }, method);
        expect(answer.status).toBe(403);
        expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
      }
    },
  );

  it("allows pages of all origins without cookies if it is true", async () => {
    const { url } = await startWith(true);
    const { status, headers } = await raw(`${url}/agents`, { ...user, origin: app });
    expect([status, headers["access-control-allow-origin"]]).toEqual([200, "*"]);
    expect(headers["access-control-allow-credentials"]).toBeUndefined();
  });

  it("rejects cookies and form requests from other origins if it is true", async () => {
    const { url, ask } = await startWith(true);
    const { conversationId } = (await ask("ada", "POST", "/chat", { message: "Hi" })).body.data;
    const stop = `${url}/conversations/${conversationId}/stop`;
    const json = { "content-type": "application/json" };
    const page = { ...user, origin: app };
    const cookie = { cookie: "session=1" };
    expect(await raw(`${url}/agents`, { ...page, ...cookie })).toMatchObject({ status: 403 });
    expect(await raw(stop, { ...page, ...json, ...cookie }, "POST")).toMatchObject({ status: 403 });
    expect(await raw(`${url}/conversations`, { ...page, ...cookie }, "DELETE")).toMatchObject({
      status: 403,
    });
    for (const headers of [{}, { "content-type": "text/plain" }] as Record<string, string>[]) {
      for (const path of [stop, `${url}/ai-sdk/chat/x/stop`])
        expect(await raw(path, { ...page, ...headers }, "POST")).toMatchObject({ status: 403 });
    }
    expect(await raw(stop, { ...page, ...json }, "POST")).toMatchObject({ status: 200 });
    // The server's own page, and clients that aren't pages.
    for (const headers of [{ ...user }, { ...user, ...cookie }, { ...user, ...cookie, origin: url }])
      expect(await raw(stop, headers, "POST")).toMatchObject({ status: 200 });
    expect((await ask("ada", "GET", "/conversations")).body.data.conversations).toHaveLength(1);
  });

  it("allows cookies from pages of the given origins", async () => {
    const { url } = await startWith({ origins: [app] });
    const page = { ...user, origin: app, cookie: "session=1" };
    expect(await raw(`${url}/agents`, page)).toMatchObject({ status: 200 });
    expect(await raw(`${url}/ai-sdk/chat/x/stop`, page, "POST")).toMatchObject({ status: 200 });
  });

  it("adds its headers to streams", async () => {
    const { send } = await startWith({ origins: [app] });
    const response = await send("ada", "/chat", {
      method: "POST",
      headers: { origin: app, accept: "text/event-stream" },
      body: JSON.stringify({ message: "Hi" }),
    });
    expect(response.headers.get("access-control-allow-origin")).toBe(app);
    expect(response.headers.get("cache-control")).toBe("no-store, no-transform");
    await response.text();
  });
});

describe("every response", () => {
  it("has the security headers and a request id, even a failure, a stream, a file or an empty response", async () => {
    const { send, ask } = await startTestServer(saying("Hi."), { onError: () => undefined });
    const { conversationId } = (await ask("ada", "POST", "/chat", { message: "Hi" })).body.data;
    const post = (body: unknown, accept = "application/json") => ({
      ...{ method: "POST", headers: { accept }, body: JSON.stringify(body) },
    });
    const stream = { headers: { accept: "text/event-stream" } };
    const answers = await Promise.all([
      send("ada", "/health"),
      send("ada", "/agents"),
      send("ada", "/openapi.json"),
      send("ada", "/nowhere"),
      send("", "/chat", post({ message: "Hi" })),
      send("ada", "/chat", post({ message: "Hi" })),
      send("ada", "/chat", post({ message: "Hi" }, "text/event-stream")),
      send("ada", "/chat", post({})),
      send("ada", "/chat", { method: "PUT" }),
      send("ada", `/conversations/${conversationId}/export`),
      send("ada", `/conversations/${conversationId}/events`, stream),
      send("ada", `/conversations/${conversationId}/events?from=99`, stream),
      send("ada", "/", { method: "OPTIONS" }),
      send("ada", "/agents", { headers: { origin: "https://evil.example" } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      200, 200, 200, 404, 500, 200, 200, 400, 404, 200, 200, 204, 404, 403,
    ]);
    const ids = answers.map(({ headers }) => headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(answers.length);
    expect(ids).not.toContain(null);
    for (const response of answers) {
      expect(Object.fromEntries(response.headers)).toMatchObject(SECURITY);
      expect(response.headers.get("cache-control")).toContain("no-store");
      await response.text();
    }
  });

  it("has the same request id in a failure's body and header", async () => {
    const { send } = await startTestServer();
    const response = await send("ada", "/nowhere");
    const { error } = (await response.json()) as { error: { requestId: string } };
    expect(error.requestId).toBe(response.headers.get("x-request-id"));
  });
});
