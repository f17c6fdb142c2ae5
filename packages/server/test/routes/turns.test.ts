import type { ModelProvider } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { describe, expect, it } from "vitest";
import { readSentEvents, type SentEvent, sentEvents } from "../support/sent-events.ts";
import { saying, startTestServer, type TestServer } from "../support/test-server.ts";
import { createPausingModel } from "../support/turn-fixtures.ts";

const stream = { accept: "text/event-stream" };
const starting = { method: "POST", headers: stream, body: '{"message":"Count."}' };

const WORDS = Array.from({ length: 60 }, (_, n) => `word${n} `);

/** A model that says a word every 2 ms, so a turn has several events of text. */
const talking: ModelProvider<unknown> = {
  getCompletion: async () => ({ message: { content: WORDS.join("") } }),
  getCompletionStream: async function* (_state, _agent, { signal }) {
    for (const text of WORDS) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      signal?.throwIfAborted();
      yield { type: "text_delta", text };
    }
    yield { type: "done" };
  },
};

/** Reads the events of a new turn up to the first text. */
async function begin(server: TestServer): Promise<{ conversationId: string; turnId: string }> {
  for await (const { event, turnId } of sentEvents(await server.send("ada", "/chat", starting))) {
    if (event.type === "turn_start") return { conversationId: event.conversationId, turnId };
  }
  throw new Error("the turn has no start");
}

const pathOf = ({ conversationId }: { readonly conversationId: string }) =>
  `/conversations/${conversationId}/events`;

const textOf = (events: readonly SentEvent[]) =>
  events.map(({ event }) => (event.type === "text" ? event.text : "")).join("");

/** Waits until the turn has this text. */
const untilSaid = (server: TestServer, turn: { conversationId: string }, text: string) =>
  expect.poll(async () => textOf((await server.ask("ada", "GET", pathOf(turn))).body.data.events)).toBe(text);

const messagesOf = async (server: TestServer, { conversationId }: { conversationId: string }) => {
  const { body } = await server.ask("ada", "GET", `/conversations/${conversationId}`);
  return body.data.messages.map(({ message }: { message: { content: unknown } }) => message.content);
};

describe("a stream that is cut off", () => {
  const every = { gatherMs: 0 };

  it.each(["from", "Last-Event-ID"])(
    "continues by %s with each event once, wherever it was cut",
    async (by) => {
      const server = await startTestServer(talking, { turns: every });
      const readOne = async (user: string) => {
        const first = await server.send(user, "/chat", starting);
        const seen = await readSentEvents(first, 1 + Math.floor(Math.random() * 40));
        const start = seen[0]?.event;
        const turn = { conversationId: String(start.conversationId) };
        while (seen.at(-1)?.event.type !== "turn_end") {
          const last = seen.at(-1) as SentEvent;
          const query = `?turnId=${last.turnId}&from=${last.number + 1}`;
          const path = by === "from" ? `${pathOf(turn)}${query}` : pathOf(turn);
          const id = by === "from" ? {} : { "last-event-id": `${last.turnId}:${last.number}` };
          const next = await server.send(user, path, { headers: { ...stream, ...id } });
          expect(next.status).toBe(200);
          const events = await readSentEvents(next, 1 + Math.floor(Math.random() * 40));
          expect(events.length).toBeGreaterThan(0);
          seen.push(...events);
        }
        expect(seen.map(({ number }) => number)).toEqual(seen.map((_, number) => number));
        expect(textOf(seen)).toBe(WORDS.join(""));
        const page = (await server.ask(user, "GET", pathOf(turn))).body.data;
        expect(page.events.map(({ event }: { event: unknown }) => event)).toEqual(
          seen.map(({ event }) => event),
        );
      };
      // The number of concurrent turns of a user is limited.
      await Promise.all(Array.from({ length: 20 }, (_, round) => readOne(`user-${round}`)));
    },
  );

  it("doesn't stop the turn, which continues without readers", async () => {
    const { model, go } = createPausingModel(["One "], ["two."]);
    const server = await startTestServer(model);
    const turn = await begin(server);
    await untilSaid(server, turn, "One ");
    go();
    await expect
      .poll(async () => (await server.ask("ada", "GET", pathOf(turn))).body.data.state)
      .toBe("ended");
    expect(await messagesOf(server, turn)).toEqual(["Count.", "One two."]);
  });

  it("doesn't stop the turn of a JSON response", async () => {
    const { model, go } = createPausingModel(["One "], ["two."]);
    const server = await startTestServer(model);
    const leaving = new AbortController();
    const request = { method: "POST", body: '{"message":"Count."}', signal: leaving.signal };
    const asked = server.send("ada", "/chat", request).catch(() => "gone");
    const list = async () => (await server.ask("ada", "GET", "/conversations")).body.data.conversations;
    await expect.poll(async () => (await list())[0]?.turn?.state).toBe("running");
    leaving.abort();
    expect(await asked).toBe("gone");
    go();
    await expect.poll(async () => messagesOf(server, (await list())[0])).toEqual(["Count.", "One two."]);
  });
});

