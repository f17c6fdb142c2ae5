import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adaptClient } from "../../src/client/adapt-client.ts";
import type { RedisPort } from "../../src/client/clients.ts";
import { type Opened, openers } from "../support/clients.ts";
import { hashOf, userKey } from "../support/facts.ts";
import { freshPrefix } from "../support/stores.ts";
import { backendOnPort } from "../support/user-memory.ts";

const user = userKey("u");
const job = { user, id: hashOf("job"), body: "what was said" };

describe.each(["node-redis", "node-redis cluster"] as const)("jobs, %s", (kind) => {
  let opened: Opened;
  let port: RedisPort;
  beforeAll(async () => {
    opened = await openers[kind]();
    port = adaptClient(opened.client);
  });
  afterAll(() => opened.end());

  /** The same server with a hook before each command, with the number of previous commands. A script may take two. */
  const intercepted = (keyPrefix: string, before: (done: number) => Promise<void> | void) => {
    let done = 0;
    const send: RedisPort["send"] = async (...call) => {
      await before(done);
      const reply = await port.send(...call);
      done++;
      return reply;
    };
    return backendOnPort({ ...port, send }, keyPrefix);
  };
  const crashAt = (keyPrefix: string, last: number) =>
    intercepted(keyPrefix, (done) => {
      if (done >= last) throw new Error("Connection is closed.");
    });
  const intact = (keyPrefix: string) => backendOnPort(port, keyPrefix);
  const entries = (keyPrefix: string) => port.send(["ZCARD", `${keyPrefix}user-memory:{jobs}`], `{jobs}`);

  it.each([0, 1, 2])("are leased or missing if they were interrupted before command %i", async (last) => {
    const keyPrefix = freshPrefix();
    const written = await crashAt(keyPrefix, last)
      .jobs.enqueue(job, { epoch: 0, leaseMs: 0 })
      .catch(() => false);
    const { jobs } = intact(keyPrefix);
    const leased = await jobs.lease({ leaseMs: 0, limit: 5 });
    expect(leased).toEqual(written ? [{ ...job, attempts: 2 }] : []);
    expect(await jobs.size()).toBe(leased.length);
    expect(await jobs.enqueue(job, { epoch: 0, leaseMs: 0 })).toBe(!written);
    expect(await jobs.lease({ leaseMs: 0, limit: 5 })).toHaveLength(1);
  });

  it.each([0, 1])(
    "stay or are removed as a whole if their completion is interrupted before command %i",
    async (last) => {
      const keyPrefix = freshPrefix();
      const { jobs } = intact(keyPrefix);
      await jobs.enqueue(job, { epoch: 0, leaseMs: 0 });
      await crashAt(keyPrefix, last)
        .jobs.complete(user, job.id)
        .catch(() => {});
      expect(await jobs.lease({ leaseMs: 0, limit: 5 })).toHaveLength(last === 0 ? 1 : 0);
      expect(await jobs.size()).toBe(last === 0 ? 1 : 0);
    },
  );

  it("are written with a new entry and found if they are leased in between", async () => {
    const keyPrefix = freshPrefix();
    const { jobs } = intact(keyPrefix);
    const late = intercepted(keyPrefix, async (done) => {
      if (done === 1) expect(await jobs.lease({ leaseMs: 0, limit: 5 })).toEqual([]);
    });
    expect(await late.jobs.enqueue(job, { epoch: 0, leaseMs: 0 })).toBe(true);
    expect(await jobs.size()).toBe(1);
    expect(await jobs.lease({ leaseMs: 0, limit: 5 })).toHaveLength(1);
  });

  it("of an erased user leave entries that a lease removes, and that hide no other job", async () => {
    const keyPrefix = freshPrefix();
    const { jobs } = intact(keyPrefix);
    for (let n = 0; n < 20; n++) {
      await jobs.enqueue({ ...job, id: hashOf(`${n}`) }, { epoch: 0, leaseMs: 0 });
    }
    const other = { ...job, user: userKey("other") };
    await jobs.enqueue(other, { epoch: 0, leaseMs: 0 });
    const erased = await crashAt(keyPrefix, 1).erase(user, { state: "", audit: [] });
    expect(erased).toEqual({ facts: 0, vectors: 0, jobs: 20 });
    expect(await entries(keyPrefix)).toBe(21);
    expect(await jobs.lease({ leaseMs: 0, limit: 5 })).toEqual([{ ...other, attempts: 2 }]);
    expect(await jobs.size()).toBe(1);
  });

  it("with the same time are leased in the order of their addition", async () => {
    const { jobs } = intact(freshPrefix());
    const ids = Array.from({ length: 12 }, (_, n) => hashOf(`${n}`));
    for (const [n, id] of ids.entries()) {
      await jobs.enqueue({ ...job, user: userKey(`u${n}`), id }, { epoch: 0, leaseMs: 0 });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const leased = await jobs.lease({ leaseMs: 0, limit: 20 });
    expect(leased.map(({ id }) => id)).toEqual(ids);
  });
});
