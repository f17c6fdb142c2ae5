import { notWritten, unwrittenCause } from "../../backend/not-written.ts";
import type { MemoryErrorUnion } from "../../contract/errors.ts";
import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";
import { withDeadline } from "../../runtime/abort.ts";
import { type Method, methods, resultFault } from "./result-shape.ts";

interface Watch {
  /** The time in milliseconds after which a call counts as one that never settles. */
  readonly timeoutMs: number;
  /** Aborted when the store has crashed. Calls that run during the crash may never settle. */
  readonly signal: AbortSignal;
  /** Whether the rule has ended. Calls after its end are refused. */
  readonly isOver: () => boolean;
  /** Called if a call needs a function of the backend that isn't written yet, with the name of the function. */
  readonly onUnwritten: (what: string) => void;
}

const describe = (thrown: unknown): string =>
  thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `a ${typeof thrown}`;

const instead = (method: Method, did: string, thrown: unknown): Error =>
  new Error(`${method}() ${did} instead of returning a Result: ${describe(thrown)}`);

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

async function resultOf(method: Method, answer: PromiseLike<unknown>, watch: Watch): Promise<unknown> {
  const settled = Promise.resolve(answer).catch((thrown: unknown) => {
    throw instead(method, "threw", thrown);
  });
  const timeoutError = () => new Error(`${method}() never settled: no Result within ${watch.timeoutMs} ms`);
  return withDeadline(settled, { timeoutMs: watch.timeoutMs, timeoutError, cancelledBy: watch.signal });
}

/** Makes a call and checks its result. */
async function observe(
  method: Method,
  call: { readonly given: readonly unknown[]; readonly make: () => unknown },
  watch: Watch,
): Promise<unknown> {
  // There is no `await` before the call: providers must read their arguments synchronously, and a rule tests this.
  // `close` is allowed, because connections are closed after a rule has ended.
  if (watch.isOver() && method !== "close") throw new Error(`${method}() was called after the rule was over`);
  let answer: unknown;
  try {
    answer = call.make();
  } catch (thrown) {
    throw instead(method, "threw", thrown);
  }
  if (!isThenable(answer)) {
    throw new Error(`${method}() returned a ${typeof answer} instead of a promise of a Result`);
  }
  const result = await resultOf(method, answer, watch);
  const fault = resultFault(method, result);
  if (fault !== undefined) throw new Error(`${method}() resolved to ${fault}`);
  const { error } = result as { readonly error?: MemoryErrorUnion };
  const unwritten = error?.cause && unwrittenCause(error.cause);
  if (unwritten !== undefined) {
    watch.onUnwritten(unwritten);
    notWritten(unwritten);
  }
  if (error !== undefined && repeatsContent(method, error, call.given)) {
    throw new Error(`${method}() repeats its arguments in its error: content, metadata or a user id`);
  }
  return result;
}

/**
 * Wraps a provider so that each call is checked. A call of the returned provider rejects, with an error that says what
 * is wrong, in these cases:
 *
 * - The provider's method throws, never settles, or returns an incomplete `Result`.
 * - The method returns an error that repeats content, metadata or a user id from the arguments.
 * - The method needs a function of the backend that isn't written yet (`notWritten`).
 * - The rule has already ended.
 */
export function watchProvider(provider: VersionedMemoryProvider, watch: Watch): VersionedMemoryProvider {
  const watched = methods.map((method) => {
    const call = (...given: readonly unknown[]) =>
      observe(method, { given, make: () => Reflect.apply(provider[method], provider, given) }, watch);
    return [method, call] as const;
  });
  return Object.fromEntries(watched) as unknown as VersionedMemoryProvider;
}

// A shorter text may occur in the error by chance.
/** The minimum length of an argument's text that must not occur in an error, in characters. */
const MIN_LENGTH = 16;
// Real content isn't nested more deeply, but the values of some tests are nested without end.
/** The maximum depth of the search for texts in a value. */
const DEPTH = 12;

/** Yields the texts inside a value, without calling getters. */
function* textsIn(value: unknown, depth = DEPTH): Generator<string> {
  // The getters of some test values throw.
  if (typeof value === "string") {
    if (value.length >= MIN_LENGTH) yield value;
    return;
  }
  if (typeof value !== "object" || value === null || depth === 0) return;
  for (const [key, { value: field }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    // A trace id may occur in an error, because it identifies a trace and isn't content.
    if (key !== "traceId") yield* textsIn(field, depth - 1);
  }
}

/** Returns a field of a value, without calling getters. */
const fieldOf = (value: unknown, field: string): unknown =>
  // The getters of some test values throw.
  typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, field)?.value
    : undefined;

/** Returns those arguments of a method that contain content or identify a user. */
function contentArguments(method: Method, given: readonly unknown[]): readonly unknown[] {
  const [first, messages, metadata] = given;
  switch (method) {
    case "storeMessages":
    case "appendMessages":
      return [messages, metadata];
    case "clearUserConversations":
    case "getStats":
      return [first];
    case "findConversations":
      return [fieldOf(first, "userId")];
    case "readConversation":
      return [fieldOf(messages, "userId")];
    case "importConversation":
      return ["userId", "messages", "metadata"].map((field) => fieldOf(first, field));
    default:
      return [];
  }
}

/** Whether an error contains content, tool arguments, metadata or a user id from the arguments of the call. */
function repeatsContent(method: Method, error: unknown, given: readonly unknown[]): boolean {
  const report = JSON.stringify(error);
  for (const text of textsIn(contentArguments(method, given))) {
    if (report.includes(JSON.stringify(text).slice(1, -1))) return true;
  }
  return false;
}