describe("the events of a turn", () => {
  it("are the same for two readers from any event", async () => {
    const server = await startTestServer(talking, { turns: { gatherMs: 0 } });
    const turn = await begin(server);
    const readers = [0, 1, 5].map(async (from) =>
      readSentEvents(await server.send("ada", `${pathOf(turn)}?from=${from}`, { headers: stream })),
    );
    const [all = [], fromOne, fromFive] = await Promise.all(readers);
    expect(all[0]?.event.type).toBe("turn_start");
    expect(all.at(-1)?.event.type).toBe("turn_end");
    expect(fromOne).toEqual(all.slice(1));
    expect(fromFive).toEqual(all.slice(5));
  });

  it("belong to the given turn or the latest", async () => {
    const server = await startTestServer();
    const first = (await server.ask("ada", "POST", "/chat", { message: "One" })).body.data;
    const { conversationId } = first;
    const second = (await server.ask("ada", "POST", "/chat", { conversationId, message: "Two" })).body.data;
    const read = async (query: string) =>
      (await server.ask("ada", "GET", `${pathOf(first)}${query}`)).body.data.turnId;
    expect(await read("")).toBe(second.turnId);
    expect(await read(`?turnId=${first.turnId}`)).toBe(first.turnId);
    expect((await server.ask("ada", "GET", `${pathOf(first)}?turnId=none`)).status).toBe(404);
    for (const query of ["?from=-1", "?from=x", "?from=1.5", "?from=1e99", "?limit=0", "?limit=1001"])
      expect((await server.ask("ada", "GET", `${pathOf(first)}${query}`)).status).toBe(400);
  });

  it("respond to a stream with 204 if none is left, so clients don't reconnect", async () => {
    const server = await startTestServer();
    const turn = (await server.ask("ada", "POST", "/chat", { message: "Hi" })).body.data;
    const { events } = (await server.ask("ada", "GET", pathOf(turn))).body.data;
    const response = await server.send("ada", pathOf(turn), {
      headers: { ...stream, "last-event-id": `${turn.turnId}:${events.length - 1}` },
    });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    const again = await server.send("ada", pathOf(turn), { headers: stream });
    expect(await readSentEvents(again)).toHaveLength(events.length);
  });
});

describe("stop", () => {
  it("keeps the text so far once, and ends every stream", async () => {
    const { model } = createPausingModel(["One ", "two "]);
    const server = await startTestServer(model);
    const turn = await begin(server);
    const reading = server
      .send("ada", pathOf(turn), { headers: stream })
      .then((response) => readSentEvents(response));
    await untilSaid(server, turn, "One two ");
    const stop = () => server.ask("ada", "POST", `/conversations/${turn.conversationId}/stop`, {});
    const stops = await Promise.all([stop(), stop()]);
    // The second one may arrive after the end.
    expect(stops.map(({ body }) => body.data)).toContainEqual({ stopping: true });
    expect(stops.map(({ status }) => status)).toEqual([200, 200]);
    const events = await reading;
    expect(events.at(-1)?.event).toMatchObject({ type: "turn_end", status: "stopped" });
    expect(events.filter(({ event }) => event.type === "message")).toMatchObject([
      { event: { message: { content: "One two " }, stopped: true } },
    ]);
    expect(await messagesOf(server, turn)).toEqual(["Count.", "One two "]);
    expect((await stop()).body.data).toEqual({ stopping: false });
  });
});

describe("a conversation deleted while a turn runs", () => {
  it.each(["/conversations/:id", "/conversations"])(
    "by %s ends the stream and restores nothing",
    async (route) => {
      const { model, go } = createPausingModel(["One "], ["two."]);
      const server = await startTestServer(model, { turns: { heartbeatMs: 50 } });
      const turn = await begin(server);
      const reading = server
        .send("ada", pathOf(turn), { headers: stream })
        .then((response) => readSentEvents(response));
      await untilSaid(server, turn, "One ");
      expect((await server.ask("ada", "DELETE", route.replace(":id", turn.conversationId))).status).toBe(200);
      const events = await reading;
      expect(textOf(events)).not.toContain("two.");
      go();
      await expect
        .poll(async () => (await server.ask("ada", "GET", "/memory/health")).body.data.runningTurns)
        .toBe(0);
      expect((await server.ask("ada", "GET", "/conversations")).body.data.conversations).toEqual([]);
      for (const path of ["", "/events", "/turns", "/export"])
        expect((await server.ask("ada", "GET", `/conversations/${turn.conversationId}${path}`)).status).toBe(
          404,
        );
    },
  );
});

