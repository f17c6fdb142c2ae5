import { describeCause } from "@jaf/memory/adapter";
import { tellQuietly } from "../notify.ts";
import type { ExtractionOptions } from "./options.ts";

/** Tells a failure that nobody waits for. By default its kind alone: what it says may quote what was said. */
export function tellFailure({ onError }: Pick<ExtractionOptions, "onError">, thrown: unknown): void {
  if (onError !== undefined) {
    tellQuietly(onError, thrown);
    return;
  }
  const { name, code } = describeCause(thrown);
  const kind = code === undefined ? name : `${name}, ${code}`;
  process.emitWarning(`User memory: facts could not be extracted (${kind}). See onError.`, {
    code: "JAF_EXTRACTION",
  });
}
