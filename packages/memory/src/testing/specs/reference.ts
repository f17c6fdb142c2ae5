import { expect } from "vitest";
import { createInMemoryProvider } from "../../in-memory/provider.ts";
import type { ConversationMemory, MemoryProvider } from "../../provider.ts";
import type { Result } from "../../result.ts";
import { randomOperation } from "../random-operation.ts";
import { defineSpec } from "../spec.ts";

const OPERATIONS = 300;

/** mulberry32: small, and the same everywhere, so that a seed names one run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

const isConversation = (value: unknown): value is ConversationMemory =>
  typeof value === "object" && value !== null && "conversationId" in value;

/** Without times, and without the order among equal times: both are each store's own. */
function comparable(data: unknown): unknown {
  if (data instanceof Date) return "a date";
  if (Array.isArray(data)) {
    const items = data.map(comparable);
    return items.every(isConversation)
      ? items.sort((a, b) => (a.conversationId < b.conversationId ? -1 : 1))
      : items;
  }
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, comparable(value)]));
}

function outcome(result: Result<unknown>): unknown {
  if (result.success) return comparable(result.data);
  const { _tag, ...error } = result.error;
  return "reason" in error ? [_tag, error.reason, error.actualVersion] : [_tag];
}

async function expectAlike(provider: MemoryProvider, seed: number): Promise<void> {
  const reference = createInMemoryProvider();
  const random = randomNumbers(seed);
  for (let step = 0; step < OPERATIONS; step++) {
    const { name, run } = randomOperation(random);
    const expected = outcome(await run(reference));
    expect(outcome(await run(provider)), `seed ${seed}, operation ${step}: ${name}`).toEqual(expected);
  }
}

export const reference = defineSpec(
  "random operations",
  Object.fromEntries(
    [1, 2, 3].map((seed) => [
      `have the outcomes that the in-memory reference has (seed ${seed})`,
      ({ provider }) => expectAlike(provider, seed),
    ]),
  ),
);
