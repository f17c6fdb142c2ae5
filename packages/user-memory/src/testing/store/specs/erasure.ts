import { expect } from "vitest";
import { UserMemoryError } from "../../../errors.ts";
import type { ErasureMark, UserMemoryStore } from "../../../store.ts";
import { dumpOf } from "../dump.ts";
import { everything, gate } from "../expectations.ts";
import type { StoreUnderTest } from "../harness.ts";
import type { StoreSpec } from "../spec.ts";

const COUNT = 8;

/** Words that occur only in the user's data. */
const TRACES = ["zebrafact", "zebraproof", "zebratag", "zebratalk", "zebrakey", "zebrasaid", "zebrawriter"];

const options = (since: ErasureMark) => ({
  ...{ tags: ["zebratag"], since },
  provenance: { conversationId: "zebratalk", author: "zebrawriter", evidence: "zebraproof, she said" },
});

async function unlessErased(call: Promise<unknown>): Promise<void> {
  await call.catch((thrown: unknown) => {
    if (!(thrown instanceof UserMemoryError) || thrown.code !== "erased") throw thrown;
  });
}

/**
 * Stores facts one after the other until `writer.isOver` returns `true`. Ignores writes that are refused because of the
 * erasure.
 */
async function write(memory: UserMemoryStore, user: string, writer: Writer): Promise<void> {
  const since = await memory.mark(user);
  for (let turn = 0; !writer.isOver(); turn++) {
    const key = turn % 3 === 0 ? { key: `zebrakey${writer.name}` } : {};
    await unlessErased(
      memory.remember(user, `zebrafact ${writer.name} ${turn}`, { ...options(since), ...key }),
    );
    writer.done();
    // Lets the others continue if the store answers synchronously.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface Writer {
  readonly name: number;
  readonly isOver: () => boolean;
  readonly done: () => void;
}

interface ExtractedTurn {
  readonly queued: () => void;
  readonly answered: Promise<void>;
}

/**
 * Queues a turn, waits until the simulated model replies (`answered`), and stores the turn's fact. Stores nothing if
 * the user's memory was erased during the wait.
 */
async function extract(memory: UserMemoryStore, user: string, turn: ExtractedTurn): Promise<void> {
  const since = await memory.mark(user);
  const leased = await memory.queue.enqueue(
    {
      ...{
        id: crypto.randomUUID(),
        userId: user,
        said: ["zebrasaid"],
        reply: "zebrasaid",
        saidAt: new Date(),
      },
      ...{ conversationId: "zebratalk", position: 0, tags: ["zebratag"], threshold: 0.7, since },
    },
    { leaseMs: 60_000 },
  );
  turn.queued();
  await turn.answered;
  const fact = `zebrafact ${crypto.randomUUID()}`;
  await unlessErased(memory.remember(user, fact, { ...options(since), trust: "inferred" }));
  await leased?.complete();
}

async function search(store: StoreUnderTest, user: string): Promise<readonly string[]> {
  const text = (await dumpOf(store, [user])).toLowerCase();
  return [...TRACES, user.toLowerCase()].filter((trace) => text.includes(trace));
}

export const erasure: StoreSpec = {
  subject: "forgetAll during writes",
  rules: {
    "leaves no data of the user while 8 clients write and 8 extract": async ({ open, user, other }) => {
      const store = await open();
      const { memory } = store;
      const second = (await store.another?.()) ?? memory;
      await memory.remember(other, "Likes tea");
      let [writes, jobs, isOver] = [0, 0, false];
      const answer = gate();
      const queued = (): void => {
        jobs += 1;
      };
      const done = (): void => {
        writes += 1;
      };
      const counted = { isOver: () => isOver, done };
      const workers = Array.from({ length: COUNT }, (_, name) => [
        write(name % 2 === 0 ? memory : second, user, { name, ...counted }),
        extract(name % 2 === 0 ? second : memory, user, { queued, answered: answer.opened }),
      ]).flat();
      const failed = Promise.all(workers).then(() => false);
      while (writes < 40 || jobs < COUNT)
        await Promise.race([new Promise((resolve) => setTimeout(resolve, 1)), failed]);
      const found = await search(store, user);
      expect(found.length, "what is searched for afterwards is there before").toBeGreaterThan(4);
      isOver = true;
      const receipt = await memory.forgetAll(user);
      expect(receipt).toMatchObject({ jobs: COUNT });
      expect(receipt.facts).toBeGreaterThan(0);
      answer.open();
      await Promise.all(workers);
      expect(await everything(memory, user)).toEqual([]);
      expect(await search(store, user)).toEqual([]);
      expect(await memory.queue.size()).toBe(0);
      expect((await memory.audit(user)).map(({ action }) => action)).toEqual(["erased"]);
      expect(await memory.list(other)).toHaveLength(1);
    },

    "of one fact leaves no trace of its text": async ({ open, user }) => {
      const store = await open();
      const { memory } = store;
      await memory.remember(user, "Likes tea");
      const since = await memory.mark(user);
      const fact = await memory.remember(user, "zebrafact", { ...options(since), key: "zebrakey" });
      await memory.update(user, fact.id, { fact: "zebrafact again" });
      expect((await dumpOf(store, [user])).toLowerCase()).toContain("zebrafact");
      await memory.forget(user, fact.id);
      const text = (await dumpOf(store, [user])).toLowerCase();
      expect(TRACES.filter((trace) => text.includes(trace))).toEqual([]);
    },
  },
};
