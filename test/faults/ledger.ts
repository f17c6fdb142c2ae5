import type { MemoryProvider, Result } from "../../packages/memory/src/index.ts";
import { type Batch, type BatchRecord, type BatchState, batchName } from "./batch.ts";
import { checkConversation } from "./conversation-check.ts";
import { checkFinds } from "./find-check.ts";
import { groupBy } from "./group.ts";

export interface LedgerFigures {
  /** Batches whose append succeeded. */
  readonly acknowledged: number;
  readonly acknowledgedMessages: number;
  /** Batches whose last attempt failed. They may be stored or not. */
  readonly unacknowledged: number;
  readonly conversations: number;
}

/** The attempted and acknowledged batches, which are finally compared with the store. */
export interface Ledger {
  /** Appends the batch and records the outcome. */
  readonly append: (provider: MemoryProvider, batch: Batch) => Promise<Result<void>>;
  readonly figures: () => LedgerFigures;
  /** The number of the writer's acknowledged batches so far. */
  readonly acknowledgedBy: (writer: number) => number;
  /** The problems of the store's content, counters and indexes; `[]` if there are none. */
  readonly problems: (provider: MemoryProvider) => Promise<readonly string[]>;
}

export function createLedger(): Ledger {
  const records = new Map<string, BatchRecord>();
  const counts = new Map<number, number>();
  const acknowledgedBy = (writer: number): number => counts.get(writer) ?? 0;

  async function append(provider: MemoryProvider, batch: Batch): Promise<Result<void>> {
    const note = (state: BatchState) => records.set(batchName(batch.writer, batch.number), { batch, state });
    const { conversationId, messages, userId, traceId } = batch;
    note("pending");
    const owned = { userId, traceId };
    const result = await provider.appendMessages(conversationId, messages, owned, { createIfMissing: true });
    note(result.success ? "acknowledged" : "unacknowledged");
    if (result.success) counts.set(batch.writer, acknowledgedBy(batch.writer) + 1);
    return result;
  }

  const inState = (state: BatchState) => [...records.values()].filter((record) => record.state === state);
  const conversationIds = () => [...new Set([...records.values()].map(({ batch }) => batch.conversationId))];

  function figures(): LedgerFigures {
    const acknowledged = inState("acknowledged");
    return {
      acknowledged: acknowledged.length,
      acknowledgedMessages: acknowledged.reduce((sum, { batch }) => sum + batch.messages.length, 0),
      unacknowledged: inState("unacknowledged").length,
      conversations: conversationIds().length,
    };
  }

  async function problems(provider: MemoryProvider): Promise<readonly string[]> {
    const found: string[] = inState("pending").map(
      ({ batch }) => `${batch.conversationId}: ${batchName(batch.writer, batch.number)} is still pending`,
    );
    const attempts = groupBy(records.values(), ({ batch }) => batch.conversationId);
    const stored = [];
    for (const [conversationId, attempted] of attempts) {
      const read = await provider.getConversation(conversationId);
      if (!read.success) return [...found, `${conversationId}: ${read.error.message}`];
      found.push(...checkConversation(conversationId, read.data, attempted));
      if (read.data !== null) stored.push(read.data);
    }
    return [...found, ...(await checkFinds(provider, stored))];
  }

  return { append, figures, acknowledgedBy, problems };
}
