import { setImmediate as immediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createGroupQueue } from "../../src/turn-log/group-queue.ts";

interface Item {
  readonly key: string;
  readonly name: string;
  readonly length: number;
}

const item = (name: string, { key = name, length = 10 } = {}): Item => ({ key, name, length });

type Answer = readonly (string | undefined)[];

interface Sent {
  readonly kind: "one" | "group";
  readonly items: readonly Item[];
  readonly answer: (answer: Answer) => void;
  readonly fail: (thrown: unknown) => void;
}

/** Waits until the queue has sent everything that it can. */
async function turn(): Promise<void> {
  for (let count = 0; count < 3; count++) await immediate();
}

/** A queue with statements that the test answers. */
function open() {
  const sent: Sent[] = [];
  const known = new Map<string, Item>();
  const send = (kind: Sent["kind"], items: readonly Item[]) =>
    new Promise<Answer>((answer, fail) => sent.push({ kind, items, answer, fail }));
  const queue = createGroupQueue<Item, string>({
    keyOf: ({ key }) => key,
    pack: (one) => {
      const packed = one.name.padEnd(one.length);
      known.set(packed, one);
      return packed;
    },
    sendOne: async (one) => (await send("one", [one]))[0] as string,
    sendGroup: (packed) =>
      send(
        "group",
        packed.map((text) => known.get(text) as Item),
      ),
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

/** A queue with eight statements in flight; `free` answers one of them. */
function openBusy() {
  const opened = open();
  opened.addAll(numbered(8, "busy "));
  const free = async () => {
    opened.sent.shift()?.answer(["done"]);
    await turn();
  };
  return { ...opened, free, next: () => opened.names().slice(7) };
}

describe("an added item", () => {
  it("is sent immediately and alone while fewer than eight are in flight", () => {
    const { names, addAll } = open();
    addAll(numbered(8));
    expect(names()).toEqual(numbered(8).map(({ name }) => `one: ${name}`));
  });

  it("waits while eight are in flight, and is sent together with later ones", async () => {
    const { names, addAll, free, next, answerAll } = openBusy();
    const added = addAll(numbered(5));
    await turn();
    expect(names()).toHaveLength(8);
    await free();
    expect(next()).toEqual(["group: 0 1 2 3 4"]);
    answerAll();
    expect(await Promise.all(added)).toEqual(numbered(5).map(({ name }) => `${name} done`));
  });

  it("is sent in a group of at most 64 items and a million characters", async () => {
    const { addAll, sent, free } = openBusy();
    addAll([...numbered(100), ...["x", "y", "z"].map((name) => item(name, { length: 400_000 }))]);
    for (let count = 0; count < 3; count++) await free();
    expect(sent.slice(5).map(({ items }) => items.length)).toEqual([64, 38, 1]);
  });

  it("is sent alone if it is long, and others overtake it meanwhile", async () => {
    const { addAll, free, next } = openBusy();
    addAll([item("a"), item("long", { length: 1_000_001 }), item("b")]);
    await free();
    expect(next()).toEqual(["group: a b"]);
    await free();
    expect(next()).toEqual(["one: long"]);
  });

  it("waits for earlier ones with its key, while others overtake it", async () => {
    const { names, addAll, sent } = open();
    addAll([item("a1", { key: "a" }), item("a2", { key: "a" }), item("b"), item("a3", { key: "a" })]);
    await turn();
    expect(names()).toEqual(["one: a1", "one: b"]);
    for (const name of ["one: a2", "one: a3"]) {
      sent.shift()?.answer(["done"]);
      await turn();
      sent.reverse();
      expect(names()[0]).toBe(name);
    }
  });

  it("is sent alone if the group left it out, before later ones with its key", async () => {
    const { addAll, sent, free, next, answerAll } = openBusy();
    const added = addAll([item("a1", { key: "a" }), item("b"), item("a2", { key: "a" })]);
    await free();
    expect(next()).toEqual(["group: a1 b"]);
    sent.pop()?.answer([undefined, "b done"]);
    await turn();
    expect(next()).toEqual(["one: a1"]);
    answerAll();
    await turn();
    answerAll();
    expect(await Promise.all(added)).toEqual(["a1 done", "b done", "a2 done"]);
  });

  it("fails with the error of its group, and is not resent", async () => {
    const { names, addAll, sent, free } = openBusy();
    const grouped = addAll(numbered(3));
    await free();
    sent.pop()?.fail(new Error("the connection broke"));
    for (const one of await Promise.allSettled(grouped)) {
      expect(one).toMatchObject({ status: "rejected", reason: { message: "the connection broke" } });
    }
    await turn();
    expect(names()).toHaveLength(7);
  });
});

describe("drained", () => {
  it("resolves immediately if the queue is empty, else after the last item", async () => {
    const { queue, addAll, answerAll } = open();
    await queue.drained();
    const added = addAll(numbered(20));
    let drained = false;
    const ended = queue.drained().then(() => {
      drained = true;
    });
    await turn();
    expect(drained).toBe(false);
    for (let count = 0; count < 2; count++) {
      answerAll();
      await turn();
    }
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
      answer(items.map(() => undefined));
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
      const one = item(`${added.length}`, {
        key,
        length: 1 + below(200_000) + (below(10) > 0 ? 0 : 1_000_000),
      });
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
  it("are each done once, in order for each key, and never two of a key at the same time", async () => {
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
