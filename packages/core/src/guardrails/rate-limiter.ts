import type { ValidationResult } from "./guardrail.ts";

/** The options of {@link createRateLimiter}. */
export interface RateLimiterOptions {
  /** Returns the current time in milliseconds, from a clock that never goes back. Default `performance.now`. */
  readonly now?: () => number;
  /**
   * The maximum number of keys (e.g. users) to remember. The least recently used key is forgotten first. Default
   * 10,000.
   */
  readonly maxKeys?: number;
}

const DEFAULT_MAX_KEYS = 10_000;

/**
 * Creates a guardrail that passes at most `maxCalls` inputs per key in any period of `windowMs` milliseconds (a sliding
 * window). Blocked inputs don't count. `keyOf` returns the key of an input, from the input and the run's context (e.g.
 * the user's id). Throws a `TypeError` for invalid arguments.
 *
 * The limit applies to this process only. The guardrail keeps at most `maxCalls` numbers for each of at most `maxKeys`
 * keys.
 *
 * @example
 * ```ts
 * import { createRateLimiter, type ModelProvider, type RunSettings } from "@jaf/core";
 *
 * declare const modelProvider: ModelProvider<{ userId: string }>;
 *
 * export const settings: RunSettings<{ userId: string }> = {
 *   modelProvider,
 *   initialInputGuardrails: [createRateLimiter(20, 60_000, (_input, { userId }: { userId: string }) => userId)],
 * };
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: a key that looks at no context works with every one
export function createRateLimiter<I = unknown, Ctx = any>(
  maxCalls: number,
  windowMs: number,
  keyOf: (input: I, context: Ctx) => string,
  options: RateLimiterOptions = {},
): (input: I, context: Ctx) => ValidationResult {
  const { maxKeys = DEFAULT_MAX_KEYS } = options;
  const now = () => (options.now === undefined ? performance.now() : options.now());
  checkArguments({ maxCalls, windowMs, keyOf, now: options.now ?? now, maxKeys });
  /** The times of the calls that passed, by key, oldest time first. */
  // The map's first key is the least recently used.
  const callsByKey = new Map<string, number[]>();

  return (input, context) => {
    const key = keyOf(input, context);
    const time = now();
    const calls = (callsByKey.get(key) ?? []).filter((call) => call > time - windowMs);
    const isValid = calls.length < maxCalls;
    if (isValid) calls.push(time);
    callsByKey.delete(key);
    callsByKey.set(key, calls);
    forgetIdle(callsByKey, { maxKeys, before: time - windowMs });
    if (isValid) return { isValid };
    return { isValid, errorMessage: `Rate limit exceeded: at most ${maxCalls} calls in ${windowMs} ms` };
  };
}

function checkArguments(given: {
  readonly maxCalls: number;
  readonly windowMs: number;
  readonly keyOf: unknown;
  readonly now: unknown;
  readonly maxKeys: number;
}): void {
  const expect = (isMet: boolean, name: keyof typeof given, expected: string): void => {
    if (!isMet) throw new TypeError(`createRateLimiter: ${name} must be ${expected}`);
  };
  expect(Number.isSafeInteger(given.maxCalls) && given.maxCalls >= 0, "maxCalls", "a whole number from 0");
  expect(
    Number.isFinite(given.windowMs) && given.windowMs > 0,
    "windowMs",
    "a number of milliseconds above 0",
  );
  expect(typeof given.keyOf === "function", "keyOf", "a function");
  expect(typeof given.now === "function", "now", "a function");
  expect(Number.isSafeInteger(given.maxKeys) && given.maxKeys >= 1, "maxKeys", "a whole number from 1");
}

function forgetIdle(
  callsByKey: Map<string, readonly number[]>,
  { maxKeys, before }: { readonly maxKeys: number; readonly before: number },
): void {
  for (const [key, calls] of callsByKey) {
    const last = calls.at(-1);
    if (last !== undefined && last > before && callsByKey.size <= maxKeys) return;
    callsByKey.delete(key);
  }
}
