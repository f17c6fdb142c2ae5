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

  it("lets other text through", () => {
    expect(createContentFilter()("What is the weather?")).toEqual(ok);
  });

  it("judges by the patterns it is given, each time anew", () => {
    const filter = createContentFilter([/bomb/g, /^x/y]);
    for (let round = 0; round < 3; round++) {
      expect(filter("a bomb").isValid).toBe(false);
      expect(filter("xyz").isValid).toBe(false);
      expect(filter("password").isValid).toBe(true);
    }
  });

  it("judges an output that isn't text by its JSON", () => {
    const filter = createContentFilter();
    expect(filter({ note: "the secret" }).isValid).toBe(false);
    expect(filter({ note: "hello" }).isValid).toBe(true);
    expect(filter(undefined).isValid).toBe(true);
  });

  it("judges each text of an output as it is, not as JSON writes it", () => {
    expect(createContentFilter([/^top\nsecret "x"$/])({ a: [{ b: 'top\nsecret "x"' }] }).isValid).toBe(false);
    expect(createContentFilter([/^4{16}$/])({ card: 4444444444444444 }).isValid).toBe(false);
    expect(createContentFilter()({ password: 1 }).isValid).toBe(false);
  });

  it("takes the bytes of media for no text, whatever they are", () => {
    const start = performance.now();
    const output = { image: new Uint8Array(2_000_000).fill(99), note: "hello" };
    expect(createContentFilter([/^99$/])(output).isValid).toBe(true);
    expect(performance.now() - start).toBeLessThan(100);
  });

  it("sees through Maps, Sets, BigInts, toJSON and cycles, however deep", () => {
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

  it("lets maxCalls through in any window, which slides", () => {
    const { passes } = limiter(2, 1_000);
    expect([passes("a", 0), passes("a", 900), passes("a", 999)]).toEqual([true, true, false]);
    expect([passes("a", 1_000), passes("a", 1_001), passes("a", 1_900)]).toEqual([true, false, true]);
  });

  it("counts each key by itself, and not what it blocked", () => {
    const { passes } = limiter(1, 1_000);
    expect([passes("a", 0), passes("b", 0), passes("a", 500), passes("a", 1_000)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it("says what the limit is", () => {
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

  it("refuses to be without keyOf", () => {
    expect(() => createRateLimiter(1, 1_000, undefined as never)).toThrow("keyOf must be a function");
  });

  it("forgets the key that was idle longest beyond maxKeys", () => {
    const { passes } = limiter(1, 1_000, 2);
    expect([passes("a", 0), passes("b", 1), passes("c", 2)]).toEqual([true, true, true]);
    expect([passes("c", 3), passes("b", 3), passes("a", 4)]).toEqual([false, false, true]);
  });

  it("takes its key from the context too", () => {
    const limit = createRateLimiter(1, 1_000, (_input, { userId }: { readonly userId: string }) => userId);
    expect(limit("x", { userId: "a" }).isValid).toBe(true);
    expect(limit("x", { userId: "b" }).isValid).toBe(true);
    expect(limit("x", { userId: "a" }).isValid).toBe(false);
  });
});

describe("createPermissionCheck", () => {
  it("without names asks for any permission at all", () => {
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

  it("asks for all that are named, and says which are missing", () => {
    const check = createPermissionCheck(["read", "write"]);
    expect(check("x", { permissions: ["write", "read"] })).toEqual(ok);
    expect(check("x", { permissions: ["read"] })).toEqual(no("Permission denied: missing write"));
  });

  it("looks where it is told to", () => {
    const check = createPermissionCheck("read", {
      permissionsOf: ({ scopes }: { readonly scopes: readonly string[] }) => scopes,
    });
    expect(check("x", { scopes: ["read"] })).toEqual(ok);
    expect(check("x", { scopes: ["write"] }).isValid).toBe(false);
  });
});
