import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TurnEvent } from "@jaf/server";
import pg from "pg";
import { describe, expect, inject, it } from "vitest";
import { poll } from "../../../test/polling.ts";
import { spokenOn } from "../support/server/agent.ts";
import { readEvents } from "../support/server/events.ts";
import type { ServerChildOptions } from "../support/server/server-child.ts";
import { type ServerProcess, startServerProcess } from "../support/server/server-process.ts";

const KILLS = 10;
/** Longer than a turn of the agent, so some servers are killed at the beginning of a turn and some after its end. */
const LONGEST_MS = 1_200;

const name = () => `test_${crypto.randomUUID().replaceAll("-", "")}`;

async function send(url: string, body: unknown): Promise<Response> {
  return fetch(`${url}/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(body),
  });
}

/** Reads a turn to its end from any server that answers, starting where the last connection broke. */
async function followToEnd(urls: () => readonly string[], first: Response): Promise<readonly TurnEvent[]> {
  const events: TurnEvent[] = [];
  let response: Response | undefined = first;
  return poll("the end of the turn", async () => {
    try {
      if (response?.ok) {
        for await (const { number, event } of readEvents(response)) {
          expect(number).toBe(events.length);
          events.push(event);
        }
      }
    } catch {
      // The server was killed.
    }
    if (events.at(-1)?.type === "turn_end") return events;
    const [start] = events;
    if (start?.type !== "turn_start") throw new Error("The turn never began.");
    const { conversationId, turnId } = start;
    for (const url of urls()) {
      const query = `turnId=${encodeURIComponent(turnId)}&from=${events.length}`;
      response = await fetch(`${url}/conversations/${encodeURIComponent(conversationId)}/events?${query}`, {
        headers: { accept: "text/event-stream" },
      }).catch(() => undefined);
      if (response?.ok) break;
    }
    return undefined;
  });
}

/** The replies as a reader has them: pieces, until a message replaces them. */
function shownBy(events: readonly TurnEvent[]): readonly string[] {
  const messages: string[] = [];
  let pieces = "";
  for (const event of events) {
    if (event.type === "text") pieces += event.text;
    if (event.type === "retract") pieces = "";
    if (event.type === "message") {
      messages.push(String(event.message.content));
      expect([event.message.content, ""]).toContain(pieces);
      pieces = "";
    }
  }
  return messages;
}

async function killTenTimes(store: ServerChildOptions["store"]): Promise<{ readonly interrupted: number }> {
  const folder = await mkdtemp(join(tmpdir(), "jaf-server-"));
  const options: ServerChildOptions = { store, ledger: join(folder, "ledger.jsonl") };
  const servers: ServerProcess[] = await Promise.all([
    startServerProcess(options),
    startServerProcess(options),
  ]);
  let interrupted = 0;
  try {
    let conversationId: string | undefined;
    for (let round = 0; round < KILLS; round++) {
      const topic = `round${round}-`;
      const [victim, other] = round % 2 === 0 ? [servers[0], servers[1]] : [servers[1], servers[0]];
      if (victim === undefined || other === undefined) throw new Error("There are two servers.");
      const response = await send(victim.url, {
        message: topic,
        ...(conversationId ? { conversationId } : {}),
      });
      expect(response.status).toBe(200);
      const killed = sleep(Math.random() * LONGEST_MS).then(() => victim.kill());
      const events = await followToEnd(() => [other.url], response);
      await killed;
      servers[servers.indexOf(victim)] = await startServerProcess(options);

      const start = events[0];
      if (start?.type !== "turn_start") throw new Error("The turn never began.");
      conversationId = start.conversationId;
      const end = events.at(-1);
      const ended = end?.type === "turn_end" ? end.status : undefined;
      if (ended === "error") interrupted += 1;
      else {
        expect(ended).toBe("completed");
        expect(shownBy(events)).toEqual(spokenOn(topic));
      }
      const read = await fetch(`${other.url}/conversations/${conversationId}?limit=100`);
      const { data } = (await read.json()) as {
        data: { messages: { message: { role: string; content: unknown } }[] };
      };
      const stored = data.messages.map(({ message }) => message);
      const said = stored.findLastIndex(({ role, content }) => role === "user" && content === topic);
      expect(stored.filter(({ content }) => content === topic)).toHaveLength(1);
      if (ended === "completed") {
        expect(stored.slice(said).map(({ role }) => role)).toEqual([
          "user",
          "assistant",
          "tool",
          "assistant",
        ]);
      }
    }
    const noted = readFileSync(options.ledger, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { topic: string; idempotencyKey: string });
    for (const { topic, idempotencyKey } of noted) {
      // An interrupted tool may run again, but only as the same call.
      expect(noted.find((entry) => entry.topic === topic)?.idempotencyKey).toBe(idempotencyKey);
    }
    return { interrupted };
  } finally {
    await Promise.all(servers.map(({ kill }) => kill()));
    await rm(folder, { recursive: true });
  }
}

describe("two server processes on one store, one of them killed ten times in the middle of a turn", () => {
  it("Redis: the client continues at the other, and gets every reply completely and once", async () => {
    const { interrupted } = await killTenTimes({
      type: "redis",
      url: inject("redisUrl"),
      keyPrefix: `${name()}:`,
    });
    expect(interrupted).toBe(0);
  });

  it("Postgres: the client continues at the other, and gets every reply completely and once", async () => {
    const schema = name();
    const { interrupted } = await killTenTimes({ type: "postgres", url: inject("pgUrl"), schema });
    expect(interrupted).toBe(0);
    const client = new pg.Client(inject("pgUrl"));
    await client.connect();
    await client.query(`SET client_min_messages = warning; DROP SCHEMA "${schema}" CASCADE`);
    await client.end();
  });
});
