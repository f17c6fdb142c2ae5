import { afterEach, describe, expect, it } from "vitest";
import { createJafClient, type FollowedEvent, isJafClientError } from "../../src/client/index.ts";
import type { TurnEvent } from "../../src/turns/turn-event.ts";
import { type Answer, frame, json, openStream, startServer, type TestServer } from "../support/sse-server.ts";

const TURN = "turn:1"; // A turn id may hold colons.
const events: readonly TurnEvent[] = [
  { type: "turn_start", turnId: TURN, conversationId: "c/1", agentName: "helper" },
  { type: "text", text: "Grüße, " },
  { type: "text", text: "Welt" },
  { type: "message", agentName: "helper", message: { role: "assistant", content: "Grüße, Welt" } },
  { type: "turn_end", status: "completed", version: 2 },
];
const frames = (from: number, to: number): string =>
  events
    .slice(from, to)
    .map((event, index) => frame(TURN, from + index, event))
    .join("");

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
async function serve(answer: Answer) {
  const server = await startServer(answer);
  servers.push(server);
  return { ...server, client: createJafClient({ baseUrl: `${server.url}/` }) };
}
const reconnect = { firstDelayMs: 1, maxDelayMs: 2, maxAttempts: 5 };

async function numbersOf(stream: AsyncIterable<FollowedEvent>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { number } of stream) numbers.push(number);
  return numbers;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.unreachable("It succeeded."),
    (thrown: unknown) => thrown,
  );
}