describe("a JSON response", () => {
  it("is a 404 if the conversation is deleted during the turn", async () => {
    const { model } = createPausingModel(["One "]);
    const server = await startTestServer(model, { turns: { heartbeatMs: 50 } });
    const asked = server.ask("ada", "POST", "/chat", { message: "Count." });
    const list = async () => (await server.ask("ada", "GET", "/conversations")).body.data.conversations;
    await expect.poll(async () => (await list())[0]?.turn?.state).toBe("running");
    await server.ask("ada", "DELETE", "/conversations");
    expect(await asked).toMatchObject({ status: 404, body: { error: { code: "not-found" } } });
    expect(await list()).toEqual([]);
  });
});

describe("close", () => {
  const stores = () => ({
    defaultMemoryProvider: createInMemoryProvider(),
    turnLog: createInMemoryTurnLog(),
  });

  it("finishes a running turn, ends its streams, and accepts no more", async () => {
    const { model, go } = createPausingModel(["One "], ["two."]);
    const shared = stores();
    const server = await startTestServer(model, shared);
    const turn = await begin(server);
    const reading = server
      .send("ada", pathOf(turn), { headers: stream })
      .then((response) => readSentEvents(response));
    await untilSaid(server, turn, "One ");
    const closed = server.close();
    // The connection ends before the turn: the client reconnects to another process.
    const seen = await reading;
    expect(seen.at(-1)?.event.type).not.toBe("turn_end");
    go();
    await closed;
    const other = await startTestServer(saying("Unused."), shared);
    const page = (await other.ask("ada", "GET", pathOf(turn))).body.data;
    expect(page.events.at(-1).event).toMatchObject({ type: "turn_end", status: "completed" });
    expect(await messagesOf(other, turn)).toEqual(["Count.", "One two."]);
    await expect(server.send("ada", "/health")).rejects.toThrow();
  });

  it("hands over a turn that takes longer, and the stream continues at another server", async () => {
    const shared = stores();
    const { model } = createPausingModel(["One "]);
    const server = await startTestServer(model, { ...shared, shutdownMs: 0 });
    const turn = await begin(server);
    const seen: SentEvent[] = [];
    let closed: Promise<void> | undefined;
    for await (const sent of sentEvents(await server.send("ada", pathOf(turn), { headers: stream }))) {
      seen.push(sent);
      if (sent.event.type === "text") closed = server.close();
    }
    await closed;
    const last = seen.at(-1) as SentEvent;
    const other = await startTestServer(saying("One two."), {
      ...shared,
      turns: { recoverMs: 50, pollMs: 20 },
    });
    const rest = await readSentEvents(
      await other.send("ada", pathOf(turn), {
        headers: { ...stream, "last-event-id": `${turn.turnId}:${last.number}` },
      }),
    );
    const all = [...seen, ...rest];
    expect(all.map(({ number }) => number)).toEqual(all.map((_, number) => number));
    expect(all.at(-1)?.event).toMatchObject({ type: "turn_end", status: "completed" });
    expect(rest.map(({ event }) => event)).toContainEqual({ type: "retract", reason: "taken-over" });
    expect(await messagesOf(other, turn)).toEqual(["Count.", "One two."]);
  });

  it("tells clients that wait for a JSON response which turn to follow", async () => {
    const shared = stores();
    const { model } = createPausingModel(["One "]);
    const errors: unknown[] = [];
    const options = { ...shared, shutdownMs: 0, onError: (error: unknown) => errors.push(error) };
    const server = await startTestServer(model, options);
    const asked = server.ask("ada", "POST", "/chat", { message: "Count." });
    const list = async () => (await server.ask("ada", "GET", "/conversations")).body.data.conversations;
    await expect.poll(async () => (await list())[0]?.turn?.state).toBe("running");
    const [{ conversationId, turn }] = await list();
    await server.close();
    // A repeated request would send the message twice.
    const error = { code: "unavailable", retryable: false, conversationId, turnId: turn.turnId };
    expect(await asked).toMatchObject({ status: 503, body: { error } });
    const other = await startTestServer(saying("One two."), {
      ...shared,
      turns: { recoverMs: 50, pollMs: 20 },
    });
    await expect.poll(() => messagesOf(other, { conversationId })).toEqual(["Count.", "One two."]);
  });
});
