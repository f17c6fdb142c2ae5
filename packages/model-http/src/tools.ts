/** Converts names of tools into the names in a request, and back. */
export interface ToolNames {
  /** Returns the name to send for a tool. */
  readonly toWire: (name: string) => string;
  /** Returns the tool's own name for a name from the model. An unknown name stays unchanged. */
  readonly toOwn: (wire: string) => string;
}

const VALID = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_LENGTH = 64;

/**
 * Creates the conversion of tool names for one request. Services accept names of 1 to 64 letters, digits, `_` and `-`.
 * Any other name is replaced, in the same way in each request with the same tools. `own`: the names of the agent's
 * tools, which take precedence over names in the history. `valid`: matches the names that the service accepts. It can
 * be stricter than the rules above, but must accept names that begin with `_`.
 *
 * @example
 * ```ts
 * import { toolNames } from "@jaf/model-http";
 *
 * const names = toolNames(["files.read", "search"]);
 * const sent = names.toWire("files.read"); // "files_read"
 * export const called = names.toOwn(sent); // "files.read"
 * ```
 */
export function toolNames(own: readonly string[], valid = VALID): ToolNames {
  const wires = new Map<string, string>();
  const owns = new Map<string, string>();
  const add = (name: string, wire: string): string => {
    wires.set(name, wire);
    owns.set(wire, name);
    return wire;
  };
  const rename = (name: string): string => {
    const replaced = name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_LENGTH) || "_";
    const base = valid.test(replaced) ? replaced : `_${replaced}`.slice(0, MAX_LENGTH);
    let wire = base;
    for (let count = 2; owns.has(wire); count++) wire = `${base.slice(0, MAX_LENGTH - 6)}_${count}`;
    return wire;
  };
  for (const name of own) if (valid.test(name)) add(name, name);
  const toWire = (name: string): string =>
    wires.get(name) ?? add(name, valid.test(name) && !owns.has(name) ? name : rename(name));
  own.forEach(toWire);
  return { toWire, toOwn: (wire) => owns.get(wire) ?? wire };
}

/** Gives each tool call of a request a unique id, even if the history uses an id again. */
export interface CallIds {
  /**
   * Returns the id to send for a tool call. `isOwn`: this service itself created the id, so the id stays unchanged for
   * the first call with this id in the request.
   */
  readonly open: (id: string, isOwn: boolean) => string;
  /** Returns the id to send for the result of the latest tool call with the id `id`. */
  readonly answered: (id: string) => string;
}

/**
 * Creates the ids of the tool calls of one request. `own`: the ids that the service itself created, which other calls
 * must not get. Any other id is replaced by its hash if it is longer than `maxLength`, or has characters other than
 * letters, digits, `_` and `-`.
 *
 * @example
 * ```ts
 * import type { ModelOrigin, RichMessage } from "@jaf/memory";
 * import { callIds, ownCallIds } from "@jaf/model-http";
 *
 * declare const messages: readonly RichMessage[];
 * declare const origin: ModelOrigin;
 *
 * const ids = callIds(ownCallIds(messages, origin), 64);
 * export const callId = ids.open("call_1", false);
 * export const resultId = ids.answered("call_1"); // the same as callId
 * ```
 */
export function callIds(own: ReadonlySet<string>, maxLength: number): CallIds {
  const isValid = (id: string): boolean => id.length <= maxLength && /^[a-zA-Z0-9_-]+$/.test(id);
  const shortened = (id: string): string => (id.length <= maxLength ? id : hashedId(id));
  const latest = new Map<string, string>();
  const used = new Set<string>();
  const isFree = (wire: string): boolean => !used.has(wire) && !own.has(wire);
  const unique = (base: string): string => {
    let wire = base;
    for (let count = 2; !isFree(wire); count++) wire = shortened(`${base}_${count}`);
    return wire;
  };
  return {
    open: (id, isOwn) => {
      const wire = isOwn && !used.has(id) ? id : unique(isValid(id) ? id : hashedId(id));
      used.add(wire);
      latest.set(id, wire);
      return wire;
    },
    answered: (id) => latest.get(id) ?? (isValid(id) ? id : hashedId(id)),
  };
}

const hashedId = (id: string): string => `call_${digest(id)}`;

/** Returns the 64-bit FNV-1a hash of a text. */
function digest(text: string): string {
  // An id has the same hash in each request, so prompt caches stay valid.
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}
