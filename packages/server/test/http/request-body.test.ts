import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { saying, startTestServer, type TestServer } from "../support/test-server.ts";
import { createPausingModel } from "../support/turn-fixtures.ts";

type Body = NonNullable<RequestInit["body"]>;

const headers = { "x-user": "ada", "content-type": "application/json" };

const post = ({ url }: TestServer, body: Body, more: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}/chat`, {
    ...{ method: "POST", headers: { ...headers, ...more }, body, duplex: "half" },
  } as RequestInit);

async function failureOf(response: Response) {
  return { status: response.status, ...((await response.json()) as { error: object }).error };
}

/** A body in chunks, without a length header. */
const chunked = (pieces: readonly string[]) =>
  new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const [piece, ...rest] = pieces;
      if (piece === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(piece));
      pieces = rest;
    },
  });

describe("a body", () => {
  it("is refused if its length header is too large", async () => {
    const server = await startTestServer(saying("Hi."), { limits: { bodyBytes: 2_000 } });
    expect(await failureOf(await post(server, JSON.stringify({ message: "x".repeat(2_000) })))).toMatchObject(
      {
        ...{
          status: 413,
          code: "too-large",
          message: "The body is larger than 2000 bytes, the server's limits.bodyBytes.",
          retryable: false,
        },
      },
    );
    expect((await post(server, JSON.stringify({ message: "x".repeat(1_900) }))).status).toBe(200);
  });

  it("is refused once it turns out to be too large", async () => {
    const server = await startTestServer(saying("Hi."), { limits: { bodyBytes: 2_000 } });
    const large = chunked(['{"message":"', ...Array.from({ length: 30 }, () => "x".repeat(100)), '"}']);
    expect(await failureOf(await post(server, large))).toMatchObject({ status: 413, code: "too-large" });
    expect((await post(server, chunked(['{"mess', 'age":"Hi', '"}']))).status).toBe(200);
  });

  it("is refused if it takes too long, and the server continues", async () => {
    const server = await startTestServer(saying("Hi."), { limits: { bodyTimeoutMs: 100 } });
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, "127.0.0.1");
      let text = "";
      socket.setEncoding("utf8");
      socket.on("data", (data: string) => {
        text += data;
        if (text.includes("requestId")) {
          resolve(text);
          socket.destroy();
        }
      });
      socket.on("error", reject);
      socket.write(
        "POST /chat HTTP/1.1\r\nHost: 127.0.0.1\r\nX-User: ada\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
      );
    });
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"code":"timeout"');
    expect((await post(server, '{"message":"Hi"}')).status).toBe(200);
  });

  it.each([
    ["text/plain"],
    ["application/x-www-form-urlencoded"],
    ["multipart/form-data; boundary=x"],
    ["text/json"],
    ["application/jsonp"],
    [""],
  ])("is refused with the type %j, which a form of another site could send", async (type) => {
    const server = await startTestServer();
    expect(await failureOf(await post(server, '{"message":"Hi"}', { "content-type": type }))).toMatchObject({
      status: 415,
      code: "not-json",
    });
  });

  it.each([["application/json;charset=utf-8"], ["Application/JSON"], ["application/vnd.api+json"]])(
    "is read with the type %s",
    async (type) => {
      const server = await startTestServer();
      expect((await post(server, '{"message":"Hi"}', { "content-type": type })).status).toBe(200);
    },
  );

  const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);
  it.each<[string, Body]>([
    ["broken JSON", '{"message":'],
    ["two values", "{} {}"],
    ["a number", "7"],
    ["null", "null"],
    ["a list", "[]"],
    ["a text", '"Hi"'],
    ["lists, 100,000 deep", `{"message":${deep("[", "]")}}`],
    ["objects, 100,000 deep", `{"message":[{"type":"x","a":${deep('{"a":', "}").replace("}", "1}")}}]}`],
    ["nothing but openings", "[".repeat(100_000)],
    ["invalid UTF-8", new Uint8Array([...new TextEncoder().encode('{"message":"'), 0xc3, 0x28, 0x22, 0x7d])],
    ["incomplete UTF-8", new Uint8Array([...new TextEncoder().encode('{"message":"'), 0xe2, 0x82])],
    ["a key __proto__", '{"message":"Hi","__proto__":{"agentName":"root"}}'],
    ["a key constructor", '{"message":"Hi","constructor":{"prototype":{"admin":true}}}'],
  ])("is refused with %s", async (_what, body) => {
    const { provider, ...server } = await startTestServer();
    expect(await failureOf(await post({ provider, ...server }, body))).toMatchObject({
      ...{ status: 400, code: "invalid-request", retryable: false },
    });
    expect(await provider.findConversations({ userId: "ada" })).toMatchObject({ data: [] });
    expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
  });

  it("can be omitted if all of its fields are optional", async () => {
    const { url, ask } = await startTestServer();
    const { conversationId } = (await ask("ada", "POST", "/chat", { message: "Hi" })).body.data;
    const response = await fetch(`${url}/conversations/${conversationId}/stop`, {
      ...{ method: "POST", headers: { "x-user": "ada" } },
    });
    expect([response.status, await response.json()]).toEqual([
      200,
      { success: true, data: { stopping: false } },
    ]);
  });

  it("can contain any brackets in strings", async () => {
    const { ask } = await startTestServer();
    // With half of a surrogate pair, which JSON can hold.
    const message = `\\"${"[".repeat(1_000)}"{\ud800`;
    const { conversationId } = (await ask("ada", "POST", "/chat", { message })).body.data;
    const { body } = await ask("ada", "GET", `/conversations/${conversationId}`);
    expect(body.data.messages[0].message.content).toBe(message);
  });
});

describe("limits", () => {
  it("of requests count per user, with a Retry-After header", async () => {
    const { ask, send } = await startTestServer(saying("Hi."), { limits: { requestsPerMinute: 3 } });
    for (let n = 0; n < 3; n++) expect((await ask("ada", "GET", "/agents")).status).toBe(200);
    const response = await send("ada", "/agents");
    expect(await failureOf(response)).toMatchObject({
      status: 429,
      code: "too-many-requests",
      retryable: true,
    });
    const seconds = Number(response.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(20);
    expect((await ask("eve", "GET", "/agents")).status).toBe(200);
  });

  const starting = {
    method: "POST",
    body: JSON.stringify({ message: "Hi" }),
    headers: { accept: "text/event-stream" },
  };

  it("of turns count running ones, with or without readers", async () => {
    const { model, go } = createPausingModel(["One"], ["two"]);
    const { ask, send } = await startTestServer(model, { limits: { turnsPerUser: 2 } });
    const streams = [await send("ada", "/chat", starting), await send("ada", "/chat", starting)];
    await streams[0]?.body?.cancel();
    const refused = await send("ada", "/chat", starting);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    const { conversations } = (await ask("ada", "GET", "/conversations")).body.data;
    expect(conversations).toHaveLength(2);
    expect((await send("eve", "/chat", starting)).status).toBe(200);
    go();
    await expect.poll(async () => (await send("ada", "/chat", starting)).status).toBe(200);
  });

  it("of streams count open ones", async () => {
    const { model, go } = createPausingModel(["One"], ["two"]);
    const { send, ask } = await startTestServer(model, { limits: { streamsPerUser: 2 } });
    const first = await send("ada", "/chat", starting);
    const second = await send("ada", "/approvals/stream");
    expect((await send("ada", "/approvals/stream")).status).toBe(429);
    expect((await send("eve", "/approvals/stream")).status).toBe(200);
    await second.body?.cancel();
    const { conversations } = (await ask("ada", "GET", "/conversations")).body.data;
    const events = `/conversations/${conversations[0].conversationId}/events`;
    const again = { headers: { accept: "text/event-stream" } };
    await expect.poll(async () => (await send("ada", events, again)).status).toBe(200);
    go();
    await first.text();
  });

  it("of streams aren't used up by HEAD requests", async () => {
    const { send } = await startTestServer(saying("Hi."), { limits: { streamsPerUser: 2 } });
    for (let n = 0; n < 5; n++)
      expect((await send("ada", "/approvals/stream", { method: "HEAD" })).status).toBe(200);
    const stream = await send("ada", "/approvals/stream");
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });
});
