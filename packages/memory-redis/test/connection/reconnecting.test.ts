import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { NodeRedisClient } from "../../src/client/clients.ts";
import { CommandTimeout, createDeadlines } from "../../src/client/command-deadlines.ts";
import type { Connection } from "../../src/connection/connection.ts";
import {
  type ConnectionTimes,
  type OwnConnection,
  openReconnecting,
} from "../../src/connection/reconnecting.ts";

const TIMES: ConnectionTimes = {
  ...{ commandTimeoutMs: 100, pingAfterMs: 60_000, pingTimeoutMs: 100 },
  ...{ connectTimeoutMs: 5_000, closeTimeoutMs: 100 },
};

type Reply = (command: string) => Promise<unknown>;

const opened: OwnConnection[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()));
});

/** A server with scripted replies, and the number of connections that were opened and closed. */
async function openTo(reply: Reply, times: Partial<ConnectionTimes> = {}) {
  const count = { made: 0, ended: 0 };
  const createConnection = (): Connection => {
    const client: NodeRedisClient = {
      isOpen: true,
      multi: () => expect.fail("not used here"),
      sendCommand: ([command = ""]) => reply(command),
    };
    count.made += 1;
    const destroy = () => {
      count.ended += 1;
    };
    return { client, connect: async () => {}, destroy };
  };
  const own = await openReconnecting(createConnection, { ...TIMES, ...times });
  opened.push(own);
  return { port: own.port, count };
}

const never = () => new Promise<never>(() => {});

describe("the provider's own connection", () => {
  it("is kept if the server is slow but replies, even if calls time out", async () => {
    let due = 0;
    const inTurn = () => sleep(20 * ++due, "done"); // One every 20 ms.
    const { port, count } = await openTo(inTurn);
    const deadline = createDeadlines(TIMES.commandTimeoutMs, port.onTimeout);
    const calls = Array.from({ length: 15 }, () => deadline(port.send(["GET"])));
    const results = await Promise.allSettled(calls);
    const late = results.filter(({ status }) => status === "rejected");
    expect(late).not.toHaveLength(0);
    expect(late).toMatchObject(late.map(() => ({ reason: expect.any(CommandTimeout) })));
    expect(count).toEqual({ made: 1, ended: 0 });
  });

  it("is replaced before the calls that timed out reject", async () => {
    const { port, count } = await openTo(never);
    const deadline = createDeadlines(TIMES.commandTimeoutMs, port.onTimeout);
    const calls = Array.from({ length: 20 }, () => deadline(port.send(["GET"])));
    const ended = await Promise.all(calls.map((call) => call.catch(() => count.ended)));
    expect(ended).toEqual(Array.from({ length: 20 }, () => 1));
    await expect.poll(() => count.made).toBe(2);
  });

  it("is pinged only while it is idle", async () => {
    const seen: string[] = [];
    const { port } = await openTo(
      async (command) => {
        seen.push(command);
      },
      { pingAfterMs: 60 },
    );
    for (let n = 0; n < 10; n++) {
      await port.send(["GET"]);
      await sleep(5);
    }
    expect(seen).not.toContain("PING");
    await expect.poll(() => seen).toContain("PING");
  });

  it("isn't replaced because of a ping while a call with a longer timeout waits", async () => {
    const { port, count } = await openTo(never, {
      pingAfterMs: 30,
      pingTimeoutMs: 10,
      commandTimeoutMs: 60_000,
    });
    void port.send(["GET"]).catch(() => {});
    const deadline = createDeadlines(10, port.onTimeout);
    await expect(deadline(port.send(["PING"]))).rejects.toThrow(CommandTimeout);
    await sleep(50);
    expect(count).toEqual({ made: 1, ended: 0 });
  });

  it("isn't replaced if the process itself was busy", async () => {
    const { port, count } = await openTo(() => stat("/").then(() => "done"));
    const deadline = createDeadlines(TIMES.commandTimeoutMs, port.onTimeout);
    const call = deadline(port.send(["GET"]));
    const untilMs = performance.now() + 2 * TIMES.commandTimeoutMs;
    while (performance.now() < untilMs);
    expect(await call).toBe("done");
    expect(count).toEqual({ made: 1, ended: 0 });
  });
});
