import { describe, expect, it } from "vitest";
import { createInMemoryUserMemoryBackend } from "../../src/in-memory/backend.ts";
import { defineUserMemory } from "../../src/store/define-user-memory.ts";
import { backendSpecs } from "../../src/testing/backend/specs/index.ts";
import { checkBackend } from "../../src/testing/backend/suite.ts";
import { BACKEND_SMOKE, type Smoke, STORE_SMOKE } from "../../src/testing/smoke.ts";
import { checkStore, specsFor } from "../../src/testing/store-suite.ts";

const namesOf = (specs: readonly { readonly subject: string; readonly rules: object }[]) =>
  specs.flatMap(({ subject, rules }) => Object.keys(rules).map((title) => `${subject}: ${title}`));

const listedIn = (smoke: Smoke) =>
  Object.entries(smoke).flatMap(([subject, titles]) => titles.map((title) => `${subject}: ${title}`));

/** Records the called methods with the fields in their arguments, and in `all` all methods. */
function watch<T extends object>(target: T, seen: Set<string>, all: Set<string>, prefix = ""): T {
  for (const [name, value] of Object.entries(target))
    if (typeof value === "function") all.add(`${prefix}${name}`);
  return new Proxy(target, {
    get: (_, name) => {
      const value: unknown = Reflect.get(target, name);
      const path = `${prefix}${String(name)}`;
      if (typeof value === "object" && value !== null) return watch(value, seen, all, `${path}.`);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        seen.add(path);
        for (const given of args)
          for (const field of Object.keys(Object(given))) seen.add(`${path} ${field}`);
        return value.apply(target, args);
      };
    },
  });
}

describe("the smoke rules of the kits", () => {
  it("are about 45 of all rules", () => {
    const backend = listedIn(BACKEND_SMOKE);
    const store = listedIn(STORE_SMOKE);
    expect(namesOf(backendSpecs({ rules: "smoke", seeds: [9] })).toSorted()).toEqual(backend.toSorted());
    expect(namesOf(specsFor({ rules: "smoke", seeds: [9] })).toSorted()).toEqual(store.toSorted());
    expect(backend.length + store.length).toBeGreaterThanOrEqual(38);
    expect(backend.length + store.length).toBeLessThanOrEqual(48);
  });

  it("call every method of a backend, with every kind of selection", async () => {
    const [seen, all] = [new Set<string>(), new Set<string>()];
    const open = async () => {
      const backend = watch(createInMemoryUserMemoryBackend(), seen, all);
      return { backend, close: () => backend.close() };
    };
    for (const { rules } of backendSpecs({ rules: "smoke" }))
      for (const check of Object.values(rules)) await checkBackend(open, check);
    const fields = [
      ...["seqs", "ids", "digests", "keys", "currentKeys", "locations", "supersededBy"],
      "tombstones",
    ].map((field) => `read ${field}`);
    const expected = [...all, ...fields, "list statuses", "list before", "list limit"];
    expect(expected.filter((name) => !seen.has(name))).toEqual([]);
  });

  it("call every method of a user memory, with every option", { timeout: 60_000 }, async () => {
    const [seen, all] = [new Set<string>(), new Set<string>()];
    const open = async () => {
      const backend = watch(createInMemoryUserMemoryBackend(), seen, new Set(), "port.");
      const memory = watch(defineUserMemory(backend), seen, all);
      return { memory, backend, close: () => memory.close() };
    };
    const shared = await open();
    for (const { rules } of specsFor({ rules: "smoke" }))
      for (const check of Object.values(rules)) await checkStore(shared, open, check);
    const options = {
      remember: [
        ...["tags", "score", "trust", "key", "provenance", "validFrom", "validUntil", "quarantine"],
        ...["quotation", "since"],
      ],
      recall: ["limit", "tags", "asOf", "minTrust"],
      list: ["tags", "limit", "status"],
      update: ["fact", "tags", "score", "validUntil"],
    };
    const expected = Object.entries(options).flatMap(([method, names]) =>
      names.map((name) => `${method} ${name}`),
    );
    // `middlewareFor` belongs to runs and has its own tests. `brief` is set by the store.
    all.delete("middlewareFor");
    const missing = [...all, ...expected, "port.read brief", "port.list brief"].filter(
      (name) => !seen.has(name),
    );
    expect(missing).toEqual([]);
  });
});
