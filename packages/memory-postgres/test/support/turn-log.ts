import type { Result, TurnLog } from "@jaf/memory";
import type { AppendedEvents, NewTurn, TurnWriter, WriterAnswer } from "@jaf/memory/adapter";
import { expect } from "vitest";

export function dataOf<T>(result: Result<T>): T {
  if (!result.success) throw new Error(`${result.error._tag}: ${result.error.message}`);
  return result.data;
}

/** A turn of the user `u` with a unique id, unless `given` says otherwise. */
export const newTurn = (given: Partial<NewTurn> & Pick<NewTurn, "conversationId">): NewTurn => ({
  userId: "u",
  turnId: crypto.randomUUID(),
  request: "the request",
  leaseSeconds: 60,
  keepSeconds: 3_600,
  ...given,
});

/** Begins a turn, which must succeed. */
export async function beginTurn(
  log: TurnLog,
  given: Parameters<typeof newTurn>[0],
): Promise<{ readonly writer: TurnWriter }> {
  const begun = dataOf(await log.begin(newTurn(given)));
  if (!begun.begun) throw new Error("the conversation has a turn that runs");
  return begun;
}

export const END = { state: "ended", record: "the record", eventSeconds: 60, recordSeconds: 120 } as const;

export async function append(log: TurnLog, events: AppendedEvents): Promise<WriterAnswer> {
  return dataOf(await log.append(events));
}

/** Returns all events of the conversation's latest turn. */
export async function eventsOf(log: TurnLog, conversationId: string): Promise<readonly string[]> {
  const page = dataOf(await log.read({ conversationId, limit: 100_000 }));
  expect(page).not.toBeNull();
  return page?.events ?? [];
}
