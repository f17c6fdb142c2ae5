import type { JafClient, WaitingCall } from "@jaf/server/client";
import { type ConversationState, failureOf } from "./conversation-state.ts";
import type { ShownTurnOptions, ShowTurn } from "./shown-turn.ts";
import type { Store } from "./store.ts";

/** What the user can do that begins, changes or ends a turn. */
export interface TurnActions {
  readonly send: (text: string) => Promise<void>;
  readonly edit: (position: number, text: string) => Promise<void>;
  readonly regenerate: (position?: number) => Promise<void>;
  readonly resume: () => Promise<void>;
  readonly decide: (call: WaitingCall, approved: boolean) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface TurnActionsOptions extends Pick<ShownTurnOptions, "onUnsent"> {
  readonly state: Store<ConversationState>;
  readonly show: ShowTurn;
  /** Resolves once what is being loaded is shown. */
  readonly loaded: () => Promise<void>;
  /** Of the conversation that is open. */
  readonly signal: () => AbortSignal;
}

export function createTurnActions(
  server: JafClient,
  { state, show, loaded, onUnsent, signal: currentSignal }: TurnActionsOptions,
): TurnActions {
  const target = () => {
    const { conversationId } = state.get();
    return conversationId === undefined ? {} : { conversationId };
  };

  return {
    send: async (text) => {
      const signal = currentSignal();
      const { conversationId } = state.get();
      // What a turn has stored is shown before the next one, also if it is asked for at once.
      await loaded();
      if (signal.aborted) return onUnsent(conversationId, text);
      const sending = { shown: { said: text }, unsent: text };
      await show((how) => server.chat({ ...target(), message: text }, how), signal, sending);
    },
    edit: async (position, text) => {
      const { conversationId = "", version, messages } = state.get();
      const request = { position, version, message: text };
      await show((how) => server.conversations.edit(conversationId, request, how), currentSignal(), {
        shown: { messages: messages.filter((one) => one.position < position), said: text },
        unsent: text,
      });
    },
    regenerate: async (position) => {
      const { conversationId = "", version, messages } = state.get();
      const from = position ?? messages.findLast(({ message }) => message.role === "user")?.position ?? 0;
      const request = { position: from, version };
      await show((how) => server.conversations.regenerate(conversationId, request, how), currentSignal(), {
        shown: { messages: messages.filter((one) => one.position <= from) },
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
