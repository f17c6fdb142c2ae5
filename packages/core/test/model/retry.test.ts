import { describe, expect, it } from "vitest";
import { isTransient, retryAfterMsOf } from "../../src/model/retry.ts";

class APIConnectionTimeoutError extends Error {}

describe("isTransient", () => {
  it.each([408, 409, 429, 500, 502, 503, 504, 529])("status %d passes", (status) => {
    expect(isTransient({ status })).toBe(true);
    expect(isTransient(Object.assign(new Error(), { statusCode: status }))).toBe(true);
    expect(isTransient({ response: { status } })).toBe(true);
  });

  it.each([200, 301, 400, 401, 403, 404, 413, 422])("status %d doesn't", (status) => {
    expect(isTransient({ status })).toBe(false);
  });

  it("uses the error's own isRetryable", () => {
    expect(isTransient(Object.assign(new Error(), { isRetryable: true, statusCode: 400 }))).toBe(true);
    expect(isTransient(Object.assign(new Error(), { isRetryable: false, statusCode: 429 }))).toBe(false);
    expect(isTransient(Object.assign(new Error(), { isRetryable: () => true, statusCode: 400 }))).toBe(false);
  });

  it("accepts a refused or reset connection at any depth of causes", () => {
    const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    expect(isTransient(reset)).toBe(true);
    expect(isTransient(new Error("outer", { cause: new Error("inner", { cause: reset }) }))).toBe(true);
  });

  it("accepts a failed fetch, a timeout and an SDK's connection error", () => {
    expect(isTransient(new TypeError("fetch failed"))).toBe(true);
    expect(isTransient(new DOMException("late", "TimeoutError"))).toBe(true);
    expect(isTransient(new APIConnectionTimeoutError("Request timed out."))).toBe(true);
  });

  it("accepts a real failed fetch", async () => {
    const thrown = await fetch("http://127.0.0.1:1/").catch((failure: unknown) => failure);
    expect(isTransient(thrown)).toBe(true);
  });

  it("prefers the status: a 400 with a reset cause isn't transient", () => {
    const cause = Object.assign(new Error(), { code: "ECONNRESET" });
    expect(isTransient(Object.assign(new Error("bad", { cause }), { status: 400 }))).toBe(false);
  });

  it("prefers the error's own isRetryable over the status", () => {
    expect(isTransient(Object.assign(new Error("no credit"), { status: 429, isRetryable: false }))).toBe(
      false,
    );
    expect(isTransient(Object.assign(new Error("no reply"), { isRetryable: true }))).toBe(true);
    expect(isTransient(Object.assign(new Error("busy"), { status: 429, isRetryable: undefined }))).toBe(true);
  });

  it.each([undefined, null, "ECONNRESET", 500, {}, new Error("other")])("%s doesn't", (thrown) => {
    expect(isTransient(thrown)).toBe(false);
  });

  it("ends with cyclic causes", () => {
    const error: Error & { cause?: unknown } = new Error("round");
    error.cause = error;
    expect(isTransient(error)).toBe(false);
  });
});

describe("retryAfterMsOf", () => {
  it.each<[unknown, number | undefined]>([
    [{ "retry-after": "2" }, 2_000],
    [{ "Retry-After": "2" }, 2_000],
    [{ "RETRY-AFTER-MS": "1500" }, 1_500],
    [{ "retry-after": 2 }, 2_000],
    [{ "retry-after": " 1.5 " }, 1_500],
    [{ "retry-after-ms": "soon", "retry-after": "2" }, 2_000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "Mon, 01 Jan 2001 00:00:00 GMT" }, 0],
    [{ "retry-after": "" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": -5 }, undefined],
    [{ "retry-after-ms": "-1" }, undefined],
    [{ "retry-after": "1e999" }, undefined],
    [{ "retry-after": "9".repeat(20) }, undefined],
    [{ "retry-after": Number.NaN }, undefined],
    [{ "retry-after": "later" }, undefined],
    [{ "retry-after": null }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])("of %j is %s", (headers, milliseconds) => {
    expect(retryAfterMsOf({ headers })).toBe(milliseconds);
  });
});
