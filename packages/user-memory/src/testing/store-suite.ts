import { randomUUID } from "node:crypto";
import { reportCalls } from "@jaf/memory/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { defineUserMemory } from "../store/define-user-memory.ts";
import { attackSpecs } from "./attacks/index.ts";
import type { UserMemoryTestOptions } from "./options.ts";
import { extentOf, STORE_SMOKE, smokeOf } from "./smoke.ts";
import type { StoreFactory, StoreUnderTest } from "./store/harness.ts";
import type { StoreCheck, StoreSpec } from "./store/spec.ts";
import { storeSpecs } from "./store/specs/index.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_SEEDS = [1];

/** Returns the rules for user memories that the options choose: all rules and attacks, or the smoke rules. */
export function specsFor(options: Omit<UserMemoryTestOptions, "timeoutMs">): readonly StoreSpec[] {
  const { rules = "all", seeds = DEFAULT_SEEDS, operations = 320 } = options;
  if (rules === "smoke") return smokeOf(storeSpecs({ seeds: DEFAULT_SEEDS, operations }), STORE_SMOKE);
  return [...storeSpecs({ seeds, operations }), ...attackSpecs];
}

/** Checks one rule with its own users. Then closes the stores that the rule opened. */
export async function checkStore(
  shared: StoreUnderTest,
  factory: StoreFactory,
  check: StoreCheck,
): Promise<void> {
  const opened: StoreUnderTest[] = [];
  const open = async (): Promise<StoreUnderTest> => {
    const store = await factory();
    opened.push(store);
    return store;
  };
  const { memory, backend, another } = shared;
  try {
    await reportCalls((recorded) =>
      check({
        ...{ memory: recorded(memory), backend, user: randomUUID(), other: randomUUID() },
        withOptions: (options) => recorded(defineUserMemory(backend, options)),
        another: async () => recorded((await another?.()) ?? defineUserMemory(backend), "another."),
        open: async () => {
          const store = await open();
          return { ...store, memory: recorded(store.memory, "opened.") };
        },
      }),
    );
  } finally {
    for (const store of opened) await store.close();
  }
}

/**
 * Declares the conformance tests for a user memory: for all methods of `UserMemoryStore`, and for attacks. Call it at
 * the top level of a Vitest file.
 *
 * @example
 * ```ts
 * import { defineUserMemory, type UserMemoryBackend } from "@jaf/user-memory/adapter";
 * import { describeUserMemory } from "@jaf/user-memory/testing";
 *
 * declare function createMyBackend(options: { prefix: string }): Promise<UserMemoryBackend>;
 *
 * describeUserMemory("my store", async () => {
 *   const backend = await createMyBackend({ prefix: crypto.randomUUID() });
 *   const memory = defineUserMemory(backend);
 *   return { memory, backend, close: () => memory.close() };
 * });
 * ```
 */
export function describeUserMemory(
  name: string,
  factory: StoreFactory,
  options: UserMemoryTestOptions = {},
): void {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, rules: extent } = options;
  describe(`UserMemoryStore: ${name}${extentOf(extent)}`, () => {
    let shared: StoreUnderTest | undefined;
    const opened = (): StoreUnderTest => {
      if (shared === undefined) throw new Error("the store could not be opened");
      return shared;
    };
    beforeAll(async () => {
      shared = await factory();
    }, timeoutMs);
    afterAll(() => shared?.close(), timeoutMs);
    for (const { subject, rules } of specsFor(options)) {
      describe(subject, () => {
        for (const [title, check] of Object.entries(rules)) {
          it(title, { timeout: timeoutMs }, () => checkStore(opened(), factory, check));
        }
      });
    }
  });
}
