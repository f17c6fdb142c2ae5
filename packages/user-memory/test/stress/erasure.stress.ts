import { describe, it } from "vitest";
import { createInMemoryUserMemoryBackend } from "../../src/in-memory/backend.ts";
import { defineUserMemory } from "../../src/store/define-user-memory.ts";
import type { StoreFactory } from "../../src/testing/store/harness.ts";
import { erasure } from "../../src/testing/store/specs/erasure.ts";
import { checkStore } from "../../src/testing/store-suite.ts";

const ROUNDS = 40;

const factory: StoreFactory = async () => {
  const backend = createInMemoryUserMemoryBackend();
  const memory = defineUserMemory(backend);
  return { memory, backend, close: () => memory.close() };
};

describe(`forgetAll during writes, ${ROUNDS} times over`, () => {
  for (const [title, check] of Object.entries(erasure.rules)) {
    it(title, async () => {
      const shared = await factory();
      for (let round = 0; round < ROUNDS; round++) await checkStore(shared, factory, check);
      await shared.close();
    });
  }
});
