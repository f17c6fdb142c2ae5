import type { RichMessage } from "@jaf/memory";
import { createMemoryConflictError, MemoryCallError, sameJson, sha256 } from "@jaf/memory/internal";
import type {
  AgentInputItem,
  SessionHistoryMutation,
  SessionHistoryTransactionArgs,
} from "@openai/agents-core";
import type { Followed } from "./followed.ts";
import { changeHistory, isConflict, type Reading, readHistory } from "./history.ts";
import { itemsOf } from "./items/to-items.ts";
import { messagesOf } from "./items/to-messages.ts";
import type { Place } from "./settings.ts";

type Run = object | undefined;

/** A change of the end of a conversation: how many messages go, and which come. */
export interface EndChange {
  readonly dropLast: number;
  readonly messages: readonly RichMessage[];
}

/** The writes of a session that depend on what is stored. Each is repeated if another write came between. */
export interface Transactions {
  readonly pop: (run: Run) => Promise<AgentInputItem | undefined>;
  readonly mutate: (run: Run, mutations: readonly SessionHistoryMutation[]) => Promise<void>;
  readonly apply: (run: Run, args: SessionHistoryTransactionArgs) => Promise<void>;
  /** Replaces all items. */
  readonly replace: (run: Run, items: readonly AgentInputItem[]) => Promise<void>;
  /** Replaces all items of a reading. Isn't repeated: rejects with a conflict if the conversation has changed. */
  readonly replaceRead: (run: Run, reading: Reading, items: readonly AgentInputItem[]) => Promise<void>;
}

export function createTransactions(place: Place, followed: Followed): Transactions {
  const change = (run: Run, reading: Reading, end: EndChange & { readonly idempotencyKey?: string }) =>
    changeHistory(place, {
      ...end,
      expectedIncarnation: followed.expected(run, reading),
      // A repeated write finds another version.
      ...(reading.written ? {} : { expectedVersion: reading.version }),
    });

  /** Whether a write failed only because another one came between. A conversation of another user stays missing. */
  const mayRepeat = async (error: unknown, { exists }: Reading): Promise<boolean> =>
    exists
      ? isConflict(error, "version")
      : isConflict(error, "version", "incarnation") && (await readHistory(place, "none")).exists;

  /** Reads, lets `decide` choose a change, and writes it. `decide` returns `undefined` to change nothing. */
  async function rewrite<T>(
    run: Run,
    limit: number | undefined,
    decide: (reading: Reading) => { readonly end: EndChange; readonly value: T } | undefined,
  ): Promise<T | undefined> {
    for (;;) {
      const reading = await readHistory(place, limit === undefined ? "all" : { limit });
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
      const selection = suffix.length === 0 ? "none" : { limit: suffix.length };
      const reading = await readHistory(place, selection, idempotencyKey);
      // The store compares a repeated write with the first one, so it must be the same: the end is divided first.
      const divided = reading.written ? undefined : divide(reading.messages, suffix, dropped);
      try {
        if (divided !== undefined) await change(run, reading, divided);
        else return void (await change(run, reading, { dropLast: dropped.length, messages, idempotencyKey }));
      } catch (error) {
        if (!(await mayRepeat(error, reading))) throw error;
      }
    }
  }

  return {
    apply,
    replaceRead: async (run, reading, items) => {
      await change(run, reading, { dropLast: reading.messages.length, messages: messagesOf(items) });
    },
    pop: (run) =>
      rewrite(run, 1, ({ messages }) => {
        const items = itemsOf(messages);
        const value = items.pop();
        return value === undefined ? undefined : { end: { dropLast: 1, messages: messagesOf(items) }, value };
      }),
    mutate: async (run, mutations) => {
      await rewrite(run, undefined, ({ messages }) => {
        const end = mutated(messages, mutations);
        return end.dropLast === 0 ? undefined : { end, value: undefined };
      });
    },
    replace: async (run, items) => {
      await rewrite(run, undefined, ({ messages }) => ({
        end: { dropLast: messages.length, messages: messagesOf(items) },
        value: undefined,
      }));
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

/**
 * The change after which the conversation ends with exactly the messages `dropped`, with the same items as before.
 * `undefined` if it already does. Throws if the conversation doesn't end with the items of `suffix`.
 */
function divide(
  stored: readonly RichMessage[],
  suffix: readonly AgentInputItem[],
  dropped: readonly RichMessage[],
): EndChange | undefined {
  const items = itemsOf(stored);
  const kept = items.length - suffix.length;
  if (kept < 0 || !sameJson(items.slice(kept), suffix)) {
    throw new MemoryCallError(createMemoryConflictError("version", { operation: "applyHistoryTransaction" }));
  }
  if (stored.length >= dropped.length && sameJson(stored.slice(stored.length - dropped.length), dropped))
    return;
  return { dropLast: stored.length, messages: [...messagesOf(items.slice(0, kept)), ...dropped] };
}

/** The change that replaces function calls. Messages without these calls stay as they are. */
function mutated(messages: readonly RichMessage[], mutations: readonly SessionHistoryMutation[]): EndChange {
  const replaced = new Set<string>();
  const replacements = new Map(mutations.map((mutation) => [mutation.callId, mutation.replacement]));
  const next = messages.map((message) => {
    const items = itemsOf([message]);
    const changed = items.flatMap((item): AgentInputItem[] => {
      const replacement = item.type === "function_call" ? replacements.get(item.callId) : undefined;
      if (replacement === undefined || item.type !== "function_call") return [item];
      // The SDK keeps one call for each id.
      if (replaced.has(item.callId)) return [];
      replaced.add(item.callId);
      return [replacement];
    });
    return sameJson(changed, items) ? [message] : messagesOf(changed);
  });
  const first = next.findIndex(([only, ...more], index) => only !== messages[index] || more.length > 0);
  if (first === -1) return { dropLast: 0, messages: [] };
  return { dropLast: messages.length - first, messages: next.slice(first).flat() };
}
