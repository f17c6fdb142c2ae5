const MAX_RUNS = 80;
/** A slow store must not use up all the time of its rule. */
const MAX_MS = 6_000;

/** A result of a script of rounds. */
interface Found<Operation> {
  readonly script: readonly (readonly Operation[])[];
}

/**
 * Yields every shorter script: without half of the rounds, then fewer, latest first, then without one operation of a
 * round.
 */
function* shorter<Operation>(script: Found<Operation>["script"]): Generator<Found<Operation>["script"]> {
  for (let size = script.length >> 1; size >= 1; size >>= 1) {
    for (let at = script.length - size; at >= 0; at -= size) yield script.toSpliced(at, size);
  }
  for (const [at, round] of [...script.entries()].reverse()) {
    if (round.length < 2) continue;
    for (const client of round.keys()) yield script.with(at, round.toSpliced(client, 1));
  }
}

/** Returns the shortest script that still gives the result, within a limit of runs and time. */
export async function shrink<Operation, F extends Found<Operation>>(
  found: F,
  rerun: (script: F["script"]) => Promise<F | undefined>,
): Promise<F> {
  const deadline = Date.now() + MAX_MS;
  let smallest = found;
  let runs = 0;
  for (let shrunk = true; shrunk; ) {
    shrunk = false;
    for (const script of shorter(smallest.script)) {
      if (runs >= MAX_RUNS || Date.now() > deadline) return smallest;
      runs += 1;
      const smaller = await rerun(script);
      if (smaller === undefined) continue;
      smallest = smaller;
      shrunk = true;
      break;
    }
  }
  return smallest;
}
