import { fieldsOf, listOf } from "./fields.ts";

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `"120ms"`, `"1.5s"`, `"6m0s"`; a bare number is seconds. `undefined` for anything else. */
function durationMs(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    sum += Number(amount) * (UNIT_MS[unit] ?? 0);
  return sum;
}

function dateMs(text: string, now: number): number | undefined {
  // `Date.parse` makes a date of "-5" too.
  const date = text.includes(":") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Of those limits that are used up; the last one to be there again. */
function rateLimitResetMs(headers: Headers): number | undefined {
  const resets = ["requests", "tokens"]
    .filter((kind) => headers.get(`x-ratelimit-remaining-${kind}`) === "0")
    .map((kind) => durationMs(headers.get(`x-ratelimit-reset-${kind}`) ?? ""))
    .filter((reset) => reset !== undefined);
  return resets.length === 0 ? undefined : Math.max(...resets);
}

/** Google's `RetryInfo`, in the body. */
const retryInfoMs = (error: unknown): number | undefined =>
  listOf(fieldsOf(error)["details"])
    .map((detail) => fieldsOf(detail)["retryDelay"])
    .map((delay) => (typeof delay === "string" ? durationMs(delay) : undefined))
    .find((delay) => delay !== undefined);

/**
 * How long the endpoint asks to wait, in milliseconds: `retry-after-ms`, `Retry-After` (seconds or a date), the limits of
 * `x-ratelimit-*` that are used up, or `RetryInfo` in `error`. `undefined`: it doesn't say.
 */
export function retryAfterMsOf(headers: Headers, error: unknown, now = Date.now()): number | undefined {
  const milliseconds = headers.get("retry-after-ms")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(milliseconds)) return Number(milliseconds);
  const after = headers.get("retry-after")?.trim() ?? "";
  return durationMs(after) ?? dateMs(after, now) ?? rateLimitResetMs(headers) ?? retryInfoMs(error);
}
