import { describe, expect, it } from "vitest";
import {
  createContentFilter,
  createPermissionCheck,
  createRateLimiter,
  type ValidationResult,
} from "../../src/index.ts";

const ok: ValidationResult = { isValid: true };
const no = (errorMessage: string): ValidationResult => ({ isValid: false, errorMessage });

describe("createContentFilter", () => {
  it.each(["my PASSWORD is", "a secret", "api_key", "API-key", "apikey"])("blocks %s by default", (text) => {
    expect(createContentFilter()(text)).toEqual(no("Content contains potentially sensitive information"));
  });

  it("passes other text", () => {
    expect(createContentFilter()("What is the weather?")).toEqual(ok);
  });

  it("uses the given patterns, without state between calls", () => {
    const filter = createContentFilter([/bomb/g, /^x/y]);
    for (let round = 0; round < 3; round++) {
      expect(filter("a bomb").isValid).toBe(false);
      expect(filter("xyz").isValid).toBe(false);
      expect(filter("password").isValid).toBe(true);
    }
  });

  it("checks an output that isn't a text", () => {
    const filter = createContentFilter();
    expect(filter({ note: "the secret" }).isValid).toBe(false);
    expect(filter({ note: "hello" }).isValid).toBe(true);
    expect(filter(undefined).isValid).toBe(true);
  });

  it("checks each text of an output without JSON escapes", () => {
    expect(createContentFilter([/^top\nsecret "x"$/])({ a: [{ b: 'top\nsecret "x"' }] }).isValid).toBe(false);
    expect(createContentFilter([/^4{16}$/])({ card: 4444444444444444 }).isValid).toBe(false);
    expect(createContentFilter()({ password: 1 }).isValid).toBe(false);
  });

  it("ignores bytes of media", () => {
    const start = performance.now();
    const output = { image: new Uint8Array(2_000_000).fill(99), note: "hello" };
    expect(createContentFilter([/^99$/])(output).isValid).toBe(true);
    expect(performance.now() - start).toBeLessThan(100);
  });

  it("checks Maps, Sets, BigInts, toJSON and cycles at any depth", () => {
    const filter = createContentFilter([/secret|^99$/]);
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(filter(cycle).isValid).toBe(true);
    expect(filter(new Map([["k", new Set(["the secret"])]])).isValid).toBe(false);
    expect(filter({ n: 99n }).isValid).toBe(false);
    expect(filter({ note: "secret", toJSON: () => "nothing" }).isValid).toBe(false);
    let deep: unknown = "secret";
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    expect(filter(deep).isValid).toBe(false);
  });
});

describe("createRateLimiter", () => {
  function limiter(maxCalls: number, windowMs: number, maxKeys = 10) {
    const clock = { time: 0 };
    const limit = createRateLimiter(maxCalls, windowMs, (key: string) => key, {
      now: () => clock.time,
      maxKeys,
    });
    return {
      clock,
      passes: (key: string, at: number) => {
        clock.time = at;
        return limit(key, undefined).isValid;
      },
    };
  }

  it("passes maxCalls in any sliding window", () => {
    const { passes } = limiter(2, 1_000);
    expect([passes("a", 0), passes("a", 900), passes("a", 999)]).toEqual([true, true, false]);
    expect([passes("a", 1_000), passes("a", 1_001), passes("a", 1_900)]).toEqual([true, false, true]);
  });

  it("counts each key separately, without blocked inputs", () => {
    const { passes } = limiter(1, 1_000);
    expect([passes("a", 0), passes("b", 0), passes("a", 500), passes("a", 1_000)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it("names the limit", () => {
    const limit = createRateLimiter(0, 60_000, () => "global");
    expect(limit("x", undefined)).toEqual(no("Rate limit exceeded: at most 0 calls in 60000 ms"));
  });

  it.each([
    ["maxCalls", Number.NaN, 1_000, {}],
    ["maxCalls", -1, 1_000, {}],
    ["maxCalls", "10", 1_000, {}],
    ["windowMs", 1, Number.NaN, {}],
    ["windowMs", 1, 0, {}],
    ["windowMs", 1, Number.POSITIVE_INFINITY, {}],
    ["maxKeys", 1, 1_000, { maxKeys: 0 }],
    ["now", 1, 1_000, { now: 5 }],
  ])("refuses arguments that set no limit: %s", (field, maxCalls, windowMs, options) => {
    const create = () => createRateLimiter(maxCalls as number, windowMs, () => "k", options as object);
    expect(create).toThrow(new RegExp(`^createRateLimiter: ${field} must be`));
    expect(create).toThrow(TypeError);
  });

  it("throws without keyOf", () => {
    expect(() => createRateLimiter(1, 1_000, undefined as never)).toThrow("keyOf must be a function");
  });

  it("drops the least recently used key above maxKeys", () => {
    const { passes } = limiter(1, 1_000, 2);
    expect([passes("a", 0), passes("b", 1), passes("c", 2)]).toEqual([true, true, true]);
    expect([passes("c", 3), passes("b", 3), passes("a", 4)]).toEqual([false, false, true]);
  });

  it("can take its key from the context", () => {
    const limit = createRateLimiter(1, 1_000, (_input, { userId }: { readonly userId: string }) => userId);
    expect(limit("x", { userId: "a" }).isValid).toBe(true);
    expect(limit("x", { userId: "b" }).isValid).toBe(true);
    expect(limit("x", { userId: "a" }).isValid).toBe(false);
  });
});

describe("createPermissionCheck", () => {
  it("requires any permission if none is named", () => {
    const check = createPermissionCheck();
    expect(check("x", { permissions: ["read"] })).toEqual(ok);
    expect(check("x", { permissions: [] })).toEqual(no("Permission denied: no permissions are held"));
  });

  it.each([undefined, null, {}, "admin", { permissions: "admin" }, { permissions: { admin: true } }])(
    "fails closed on the context %j",
    (context) => {
      expect(createPermissionCheck()("x", context).isValid).toBe(false);
      expect(createPermissionCheck("admin")("x", context).isValid).toBe(false);
    },
  );

  it("requires all named permissions and names the missing ones", () => {
    const check = createPermissionCheck(["read", "write"]);
    expect(check("x", { permissions: ["write", "read"] })).toEqual(ok);
    expect(check("x", { permissions: ["read"] })).toEqual(no("Permission denied: missing write"));
  });

  it("uses permissionsOf", () => {
    const check = createPermissionCheck("read", {
      permissionsOf: ({ scopes }: { readonly scopes: readonly string[] }) => scopes,
    });
    expect(check("x", { scopes: ["read"] })).toEqual(ok);
    expect(check("x", { scopes: ["write"] }).isValid).toBe(false);
  });
});
