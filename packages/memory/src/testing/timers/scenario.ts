import type { SetTimer, Timer, TimerQuery, TimerStep, Timers } from "../../timers/timers.ts";
import { expectOk } from "../fixtures/expectations.ts";

/** What a rule about timers gets for its test. */
export interface TimersScenario {
  readonly timers: Timers;
  /** Other timers on the same storage. They are the same object as `timers` if the storage only exists in one process. */
  readonly other: Timers;
  /** Connects once more to the storage. Returns `timers` if the storage only exists in one process. */
  readonly connect: () => Promise<Timers>;
  /** Returns all data in the storage as one text. */
  readonly contents?: (() => Promise<string>) | undefined;
}

/** Rules by title. A rule rejects if the timers break it. */
export type TimerRules = Readonly<Record<string, (scenario: TimersScenario) => Promise<void>>>;

// The clock of the store may differ from the clock of this process. So times that must be due, or must not be due, are
// an hour away.
const HOUR_MS = 3_600_000;

/** Returns a time that is due. A greater `minutes` is less long ago. At most 50. */
export const past = (minutes = 0): Date => new Date(Date.now() - HOUR_MS + minutes * 60_000);

/** Returns a time that isn't due during the test. */
export const future = (minutes = 0): Date => new Date(Date.now() + HOUR_MS + minutes * 60_000);

export const newTimer = (fields: Partial<Timer> = {}): Timer => ({
  conversationId: "c",
  timerId: "t",
  userId: "u",
  at: past(),
  content: "{}",
  ...fields,
});

/** Sets a timer and returns it. The test fails if it isn't stored. */
export async function set(timers: Timers, fields?: Partial<Timer>): Promise<Timer> {
  const timer = newTimer(fields);
  const answer: SetTimer = expectOk(await timers.set(timer));
  if (answer !== "set") throw new Error(`expected "set", got ${JSON.stringify(answer)}`);
  return timer;
}

/** Returns the timers of a user, by default of the user `"u"`. */
export const find = async (timers: Timers, query: Partial<TimerQuery> = {}): Promise<readonly Timer[]> =>
  expectOk(await timers.find({ userId: "u", limit: 2_000, ...query }));

const idsOf = (timers: readonly Timer[]): readonly string[] => timers.map(({ timerId }) => timerId);

/** Returns the ids of the timers of a user. */
export const found = async (timers: Timers, query?: Partial<TimerQuery>): Promise<readonly string[]> =>
  idsOf(await find(timers, query));

/** Returns the ids of the timers that are due. */
export const due = async (timers: Timers, limit = 2_000): Promise<readonly string[]> =>
  idsOf(expectOk(await timers.due(limit)));

/** Advances a timer, and returns whether it did. */
export const advance = async (timers: Timers, { conversationId, timerId, at }: Timer, to: TimerStep["to"]) =>
  expectOk(await timers.advance({ conversationId, timerId, from: at, to }));
