import { createScriptedModel } from "@jaf/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { until } from "../../../../test/polling.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { createPausingModel } from "../support/turn-fixtures.ts";

interface Told {
  readonly id: string;
  readonly type: string;
}

/** Returns the complete events in a text that may be cut off anywhere, as a browser reads them. */
const eventsIn = (text: string): readonly Told[] =>
  text
    .split("\n\n")
    .slice(0, -1)
    .flatMap((block) => {
      const [, id] = /^id: (.*)$/m.exec(block) ?? [];
      const [, type] = /^event: (.*)$/m.exec(block) ?? [];
      return id === undefined || type === undefined ? [] : [{ id, type }];
    });

/** Reads a number of bytes of a stream, then leaves. */
async function readBytes(response: Response, bytes: number): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let [text, left] = ["", bytes];
  while (reader !== undefined && left > 0) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value.subarray(0, left), { stream: true });
    left -= value.byteLength;
  }
  await reader?.cancel();
  return text;
}

const MOST_CONNECTIONS = 1_000;

/** Reads a turn with connections that are cut after a number of bytes each, and reconnects as `EventSource` does. */
async function readWithCuts(server: TestServer, path: string, cuts: readonly number[]) {
  const told: Told[] = [];
  for (let index = 0; index < MOST_CONNECTIONS; index++) {
    const last = told.at(-1)?.id;
    const response = await server.send("ada", path, {
      headers: { accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) },
    });
    if (response.status === 204) return told;
    expect(response.status).toBe(200);
    told.push(...eventsIn(await readBytes(response, cuts[index] ?? Number.POSITIVE_INFINITY)));
    if (told.at(-1)?.type === "turn_end") return told;
  }
  throw new Error("The turn doesn't end.");
}

describe("a stream that is cut off", () => {
  it("continues at the next event wherever it is cut, without lost or repeated events", async () => {
    const server = await startTestServer(
      createScriptedModel([
        { text: "I add. ", toolCalls: [{ name: "add", arguments: { a: 2, b: 3 } }] },
        { text: "And again. ", toolCalls: [{ name: "add", arguments: { a: 5, b: 3 } }] },
        "Eight.",
      ]),
    );
    const { conversationId } = (await server.ask("ada", "POST", "/chat", { message: "Add." })).body.data;
    const path = `/conversations/${conversationId}/events`;
    const whole = await readWithCuts(server, path, []);
    expect(whole.length).toBeGreaterThan(10);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 12 }), async (cuts) => {
        expect(await readWithCuts(server, path, cuts)).toEqual(whole);
      }),
      { numRuns: 25, seed: 18 },
    );
  });

  it("continues while the turn runs, which doesn't end with its reader", async () => {
    const { model, go } = createPausingModel(["One ", "two "]);
    const server = await startTestServer(model);
    const first = await server.send("ada", "/chat", {
      method: "POST",
      body: '{"message":"Count.","stream":true}',
    });
    const begun = eventsIn(await readBytes(first, 120));
    const { conversations } = (await server.ask("ada", "GET", "/conversations")).body.data;
    const path = `/conversations/${conversations[0].conversationId}/events`;
    const rest = readWithCuts(server, path, [500]);
    go();
    const told = await rest;
    expect(told.at(-1)?.type).toBe("turn_end");
    const numbers = told.map(({ id }) => Number(id.slice(id.lastIndexOf(":") + 1)));
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(told.slice(0, begun.length)).toEqual(begun);
  });

  it("is over for clients that reconnect after its last event", async () => {
    const server = await startTestServer();
    const { conversationId, turnId } = (await server.ask("ada", "POST", "/chat", { message: "Hi" })).body
      .data;
    const path = `/conversations/${conversationId}/events`;
    const { events } = (await server.ask("ada", "GET", path)).body.data;
    const headers = { accept: "text/event-stream", "last-event-id": `${turnId}:${events.at(-1).number}` };
    expect((await server.send("ada", path, { headers })).status).toBe(204);
    const page = await server.ask("ada", "GET", `${path}?turnId=${turnId}&from=1&limit=1`);
    expect(page.body.data.events).toEqual([events[1]]);
  });
});

describe("a server that closes", () => {
  it("ends the streams, finishes the turn, and accepts no more requests", async () => {
    const { model, go } = createPausingModel(["One "]);
    const server = await startTestServer(model);
    const stream = await server.send("ada", "/chat", {
      method: "POST",
      body: '{"message":"Count.","stream":true}',
    });
    const waiting = await server.send("ada", "/approvals/stream");
    const closed = server.close();
    const text = await stream.text();
    expect(text).toContain(": no turn_end yet");
    expect(text).not.toContain("event: turn_end");
    await waiting.text();
    go();
    await closed;
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
    const found = await server.provider.findConversations({ userId: "ada" });
    expect(found).toMatchObject({ data: [{ messages: [{ role: "user" }, { role: "assistant" }] }] });
    await until("closing again", async () => {
      await server.close();
      return true;
    });
  });
});
