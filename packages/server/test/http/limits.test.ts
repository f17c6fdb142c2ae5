import { connect } from "node:net";
import { setImmediate as immediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { until } from "../../../../test/polling.ts";
import type { HttpFailure } from "../../src/http/failure.ts";
import { createUserLimits } from "../../src/http/rate-limit.ts";
import { saying, startTestServer } from "../support/test-server.ts";
import { createPausingModel } from "../support/turn-fixtures.ts";

const deep = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

describe("bodies", () => {
  it.each([
    ["a text", '{"message":"Hi"}', { "content-type": "text/plain" }, 415],
    ["a form", "message=Hi", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["invalid JSON", "{", {}, 400],
    ["a list", "[]", {}, 400],
    ["null", "null", {}, 400],
    ["invalid UTF-8", new Uint8Array([0x22, 0xff, 0x22]), {}, 400],
    ["too much", JSON.stringify({ message: "x".repeat(5_000) }), {}, 413],
    ["a prototype", '{"message":"Hi","__proto__":{"admin":true}}', {}, 400],
    ["an approval of everything", '{"conversationId":"x","approvals":[{"approved":true}]}', {}, 400],
  ])("refuses %s", async (_what, body, headers, status) => {
    const { send } = await startTestServer(saying("No."), { limits: { bodyBytes: 4_000 } });
    const response = await send("ada", "/chat", { method: "POST", headers, body });
    expect(response.status).toBe(status);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ success: false, error: { retryable: false } });
    expect(text).not.toMatch(/\bat .*\.ts|node_modules/);
  });

  it("are counted in bytes if they have no length header", async () => {
    const { send } = await startTestServer(saying("No."), { limits: { bodyBytes: 4_000 } });
    // The body has no end, but yields to the server in the same process. It ends with the test.
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await immediate();
        controller.enqueue(new TextEncoder().encode(" ".repeat(1_000)));
      },
    });
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const response = await send("ada", "/chat", {
      ...{ method: "POST", body, signal: leaving.signal },
      duplex: "half",
    } as RequestInit).catch(
      // The server may close before the whole body is sent.
      () => undefined,
    );
    if (response !== undefined) expect(response.status).toBe(413);
    expect((await send("ada", "/agents")).status).toBe(200);
  });

  it.each(["message", "history", "toolResults"])("can be deeply nested in %s without harm", async (field) => {
    const { send } = await startTestServer();
    const nested = `[{"type":"text","role":"user","text":"x","content":"x","toolCallId":"x","result":{"x":${deep(100_000)}}}]`;
    const rest = field === "message" ? "" : '"message":"Hi",';
    const response = await send("ada", "/chat", { method: "POST", body: `{${rest}"${field}":${nested}}` });
    expect(response.status).toBeLessThan(500);
    await response.text();
    expect((await send("ada", "/agents")).status).toBe(200);
  });

  it("are refused if they arrive too slowly", async () => {
    const { url } = await startTestServer(saying("No."), { limits: { bodyTimeoutMs: 100 } });
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.on("data", (data) => {
      text += data.toString();
    });
    socket.write(
      'POST /chat HTTP/1.1\r\nhost: localhost\r\nx-user: ada\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"mess',
    );
    await until("the answer", async () => text.includes("\r\n\r\n"));
    socket.destroy();
    expect(text).toMatch(/^HTTP\/1\.1 408/);
  });
});

describe("the limits of a user", () => {
  it("are counted per user, with a Retry-After header", async () => {
    const { send } = await startTestServer(saying("Hi"), { limits: { requestsPerMinute: 2 } });
    await send("ada", "/agents");
    await send("ada", "/agents");
    const third = await send("ada", "/agents");
    expect(third.status).toBe(429);
    expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await third.json()).toMatchObject({ error: { code: "too-many-requests", retryable: true } });
    expect((await send("eve", "/agents")).status).toBe(200);
  });

  it.each([1, 7, 60, 600])("allow a request after Retry-After, at %i per minute", (requestsPerMinute) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { request } = createUserLimits({ requestsPerMinute, streamsPerUser: 1, turnsPerUser: 1 });
    const waitSeconds = (): number => {
      try {
        request("ada");
        return 0;
      } catch (thrown) {
        return Math.ceil((thrown as HttpFailure).retryAfterSeconds ?? Number.NaN);
      }
    };
    for (let count = 0; count < requestsPerMinute; count++) expect(waitSeconds()).toBe(0);
    for (let round = 0; round < 5; round++) {
      // An early request doesn't extend the wait.
      let left = waitSeconds();
      for (let asked = 0; left > 1 && asked < 200; asked++) {
        vi.advanceTimersByTime(500);
        left = waitSeconds();
      }
      expect(left).toBeLessThanOrEqual(1);
      vi.advanceTimersByTime(1_000 * left);
      expect(waitSeconds()).toBe(0);
      for (let asked = 0; asked < requestsPerMinute && waitSeconds() === 0; asked++);
    }
  });

  it("apply to open streams, and closing a stream frees it", async () => {
    const { send, provider } = await startTestServer(saying("Hi"), { limits: { streamsPerUser: 1 } });
    const first = await send("ada", "/approvals/stream");
    expect((await send("ada", "/approvals/stream")).status).toBe(429);
    // A refused request starts no turn.
    const refused = await send("ada", "/chat", { method: "POST", body: '{"message":"Hi"}' });
    expect(refused.status).toBe(429);
    expect(await provider.findConversations({ userId: "ada" })).toMatchObject({ data: [] });
    await first.body?.cancel();
    await until("a free stream", async () => {
      const again = await send("ada", "/approvals/stream");
      await again.body?.cancel();
      return again.status === 200;
    });
  });

  it("aren't used up by HEAD", async () => {
    const { send } = await startTestServer(saying("Hi"), { limits: { streamsPerUser: 1 } });
    for (let count = 0; count < 3; count++)
      expect((await send("ada", "/approvals/stream", { method: "HEAD" })).status).toBe(200);
  });

  it("apply to concurrent turns", async () => {
    const { model } = createPausingModel(["One "]);
    const { send, ask } = await startTestServer(model, { limits: { turnsPerUser: 1 }, shutdownMs: 0 });
    const init = { method: "POST", body: '{"message":"Hi","stream":true}' };
    const first = await send("ada", "/chat", init);
    expect(first.status).toBe(200);
    expect((await send("ada", "/chat", init)).status).toBe(429);
    const { conversations } = (await ask("ada", "GET", "/conversations")).body.data;
    const [{ conversationId }] = conversations;
    expect((await ask("ada", "POST", `/conversations/${conversationId}/stop`, {})).body.data).toEqual({
      stopping: true,
    });
    expect(await first.text()).toContain('"status":"stopped"');
    await until("a free turn", async () => {
      const next = await send("ada", "/chat", init);
      await next.body?.cancel();
      return next.status === 200;
    });
  });
});
