// Random programs of two users on a fallback: outages, lost replies and crashes at any call of a store.
import { expect } from "vitest";
import {
  createFailure,
  createInMemoryProvider,
  createMemoryConnectionError,
  findDeadLetters,
  type MemoryProvider,
  replayFallbackWrites,
  type VersionedMemoryProvider,
  withFallback,
} from "../../src/index.ts";
import { contents, expectOk } from "../../src/testing/expectations.ts";
import { user as message } from "../../src/testing/messages.ts";
import { type Random, randomNumbers } from "../../src/testing/random.ts";

const USERS = ["alice", "mallory"] as const;
const CONVERSATIONS = ["c0", "c1"] as const;

type User = (typeof USERS)[number];

/** The life of one process: it ends in the middle of a call, and nothing that it called answers afterwards. */
interface Life {
  callsLeft: number;
  readonly over: Promise<"crashed">;
  readonly end: () => void;
}

function createLife(callsLeft: number): Life {
  let end = () => {};
  const over = new Promise<"crashed">((resolve) => {
    end = () => resolve("crashed");
  });
  return { callsLeft, over, end };
}

interface Link {
  isDown: boolean;
  /** From 0 to 1: how often a call is done and its reply is lost, or is not done. */
  readonly loss: number;
}

const NEVER = new Promise<never>(() => {});

/** The store as a process reaches it. */
function reach(
  store: VersionedMemoryProvider,
  life: Life,
  link: Link,
  random: Random,
): VersionedMemoryProvider {
  const lost = () => createFailure(createMemoryConnectionError("primary"));
  const methods = Object.entries(store).map(([name, method]) => [
    name,
    async (...args: unknown[]): Promise<unknown> => {
      if (life.callsLeft <= 0) return NEVER;
      life.callsLeft -= 1;
      const crashes = life.callsLeft === 0;
      const isDone = !link.isDown && !(crashes && random() < 0.5);
      const answer: unknown = isDone ? await Reflect.apply(method as () => unknown, store, args) : lost();
      if (crashes) {
        life.end();
        return NEVER;
      }
      return random() < link.loss ? lost() : answer;
    },
  ]);
  return Object.fromEntries(methods) as VersionedMemoryProvider;
}

interface Process {
  readonly provider: MemoryProvider;
  readonly life: Life;
  readonly link: Link;
}

export interface ProgramOptions {
  readonly seed: number;
  readonly processes: number;
  readonly steps: number;
  /** Whether conversations are deleted, too. */
  readonly deletes?: boolean;
}

interface Acknowledged {
  readonly user: User;
  readonly conversationId: string;
  readonly text: string;
}

