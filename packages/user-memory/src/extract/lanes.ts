/** So many turns wait in a process for one memory; what is more is left to the queue. */
const MAX_WAITING = 1_000;

interface Lanes {
  active: number;
  readonly waiting: (() => void)[];
}

const lanesOf = new WeakMap<object, Lanes>();

/** Does work with at most so many others at a time for the same key. `undefined`, and nothing is done: too many wait. */
export function inLane<T>(key: object, concurrency: number, work: () => Promise<T>): Promise<T> | undefined {
  const lanes = lanesOf.get(key) ?? { active: 0, waiting: [] };
  lanesOf.set(key, lanes);
  if (lanes.active >= concurrency && lanes.waiting.length >= MAX_WAITING) return undefined;
  return enter(lanes, concurrency, work);
}

async function enter<T>(lanes: Lanes, concurrency: number, work: () => Promise<T>): Promise<T> {
  if (lanes.active >= concurrency) await new Promise<void>((resolve) => lanes.waiting.push(resolve));
  else lanes.active += 1;
  try {
    return await work();
  } finally {
    const next = lanes.waiting.shift();
    // The next one takes over the lane itself.
    if (next === undefined) lanes.active -= 1;
    else next();
  }
}
