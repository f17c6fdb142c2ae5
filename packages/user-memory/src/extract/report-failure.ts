import { describeCause } from "@jaf/memory/adapter";
import { warn } from "@jaf/memory/engine";
import { notify } from "../notify.ts";
import type { ExtractionOptions } from "./options.ts";

/** Reports a failure that nobody waits for. By default its kind alone: what it says may quote what was said. */
export function reportFailure({ onError }: Pick<ExtractionOptions, "onError">, thrown: unknown): void {
  if (onError !== undefined) {
    notify(onError, thrown);
    return;
  }
  const { name, code } = describeCause(thrown);
  const kind = code === undefined ? name : `${name}, ${code}`;
  warn(`User memory: facts could not be extracted (${kind}). See onError.`, {
    type: "JAFUserMemoryWarning",
    code: "JAF_EXTRACTION",
  });
}