describe("chat", () => {
  it("yields the events of one connection, even if they arrive byte by byte", async () => {
    const { client, received } = await serve((response) => {
      openStream(response);
      for (const byte of Buffer.from(`: hello\n\n${frames(0, 5)}`)) response.write(Buffer.of(byte));
      response.end();
    });
    const got: FollowedEvent[] = [];
    for await (const event of client.chat({ message: "Hi" })) got.push(event);
    expect(got.map(({ event }) => event)).toEqual(events);
    expect(got.map(({ turnId }) => turnId)).toEqual(events.map(() => TURN));
    expect(received).toMatchObject([
      { method: "POST", url: "/chat", body: { message: "Hi" }, headers: { accept: "text/event-stream" } },
    ]);
  });

  it("continues at the next event each time the connection is lost", async () => {
    const { client, received } = await serve((response, _, number) => {
      openStream(response);
      response.write(frames(number, number + 1), () => response.destroy());
    });
    const connections: boolean[] = [];
    const stream = client.chat(
      { message: "Hi" },
      { reconnect, onConnection: (connected) => connections.push(connected) },
    );
    expect(await numbersOf(stream)).toEqual([0, 1, 2, 3, 4]);
    expect(received.slice(1).map(({ url }) => url)).toEqual(
      [1, 2, 3, 4].map((from) => `/conversations/c%2F1/events?turnId=turn%3A1&from=${from}`),
    );
    expect(connections).toContain(false);
    expect(connections.at(-1)).toBe(true);
  });

  it("yields each event once and in order if a connection repeats or skips events", async () => {
    const { client } = await serve((response, _, number) => {
      openStream(response);
      if (number === 0) response.end(frames(0, 2) + frames(3, 5));
      else response.end(frames(0, 5));
    });
    expect(await numbersOf(client.chat({ message: "Hi" }, { reconnect }))).toEqual([0, 1, 2, 3, 4]);
  });

  it("drops an incomplete event", async () => {
    const { client } = await serve((response, _, number) => {
      openStream(response);
      if (number === 0) response.end(frames(0, 2).slice(0, -2));
      else response.end(frames(1, 5));
    });
    expect(await numbersOf(client.chat({ message: "Hi" }, { reconnect }))).toEqual([0, 1, 2, 3, 4]);
  });

  it("waits if the server is down or responds with a temporary error", async () => {
    const { client } = await serve((response, _, number) => {
      if (number === 0) {
        openStream(response);
        response.end(frames(0, 2));
      } else if (number < 3)
        json(response, 503, { success: false, error: { code: "draining", message: "Later." } });
      else {
        openStream(response);
        response.end(frames(2, 5));
      }
    });
    expect(await numbersOf(client.chat({ message: "Hi" }, { reconnect }))).toEqual([0, 1, 2, 3, 4]);
  });

  it("reconnects if a connection is silent or gets no response", async () => {
    const { client } = await serve((response, _, number) => {
      if (number === 1) return;
      openStream(response);
      response.write(number === 0 ? frames(0, 2) : frames(2, 5));
    });
    const stream = client.chat({ message: "Hi" }, { reconnect, idleTimeoutMs: 1_500 });
    expect(await numbersOf(stream)).toEqual([0, 1, 2, 3, 4]);
  });

  it('rejects with "connection" if the first request gets no response', async () => {
    const { client } = await serve(() => {});
    const failure = await failureOf(numbersOf(client.chat({ message: "Hi" }, { idleTimeoutMs: 50 })));
    expect(failure).toMatchObject({ code: "connection", retryable: true });
  });

  it("also reports a lost connection if `fetch` rejects with its own error after the abort", async () => {
    const fetch = (_: string | URL | Request, { signal }: RequestInit = {}) =>
      new Promise<never>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new DOMException("Aborted.", "AbortError")));
      });
    const client = createJafClient({ baseUrl: "http://localhost", fetch });
    const failure = await failureOf(numbersOf(client.chat({ message: "Hi" }, { idleTimeoutMs: 50 })));
    expect(failure).toMatchObject({ code: "connection", retryable: true });
  });

  it("doesn't repeat a request without an event, since it may have begun a turn", async () => {
    const { client, received } = await serve((response) => response.destroy());
    const failure = await failureOf(numbersOf(client.chat({ message: "Hi" }, { reconnect })));
    expect(failure).toMatchObject({ name: "JafClientError", code: "connection", retryable: true });
    expect(received).toHaveLength(1);
  });

  it("gives up after maxAttempts failed attempts in a row", async () => {
    const { client, received } = await serve((response, _, number) => {
      if (number > 0) return response.destroy();
      openStream(response);
      response.end(frames(0, 1));
    });
    const failure = await failureOf(numbersOf(client.chat({ message: "Hi" }, { reconnect })));
    expect(failure).toMatchObject({ code: "connection" });
    expect(received.length).toBe(1 + reconnect.maxAttempts);
  });

  it("doesn't give up on a silent turn while its connections work", {
    timeout: 30_000,
  }, async () => {
    const { client } = await serve((response, _, number) => {
      openStream(response);
      if (number === 0) return response.end(frames(0, 1));
      if (number > 1) return response.end(frames(1, 5));
      const beat = setInterval(() => response.write(": still here\n\n"), 200);
      setTimeout(() => response.destroy(), 6_000);
      response.on("close", () => clearInterval(beat));
    });
    const stream = client.chat({ message: "Hi" }, { reconnect: { ...reconnect, maxAttempts: 1 } });
    expect(await numbersOf(stream)).toEqual([0, 1, 2, 3, 4]);
  });

  it("rejects with a permanent error of the server, e.g. that the turn has expired", async () => {
    const error = { code: "not-found", message: "There is no such turn.", requestId: "r1", retryable: false };
    const { client, received } = await serve((response, _, number) => {
      if (number > 0) return json(response, 404, { success: false, error });
      openStream(response);
      response.end(frames(0, 1));
    });
    const failure = await failureOf(numbersOf(client.chat({ message: "Hi" }, { reconnect })));
    expect(isJafClientError(failure)).toBe(true);
    expect(failure).toMatchObject({ ...error, status: 404 });
    expect(received).toHaveLength(2);
  });

  it("stops reading when the signal is aborted, and closes the connection when the caller leaves the loop", async () => {
    let closed = 0;
    const { client } = await serve((response) => {
      openStream(response);
      response.on("close", () => (closed += 1));
      response.write(frames(0, 2));
    });
    const controller = new AbortController();
    const reading = client.chat({ message: "Hi" }, { signal: controller.signal });
    await reading.next();
    await reading.next();
    const waiting = reading.next();
    controller.abort();
    expect(await failureOf(waiting)).toMatchObject({ code: "aborted", retryable: false });
    for await (const _ of client.chat({ message: "Hi" })) break;
    await expect.poll(() => closed).toBe(2);
  });
});

describe("follow", () => {
  it("follows the latest turn from any event", async () => {
    const { client, received } = await serve((response, _, number) => {
      openStream(response);
      response.end(number === 0 ? frames(2, 3) : frames(3, 5));
    });
    const stream = client.conversations.follow("c/1", { from: 2 }, { reconnect });
    expect(await numbersOf(stream)).toEqual([2, 3, 4]);
    expect(received.map(({ url }) => url)).toEqual([
      "/conversations/c%2F1/events?from=2",
      "/conversations/c%2F1/events?turnId=turn%3A1&from=3",
    ]);
  });
});

