import { isConflict, type Place, sha256, unwrap, writeTo } from "@jaf/memory/internal";
import type {
  AgentInputItem,
  SessionHistoryMutation,
  SessionHistoryTransactionArgs,
} from "@openai/agents-core";
import { divided, type EndChange, mutated, popped, replacing } from "./end-change.ts";
import type { Followed } from "./followed.ts";
import { type Reading, readEnd, readHistory } from "./history.ts";
import { messagesOf } from "./items/to-messages.ts";

type Run = object | undefined;

/** The writes of a session that depend on what is stored. Each is repeated if another write came between. */
export interface Transactions {
  readonly pop: (run: Run) => Promise<AgentInputItem | undefined>;
  readonly mutate: (run: Run, mutations: readonly SessionHistoryMutation[]) => Promise<void>;
  readonly apply: (run: Run, args: SessionHistoryTransactionArgs) => Promise<void>;
  /** Removes all items. */
  readonly clear: (run: Run) => Promise<void>;
  /** Replaces all items. Rejects with a conflict if the run hasn't seen all of them. */
  readonly replace: (run: Run, items: readonly AgentInputItem[]) => Promise<void>;
  /** Replaces all items of a reading. Isn't repeated: rejects with a conflict if the conversation has changed. */
  readonly replaceRead: (run: Run, reading: Reading, items: readonly AgentInputItem[]) => Promise<void>;
}

export function createTransactions(place: Place, followed: Followed): Transactions {
  const { provider, conversationId } = place;

  /** The ids of the messages of a reading, where the new messages of `end` come from these messages. */
  async function messageIdsFor({ messages, version }: Reading, { from }: EndChange) {
    if (from.every((index) => index === undefined)) return {};
    const record = await unwrap("exportConversation", () => provider.exportConversation(conversationId));
    // Otherwise the write is refused, because the conversation has changed.
    const ids = record?.version === version ? record.messageIds?.slice(-messages.length) : undefined;
    if (ids === undefined) return {};
    return { messageIds: from.map((index) => (index === undefined ? null : ids[index])) };
  }

  async function change(run: Run, reading: Reading, end: EndChange, idempotencyKey?: string): Promise<void> {
    const { dropLast, messages } = end;
    const seen = { exists: reading.exists, incarnation: followed.expected(run, reading) };
    const written = await writeTo(place, seen, {
      dropLast,
      messages,
      ...(await messageIdsFor(reading, end)),
      // A repeated write finds another version.
      ...(reading.written ? {} : { expectedVersion: reading.version }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    followed.wrote(run, written, reading);
  }

  /** Whether a write failed only because another one came between. A conversation of another user stays missing. */
  const mayRepeat = async (error: unknown, { exists }: Reading): Promise<boolean> =>
    exists
      ? isConflict(error, "version")
      : isConflict(error, "version", "incarnation") && (await readHistory(place, "none")).exists;

  /** Reads, lets `decide` choose a change, and writes it. `decide` returns `undefined` to change nothing. */
  async function rewrite<T>(
    run: Run,
    read: () => Promise<Reading>,
    decide: (reading: Reading) => { readonly end: EndChange; readonly value: T } | undefined,
  ): Promise<T | undefined> {
    for (;;) {
      const reading = await read();
      const decided = decide(reading);
      if (decided === undefined) return undefined;
      try {
        await change(run, reading, decided.end);
        return decided.value;
      } catch (error) {
        if (!(await mayRepeat(error, reading))) throw error;
      }
    }
  }

  async function apply(run: Run, { operationId, transaction }: SessionHistoryTransactionArgs): Promise<void> {
    const { suffix, items } = partsOf(operationId, transaction);
    const [dropped, messages] = [messagesOf(suffix), messagesOf(items)];
    const idempotencyKey = sha256(operationId, "hex");
    for (;;) {
      const reading = await readEnd(place, suffix.length, idempotencyKey);
      // The store compares a repeated write with the first one, so it must be the same: the end is divided first.
      const prepared = reading.written ? undefined : divided(reading.messages, suffix, dropped);
      try {
        if (prepared !== undefined) await change(run, reading, prepared);
        else return await change(run, reading, replacing(dropped.length, messages), idempotencyKey);
      } catch (error) {
        if (!(await mayRepeat(error, reading))) throw error;
      }
    }
  }

  return {
    apply,
    replaceRead: (run, reading, items) => change(run, reading, replacing(reading.count, messagesOf(items))),
    pop: (run) =>
      rewrite(
        run,
        () => readEnd(place, 1),
        ({ messages }) => popped(messages),
      ),
    mutate: async (run, mutations) => {
      await rewrite(
        run,
        () => readHistory(place, "all"),
        ({ messages }) => {
          const end = mutated(messages, mutations);
          return end === undefined ? undefined : { end, value: undefined };
        },
      );
    },
    clear: async (run) => {
      await rewrite(
        run,
        () => readHistory(place, "none"),
        (reading) => {
          // Outside of a run, nothing that was seen before matters to the next items.
          if (run === undefined) followed.see(run, reading);
          return reading.count === 0 ? undefined : { end: replacing(reading.count, []), value: undefined };
        },
      );
    },
    replace: async (run, items) => {
      await rewrite(
        run,
        () => readHistory(place, "none"),
        (reading) => {
          followed.assertSeen(run, reading);
          return { end: replacing(reading.count, messagesOf(items)), value: undefined };
        },
      );
    },
  };
}

function partsOf(operationId: string, transaction: SessionHistoryTransactionArgs["transaction"]) {
  if (typeof operationId !== "string" || operationId.trim() === "") {
    throw new TypeError("The operationId of a history transaction must be a text that isn't empty.");
  }
  if (transaction.type === "append_items") return { suffix: [], items: transaction.items };
  if (transaction.type === "replace_suffix") {
    return { suffix: transaction.expectedSuffix, items: transaction.replacement };
  }
  throw new TypeError("A history transaction must have the type append_items or replace_suffix.");
}
