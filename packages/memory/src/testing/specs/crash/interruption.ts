import { expect } from "vitest";
import type { Message } from "../../../contract/message.ts";
import type { MemoryProvider, WriteOptions } from "../../../contract/provider.ts";
import { contents, expectOk } from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { letOthersRun } from "../../fixtures/timing.ts";
import type { Scenario } from "../../kit/spec.ts";

// After `ACKNOWLEDGED_BEFORE` writes, all writers are active.
/** How many writes must be confirmed before the crash. */
const ACKNOWLEDGED_BEFORE = 30;
const BATCH_SIZE = 3;

interface Batch {
  readonly messages: readonly Message[];
  readonly options: WriteOptions;
}

export const batchOf = (writer: number, batch: number): Batch => ({
  messages: users(...Array.from({ length: BATCH_SIZE }, (_, part) => `${writer}/${batch}/${part}`)),
  options: { idempotencyKey: `${writer}/${batch}` },
});

async function untilReached(reached: () => boolean): Promise<void> {
  while (!reached()) await letOthersRun();
}

export interface Interruption {
  readonly reopened: MemoryProvider;
  /** For each writer, by its number: how many batches the store has confirmed. */
  readonly acknowledged: readonly number[];
  /** For each writer, by its number: how many batches the writer has sent. */
  readonly begun: readonly number[];
}

/** Lets several writers append batches to one conversation, and crashes the store while all writers are active. */
export async function writeUntilCrash(scenario: Scenario, writers: number): Promise<Interruption> {
  const connections = [scenario.provider, await scenario.connect()];
  const acknowledged = new Array<number>(writers).fill(0);
  const begun = new Array<number>(writers).fill(0);
  const faults: unknown[] = [];
  let crashed = false;

  async function write(writer: number): Promise<void> {
    const provider = connections[writer % connections.length] ?? scenario.provider;
    for (let batch = 0; !crashed; batch++) {
      begun[writer] = batch + 1;
      const { messages, options } = batchOf(writer, batch);
      if (!(await append(provider, "c", messages, {}, options)).success) return;
      acknowledged[writer] = batch + 1;
      // Let other tasks run, so that the crash also comes if the store answers without waiting.
      await letOthersRun();
    }
  }

  const writing = acknowledged.map((_, writer) => write(writer).catch((fault) => void faults.push(fault)));
  const total = () => acknowledged.reduce((sum, count) => sum + count, 0);
  await Promise.race([Promise.all(writing), untilReached(() => crashed || total() >= ACKNOWLEDGED_BEFORE)]);
  crashed = true;
  const reopened = await scenario.crash();
  expect(faults, "a call that was cut off fails, and throws nothing").toEqual([]);
  return { reopened, acknowledged: [...acknowledged], begun: [...begun] };
}

const ACKNOWLEDGED_EDITIONS = 5;

/** Returns the messages for the write number `edition`: `edition + 1` messages, each with this number as its text. */
export const editionOf = (edition: number): readonly Message[] =>
  // So the messages of two writes always differ.
  users(...Array<string>(1 + edition).fill(`${edition}`));

/**
 * Replaces the messages of one conversation repeatedly until a crash. The crash comes `delay` iterations of the event
 * loop after a confirmed write.
 */
export async function replaceUntilCrash({ provider, crash }: Scenario, delay: number) {
  const faults: unknown[] = [];
  let acknowledged = -1;
  let crashed = false;
  const replace = async () => {
    for (let edition = 0; !crashed; edition++) {
      const written = await provider.storeMessages("c", editionOf(edition), { edition });
      if (!written.success) return;
      acknowledged = edition;
      await letOthersRun(); // As above.
    }
  };
  const replacing = replace().catch((fault) => void faults.push(fault));
  await Promise.race([replacing, untilReached(() => crashed || acknowledged >= ACKNOWLEDGED_EDITIONS)]);
  for (let round = 0; round < delay; round++) await letOthersRun();
  crashed = true;
  const reopened = await crash();
  return { reopened, acknowledged, faults };
}

/**
 * Returns the number of stored batches for each writer. Expects that every batch is whole, that each writer's batches
 * are in order, and that at least `least` of them are stored.
 */
export async function expectWholeBatches(
  provider: MemoryProvider,
  least: readonly number[],
): Promise<readonly number[]> {
  const conversation = expectOk(await provider.getConversation("c"));
  const stored = contents(conversation?.messages ?? []);
  const batches = least.map(() => 0);
  for (let at = 0; at < stored.length; at += BATCH_SIZE) {
    const writer = Number(stored[at]?.split("/")[0]);
    const batch = batches[writer] ?? -1;
    expect(stored.slice(at, at + BATCH_SIZE), "a batch is there whole, and once").toEqual(
      contents(batchOf(writer, batch).messages),
    );
    batches[writer] = batch + 1;
  }
  for (const [writer, count] of least.entries()) {
    expect(batches[writer], `acknowledged batches of writer ${writer}`).toBeGreaterThanOrEqual(count);
  }
  expect(conversation?.metadata?.["version"] ?? 0).toBe(stored.length / BATCH_SIZE);
  return batches;
}
