import type {
  ConversationSummary,
  ConversationTimer,
  JafClient,
  PendingApprovalEntry,
} from "@jaf/server/client";
import { startPolling } from "./polling.ts";
import { failureText } from "./server.ts";
import { createStore, type Store } from "./store.ts";

interface ListState {
  readonly conversations: readonly ConversationSummary[];
  readonly nextCursor: string | undefined;
  readonly approvals: readonly PendingApprovalEntry[];
  /** The user's reminders and schedules; the one that is due first comes first. */
  readonly timers: readonly ConversationTimer[];
  readonly loaded: boolean;
  readonly reachable: boolean;
  readonly failure: string | undefined;
}

export interface ListModel {
  readonly state: Store<ListState>;
  readonly refresh: () => Promise<void>;
  readonly more: () => Promise<void>;
  readonly rename: (conversationId: string, title: string) => Promise<void>;
  readonly remove: (conversationId: string) => Promise<void>;
  /** Stops the conversation's running turn. */
  readonly stop: (conversationId: string) => Promise<void>;
  readonly cancelTimer: (timer: ConversationTimer) => Promise<void>;
  /** Tells other tabs about a change, and looks itself. */
  readonly changed: () => void;
}

const SHORTEST_MS = 3_000;
const LONGEST_MS = 15_000;
const PAGE = 50;

const EMPTY: ListState = {
  conversations: [],
  nextCursor: undefined,
  approvals: [],
  timers: [],
  loaded: false,
  reachable: true,
  failure: undefined,
};

/**
 * The user's conversations, polled while the page is visible: a stream per tab would use up the browser's few connections to a
 * server. Tabs of this browser notify each other immediately. Changes from other browsers are seen within seconds while a turn
 * runs, an approval waits, a timer is due or the user is active here, else within `LONGEST_MS`.
 */
export function createListModel(server: JafClient): ListModel {
  const state = createStore<ListState>(EMPTY);
  const tabs = new BroadcastChannel("jaf-demo");
  let looking: Promise<void> | undefined;

  const refresh = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  async function look(): Promise<void> {
    try {
      const [{ conversations, nextCursor }, { approvals }, { timers }] = await Promise.all([
        server.conversations.list({ limit: PAGE }),
        server.approvals.pending(),
        server.timers.list(),
      ]);
      const first = { conversations, nextCursor: nextCursor ?? undefined };
      state.set({
        ...withLaterPages(first, state.get()),
        ...{ approvals, timers, loaded: true, reachable: true, failure: undefined },
      });
    } catch (thrown) {
      state.set({ reachable: false, failure: failureText(thrown) });
    }
  }

  const changed = () => {
    tabs.postMessage("changed");
    void refresh();
  };
  tabs.onmessage = () => void refresh();
  lookRegularly(state, refresh);

  return {
    state,
    refresh,
    changed,
    more: async () => {
      const { nextCursor, conversations } = state.get();
      if (nextCursor === undefined) return;
      const page = await server.conversations.list({ limit: PAGE, cursor: nextCursor });
      state.set({
        conversations: [...conversations, ...page.conversations],
        nextCursor: page.nextCursor ?? undefined,
      });
    },
    rename: async (conversationId, title) => {
      await server.conversations.rename(conversationId, title);
      changed();
    },
    stop: async (conversationId) => {
      await server.conversations.stop(conversationId);
      changed();
    },
    cancelTimer: async ({ conversationId, timerId }) => {
      await server.timers.remove(conversationId, timerId);
      changed();
    },
    remove: async (conversationId) => {
      await server.conversations.delete(conversationId);
      const { conversations } = state.get();
      state.set({ conversations: conversations.filter((one) => one.conversationId !== conversationId) });
      changed();
    },
  };
}

/** Keeps the pages that `more` loaded, without conversations that moved up. */
function withLaterPages(
  first: Pick<ListState, "conversations" | "nextCursor">,
  { conversations, nextCursor }: ListState,
): Pick<ListState, "conversations" | "nextCursor"> {
  if (conversations.length <= PAGE) return first;
  const ids = new Set(first.conversations.map(({ conversationId }) => conversationId));
  const later = conversations.slice(PAGE).filter(({ conversationId }) => !ids.has(conversationId));
  return { conversations: [...first.conversations, ...later], nextCursor };
}

function lookRegularly(state: Store<ListState>, refresh: () => Promise<void>): void {
  addEventListener("online", () => void refresh());
  let seen = "";
  startPolling({
    ...{ shortestMs: SHORTEST_MS, longestMs: LONGEST_MS },
    look: async () => {
      await refresh();
      const { conversations, approvals, timers, reachable } = state.get();
      const before = seen;
      seen = JSON.stringify([conversations, approvals, timers]);
      const isDueSoon = timers.some(({ at }) => Date.parse(at) < Date.now() + LONGEST_MS);
      const isBusy =
        isDueSoon || approvals.length > 0 || conversations.some(({ turn }) => turn?.state === "running");
      return isBusy || !reachable || seen !== before;
    },
  });
}
