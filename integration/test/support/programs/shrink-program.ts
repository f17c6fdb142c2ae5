import type { Program } from "./program.ts";

const MOST_TRIES = 80;

/** All programs without one operation, the last operation first. Workers stay, so the others keep their numbers. */
const shorter = (program: Program): readonly Program[] =>
  program.workers.flatMap((operations, worker) =>
    operations.map((_, back): Program => {
      const workers = program.workers.with(worker, operations.toSpliced(operations.length - 1 - back, 1));
      return { ...program, workers };
    }),
  );

/** Removes operations, for a limited number of attempts, and returns the shortest program that still fails. */
export async function shrinkProgram(
  program: Program,
  fails: (program: Program) => Promise<boolean>,
): Promise<Program> {
  let smallest = program;
  let tries = 0;
  for (let found = true; found; ) {
    found = false;
    for (const candidate of shorter(smallest)) {
      if (tries >= MOST_TRIES) return smallest;
      tries += 1;
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      found = true;
      break;
    }
  }
  return smallest;
}
