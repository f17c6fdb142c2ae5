const MAX_RUNS = 80;
// With a slow store, a longer duration could use up all the time of the rule.
/** The maximum duration of `shrink`, in milliseconds. */
const MAX_MS = 6_000;

/** The result of a run of random operations, together with the operations (the script). */
interface Found<Operation> {
  readonly script: readonly (readonly Operation[])[];
}

/** Yields shorter scripts to try. */
function* shorter<Operation>(script: Found<Operation>["script"]): Generator<Found<Operation>["script"]> {
  // First leaves out half of the rounds, then a quarter, and so on down to one round, each time beginning at the end of
  // the script. Then leaves out one operation of a round.
  for (let size = script.length >> 1; size >= 1; size >>= 1) {
    for (let at = script.length - size; at >= 0; at -= size) yield script.toSpliced(at, size);
  }
  for (const [at, round] of [...script.entries()].reverse()) {
    if (round.length < 2) continue;
    for (const client of round.keys()) yield script.with(at, round.toSpliced(client, 1));
  }
}

/**
 * Looks for a shorter script that fails, too. Returns the failure with the shortest such script, which may be `found`
 * itself.
 */
export async function shrink<Operation, F extends Found<Operation>>(
  found: F,
  rerun: (script: F["script"]) => Promise<F | undefined>,
): Promise<F> {
  // `rerun` runs a script, and returns its failure, or `undefined` if it doesn't fail.
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
