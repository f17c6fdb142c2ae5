import { isJafClientError, type JafClient, type WaitingCall } from "@jaf/server/client";
import { withTurn } from "../chat/seen-calls.ts";
import { type ConversationState, EMPTY, failureOf } from "./conversation-state.ts";
import { stillWaiting } from "./sent-texts.ts";
import type { Store } from "./store.ts";
import { type StoppedTurn, stoppedIn } from "./turn-record.ts";

const PAGE = 100;
const TURNS = 50;

export interface StoredConversationOptions {
  readonly state: Store<ConversationState>;
  /** Called if the conversation doesn't exist. */
  readonly onMissing: (conversationId: string) => void;
  /** Called if the conversation has a running turn. */
  readonly onRunning: (turnId: string, signal: AbortSignal) => void;
}

export interface StoredConversation {
  /** Shows the stored messages of the open conversation. Never rejects. */
  readonly load: (signal: AbortSignal) => Promise<void>;
  /** Resolves when the last `load` has ended. */
  readonly loaded: () => Promise<void>;
  /** Discards the running load, because something newer is shown. */
  readonly overtake: () => void;
  readonly loadEarlier: (signal: AbortSignal) => Promise<void>;
}

export function createStoredConversation(
  server: JafClient,
  { state, onMissing, onRunning }: StoredConversationOptions,
): StoredConversation {
  /** Increases with each load and each newer state, so outdated responses aren't shown. */
  let latest = 0;
  let loaded: Promise<void> = Promise.resolve();

  async function load(signal: AbortSignal): Promise<void> {
    const { conversationId } = state.get();
    if (conversationId === undefined) return;
    latest += 1;
    const own = latest;
    const overtaken = () => signal.aborted || own !== latest;
    try {
      const { turn: stored, ...read } = await readStored(server, conversationId, signal);
      if (overtaken()) return;
      const { turn, seen, sent } = state.get();
      // Failed replies aren't in the stored messages.
      const isFailed = turn?.turnId === stored?.turnId && turn?.status === "error";
      state.set({
        status: "ready",
        ...read,
        said: undefined,
        sent: stillWaiting(sent, { messages: read.messages, turn: undefined }),
        turn: isFailed ? turn : undefined,
        seen: withTurn(seen, turn),
      });
      if (stored?.state === "running") onRunning(stored.turnId, signal);
    } catch (thrown) {
      if (overtaken()) return;
      if (isJafClientError(thrown) && thrown.status === 404) {
        state.set({ ...EMPTY, conversationId, status: "missing" });
        onMissing(conversationId);
        return;
      }
      const status = state.get().status === "ready" ? "ready" : "failed";
      state.set({ status, ...failureOf(thrown) });
    }
  }

  return {
    load: (signal) => {
      loaded = load(signal);
      return loaded;
    },
    loaded: () => loaded,
    overtake: () => {
      latest += 1;
    },
    loadEarlier: async (signal) => {
      const { conversationId = "", messages } = state.get();
      const before = messages[0]?.position;
      if (before === undefined) return;
      try {
        const got = await server.conversations.get(conversationId, { before, limit: PAGE }, { signal });
        state.set((now) => ({ ...now, earlier: got.earlier, messages: [...got.messages, ...now.messages] }));
      } catch (thrown) {
        if (!signal.aborted) state.set(failureOf(thrown));
      }
    },
  };
}

async function readStored(server: JafClient, conversationId: string, signal: AbortSignal) {
  const [{ title, version, messages, earlier, turn }, stopped] = await Promise.all([
    server.conversations.get(conversationId, { limit: PAGE }, { signal }),
    stoppedOf(server, conversationId, signal),
  ]);
  const waiting = turn?.state === "waiting" ? await waitingOf(server, conversationId, signal) : [];
  return { title: title ?? undefined, version, messages, earlier, turn, stopped, waiting };
}

/** If the turns can't be loaded, stopped turns aren't marked. */
async function stoppedOf(
  server: JafClient,
  conversationId: string,
  signal: AbortSignal,
): Promise<readonly StoppedTurn[]> {
  try {
    const { turns } = await server.conversations.turns(conversationId, { limit: TURNS }, { signal });
    return stoppedIn(turns);
  } catch {
    return [];
  }
}

async function waitingOf(
  server: JafClient,
  conversationId: string,
  signal: AbortSignal,
): Promise<readonly WaitingCall[]> {
  const { approvals } = await server.approvals.pending({ signal });
  return approvals.flatMap((entry) => (entry.conversationId === conversationId ? [entry.interruption] : []));
}
