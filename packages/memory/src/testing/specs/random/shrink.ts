const MAX_RUNS = 80;
/** The maximum duration, in milliseconds, so that a slow store doesn't use up all the time of the rule. */
const MAX_MS = 6_000;

/** The result of a run of random operations, together with the operations (the script). */
interface Found<Operation> {
  readonly script: readonly (readonly Operation[])[];
}

/**
 * Yields shorter scripts to try: first without half of the rounds, then without fewer rounds, from the end to the
 * beginning. Then yields scripts without one operation of a round.
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

/**
 * Looks for a shorter script with the same kind of result, within a limit of runs and time. Returns the result with the
 * shortest script that was found.
 */
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
