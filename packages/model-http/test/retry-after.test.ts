import { describe, expect, it } from "vitest";
import { retryAfterMsOf } from "../src/errors.ts";

const now = Date.parse("Mon, 23 Nov 2026 00:00:00 GMT");
const asks = (headers: Readonly<Record<string, string>>, error?: unknown) =>
  retryAfterMsOf(new Headers(headers), error, now);

describe("the time to wait is read from", () => {
  it.each([
    [{ "retry-after-ms": "250" }, 250],
    [{ "retry-after": "20" }, 20_000],
    [{ "retry-after": "1.5" }, 1_500],
    [{ "retry-after": "Mon, 23 Nov 2026 00:00:30 GMT" }, 30_000],
    [{ "retry-after": "Sun, 22 Nov 2026 00:00:30 GMT" }, 0],
    [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "120ms" }, 120],
    [{ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s" }, 360_000],
    [{ "x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "6m0s" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("%j", (headers, expected) => {
    expect(asks(headers)).toBe(expected);
  });

  it("Google's RetryInfo in the body", () => {
    expect(asks({}, { details: [{ "@type": "x" }, { retryDelay: "34s" }] })).toBe(34_000);
  });
});
