import { expect } from "vitest";
import type { Inbox } from "../../inbox/inbox.ts";
import { letOthersRun } from "../fixtures/timing.ts";
import { contentsOf, type InboxRules, type InboxScenario, put, read, remove } from "./scenario.ts";

const WRITERS = 4;
const PUTS = 50;

const open = ({ connect }: InboxScenario, count: number): Promise<readonly Inbox[]> =>
  Promise.all(Array.from({ length: count }, () => connect()));

/** Puts entries, some of them at the same time. */
async function write(inbox: Inbox, name: string): Promise<void> {
  for (let at = 0; at < PUTS; at += 2) {
    const contents = [`${name} ${at}`, `${name} ${at + 1}`];
    await Promise.all(contents.map((content) => put(inbox, { key: content, content })));
  }
}

/** Reads on after the last entry until `isDone`, and removes what it read if `removes`. Returns all contents. */
async function follow(
  inbox: Inbox,
  isDone: () => boolean,
  { removes }: { readonly removes: boolean },
): Promise<readonly string[]> {
  const seen: string[] = [];
  let after: string | undefined;
  for (;;) {
    await letOthersRun();
    const wasDone = isDone();
    const entries = await read(inbox, { limit: 7, ...(after === undefined ? {} : { after }) });
    for (const { content } of entries) seen.push(content);
    after = entries.at(-1)?.cursor ?? after;
    if (removes && entries.length > 0) expect(await remove(inbox, after ?? "")).toBe(entries.length);
    if (wasDone && entries.length === 0) return seen;
  }
}

const allOf = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => Array.from({ length: PUTS }, (_, at) => `${name} ${at}`)).sort();

async function writeAndFollow(scenario: InboxScenario, { removes }: { readonly removes: boolean }) {
  const writers = await open(scenario, WRITERS);
  const names = writers.map((_, at) => `writer ${at}`);
  let done = false;
  const writing = Promise.all(writers.map((writer, at) => write(writer, names[at] ?? ""))).finally(() => {
    done = true;
  });
  const readers = removes ? [scenario.inbox] : [scenario.inbox, scenario.other];
  const seen = await Promise.all(readers.map((reader) => follow(reader, () => done, { removes })));
  await writing;
  return { seen, expected: allOf(names) };
}

export const concurrencyRules: InboxRules = {
  "shows a reader who reads on each entry once and in order, while several clients put": async (scenario) => {
    const { seen, expected } = await writeAndFollow(scenario, { removes: false });
    const order = await contentsOf(scenario.other, { limit: 1_000 });
    expect(order.toSorted()).toEqual(expected);
    for (const contents of seen) expect(contents).toEqual(order);
  },
  "gives a reader who removes each entry once, while several clients put": async (scenario) => {
    const { seen, expected } = await writeAndFollow(scenario, { removes: true });
    expect(seen[0]?.toSorted()).toEqual(expected);
    expect(await read(scenario.other)).toEqual([]);
    expect(await scenario.inbox.waiting()).toEqual({ success: true, data: [] });
  },
  "keeps the order of the puts of one client that waits for each": async (scenario) => {
    const writers = await open(scenario, WRITERS);
    await Promise.all(
      writers.map(async (writer, name) => {
        for (let at = 0; at < 20; at++)
          await put(writer, { key: `${name} ${at}`, content: JSON.stringify([name, at]) });
      }),
    );
    const contents = await contentsOf(scenario.inbox, { limit: 1_000 });
    const numbers = contents.map((content): readonly number[] => JSON.parse(content));
    for (const name of writers.keys())
      expect(numbers.filter(([by]) => by === name).map(([, at]) => at)).toEqual(
        Array.from({ length: 20 }, (_, at) => at),
      );
  },
  "counts entries right while clients put and remove": async (scenario) => {
    const [one, two, three] = (await open(scenario, 3)) as [Inbox, Inbox, Inbox];
    const putSome = async (inbox: Inbox, name: string) => {
      for (let at = 0; at < 40; at++) await put(inbox, { key: `${name} ${at}` });
    };
    let removed = 0;
    const removeSome = async () => {
      for (let at = 0; at < 40; at++) {
        const [entry] = await read(three, { limit: 1 });
        if (entry !== undefined) removed += await remove(three, entry.cursor);
      }
    };
    await Promise.all([putSome(one, "one"), putSome(two, "two"), removeSome()]);
    const left = await read(scenario.inbox, { limit: 1_000 });
    expect(left).toHaveLength(80 - removed);
    expect(await scenario.inbox.waiting()).toMatchObject({
      data: left.length === 0 ? [] : [{ entries: left.length, since: left[0]?.receivedAt }],
    });
  },
};