/** Runs one program, replays everything, and checks that nothing is lost, doubled, mixed or out of order. */
export async function runFallbackProgram({
  seed,
  processes,
  steps,
  deletes = false,
}: ProgramOptions): Promise<void> {
  const random = randomNumbers(seed);
  const primary = createInMemoryProvider({ maxMessagesPerConversation: 10_000 });
  const fallback = createInMemoryProvider({ maxMessagesPerConversation: 10_000 });
  const acknowledged: Acknowledged[] = [];
  const owners = new Map<string, User>();
  const written: Acknowledged[] = [];
  /** What must not come back, and what may be gone: the reply of its deletion was lost. */
  const erased = new Set<string>();
  const doubtful = new Set<string>();
  const deleted = new Set<string>();
  let count = 0;
  // Where it loses replies, a new process may not learn at once what is in the fallback, and the primary is asked ahead of it.
  const fallbackLoss = random() < 0.3 ? 0.02 : 0;

  const start = (): Process => {
    const life = createLife(5 + Math.floor(random() * 120));
    const link = { isDown: random() < 0.5, loss: random() < 0.5 ? 0 : 0.1 };
    const provider = withFallback(
      reach(primary, life, link, random),
      reach(fallback, life, { isDown: false, loss: fallbackLoss }, random),
      { writes: "fallback", cooldownMs: 0 },
    );
    return { provider, life, link };
  };
  const running = Array.from({ length: processes }, start);

  /** Once, whoever of those that it left waiting sees it first. */
  function restart(slot: number, crashed: Process): void {
    if (running[slot] === crashed) running[slot] = start();
  }

  /** Writes, and tries again under the same key in whatever process there is, a few times. */
  async function append(user: User, conversationId: string, slot: number): Promise<void> {
    count += 1;
    const text = `${user} ${count}`;
    const options = { createIfMissing: true, idempotencyKey: `key ${count}` };
    written.push({ user, conversationId, text });
    for (let attempt = 0; attempt < 3; attempt++) {
      const process = running[slot] ?? expect.fail("no process");
      const call = process.provider.appendMessages(
        conversationId,
        [message(text)],
        { userId: user },
        options,
      );
      const result = await Promise.race([call, process.life.over]);
      if (result === "crashed") restart(slot, process);
      else if (result.success) return void acknowledged.push({ user, conversationId, text });
      else if (!result.error.retryable) return;
    }
  }

  async function remove(conversationId: string, slot: number): Promise<void> {
    const process = running[slot] ?? expect.fail("no process");
    const before = written.filter((one) => one.conversationId === conversationId).map(({ text }) => text);
    const result = await Promise.race([
      process.provider.deleteConversation(conversationId),
      process.life.over,
    ]);
    const gone = result !== "crashed" && result.success ? erased : doubtful;
    for (const text of [...before, `alice ${conversationId}`]) gone.add(text);
    owners.delete(conversationId);
    deleted.add(conversationId);
    if (result === "crashed") restart(slot, process);
  }

  const ownOf = (user: User, conversationId: string): readonly string[] =>
    acknowledged
      .filter((one) => one.user === user && one.conversationId === conversationId)
      .map(({ text }) => text)
      .filter((text) => !erased.has(text) && !doubtful.has(text));

  async function look(user: User, conversationId: string, slot: number): Promise<void> {
    const process = running[slot] ?? expect.fail("no process");
    const result = await Promise.race([process.provider.getConversation(conversationId), process.life.over]);
    if (result === "crashed") {
      restart(slot, process);
      return;
    }
    if (!result.success || result.data === null) return;
    const shown = contents(result.data.messages);
    expect(shown.filter((text) => !text.startsWith(`${result.data?.userId} `))).toEqual([]);
    if (processes === 1) expect(shown.filter((text) => erased.has(text))).toEqual([]);
    const isHome = processes === 1 && fallbackLoss === 0 && !process.link.isDown && process.link.loss === 0;
    if (result.data.userId !== user || !isHome || owners.get(conversationId) !== user) return;
    const own = ownOf(user, conversationId);
    expect(shown.filter((text) => own.includes(text))).toEqual(own);
  }

  for (const conversationId of CONVERSATIONS) {
    if (random() < 0.6) continue;
    expectOk(
      await primary.appendMessages(
        conversationId,
        [message(`alice ${conversationId}`)],
        { userId: "alice" },
        { createIfMissing: true },
      ),
    );
    owners.set(conversationId, "alice");
  }
  for (let step = 0; step < steps; step++) {
    const first = random() < 0.5 ? 0 : 1;
    if (deletes && random() < 0.06) {
      const conversationId = random() < 0.5 ? "c0" : "c1";
      await remove(conversationId, Math.floor(random() * running.length));
      continue;
    }
    const tasks = Array.from({ length: random() < 0.3 ? 2 : 1 }, async (_, lane) => {
      const slot = Math.floor(random() * running.length);
      const user = USERS[(lane + first) % 2] ?? "alice";
      const conversationId = CONVERSATIONS[Math.floor(random() * CONVERSATIONS.length)] ?? "c0";
      await (random() < 0.65 ? append(user, conversationId, slot) : look(user, conversationId, slot));
    });
    await Promise.all(tasks);
    for (const { link } of running) if (random() < 0.15) link.isDown = !link.isDown;
  }
  // As the processes that still run are ended.
  for (const { life } of running) life.callsLeft = 0;

  expectOk(await replayFallbackWrites(primary, fallback));
  const aside = expectOk(await findDeadLetters(fallback));
  expect(expectOk(await replayFallbackWrites(primary, fallback)).writes, "a second replay").toBe(0);
  for (const conversationId of CONVERSATIONS) {
    const replayed = expectOk(await primary.getConversation(conversationId));
    const owner = owners.get(conversationId);
    if (owner !== undefined) expect(replayed?.userId, "the owner").toBe(owner);
    const inPrimary = contents(replayed?.messages ?? []);
    expect(
      inPrimary.filter((text) => !text.startsWith(`${replayed?.userId} `)),
      "of others",
    ).toEqual([]);
    expect(
      inPrimary.filter((text) => erased.has(text)),
      "nothing that was erased",
    ).toEqual([]);
    expect(new Set(inPrimary).size, "each once").toBe(inPrimary.length);
    for (const user of USERS) {
      const own = ownOf(user, conversationId);
      const kept = aside
        .filter((one) => one.conversationId === conversationId && one.userId === user)
        .flatMap(({ messages }) => contents(messages));
      const everywhere = [...inPrimary, ...kept];
      expect(everywhere, "nothing is lost").toEqual(expect.arrayContaining([...own]));
      // What became a dead letter as erased may have been tried again, and be in the conversation that was created again.
      const places = deleted.has(conversationId) ? kept : everywhere;
      expect(places.toSorted(), "nothing is in two places").toEqual([...new Set(places)].toSorted());
      if (replayed?.userId === user && !deleted.has(conversationId))
        expect(kept, "no dead letter is the owner's").toEqual([]);
      // A process that reached the primary meanwhile was ahead of what another one wrote to the fallback.
      if (processes > 1 || fallbackLoss > 0) continue;
      const order = own.filter((text) => inPrimary.includes(text));
      expect(
        inPrimary.filter((text) => order.includes(text)),
        "in order",
      ).toEqual(order);
    }
    if (owner !== undefined)
      expectOk(await primary.appendMessages(conversationId, [message("after")], { userId: owner }));
  }
  // A process that was cut off may leave a copy behind whose journal another one has emptied.
  if (processes > 1) return;
  const left = expectOk(await fallback.findConversations({}));
  expect(left.filter(({ conversationId }) => !conversationId.startsWith("jaf:"))).toEqual([]);
}
