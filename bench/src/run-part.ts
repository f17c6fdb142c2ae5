import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Options, PartName } from "./options.ts";
import type { PartResult } from "./results.ts";

const running = new Set<ChildProcess>();

/** A part has ended without a result, and has said why. */
export class PartFailed extends Error {
  override readonly name = "PartFailed";
}

/** Runs a part in a process of its own: what an earlier one has left in memory costs this one no pause. */
export async function runPart(name: PartName, options: Options): Promise<PartResult> {
  const child = fork(new URL("part-process.ts", import.meta.url), [JSON.stringify({ name, options })]);
  running.add(child);
  let result: PartResult | undefined;
  child.once("message", (message) => {
    result = message as PartResult;
  });
  await once(child, "exit");
  running.delete(child);
  if (result === undefined) throw new PartFailed(`${name} has failed`);
  return result;
}

/** Has the parts that run stop their servers; they end by themselves then. */
export function stopParts(signal: NodeJS.Signals): void {
  for (const child of running) child.kill(signal);
}
