import { describeCause, isConflict, warn } from "@jaf/memory/internal";
import type {
  AgentInputItem,
  OpenAIResponsesCompactionAwareSession,
  RunContext,
  RunContextAwareSession,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionAwareSession,
} from "@openai/agents-core";
import { followConversation } from "./followed.ts";
import { readEnd, readHistory } from "./history.ts";
import { itemsOf } from "./items/to-items.ts";
import { messagesOf } from "./items/to-messages.ts";
import { createRunStates, type RunStates } from "./run-states.ts";
import { placeOf, type SessionSettings } from "./settings.ts";
import { createTransactions } from "./transactions.ts";

/** A durable `Session` of the OpenAI Agents SDK, with its optional methods, and with the run states of its conversation. */
export interface ConversationSession
  extends RunContextAwareSession,
    SessionHistoryRewriteAwareSession,
    SessionHistoryTransactionAwareSession,
    RunStates {
  readonly getItems: RunContextAwareSession["getItems"];
  readonly addItems: RunContextAwareSession["addItems"];
  readonly popItem: RunContextAwareSession["popItem"];
  readonly clearSession: RunContextAwareSession["clearSession"];
  readonly replaceHistoryWithCompaction: NonNullable<RunContextAwareSession["replaceHistoryWithCompaction"]>;
  /** Present if the settings have `compact`. */
  readonly runCompaction?: OpenAIResponsesCompactionAwareSession["runCompaction"];
}

/**
 * A session that is stored as a conversation, in standard messages. Any number of processes may use the same
 * conversation. All methods reject with a `MemoryCallError`. Calling it makes no request. It throws a `TypeError` if the
 * settings are invalid.
 *
 * @example
 * ```ts
 * import { createInMemoryProvider } from "@jaf/memory";
 * import { createSession } from "@jaf/openai-agents";
 * import { Agent, run } from "@openai/agents-core";
 *
 * const provider = createInMemoryProvider();
 * const session = createSession({ provider, conversationId: "conv-1", userId: "ada" });
 * const agent = new Agent({ name: "Helper", instructions: "Answer in one sentence." });
 *
 * export const answer = async (question: string) => (await run(agent, question, { session })).finalOutput;
 * ```
 */
export function createSession(settings: SessionSettings): ConversationSession {
  const place = placeOf(settings);
  const { conversationId } = place;
  const { compact } = settings;
  const followed = followConversation(place);
  const transactions = createTransactions(place, followed);
  const { drop, ...runStates } = createRunStates(place, followed);

  async function getItems(limit?: number, run?: RunContext): Promise<AgentInputItem[]> {
    if (limit !== undefined && !(limit > 0)) return [];
    const count = limit === undefined || limit === Number.POSITIVE_INFINITY ? undefined : Math.ceil(limit);
    const reading = await (count === undefined ? readHistory(place, "all") : readEnd(place, count));
    followed.see(run, reading);
    const items = itemsOf(reading.messages);
    return count === undefined ? items : items.slice(-count);
  }

  async function compactItems(run: RunContext | undefined): Promise<void> {
    const reading = await readHistory(place, "all");
    const items = await compact?.(itemsOf(reading.messages));
    if (items !== undefined && reading.count > 0) await transactions.replaceRead(run, reading, items);
  }

  async function runCompaction(_args?: unknown, run?: RunContext): Promise<null> {
    // The turn is stored already: if its run rejected, the application would repeat it.
    await compactItems(run).catch((error: unknown) => {
      // Another run has added items. Its end compacts them, too.
      if (isConflict(error, "version")) return;
      const { name } = describeCause(error);
      warn(`The items of a session weren't compacted, because of an error: ${name}`, {
        type: "JAFCompactionWarning",
      });
    });
    return null;
  }

  return {
    acceptsRunContext: true,
    getSessionId: async () => conversationId,
    getItems,
    addItems: async (items, run) => {
      if (items.length > 0) await followed.append(run, messagesOf(items));
    },
    popItem: (run) => transactions.pop(run),
    clearSession: async (run) => {
      await drop();
      await transactions.clear(run);
    },
    replaceHistoryWithCompaction: (items, run) => transactions.replace(run, items),
    applyHistoryMutations: ({ mutations }) => transactions.mutate(undefined, mutations),
    applyHistoryTransaction: (args, run) => transactions.apply(run, args),
    ...runStates,
    ...(compact === undefined ? {} : { runCompaction }),
  };
}
