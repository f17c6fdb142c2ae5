import { setImmediate as immediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { createWriteQueue, type GroupAnswer } from "../src/write-queue.ts";

interface Item {
  readonly key: string;
  readonly name: string;
  readonly length: number;
  readonly together: boolean;
}

const item = (name: string, { key = name, length = 10, together = true } = {}): Item => ({
  key,
  name,
  length,
  together,
});

interface Sent {
  readonly kind: "one" | "group";
  readonly items: readonly Item[];
  readonly answer: (answer: GroupAnswer<string>) => void;
  readonly fail: (thrown: unknown) => void;
}

/** Until the queue has sent what it can. */
async function turn(): Promise<void> {
  for (let count = 0; count < 3; count++) await immediate();
}

/** A queue whose sendings are answered by the test. */
function open(blockingMs = 60_000) {
  const sent: Sent[] = [];
  const known = new Map<string, Item>();
  const send = (kind: Sent["kind"], items: readonly Item[]) =>
    new Promise<GroupAnswer<string>>((answer, fail) => sent.push({ kind, items, answer, fail }));
  const queue = createWriteQueue<Item, string>({
    keyOf: ({ key }) => key,
    pack: (one) => {
      const packed = one.name.padEnd(one.length);
      known.set(packed, one);
      return one.together ? packed : undefined;
    },
    sendOne: async (one) => (await send("one", [one]))[0] as string,
    sendGroup: (packed) =>
      send(
        "group",
        packed.map((text) => known.get(text) as Item),
      ),
    blockingMs,
  });
  const answerAll = () => {
    for (const { items, answer } of sent.splice(0)) answer(items.map(({ name }) => `${name} done`));
  };
  const names = () => sent.map(({ kind, items }) => `${kind}: ${items.map(({ name }) => name).join(" ")}`);
  const addAll = (items: readonly Item[]) => items.map((one) => queue.add(one));
  return { queue, sent, names, answerAll, addAll };
}

const numbered = (count: number, prefix = ""): Item[] =>
  Array.from({ length: count }, (_, index) => item(`${prefix}${index}`));

describe("what is to be written", () => {
  it("is sent at once and by itself while fewer than eight are in flight", () => {
    const { names, addAll } = open();
    addAll(numbered(8));
    expect(names()).toEqual(numbered(8).map(({ name }) => `one: ${name}`));
  });

  it("is sent together with what comes at the same time, when eight are in flight", async () => {
    const { names, addAll, answerAll } = open();
    const added = addAll(numbered(13));
    await turn();
    expect(names().slice(8)).toEqual(["group: 8 9 10 11 12"]);
    answerAll();
    expect(await Promise.all(added)).toEqual(numbered(13).map(({ name }) => `${name} done`));
  });

  it("waits while eight groups are in flight, and is the next group", async () => {
    const { names, addAll, sent, queue } = open();
    addAll(numbered(8));
    for (const one of numbered(10, "late ")) {
      void queue.add(one);
      await turn();
    }
    expect(names().slice(8)).toEqual(numbered(8, "late ").map(({ name }) => `group: ${name}`));
    sent[9]?.answer(["done"]);
    await turn();
    expect(names().slice(16)).toEqual(["group: late 8 late 9"]);
  });

  it("goes in groups of at most 64, and of at most a million characters", async () => {
    const { addAll, sent } = open();
    addAll([...numbered(8), ...numbered(100, "short ")]);
    await turn();
    expect(sent.slice(8).map(({ items }) => items.length)).toEqual([64, 36]);
    addAll(["x", "y", "z"].map((name) => item(name, { length: 400_000 })));
    await turn();
    expect(sent.slice(10).map(({ items }) => items.length)).toEqual([2, 1]);
  });

  it("is sent by itself if it is long, or of a kind that has to be", async () => {
    const { names, addAll } = open();
    addAll([...numbered(8), item("long", { length: 1_000_001 }), item("own", { together: false })]);
    await turn();
    expect(names().slice(8)).toEqual(["one: long", "one: own"]);
  });

  it("waits for what came before it under its key, and is passed by what has another", async () => {
    const { names, addAll, sent } = open();
    addAll([item("a1", { key: "a" }), item("a2", { key: "a" }), item("b"), item("a3", { key: "a" })]);
    await turn();
    expect(names()).toEqual(["one: a1", "one: b"]);
    sent[0]?.answer(["done"]);
    await turn();
    expect(names().slice(2)).toEqual(["group: a2 a3"]);
  });

  it("is sent by itself if the group left it out, and what came after it under its key again together", async () => {
    const { names, addAll, sent } = open();
    const key = "a";
    addAll([...numbered(8), item("a1", { key }), item("b"), item("a2", { key }), item("a3", { key })]);
    await turn();
    sent[8]?.answer([undefined, "done", undefined, undefined]);
    await turn();
    expect(names().slice(9)).toEqual(["one: a1"]);
    sent[9]?.answer(["done"]);
    await turn();
    expect(names().slice(10)).toEqual(["group: a2 a3"]);
  });

  it("is sent by itself, key by key in order, if the group was refused", async () => {
    const { names, addAll, sent, answerAll } = open();
    const key = "a";
    const added = addAll([...numbered(8), item("a1", { key }), item("b"), item("a2", { key })]);
    await turn();
    sent[8]?.answer("refused");
    await turn();
    expect(names().slice(9)).toEqual(["one: a1", "one: b"]);
    answerAll();
    await turn();
    expect(names()).toEqual(["one: a2"]);
    answerAll();
    expect(await Promise.all(added)).toContain("a2 done");
  });

  it("fails with what its group failed with, and is not sent again", async () => {
    const { names, addAll, sent } = open();
    const grouped = addAll(numbered(11)).slice(8);
    await turn();
    sent[8]?.fail(new Error("the connection broke"));
    for (const one of await Promise.allSettled(grouped)) {
      expect(one).toMatchObject({ status: "rejected", reason: { message: "the connection broke" } });
    }
    await turn();
    expect(names()).toHaveLength(9);
  });

  it("is not blocked by what takes too long: eight, eight groups, or one under its key", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { names, addAll, queue } = open(1_000);
      addAll([...numbered(8), item("0 again", { key: "0" })]);
      for (const one of numbered(9, "late ")) {
        void queue.add(one);
        await turn();
      }
      expect(names()).toHaveLength(16);
      vi.advanceTimersByTime(1_000);
      await turn();
      expect(names().slice(16)).toEqual(["group: 0 again late 8"]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("drained", () => {
  it("resolves at once where nothing is, and else after the last", async () => {
    const { queue, addAll, answerAll } = open();
    await queue.drained();
    const added = addAll(numbered(20));
    let drained = false;
    const ended = queue.drained().then(() => {
      drained = true;
    });
    await turn();
    expect(drained).toBe(false);
    answerAll();
    await Promise.all(added);
    await ended;
  });
});

/** Numbers from 0 to 1, the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function runAtRandom(seed: number) {
  const random = createRandom(seed);
  const { queue, sent } = open();
  const below = (limit: number) => Math.floor(random() * limit);
  const [done, outcomes]: [Item[], Promise<string>[]] = [[], []];
  const inFlight = new Set<string>();
  let overlapped = false;

  function answer({ kind, items, answer }: Sent): void {
    for (const key of new Set(items.map(({ key }) => key))) inFlight.delete(key);
    if (kind === "group" && below(5) === 0) {
      answer("refused");
      return;
    }
    const leftOut = new Set(items.filter(() => kind === "group" && below(4) === 0).map(({ key }) => key));
    const kept = items.filter(({ key }) => !leftOut.has(key));
    done.push(...kept);
    answer(items.map((one) => (leftOut.has(one.key) ? undefined : `${one.name} done`)));
  }

  const added: Item[] = [];
  const seen = new Set<Sent>();
  while (added.length < 300 || sent.length > 0) {
    for (let count = added.length < 300 ? below(20) : 0; count > 0; count--) {
      const key = `key ${below(12)}`;
      const one = item(`${added.length}`, { key, length: 1 + below(200_000), together: below(10) > 0 });
      added.push(one);
      outcomes.push(queue.add(one));
    }
    await turn();
    for (const sending of sent) {
      if (seen.has(sending)) continue;
      seen.add(sending);
      for (const key of new Set(sending.items.map(({ key }) => key))) {
        overlapped ||= inFlight.has(key);
        inFlight.add(key);
      }
    }
    for (let count = below(4); count > 0 && sent.length > 0; count--) {
      for (const sending of sent.splice(below(sent.length), 1)) answer(sending);
    }
    await turn();
  }
  return { added, done, overlapped, outcomes: await Promise.all(outcomes) };
}

describe.each([1, 2, 3, 4, 5, 6, 7, 8])("300 under 12 keys, answered at random (seed %i)", (seed) => {
  it("are each done once, in order under each key, and never two under a key at once", async () => {
    const { added, done, overlapped, outcomes } = await runAtRandom(seed);
    expect(overlapped).toBe(false);
    expect(outcomes).toEqual(added.map(({ name }) => `${name} done`));
    const byLane = (items: readonly Item[]) =>
      Object.fromEntries(
        [...new Set(items.map(({ key }) => key))]
          .sort()
          .map((key) => [key, items.flatMap((one) => (one.key === key ? one.name : []))]),
      );
    expect(byLane(done)).toEqual(byLane(added));
  });
});
