import { callSafely, describeCause, maskSecrets, warn } from "@jaf/memory/internal";

/** The words of whatever was thrown, or was given as a reason. Never throws, also where that can't be written as text. */
export function textOfThrown(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return `a ${typeof thrown} that can't be written as text`;
  }
}

/** What a name or a code of an error looks like; anything else may quote what somebody said. */
const IDENTIFIER = /^[\w$.:-]{1,80}$/;

/** The name of what was thrown, and its code if it has one. Never its message, which may quote the conversation. */
export function reasonOf(thrown: unknown): string {
  try {
    const tag: unknown = (thrown as { readonly _tag?: unknown } | null | undefined)?._tag;
    const { name, code } = describeCause(thrown);
    const shown = [tag, name].find(isIdentifier) ?? "Error";
    return isIdentifier(code) ? `${shown} (${code})` : shown;
  } catch {
    return "Error";
  }
}

const isIdentifier = (value: unknown): value is string => typeof value === "string" && IDENTIFIER.test(value);

/** What takes secrets out of a text that was thrown. Never throws. */
export type Masking = (thrown: string) => string;

const WITHHELD = "the message was withheld, as maskSecrets failed on it";

interface MaskingConfig {
  readonly maskSecrets?: boolean | Masking;
}

/** As a run's configuration says. A function is called on it, which may be an instance of a class. */
export function maskingOf(config: MaskingConfig): Masking {
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

/**
 * Calls an observer of the application. What it throws, or rejects with, becomes a process warning named `JAFObserverWarning`, and
 * doesn't stop what is observed.
 */
export const callObserver = (observer: () => unknown, failure: () => string): void =>
  callSafely(observer, (thrown) => report(failure(), thrown));

function report(message: string, thrown: unknown): void {
  const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
  const detail = typeof stack === "string" ? stack : textOfThrown(thrown);
  warn(message, { type: "JAFObserverWarning", detail });
}
