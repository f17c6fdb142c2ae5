import { isRunning, type JafClient } from "@jaf/server/client";
import { type ConversationState, EMPTY } from "./conversation-state.ts";
import { createShownTurn, type ShownTurnOptions } from "./shown-turn.ts";
import { createStore, type Store } from "./store.ts";
import { createStoredConversation, type StoredConversationOptions } from "./stored-conversation.ts";
import { createTurnActions, type TurnActions } from "./turn-actions.ts";

export interface ConversationModel extends TurnActions {
  readonly state: Store<ConversationState>;
  readonly open: (conversationId: string | undefined) => Promise<void>;
  /** Another tab, or a list, knows of a turn or of a version: take it in, if it is new here. */
  readonly heardOf: (version: number, runningTurnId: string | undefined) => void;
  /** The server can be reached: what failed by that is over. */
  readonly reached: () => void;
  /** It may have been deleted elsewhere. */
  readonly check: () => void;
  readonly loadEarlier: () => Promise<void>;
  readonly dismiss: () => void;
}

export type ConversationModelOptions = Pick<ShownTurnOptions, "onCreated" | "onUnsent" | "onChanged"> &
  Pick<StoredConversationOptions, "onMissing">;

export function createConversationModel(
  server: JafClient,
  options: ConversationModelOptions,
): ConversationModel {
  const state = createStore<ConversationState>(EMPTY);
  /** What is under way belongs to the conversation that was open when it began. */
  let current = new AbortController();
  const stored = createStoredConversation(server, {
    state,
    onMissing: options.onMissing,
    onRunning: (turnId, signal) => {
      const { conversationId = "" } = state.get();
      void show((how) => server.conversations.follow(conversationId, { turnId }, how), signal);
    },
  });
  const show = createShownTurn({ ...options, state, stored });
  const load = () => stored.load(current.signal);
  const running = () => {
    const { turn } = state.get();
    return turn !== undefined && isRunning(turn);
  };

  return {
    ...createTurnActions(server, {
      ...{ state, show, onUnsent: options.onUnsent },
      loaded: stored.loaded,
      signal: () => current.signal,
    }),
    state,
    open: async (conversationId) => {
      const before = state.get();
      const isOpen = conversationId === before.conversationId && before.status !== "failed";
      if (conversationId !== undefined && isOpen) return;
      current.abort();
      current = new AbortController();
      state.set({ ...EMPTY, conversationId, status: conversationId === undefined ? "new" : "loading" });
      await load();
    },
    heardOf: (version, runningTurnId) => {
      const { status, version: known } = state.get();
      if (status !== "ready" || running()) return;
      if (version !== known || runningTurnId !== undefined) void load();
    },
    reached: () => {
      const { status, failurePasses } = state.get();
      if (failurePasses) state.set({ failure: undefined, failurePasses: false });
      if (status === "failed") void load();
    },
    check: () => {
      if (!running()) void load();
    },
    loadEarlier: () => stored.loadEarlier(current.signal),
    dismiss: () => state.set({ failure: undefined }),
  };
}
