import type { WriteOptions } from "../provider.ts";
import { copyArgument } from "./argument-copy.ts";

type Keyed = Pick<WriteOptions, "idempotencyKey" | "signal">;

/** A copy of a write's options under a key, its own or a new one, so that the write is done once however often it is sent. */
export function keyedOptions<Options extends Keyed>(options: Options | undefined): Options | Keyed {
  const copy: Options | Keyed = options === undefined ? {} : copyArgument(options);
  // What could not be copied is for the provider to refuse, as is anything else that is no key, `null` say.
  if (copy === options || copy.idempotencyKey !== undefined) return copy;
  return Object.assign(copy, { idempotencyKey: crypto.randomUUID() });
}
