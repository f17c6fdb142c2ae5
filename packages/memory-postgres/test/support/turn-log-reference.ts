import type { Result, TurnLog } from "@jaf/memory";
import { createInMemoryTurnLog, type LoggedTurn, type TurnWriter } from "@jaf/memory/adapter";
import { expect } from "vitest";
import { END, newTurn } from "./turn-log.ts";

const CONVERSATIONS = 3;
const STEPS = 1_500;

/** Numbers of a linear congruential generator, so a failure can be reproduced. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** For turns of several conversations: PGlite's clock may give two of them the same time, in any order. */
async function unordered(listing: Promise<Result<readonly LoggedTurn[]>>): Promise<Result<unknown>> {
  const result = await listing;
  if (!result.success) return result;
  const sorted = result.data.toSorted((a, b) => (a.conversationId < b.conversationId ? -1 : 1));
  return { success: true, data: sorted };
}

/** A log and its writers, in their order. The numbers are the same in both logs. */
interface Party {
  readonly log: TurnLog;
  readonly writers: TurnWriter[];
}

/** Returns a log's answer without random values and times, and keeps its writer. */
function shown({ writers }: Party, result: Result<unknown>): unknown {
  if (!result.success) return { _tag: result.error._tag };
  return JSON.parse(
    JSON.stringify(result.data ?? null, (key, value) => {
      if (key === "writer") {
        writers.push(value as TurnWriter);
        return "given";
      }
      return key === "startedAt" ? "a time" : value;
    }),
  );
}

type Step = (party: Party) => Promise<Result<unknown>>;

function createSteps(random: ReturnType<typeof createRandom>): { name: string; step: Step } {
  const turn = {
    conversationId: `c${random(CONVERSATIONS)}`,
    turnId: `t${random(12)}`,
    userId: `u${random(2)}`,
  };
  const nth = random(2) * random(8);
  const [first, count, from, limit] = [random(6), random(4), random(6), 1 + random(5)];
  const end = { ...END, state: random(2) === 0 ? "waiting" : "ended" } as const;
  const ends = random(4) === 0;
  const erases = random(6) === 0;
  const texts = Array.from({ length: Math.max(count, ends ? 0 : 1) }, (_, at) => `${first + at}`);
  /** Returns one of the latest writers; before there is any, one that never existed. */
  const writerOf = ({ writers }: Party): TurnWriter => writers.at(-1 - nth) ?? { ...turn, token: "none" };
  const steps: Record<string, Step> = {
    begin: ({ log }) => log.begin(newTurn({ ...turn, request: turn.turnId })),
    append: (party) =>
      party.log.append({ writer: writerOf(party), first, events: texts, ...(ends ? { end } : {}) }),
    appendMore: async (party) => {
      const writer = writerOf(party);
      const page = await party.log.read(writer);
      const events = page.success ? (page.data?.turn.events ?? 0) : 0;
      return party.log.append({
        writer,
        first: events,
        events: ["more", "and more"],
        ...(ends ? { end } : {}),
      });
    },
    renew: (party) => party.log.renew(writerOf(party)),
    release: (party) => party.log.release(writerOf(party)),
    takeOver: (party) => party.log.takeOver(writerOf(party)),
    requestStop: ({ log }) => log.requestStop(turn),
    read: ({ log }) => log.read({ conversationId: turn.conversationId, from, limit }),
    readTurn: (party) => party.log.read({ ...writerOf(party), from, limit }),
    readAll: ({ log }) =>
      log.readAll(
        [0, 1, 2, 3].map((at) => ({ conversationId: `c${at}`, ...(at === nth ? turn : {}), from })),
      ),
    turnsOf: ({ log }) => log.turnsOf(turn.conversationId, limit),
    find: ({ log }) => unordered(log.find({ userId: turn.userId, state: ends ? "waiting" : "running" })),
    abandoned: ({ log }) => unordered(log.abandoned(CONVERSATIONS)),
    deleteConversation: ({ log }) => log.deleteConversation(erases ? turn.conversationId : "none"),
    deleteUser: ({ log }) => log.deleteUser(erases ? turn.userId : "none"),
  };
  const names = [
    ...Object.keys(steps),
    "begin",
    "appendMore",
    "appendMore",
    "appendMore",
    "release",
    "takeOver",
  ];
  const name = names[random(names.length)] ?? "begin";
  return { name, step: steps[name] as Step };
}

/**
 * Makes the same random calls on the log and on the log in memory, and expects the same answers. The log must be empty,
 * and used only here.
 */
export async function expectAnswersAsInMemory(log: TurnLog, seed: number): Promise<void> {
  const memory: Party = { log: createInMemoryTurnLog(), writers: [] };
  const tested: Party = { log, writers: [] };
  const random = createRandom(seed);
  const kinds = new Set<string>();
  for (let at = 0; at < STEPS; at++) {
    const { name, step } = createSteps(random);
    const expected = shown(memory, await step(memory));
    const actual = shown(tested, await step(tested));
    expect({ at, name, answer: actual }).toEqual({ at, name, answer: expected });
    kinds.add(`${name} ${JSON.stringify(expected)?.slice(0, 14)}`);
  }
  expect(kinds.size).toBeGreaterThan(30);
}