describe("follow of an ended turn", () => {
  it("ends if no events are left", async () => {
    const { client, received } = await serve((response) => {
      response.writeHead(204);
      response.end();
    });
    expect(await numbersOf(client.conversations.follow("c/1", { from: 5 }, { reconnect }))).toEqual([]);
    expect(received).toHaveLength(1);
  });
});

describe("requests", () => {
  it("are sent by each method, with the client's headers", async () => {
    const { url, received } = await serve((response) =>
      json(response, 200, { success: true, data: { ok: 1 } }),
    );
    const client = createJafClient({ baseUrl: url, headers: async () => ({ authorization: "Bearer x" }) });
    await client.health();
    await client.agents();
    await client.ask({
      conversationId: "c",
      approvals: [{ toolCallId: "1", approvalId: "a", approved: true }],
    });
    await client.conversations.list({ limit: 3 });
    await client.conversations.get("a b", { before: 9 });
    await client.conversations.rename("c", "New");
    await client.conversations.delete("c");
    await client.conversations.deleteAll();
    await client.conversations.copy("c", { version: 2 });
    await client.conversations.stop("c", { turnId: "t" });
    await client.conversations.events("c", { from: 1 });
    await client.conversations.turns("c");
    await client.approvals.pending();
    await client.facts.list({ status: "quarantined" });
    await client.facts.add({ fact: "Likes tea" });
    await client.facts.explain("f", { query: "tea?" });
    await client.facts.review("f", "approve");
    await client.facts.forget("f");
    await client.facts.forgetAll();
    await client.memory.health();
    await client.memory.stats();
    await client.conversations.export("c");
    await client.openApi();
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /health",
      "GET /agents",
      "POST /chat",
      "GET /conversations?limit=3",
      "GET /conversations/a%20b?before=9",
      "PATCH /conversations/c",
      "DELETE /conversations/c",
      "DELETE /conversations",
      "POST /conversations/c/copy",
      "POST /conversations/c/stop",
      "GET /conversations/c/events?from=1",
      "GET /conversations/c/turns",
      "GET /approvals/pending",
      "GET /facts?status=quarantined",
      "POST /facts",
      "GET /facts/f?query=tea%3F",
      "POST /facts/f/review",
      "DELETE /facts/f",
      "DELETE /facts",
      "GET /memory/health",
      "GET /memory/stats",
      "GET /conversations/c/export",
      "GET /openapi.json",
    ]);
    expect(new Set(received.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer x"]));
    expect(received[2]?.body).toMatchObject({ approvals: [{ approved: true }] });
  });

  it("reject with the conversation and the turn of a failure", async () => {
    const error = {
      ...{ code: "running", message: "It runs.", requestId: "r", retryable: true },
      ...{ conversationId: "c", turnId: "t" },
    };
    const { client } = await serve((response) => json(response, 409, { success: false, error }));
    expect(await failureOf(client.ask({ message: "Hi" }))).toMatchObject({ ...error, status: 409 });
  });

  it("reject by the status and Retry-After of a response without JSON", async () => {
    const { client } = await serve((response) => {
      response.writeHead(429, { "content-type": "text/html", "retry-after": "2" });
      response.end("<h1>Slow down</h1>");
    });
    expect(await failureOf(client.health())).toMatchObject({
      code: "http-429",
      status: 429,
      retryable: true,
      retryAfterMs: 2_000,
    });
  });

  it.each([301, 302, 303, 307, 308])(
    "reject after a redirect by %d, and aren't sent again",
    async (status) => {
      const { client, received } = await serve((response) =>
        response.writeHead(status, { location: "/elsewhere" }).end(),
      );
      expect(await failureOf(client.ask({ message: "Hi" }))).toMatchObject({
        ...{ code: "redirect", status, retryable: false },
        message: "The server redirects. Set baseUrl to the address that it redirects to.",
      });
      expect(received.map(({ url }) => url)).toEqual(["/chat"]);
    },
  );

  it("reject if the response isn't from a JAF server", async () => {
    const { client } = await serve((response) => response.end("<html>"));
    expect(await failureOf(client.agents())).toMatchObject({ code: "malformed", retryable: false });
  });

  it("watch approvals over several connections", async () => {
    const { client } = await serve((response, _, number) => {
      openStream(response);
      const list = number === 0 ? [] : [{ conversationId: "c", turnId: "t" }];
      response.end(`event: approvals\ndata: ${JSON.stringify(list)}\n\n`);
    });
    const lengths: number[] = [];
    for await (const list of client.approvals.watch({ reconnect })) {
      lengths.push(list.length);
      if (lengths.length === 2) break;
    }
    expect(lengths).toEqual([0, 1]);
  });
});
