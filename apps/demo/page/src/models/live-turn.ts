import { emptyTurn, type FollowedEvent, type FollowOptions, foldTurn } from "@jaf/server/client";
import { type ConversationState, failureOf } from "./conversation-state.ts";
import { isUnreachable } from "./server.ts";
import type { Store } from "./store.ts";
import type { StoredConversation } from "./stored-conversation.ts";

export interface LiveTurnOptions {
  readonly state: Store<ConversationState>;
  readonly stored: StoredConversation;
  /** Called when a conversation begins here. */
  readonly onCreated: (conversationId: string) => void;
  /** Called when a message couldn't be sent. */
  readonly onUnsent: (conversationId: string | undefined, text: string) => void;
  /** Called when a turn begins or ends, which changes lists. */
  readonly onChanged: (conversationId: string) => void;
}

/** The effects of a request. */
interface Sending {
  /** Immediate changes of the state. */
  readonly changes?: Partial<ConversationState>;
  /** The user's message in it. */
  readonly unsent?: string;
  /** The failure text if the server can't be reached. */
  readonly unsentText?: string;
}

/** Shows a turn while it runs, and then its stored messages. */
export type ShowTurn = (
  request: (options: FollowOptions) => AsyncIterable<FollowedEvent>,
  signal: AbortSignal,
  sending?: Sending,
) => Promise<void>;

type Before = Pick<ConversationState, "turn" | "messages" | "waiting">;

const RECONNECT = { maxAttempts: Number.POSITIVE_INFINITY, maxDelayMs: 3_000 };

export function createLiveTurn({ state, stored, ...told }: LiveTurnOptions): ShowTurn {
  function began(conversationId: string): void {
    if (state.get().conversationId === undefined) {
      state.set({ conversationId, status: "ready" });
      told.onCreated(conversationId);
    }
    told.onChanged(conversationId);
  }

  function failed(thrown: unknown, before: Before, { unsent, unsentText }: Sending): void {
    const nothingCame = (state.get().turn?.events ?? 0) === 0;
    state.set({
      turn: undefined,
      connected: true,
      ...failureOf(thrown),
      // As far as the page knows, nothing changed, so the previous state is restored.
      ...(nothingCame ? { ...before, said: undefined } : {}),
      ...(nothingCame && unsentText !== undefined && isUnreachable(thrown)
        ? { failure: unsentText, failurePasses: false }
        : {}),
    });
    if (nothingCame && unsent !== undefined) told.onUnsent(state.get().conversationId, unsent);
  }

  return async (request, signal, { changes = {}, ...sending } = {}) => {
    const { turn, messages, waiting } = state.get();
    stored.overtake();
    state.set({ ...changes, turn: emptyTurn, failure: undefined, waiting: [], connected: true });
    const onConnection = (connected: boolean) => {
      if (!signal.aborted) state.set({ connected });
    };
    try {
      for await (const event of request({ signal, reconnect: RECONNECT, onConnection })) {
        if (signal.aborted) return;
        state.set({ turn: foldTurn(state.get().turn ?? emptyTurn, event) });
        if (event.event.type === "turn_start") began(event.event.conversationId);
      }
      state.set({ connected: true });
    } catch (thrown) {
      if (signal.aborted) return;
      failed(thrown, { turn, messages, waiting }, sending);
    }
    const { conversationId, failure, failurePasses } = state.get();
    if (conversationId === undefined) return;
    told.onChanged(conversationId);
    await stored.load(signal);
    if (failure !== undefined && !signal.aborted && state.get().status !== "missing")
      state.set({ failure, failurePasses });
  };
}
