import { maskSecrets } from "@jaf/memory/engine";
import type { RunConfig } from "../config.ts";

/** What takes secrets out of a text that was thrown. Never throws. */
export type Masking = (thrown: string) => string;

const WITHHELD = "the message was withheld, as maskSecrets failed on it";

/** As a configuration says. A function is called on it, which may be an instance of a class. */
export function maskingOf(config: Pick<RunConfig<never>, "maskSecrets">): Masking {
  if (config.maskSecrets === false) return (thrown) => thrown;
  if (typeof config.maskSecrets !== "function") return maskSecrets;
  return (thrown) => {
    try {
      const masked: unknown = (config as { readonly maskSecrets: Masking }).maskSecrets(thrown);
      return typeof masked === "string" ? masked : WITHHELD;
    } catch {
      return WITHHELD;
    }
  };
}
