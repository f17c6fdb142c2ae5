import { describe, expect, test } from "vitest";
import { userKeyOf } from "../../src/backend.ts";
import type { UserMemoryError } from "../../src/errors.ts";
import { createInMemoryUserMemoryBackend } from "../../src/in-memory/backend.ts";
import { MemoryUserMemory } from "../../src/in-memory/user-memory.ts";
import { defineUserMemory } from "../../src/store/define-user-memory.ts";

describe("an invalid duration is refused", () => {
  const enqueued = async (leaseMs: number) => {
    const memory = new MemoryUserMemory();
    const since = await memory.mark("alice");
    const turn = { said: ["I like tea"], reply: "ok", saidAt: new Date(), tags: [], threshold: 0.7, since };
    return { memory, leased: await memory.queue.enqueue({ id: "1", userId: "alice", ...turn }, { leaseMs }) };
  };
  const invalid = { name: "UserMemoryError", code: "invalid" };

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1e15, "1000", undefined])("%s", async (given) => {
    const time = given as number;
    await expect(enqueued(time)).rejects.toMatchObject(invalid);
    const { memory, leased } = await enqueued(60_000);
    await expect(memory.queue.lease({ limit: 1, leaseMs: time })).rejects.toMatchObject(invalid);
    await expect(leased?.release(time)).rejects.toMatchObject(invalid);
    expect(await memory.queue.size()).toBe(1);
  });

  test("an invalid limit is refused, too", async () => {
    const { memory } = await enqueued(0);
    await expect(memory.queue.lease({ limit: Number.NaN, leaseMs: 1 })).rejects.toMatchObject(invalid);
  });
});

test("a job whose format number is raised stays in the queue", async () => {
  const stored = createInMemoryUserMemoryBackend();
  const raised: typeof stored = {
    ...stored,
    jobs: {
      ...stored.jobs,
      enqueue: (job, options) =>
        stored.jobs.enqueue(
          { ...job, body: JSON.stringify({ ...JSON.parse(job.body), format: 2 }) },
          options,
        ),
    },
  };
  const errors: UserMemoryError[] = [];
  const memory = defineUserMemory(raised, { onError: (error) => errors.push(error) });
  const since = await memory.mark("alice");
  const turn = { said: ["I like tea"], reply: "ok", saidAt: new Date(), tags: [], threshold: 0.7, since };
  await memory.queue.enqueue({ id: "newer", userId: "alice", ...turn }, { leaseMs: 0 });
  expect(await memory.queue.lease({ limit: 5, leaseMs: 1_000 })).toEqual([]);
  expect(await memory.queue.size()).toBe(1);
  expect(errors).toMatchObject([{ code: "storage", operation: "queue.lease" }]);
});

test("a job with an unknown format stays in the queue and is reported, and other jobs are leased", async () => {
  const backend = createInMemoryUserMemoryBackend();
  const errors: UserMemoryError[] = [];
  const memory = defineUserMemory(backend, { onError: (error) => errors.push(error) });
  const user = userKeyOf("alice");
  const options = { epoch: 0, leaseMs: 0 };
  expect(await backend.jobs.enqueue({ user, id: "newer", body: '{"form":2,"said":["tea"]}' }, options)).toBe(
    true,
  );
  const since = await memory.mark("alice");
  const turn = { said: ["I like tea"], reply: "ok", saidAt: new Date(), tags: [], threshold: 0.7, since };
  await memory.queue.enqueue({ id: "own", userId: "alice", ...turn }, { leaseMs: 0 });
  const handedOut = await memory.queue.lease({ limit: 5, leaseMs: 1_000 });
  expect(handedOut.map(({ job }) => job.id)).toEqual(["own"]);
  expect(await memory.queue.size()).toBe(2);
  expect(errors).toMatchObject([{ code: "storage", operation: "queue.lease" }]);
  expect(JSON.stringify(errors) + errors[0]?.message).not.toContain("tea");
});
