import { isRunning, type JafClient, type WaitingCall } from "@jaf/server/client";
import { type ConversationState, EMPTY, failureOf } from "./conversation-state.ts";
import { createLiveTurn, type LiveTurnOptions, type ShowTurn } from "./live-turn.ts";
import type { SentText } from "./sent-texts.ts";
import { createStore, type Store } from "./store.ts";
import { createStoredConversation, type StoredConversationOptions } from "./stored-conversation.ts";

/** The user's actions that begin, change or end a turn. */
interface TurnActions {
  /** Sends a message. While a turn runs, the turn takes it before its next step, or it begins the next turn. */
  readonly send: (text: string) => Promise<void>;
  /** Begins a turn that goes on without this page. Resolves with whether it has begun. */
  readonly startInBackground: (text: string) => Promise<boolean>;
  readonly edit: (position: number, text: string) => Promise<void>;
  readonly regenerate: (position?: number) => Promise<void>;
  readonly resume: () => Promise<void>;
  readonly decide: (call: WaitingCall, approved: boolean) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface ConversationModel extends TurnActions {
  readonly state: Store<ConversationState>;
  readonly open: (conversationId: string | undefined) => Promise<void>;
  /** Takes in a turn or version that another tab or a list reported, if it is new. */
  readonly heardOf: (version: number, runningTurnId: string | undefined) => void;
  /** Removes failures of the connection, because the server can be reached again. */
  readonly reached: () => void;
  /** Checks whether the conversation was deleted elsewhere. */
  readonly check: () => void;
  readonly loadEarlier: () => Promise<void>;
  readonly dismiss: () => void;
}

export type ConversationModelOptions = Pick<LiveTurnOptions, "onCreated" | "onUnsent" | "onChanged"> &
  Pick<StoredConversationOptions, "onMissing">;

export function createConversationModel(
  server: JafClient,
  options: ConversationModelOptions,
): ConversationModel {
  const state = createStore<ConversationState>(EMPTY);
  /** Aborts running requests when another conversation is opened. */
  let current = new AbortController();
  const stored = createStoredConversation(server, {
    state,
    onMissing: options.onMissing,
    onRunning: (turnId, signal) => {
      const { conversationId = "" } = state.get();
      void show((how) => server.conversations.follow(conversationId, { turnId }, how), signal);
    },
  });
  const show = createLiveTurn({ ...options, state, stored });
  const load = () => stored.load(current.signal);
  const running = () => {
    const { turn } = state.get();
    return turn !== undefined && isRunning(turn);
  };

  return {
    ...createTurnActions(server, {
      ...{ state, show, running, onUnsent: options.onUnsent, onChanged: options.onChanged },
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

interface TurnActionsOptions extends Pick<LiveTurnOptions, "onUnsent" | "onChanged"> {
  readonly state: Store<ConversationState>;
  readonly show: ShowTurn;
  readonly running: () => boolean;
  /** Resolves when the running load is shown. */
  readonly loaded: () => Promise<void>;
  /** The signal of the open conversation. */
  readonly signal: () => AbortSignal;
}

function createTurnActions(
  server: JafClient,
  { state, show, running, loaded, onUnsent, onChanged, signal: currentSignal }: TurnActionsOptions,
): TurnActions {
  const target = () => {
    const { conversationId } = state.get();
    return conversationId === undefined ? {} : { conversationId };
  };

  /** Leaves a message for the running turn. */
  async function leave(conversationId: string, text: string): Promise<void> {
    const signal = currentSignal();
    const after = state.get().messages.at(-1)?.position ?? -1;
    const one: SentText = { key: crypto.randomUUID(), text, after };
    state.set((now) => ({ ...now, sent: [...now.sent, one], failure: undefined }));
    try {
      await server.conversations.send(conversationId, { message: text, key: one.key });
    } catch (thrown) {
      onUnsent(conversationId, text);
      if (signal.aborted) return;
      state.set((now) => ({ ...now, sent: now.sent.filter((each) => each !== one), ...failureOf(thrown) }));
    }
  }

  return {
    send: async (text) => {
      const signal = currentSignal();
      const { conversationId } = state.get();
      if (conversationId !== undefined && running()) return leave(conversationId, text);
      // The last turn's stored messages must be shown before the next turn, even if it is sent immediately.
      await loaded();
      if (signal.aborted) return onUnsent(conversationId, text);
      const sending = { changes: { said: text }, unsent: text };
      await show((how) => server.chat({ ...target(), message: text }, how), signal, sending);
    },
    startInBackground: async (text) => {
      const { conversationId } = state.get();
      try {
        onChanged((await server.start({ ...target(), message: text })).conversationId);
        return true;
      } catch (thrown) {
        onUnsent(conversationId, text);
        state.set(failureOf(thrown));
        return false;
      }
    },
    edit: async (position, text) => {
      const { conversationId = "", version, messages } = state.get();
      const request = { position, version, message: text };
      await show((how) => server.conversations.edit(conversationId, request, how), currentSignal(), {
        changes: { messages: messages.filter((one) => one.position < position), said: text },
        unsent: text,
      });
    },
    regenerate: async (position) => {
      const { conversationId = "", version, messages } = state.get();
      const from = position ?? messages.findLast(({ message }) => message.role === "user")?.position ?? 0;
      const request = { position: from, version };
      await show((how) => server.conversations.regenerate(conversationId, request, how), currentSignal(), {
        changes: { messages: messages.filter((one) => one.position <= from) },
      });
    },
    resume: () => show((how) => server.chat(target(), how), currentSignal()),
    decide: async (call, approved) => {
      if (call.type !== "approval") return;
      const { toolCallId, approvalId } = call;
      const approvals = [{ toolCallId, approvalId, approved }];
      await show((how) => server.chat({ ...target(), approvals }, how), currentSignal(), {
        unsentText: "Your decision wasn't sent: the server couldn't be reached. Decide again.",
      });
    },
    stop: async () => {
      const { conversationId, turn } = state.get();
      if (conversationId === undefined) return;
      const stopped = turn?.turnId === undefined ? {} : { turnId: turn.turnId };
      try {
        await server.conversations.stop(conversationId, stopped);
      } catch (thrown) {
        state.set(failureOf(thrown));
      }
    },
  };
}
