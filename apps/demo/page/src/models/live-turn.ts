import { emptyTurn, type FollowedEvent, type FollowOptions, foldTurn } from "@jaf/server/client";
import { type ConversationState, failureOf } from "./conversation-state.ts";
import { isUnreachable } from "./server.ts";
import type { Store } from "./store.ts";
import type { StoredConversation } from "./stored-conversation.ts";

export interface LiveTurnOptions {
  readonly state: Store<ConversationState>;
  readonly stored: StoredConversation;
  /** A conversation began here. */
  readonly onCreated: (conversationId: string) => void;
  /** What was said couldn't be sent. */
  readonly onUnsent: (conversationId: string | undefined, text: string) => void;
  /** A turn began or ended: lists have changed. */
  readonly onChanged: (conversationId: string) => void;
}

/** What a request changes. */
interface Sending {
  /** At once. */
  readonly changes?: Partial<ConversationState>;
  /** What the user said in it. */
  readonly unsent?: string;
  /** What is said where the server couldn't be reached. */
  readonly unsentText?: string;
}

/** Shows a turn as it goes on, and then what is stored of it. */
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
      // Nothing has changed, as far as one knows: what could be done before can be done again.
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
