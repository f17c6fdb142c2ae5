import { reportCalls } from "@jaf/memory/testing";
import { describe, it } from "vitest";
import type { UserMemoryTestOptions } from "../options.ts";
import { extentOf } from "../smoke.ts";
import type { BackendFactory } from "./harness.ts";
import type { BackendCheck } from "./spec.ts";
import { backendSpecs } from "./specs/index.ts";

const DEFAULT_TIMEOUT_MS = 30_000;

/** Checks one rule on a store of its own. */
export async function checkBackend(factory: BackendFactory, check: BackendCheck): Promise<void> {
  const store = await factory();
  const { backend, another } = store;
  try {
    await reportCalls((recorded) =>
      check({
        backend: recorded(backend),
        another: async () =>
          another === undefined ? recorded(backend) : recorded(await another(), "another."),
      }),
    );
  } finally {
    await store.close();
  }
}

/**
 * Declares the conformance tests for a backend of user memory. Call it at the top level of a Vitest file.
 *
 * @example
 * ```ts
 * import type { UserMemoryBackend } from "@jaf/user-memory/adapter";
 * import { describeUserMemoryBackend } from "@jaf/user-memory/testing";
 *
 * declare function createMyBackend(options: { prefix: string }): Promise<UserMemoryBackend>;
 *
 * describeUserMemoryBackend("my store", async () => {
 *   const backend = await createMyBackend({ prefix: crypto.randomUUID() });
 *   return { backend, close: () => backend.close() };
 * });
 * ```
 */
export function describeUserMemoryBackend(
  name: string,
  factory: BackendFactory,
  options: UserMemoryTestOptions = {},
): void {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, rules: extent } = options;
  describe(`UserMemoryBackend: ${name}${extentOf(extent)}`, () => {
    for (const { subject, rules } of backendSpecs(options)) {
      describe(subject, () => {
        for (const [title, check] of Object.entries(rules)) {
          it(title, { timeout: timeoutMs }, () => checkBackend(factory, check));
        }
      });
    }
  });
}
