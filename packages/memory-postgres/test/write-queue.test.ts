import { setImmediate as immediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { createWriteQueue, type GroupAnswer } from "../src/write-queue.ts";

interface Item {
  readonly lane: string;
  readonly name: string;
  readonly length: number;
  readonly together: boolean;
}

const item = (name: string, { lane = name, length = 10, together = true } = {}): Item => ({
  lane,
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
function open(patienceMs = 60_000) {
  const sent: Sent[] = [];
  const known = new Map<string, Item>();
  const send = (kind: Sent["kind"], items: readonly Item[]) =>
    new Promise<GroupAnswer<string>>((answer, fail) => sent.push({ kind, items, answer, fail }));
  const queue = createWriteQueue<Item, string>({
    laneOf: ({ lane }) => lane,
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
    patienceMs,
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
  it("goes at once and by itself while fewer than eight are under way", () => {
    const { names, addAll } = open();
    addAll(numbered(8));
    expect(names()).toEqual(numbered(8).map(({ name }) => `one: ${name}`));
  });

  it("goes together with what comes at the same time, when eight are under way", async () => {
    const { names, addAll, answerAll } = open();
    const added = addAll(numbered(13));
    await turn();
    expect(names().slice(8)).toEqual(["group: 8 9 10 11 12"]);
    answerAll();
    expect(await Promise.all(added)).toEqual(numbered(13).map(({ name }) => `${name} done`));
  });

  it("waits while eight groups are under way, and is the next group", async () => {
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

  it("goes by itself if it is long, or of a kind that does", async () => {
    const { names, addAll } = open();
    addAll([...numbered(8), item("long", { length: 1_000_001 }), item("own", { together: false })]);
    await turn();
    expect(names().slice(8)).toEqual(["one: long", "one: own"]);
  });

  it("waits for what came before it in its lane, and is passed by what is in another", async () => {
    const { names, addAll, sent } = open();
    addAll([item("a1", { lane: "a" }), item("a2", { lane: "a" }), item("b"), item("a3", { lane: "a" })]);
    await turn();
    expect(names()).toEqual(["one: a1", "one: b"]);
    sent[0]?.answer(["done"]);
    await turn();
    expect(names().slice(2)).toEqual(["group: a2 a3"]);
  });

  it("goes by itself if the group left it out, and what came behind it in its lane again together", async () => {
    const { names, addAll, sent } = open();
    const lane = "a";
    addAll([...numbered(8), item("a1", { lane }), item("b"), item("a2", { lane }), item("a3", { lane })]);
    await turn();
    sent[8]?.answer([undefined, "done", undefined, undefined]);
    await turn();
    expect(names().slice(9)).toEqual(["one: a1"]);
    sent[9]?.answer(["done"]);
    await turn();
    expect(names().slice(10)).toEqual(["group: a2 a3"]);
  });

  it("goes by itself, lane by lane in order, if the group was refused", async () => {
    const { names, addAll, sent, answerAll } = open();
    const lane = "a";
    const added = addAll([...numbered(8), item("a1", { lane }), item("b"), item("a2", { lane })]);
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

  it("is not held up by what takes too long: eight, eight groups, or one in its lane", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { names, addAll, queue } = open(1_000);
      addAll([...numbered(8), item("0 again", { lane: "0" })]);
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
  const underWay = new Set<string>();
  let overlapped = false;

  function answer({ kind, items, answer }: Sent): void {
    for (const lane of new Set(items.map(({ lane }) => lane))) underWay.delete(lane);
    if (kind === "group" && below(5) === 0) {
      answer("refused");
      return;
    }
    const leftOut = new Set(items.filter(() => kind === "group" && below(4) === 0).map(({ lane }) => lane));
    const kept = items.filter(({ lane }) => !leftOut.has(lane));
    done.push(...kept);
    answer(items.map((one) => (leftOut.has(one.lane) ? undefined : `${one.name} done`)));
  }

  const added: Item[] = [];
  const seen = new Set<Sent>();
  while (added.length < 300 || sent.length > 0) {
    for (let count = added.length < 300 ? below(20) : 0; count > 0; count--) {
      const lane = `lane ${below(12)}`;
      const one = item(`${added.length}`, { lane, length: 1 + below(200_000), together: below(10) > 0 });
      added.push(one);
      outcomes.push(queue.add(one));
    }
    await turn();
    for (const sending of sent) {
      if (seen.has(sending)) continue;
      seen.add(sending);
      for (const lane of new Set(sending.items.map(({ lane }) => lane))) {
        overlapped ||= underWay.has(lane);
        underWay.add(lane);
      }
    }
    for (let count = below(4); count > 0 && sent.length > 0; count--) {
      for (const sending of sent.splice(below(sent.length), 1)) answer(sending);
    }
    await turn();
  }
  return { added, done, overlapped, outcomes: await Promise.all(outcomes) };
}

describe.each([1, 2, 3, 4, 5, 6, 7, 8])("300 of 12 lanes, answered at random (seed %i)", (seed) => {
  it("are each done once, in the order of their lane, and never two of a lane at once", async () => {
    const { added, done, overlapped, outcomes } = await runAtRandom(seed);
    expect(overlapped).toBe(false);
    expect(outcomes).toEqual(added.map(({ name }) => `${name} done`));
    const byLane = (items: readonly Item[]) =>
      Object.fromEntries(
        [...new Set(items.map(({ lane }) => lane))]
          .sort()
          .map((lane) => [lane, items.flatMap((one) => (one.lane === lane ? one.name : []))]),
      );
    expect(byLane(done)).toEqual(byLane(added));
  });
});
