import { callSafely, describeCause, maskSecrets, warn } from "@jaf/memory/internal";

/** Returns the text of a thrown value or an abort reason. Never throws, even if the value can't be written as text. */
export function textOfThrown(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return `a ${typeof thrown} that can't be written as text`;
  }
}

/** The format of an error's name or code. A text that doesn't match might quote the conversation. */
const IDENTIFIER = /^[\w$.:-]{1,80}$/;

/**
 * Returns an error's name and its code, if it has a code. Never returns the error's message, which can quote the
 * conversation.
 */
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

const thrownFor = new WeakMap<object, unknown>();

/**
 * Remembers a thrown value for `holder`: the error of an outcome, or the data of an event. Such objects can be stored,
 * so the thrown value can't be a field of them; {@link thrownOf} returns it. If `thrown` is `undefined`, nothing is
 * remembered. Returns `holder`.
 */
export function withThrown<Holder extends object>(holder: Holder, thrown: unknown): Holder {
  if (thrown !== undefined) thrownFor.set(holder, thrown);
  return holder;
}

/**
 * Returns the thrown value that `withThrown` remembered for the error of an outcome or for the data of a `tool_call_end` event.
 * Returns `undefined` if there is no such value.
 */
export const thrownOf = (holder: object): unknown => thrownFor.get(holder);

/** Creates the `InternalError` for a value that code of the application or of JAF threw. `thrownOf` returns the value. */
export const internalError = (detail: string, thrown: unknown) =>
  withThrown({ _tag: "InternalError", detail, cause: describeCause(thrown) } as const, thrown);

/** Masks secrets in an error message and returns the masked message. Never throws. */
export type Masking = (thrown: string) => string;

const WITHHELD = "the message was withheld, because maskSecrets failed on it";

interface MaskingConfig {
  readonly maskSecrets?: boolean | Masking;
}

/**
 * Returns the function that masks secrets as `config.maskSecrets` says. If `config.maskSecrets` is a function, it is
 * called with `config` as `this`, because `config` can be an instance of a class.
 */
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
 * Calls an observer of the application. If the observer throws or rejects, the error becomes a process warning named
 * `JAFObserverWarning`, and the observed work continues.
 */
export const callObserver = (observer: () => unknown, failure: () => string): void =>
  callSafely(observer, (thrown) => report(failure(), thrown));

function report(message: string, thrown: unknown): void {
  const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
  const detail = typeof stack === "string" ? stack : textOfThrown(thrown);
  warn(message, { type: "JAFObserverWarning", detail });
}
