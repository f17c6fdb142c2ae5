import { inspect } from "node:util";

const SHOWN_OF_EACH_METHOD = 3;
const SHOWN_CHARACTERS = 200;

interface Call {
  readonly number: number;
  readonly name: string;
  readonly given: readonly unknown[];
  /** Returns the result of the call as text. Absent while the call is running. */
  ended?: () => string;
}

/** The last calls of each method, for the report of a failure. */
export interface CallRecord {
  /**
   * Returns a proxy of `target` that records the calls of its methods, and of the methods of objects inside it. `label`
   * is put before the method names (e.g. `"other."`).
   */
  readonly of: <T extends object>(target: T, label?: string) => T;
  /** Returns one line for each call, in the order in which the calls began. */
  readonly lines: () => readonly string[];
}

function show(value: unknown): string {
  const text = inspect(value, {
    depth: 4,
    breakLength: Number.POSITIVE_INFINITY,
    maxArrayLength: 4,
    maxStringLength: 60,
    // Don't call a value's own function for this: the values of some tests have functions that throw.
    customInspect: false,
  });
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)} ...` : text;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Returns a value as text. A `Result` is shown as its data, or as the tag of its error. */
function outcomeOf(value: unknown): string {
  if (!isObject(value) || !("success" in value)) return show(value);
  if ("data" in value) return show(value.data);
  const { error } = value as { readonly error?: unknown };
  if (!isObject(error) || !("_tag" in error)) return value.success === true ? "done" : show(error);
  return "reason" in error ? `${error._tag} (${error.reason})` : String(error._tag);
}

const lineOf = ({ number, name, given, ended }: Call): string =>
  `${number}. ${name}(${given.map(show).join(", ")}): ${ended?.() ?? "not settled"}`;

export function createCallRecord(): CallRecord {
  const byMethod = new Map<string, Call[]>();
  let count = 0;

  function begin(name: string, given: readonly unknown[]): Call {
    count += 1;
    const call: Call = { number: count, name, given };
    byMethod.set(name, [...(byMethod.get(name) ?? []), call].slice(-SHOWN_OF_EACH_METHOD));
    return call;
  }

  function observe(call: Call, make: () => unknown): unknown {
    const end = (value: unknown) => {
      call.ended = () => outcomeOf(value);
    };
    const fail = (thrown: unknown) => {
      call.ended = () => `threw ${thrown instanceof Error ? thrown.name : typeof thrown}`;
    };
    try {
      const answer = make();
      if (answer instanceof Promise) answer.then(end, fail);
      else end(answer);
      return answer;
    } catch (thrown) {
      fail(thrown);
      throw thrown;
    }
  }

  const of = <T extends object>(target: T, label = ""): T =>
    // The target is an empty object, because a proxy must return the fields of a frozen target unchanged.
    new Proxy(Object.create(target), {
      get: (_, key) => {
        const value: unknown = Reflect.get(target, key);
        const name = `${label}${String(key)}`;
        if (typeof value === "function")
          return (...given: readonly unknown[]) =>
            observe(begin(name, given), () => Reflect.apply(value, target, given));
        return isObject(value) ? of(value, `${name}.`) : value;
      },
    });

  const lines = () =>
    [...byMethod.values()]
      .flat()
      .sort((a, b) => a.number - b.number)
      .map(lineOf);

  return { of, lines };
}

type Recorded = <T extends object>(target: T, label?: string) => T;

/**
 * Runs `check` and records method calls for the report of a failure. `check` gets a function that wraps an object, so
 * that calls of the object's methods are recorded. If `check` rejects with an `Error`, the last recorded calls are
 * added to the error's message. Rejects if `check` rejects.
 *
 * @example
 * ```ts
 * import type { MemoryProvider } from "@jaf/memory";
 * import { reportCalls } from "@jaf/memory/testing";
 * import { expect } from "vitest";
 *
 * declare const provider: MemoryProvider;
 *
 * await reportCalls(async (recorded) => {
 *   const deleted = await recorded(provider).deleteConversation("no-such-id");
 *   expect(deleted).toEqual({ success: true, data: false });
 * });
 * ```
 */
export async function reportCalls(check: (recorded: Recorded) => Promise<void>): Promise<void> {
  const record = createCallRecord();
  try {
    await check(record.of);
  } catch (thrown) {
    if (thrown instanceof Error) thrown.message = [thrown.message, "after", ...record.lines()].join("\n  ");
    throw thrown;
  }
}
