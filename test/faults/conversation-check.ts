import type { ConversationMemory, Message } from "../../packages/memory/src/index.ts";
import { type BatchRecord, batchName, parsePart, type StoredPart } from "./batch.ts";

const isNext = (part: StoredPart, previous: StoredPart | undefined): boolean =>
  part.index === 0
    ? previous === undefined || previous.index === previous.size - 1
    : previous?.batch === part.batch && previous.index === part.index - 1;

/** The batches in stored order, and the places of partial, mixed or unknown batches. */
function readBatches(messages: readonly Message[]) {
  const problems: string[] = [];
  const batches: StoredPart[] = [];
  let previous: StoredPart | undefined;
  for (const [index, message] of messages.entries()) {
    const part = parsePart(message);
    if (part === undefined) {
      problems.push(`message ${index} has no writer`);
      continue;
    }
    if (!isNext(part, previous)) problems.push(`message ${index} (${part.batch}) is out of place`);
    if (part.index === 0) batches.push(part);
    previous = part;
  }
  if (previous !== undefined && previous.index !== previous.size - 1)
    problems.push(`${previous.batch} at the end is not whole`);
  return { batches, problems };
}

function checkOnce(batches: readonly StoredPart[], attempted: readonly BatchRecord[]): string[] {
  const counts = new Map<string, number>();
  for (const { batch } of batches) counts.set(batch, (counts.get(batch) ?? 0) + 1);
  const problems: string[] = [];
  for (const { batch, state } of attempted) {
    const name = batchName(batch.writer, batch.number);
    const count = counts.get(name) ?? 0;
    counts.delete(name);
    if (count === 0 && state === "acknowledged") problems.push(`${name} was acknowledged and is lost`);
    if (count > 1) problems.push(`${name} (${state}) is there ${count} times`);
  }
  return [...problems, ...[...counts.keys()].map((name) => `${name} was never sent here`)];
}

// A batch that its writer gave up may still arrive after the next one.
function checkOrder(batches: readonly StoredPart[], attempted: readonly BatchRecord[]): string[] {
  const acknowledged = new Set(
    attempted.flatMap(({ batch, state }) =>
      state === "acknowledged" ? [batchName(batch.writer, batch.number)] : [],
    ),
  );
  const last = new Map<number, number>();
  const problems: string[] = [];
  for (const { batch, writer, number } of batches) {
    if (!acknowledged.has(batch)) continue;
    const before = last.get(writer) ?? -1;
    if (number < before) problems.push(`${batch} stands behind ${batchName(writer, before)}`);
    last.set(writer, number);
  }
  return problems;
}

function checkCounters(stored: ConversationMemory, writes: number, owner: string | undefined) {
  const { messages, metadata, userId } = stored;
  const problems: string[] = [];
  const { totalMessages: total, version, nextPosition } = metadata ?? {};
  if (total !== messages.length) problems.push(`says ${total} of ${messages.length} messages`);
  if (version !== writes) problems.push(`has version ${version} after ${writes} batches`);
  if (nextPosition !== messages.length)
    problems.push(`has next position ${nextPosition} after ${messages.length} messages`);
  if (userId !== owner) problems.push(`belongs to ${userId}, not to ${owner}`);
  return problems;
}

/** Compares a conversation with the batches that were sent to it. */
export function checkConversation(
  conversationId: string,
  stored: ConversationMemory | null,
  attempted: readonly BatchRecord[],
): string[] {
  const { batches, problems } = readBatches(stored?.messages ?? []);
  problems.push(...checkOnce(batches, attempted), ...checkOrder(batches, attempted));
  if (stored !== null) problems.push(...checkCounters(stored, batches.length, attempted[0]?.batch.userId));
  return problems.map((problem) => `${conversationId}: ${problem}`);
}
