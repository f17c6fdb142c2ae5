/** What happens at a call to the outside world. */
export const CRASHES = [
  /** The process dies, and the call never got out. */
  "killed before",
  /** The process dies, and the call was done. */
  "killed after",
  /** The process dies, and the write arrives while the next process is at work. Of writes only. */
  "killed, done late",
  /** It fails once, and the process lives. */
  "fails",
  /** It is done, its answer is lost once, and the process lives. */
  "fails after",
  /** The store can't be reached by this process from now on. Of calls to the store only. */
  "outage",
  /** As "outage", and this call was done. */
  "outage after",
  "aborted before",
  "aborted after",
  /** It is never answered, until the caller aborts the run. Not of writes: those are waited for. */
  "hangs",
] as const;

export type Crash = (typeof CRASHES)[number];

/** A crash at the `at`-th call to the outside world, counted from 1 over all processes. */
export interface Strike {
  readonly at: number;
  readonly crash: Crash;
  /** Before which call a late write arrives, of those that the processes that live on make beside reading. Default 1. */
  readonly delay?: number;
}

export interface Point {
  readonly label: string;
  readonly on: "read" | "write" | "model" | "tool";
}

/** A process as the world outside sees it. */
export interface Mortal {
  readonly signal: AbortSignal;
  /** Rejects with {@link StoreUnreachable} where the store is to fail, with any other error where all is over. */
  readonly call: <T>(point: Point, action: () => Promise<T>) => Promise<T>;
  /** A call to the store that isn't counted, and never struck. Rejects as `call` does. */
  readonly callUncounted: <T>(action: () => Promise<T>) => Promise<T>;
}

export class StoreUnreachable extends Error {}

export interface Saboteur {
  readonly open: () => Mortal;
  readonly calls: () => number;
  /** The point at which it struck; absent where the trial never came so far. */
  readonly struck: () => Point | undefined;
  /** Lets a write arrive that is still under way, and strikes no more. */
  readonly end: () => Promise<void>;
}

const DELAYS = [1, 3];

/** The delays by which a crash is tried. */
export const delaysOf = (crash: Crash): readonly number[] => (crash === "killed, done late" ? DELAYS : [1]);

function mayStrike(crash: Crash, { on }: Point): boolean {
  if (crash === "killed, done late") return on === "write";
  if (crash === "hangs") return on !== "write";
  return !crash.startsWith("outage") || on === "read" || on === "write";
}

const gone = (): Error => new Error("the process is gone");

const isOfStore = ({ on }: Point): boolean => on === "read" || on === "write";

/** What the processes of a trial share. */
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

/** Counts the call; the strike that is due at it. */
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
    controller.abort(); // Ends what would only wait in vain; it reaches nothing any more.
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
      // What was under way when the process died was done; nobody hears of it.
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
