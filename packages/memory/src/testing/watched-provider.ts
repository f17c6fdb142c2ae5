import { withDeadline } from "../async/deadline.ts";
import type { VersionedMemoryProvider } from "../versioned-provider.ts";
import { repeatsContent } from "./repeated-content.ts";
import { type Method, methods, resultFault } from "./result-shape.ts";

interface Watch {
  /** After this long, a call counts as one that never settles. */
  readonly timeoutMs: number;
  /** Aborted when the store has crashed: calls in progress may then stay unsettled. */
  readonly signal: AbortSignal;
  /** Whether the rule is over: what it left running must not go on for ever. */
  readonly isOver: () => boolean;
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

/** Not async before the call: a provider has to read its arguments at once, and is tested for it. */
async function observe(
  method: Method,
  call: { readonly given: readonly unknown[]; readonly make: () => unknown },
  watch: Watch,
): Promise<unknown> {
  // Connections are closed when a rule is over.
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
  const { error } = result as { readonly error?: unknown };
  if (error !== undefined && repeatsContent(method, error, call.given)) {
    throw new Error(`${method}() repeats in its error what it was given: content, metadata or a user id`);
  }
  return result;
}

/**
 * The same provider, watched: a call that throws, never settles, resolves to anything but a complete Result, or
 * repeats content, metadata or a user id in its error, rejects and says so. So does a call made after the rule is over.
 */
export function watchProvider(provider: VersionedMemoryProvider, watch: Watch): VersionedMemoryProvider {
  const watched = methods.map((method) => {
    const call = (...given: readonly unknown[]) =>
      observe(method, { given, make: () => Reflect.apply(provider[method], provider, given) }, watch);
    return [method, call] as const;
  });
  return Object.fromEntries(watched) as unknown as VersionedMemoryProvider;
}
