import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { saying, startTestServer } from "../support/test-server.ts";

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The body is incomplete. */
  readonly isCutOff?: boolean;
}

/** Sends requests over one connection while it is open. */
function openConnection(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return ({ method = "GET", path = "/agents", headers = {}, body, isCutOff }: Sent) =>
    new Promise<{ readonly status: number; readonly headers: IncomingMessage["headers"]; isReused: boolean }>(
      (resolve, reject) => {
        const sent = request(
          `${url}${path}`,
          { agent, method, headers: { "x-user": "ada", ...headers } },
          (response) => {
            response.resume();
            response.on("end", () => {
              if (isCutOff === true) sent.destroy();
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers,
                isReused: sent.reusedSocket,
              });
            });
          },
        );
        sent.on("error", reject);
        if (isCutOff === true) sent.write(body);
        else sent.end(body);
      },
    );
}

const json = { "content-type": "application/json" };
const post = { method: "POST", path: "/chat" };

describe("the connection after a refused body", () => {
  it.each<readonly [string, Sent, number]>([
    ["too large", { ...post, headers: json, body: `"${"x".repeat(3_000_000)}"` }, 413],
    [
      "too large, without a length",
      { ...post, headers: { ...json, "transfer-encoding": "chunked" }, body: `"${"x".repeat(3_000_000)}"` },
      413,
    ],
    [
      "not JSON by its type",
      { ...post, headers: { "content-type": "text/plain" }, body: "x".repeat(2_000_000) },
      415,
    ],
    ["invalid UTF-8", { ...post, headers: json, body: new Uint8Array(90_000).fill(0xff) }, 400],
    ["without a user", { ...post, headers: { ...json, "x-user": "" }, body: "x".repeat(2_000_000) }, 500],
    [
      "of another origin",
      { ...post, headers: { ...json, origin: "https://evil.example" }, body: "x".repeat(2_000_000) },
      403,
    ],
    [
      "for an unknown agent",
      { ...post, path: "/agents/x/chat", headers: json, body: "x".repeat(2_000_000) },
      404,
    ],
  ])("accepts the next request: %s", async (_what, refused, status) => {
    const { url } = await startTestServer(saying("Hi."), {
      limits: { bodyBytes: 100_000 },
      onError: () => undefined,
    });
    const send = openConnection(url);
    const answer = await send(refused);
    expect(answer.status).toBe(status);
    expect(answer.headers.connection).toBe("keep-alive");
    // Longer than the time after which the connection would be closed if the body were still arriving.
    await sleep(700);
    expect(await send({})).toMatchObject({ status: 200, isReused: true });
  });

  it("closes after the response, with a header, if the body is still arriving", async () => {
    const { url } = await startTestServer(saying("Hi."), {
      limits: { bodyBytes: 1_000, bodyTimeoutMs: 100 },
    });
    const send = openConnection(url);
    const unfinished = { ...post, isCutOff: true, body: "{" };
    for (const [headers, status] of [
      [{ ...json, "content-length": "100" }, 408],
      [{ ...json, "content-length": "100000" }, 413],
      [{ "content-type": "text/plain", "content-length": "100" }, 415],
    ] as const) {
      const answer = await send({ ...unfinished, headers });
      expect([answer.status, answer.headers.connection]).toEqual([status, "close"]);
      expect(await send({})).toMatchObject({ status: 200, isReused: false });
      await sleep(0);
    }
  });
});

describe("the connection of a body that nothing reads", () => {
  it.each(["GET /agents", "HEAD /health", "DELETE /conversations/c", "POST /nowhere"])(
    "closes after the response, however much follows: %s",
    async (request) => {
      const { port } = await startTestServer(saying("Hi."));
      const socket = connect(port, "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      const closed = new Promise<void>((resolve) => {
        socket.on("error", () => undefined).once("close", () => resolve());
      });
      socket.write(
        `${request} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-user: ada\r\ntransfer-encoding: chunked\r\n\r\n`,
      );
      const more = () => {
        while (!socket.destroyed && socket.write(`10000\r\n${"x".repeat(0x10000)}\r\n`));
      };
      socket.on("drain", more);
      socket.resume();
      more();
      await closed;
    },
  );
});
