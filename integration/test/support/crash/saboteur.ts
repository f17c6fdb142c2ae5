/** The kinds of faults at an external call. */
export const CRASHES = [
  /** The process dies before the call is sent. */
  "killed before",
  /** The process dies after the call has taken effect. */
  "killed after",
  /** The process dies, and the write arrives while the next process is running. Only for writes. */
  "killed, done late",
  /** The call fails once, and the process lives. */
  "fails",
  /** The call takes effect, its answer is lost once, and the process lives. */
  "fails after",
  /** This process can't reach the store any more. Only for calls to the store. */
  "outage",
  /** Like "outage", but this call has taken effect. */
  "outage after",
  "aborted before",
  "aborted after",
  /** The call isn't answered until the caller aborts the run. Not for writes, because runs wait for them. */
  "hangs",
] as const;

export type Crash = (typeof CRASHES)[number];

/** A crash at the `at`-th external call, counted from 1 over all processes. */
export interface Strike {
  readonly at: number;
  readonly crash: Crash;
  /** A late write arrives before this call of the living processes, counted without reads. Default 1. */
  readonly delay?: number;
}

export interface Point {
  readonly label: string;
  readonly on: "read" | "write" | "model" | "tool";
}

/** A process, as seen from outside. */
export interface Mortal {
  readonly signal: AbortSignal;
  /** Rejects with {@link StoreUnreachable} if the store must fail, with another error after the end. */
  readonly call: <T>(point: Point, action: () => Promise<T>) => Promise<T>;
  /** A call to the store that isn't counted and never crashes. Rejects like `call`. */
  readonly callUncounted: <T>(action: () => Promise<T>) => Promise<T>;
}

export class StoreUnreachable extends Error {}

export interface Saboteur {
  readonly open: () => Mortal;
  readonly calls: () => number;
  /** The point of the crash; absent if the trial hasn't reached it. */
  readonly struck: () => Point | undefined;
  /** Lets a pending write arrive, and causes no more crashes. */
  readonly end: () => Promise<void>;
}

const DELAYS = [1, 3];

/** The delays that are tried for a crash. */
export const delaysOf = (crash: Crash): readonly number[] => (crash === "killed, done late" ? DELAYS : [1]);

function mayStrike(crash: Crash, { on }: Point): boolean {
  if (crash === "killed, done late") return on === "write";
  if (crash === "hangs") return on !== "write";
  return !crash.startsWith("outage") || on === "read" || on === "write";
}

const gone = (): Error => new Error("the process is gone");

const isOfStore = ({ on }: Point): boolean => on === "read" || on === "write";

/** The shared state of a trial's processes. */
interface Fate {
  readonly strikes: readonly Strike[];
  calls: number;
  struck: Point | undefined;
  late: { readonly arrive: () => Promise<unknown>; callsLeft: number } | undefined;
  over: boolean;
}

async function arrive(fate: Fate): Promise<void> {
  const { late } = fate;
  fate.late = undefined;
  await late?.arrive();
}

/** Counts the call, and returns the crash that is due at it. */
async function count(fate: Fate, point: Point): Promise<Strike | undefined> {
  fate.calls += 1;
  if (fate.late !== undefined && point.on !== "read" && --fate.late.callsLeft <= 0) await arrive(fate);
  if (fate.over) return undefined;
  const due = fate.strikes.find(({ at, crash }) => at === fate.calls && mayStrike(crash, point));
  if (due !== undefined) fate.struck = point;
  return due;
}

function openMortal(fate: Fate): Mortal {
  const controller = new AbortController();
  let dead = false;
  let unreachable = false;

  function die(): never {
    dead = true;
    controller.abort(); // Ends useless waits. The process reaches nothing any more.
    throw gone();
  }
  function fail(point: Point): never {
    throw isOfStore(point) ? new StoreUnreachable() : new Error("it failed");
  }

  async function strike<T>({ crash, delay = 1 }: Strike, point: Point, action: () => Promise<T>): Promise<T> {
    if (crash === "killed, done late") fate.late = { arrive: action, callsLeft: delay };
    if (crash === "killed before" || crash === "killed, done late") die();
    if (crash.startsWith("outage")) unreachable = true;
    if (crash === "fails" || crash === "outage") fail(point);
    if (crash === "aborted before") controller.abort();
    if (crash === "hangs") {
      queueMicrotask(() => controller.abort());
      return new Promise<never>(() => undefined);
    }
    const value = await action();
    if (crash === "killed after") die();
    if (crash === "fails after" || crash === "outage after") fail(point);
    if (crash === "aborted after") controller.abort();
    return value;
  }

  return {
    signal: controller.signal,
    call: async (point, action) => {
      if (dead) throw gone();
      const due = await count(fate, point);
      if (unreachable && isOfStore(point)) throw new StoreUnreachable();
      const value = await (due === undefined ? action() : strike(due, point, action));
      // Calls in progress when the process died have taken effect, but never return.
      if (dead) throw gone();
      return value;
    },
    callUncounted: async (action) => {
      if (dead) throw gone();
      if (unreachable) throw new StoreUnreachable();
      return action();
    },
  };
}

export function createSaboteur(strikes: readonly Strike[] = []): Saboteur {
  const fate: Fate = { strikes, calls: 0, struck: undefined, late: undefined, over: false };
  return {
    open: () => openMortal(fate),
    calls: () => fate.calls,
    struck: () => fate.struck,
    end: () => {
      fate.over = true;
      return arrive(fate);
    },
  };
}
