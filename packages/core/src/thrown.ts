import { callSafely, describeCause, maskSecrets, warn } from "@jaf/memory/internal";

/** Returns the text of a thrown value or an abort reason. Never throws. */
export function textOfThrown(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return String(thrown);
    const text = String(thrown.message);
    if (text !== "fetch failed") return text;
    // Only the cause says why, e.g. "ECONNREFUSED".
    const { code } = (thrown.cause ?? {}) as { readonly code?: unknown };
    return isIdentifier(code) ? `${text} (${code})` : text;
  } catch {
    return `a ${typeof thrown} that can't be written as text`;
  }
}

/** The format of a name, e.g. of an error or a field. A text that doesn't match might quote the conversation. */
const IDENTIFIER = /^[\w$.:-]{1,80}$/;

/** Returns an error's name and code, without its message, which can quote the conversation. */
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

export const isIdentifier = (value: unknown): value is string =>
  typeof value === "string" && IDENTIFIER.test(value);

const thrownFor = new WeakMap<object, unknown>();

/**
 * Remembers a thrown value for `holder`, an outcome's error or an event's data, and returns `holder`. {@link thrownOf}
 * returns the value.
 */
export function withThrown<Holder extends object>(holder: Holder, thrown: unknown): Holder {
  // Not a field, because such objects can be stored and the thrown value can't.
  if (thrown !== undefined) thrownFor.set(holder, thrown);
  return holder;
}

/**
 * Returns the thrown value for the error of an outcome, or for the data of a `tool_call_end` event; `undefined` if
 * there is none.
 */
export const thrownOf = (holder: object): unknown => thrownFor.get(holder);

/** Creates the `InternalError` for a thrown value, which `thrownOf` returns. */
export const internalError = (detail: string, thrown: unknown) =>
  withThrown({ _tag: "InternalError", detail, cause: describeCause(thrown) } as const, thrown);

/** Masks secrets in an error message and returns the masked message. Never throws. */
export type Masking = (thrown: string) => string;

const WITHHELD = "the message was withheld, because maskSecrets failed on it";

interface MaskingConfig {
  readonly maskSecrets?: boolean | Masking;
}

/** Returns the function that masks secrets as `config.maskSecrets` says. */
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
 * Calls an observer of the application. If it throws or rejects, the error becomes a process warning named
 * `JAFObserverWarning`.
 */
export const callObserver = (observer: () => unknown, failure: () => string): void =>
  callSafely(observer, (thrown) => report(failure(), thrown));

function report(message: string, thrown: unknown): void {
  const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
  const detail = typeof stack === "string" ? stack : textOfThrown(thrown);
  warn(message, { type: "JAFObserverWarning", detail });
}
