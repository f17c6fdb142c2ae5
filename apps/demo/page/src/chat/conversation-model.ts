import {
  emptyTurn,
  type FollowedEvent,
  foldTurn,
  isJafClientError,
  isRunning,
  type JafClient,
  type PositionedMessage,
  type TurnView,
  type WaitingCall,
} from "@jaf/server/client";
import { type StoppedTurn, stoppedIn } from "../saw/turn-record.ts";
import { failureText, isUnreachable } from "../server.ts";
import { createStore, type Store } from "../ui/store.ts";

export interface ConversationState {
  readonly conversationId: string | undefined;
  readonly status: "new" | "loading" | "ready" | "missing" | "failed";
  readonly title: string | undefined;
  readonly version: number;
  readonly messages: readonly PositionedMessage[];
  readonly earlier: boolean;
  /** What the user has just said, until the stored messages have it. */
  readonly said: string | undefined;
  readonly turn: TurnView | undefined;
  /** The calls that wait for a decision. */
  readonly waiting: readonly WaitingCall[];
  /** `false`: the reply goes on at the server, and is shown once the connection is back. */
  readonly connected: boolean;
  /** The turns that were stopped, and whose messages are still there. */
  readonly stopped: readonly StoppedTurn[];
  readonly failure: string | undefined;
  /** The failure is over once the server can be reached again. */
  readonly failurePasses: boolean;
}

const EMPTY: ConversationState = {
  conversationId: undefined,
  status: "new",
  title: undefined,
  version: 0,
  messages: [],
  earlier: false,
  said: undefined,
  turn: undefined,
  waiting: [],
  connected: true,
  stopped: [],
  failure: undefined,
  failurePasses: false,
};

const PAGE = 100;
const TURNS = 50;
const RECONNECT = { maxAttempts: Number.POSITIVE_INFINITY, maxDelayMs: 3_000 };

export interface ConversationModel {
  readonly state: Store<ConversationState>;
  readonly open: (conversationId: string | undefined) => Promise<void>;
  /** Another tab, or a list, knows of a turn or of a version: take it in, if it is new here. */
  readonly heardOf: (version: number, runningTurnId: string | undefined) => void;
  /** The server can be reached: what failed by that is over. */
  readonly reached: () => void;
  /** It may have been deleted elsewhere. */
  readonly check: () => void;
  readonly send: (text: string) => Promise<void>;
  readonly edit: (position: number, text: string) => Promise<void>;
  readonly regenerate: (position?: number) => Promise<void>;
  readonly resume: () => Promise<void>;
  readonly decide: (call: WaitingCall, approved: boolean) => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly loadEarlier: () => Promise<void>;
  readonly dismiss: () => void;
}

export interface ConversationModelOptions {
  /** A conversation began here. */
  readonly onCreated: (conversationId: string) => void;
  /** What was said couldn't be sent. */
  readonly onUnsent: (conversationId: string | undefined, text: string) => void;
  /** There is no such conversation, or no longer. */
  readonly onMissing: (conversationId: string) => void;
  /** A turn began or ended: lists have changed. */
  readonly onChanged: (conversationId: string) => void;
}

type Before = Pick<ConversationState, "turn" | "messages" | "waiting">;

/** What becomes of a request that brought nothing. */
interface Sending {
  /** What was shown before it. */
  readonly before?: Before;
  /** What the user said in it. */
  readonly unsent?: string;
  /** What is said where the server couldn't be reached. */
  readonly unsentText?: string;
}

const failureOf = (thrown: unknown) => ({
  failure: failureText(thrown),
  failurePasses: isUnreachable(thrown),
});

export function createConversationModel(
  server: JafClient,
  { onCreated, onUnsent, onMissing, onChanged }: ConversationModelOptions,
): ConversationModel {
  const state = createStore<ConversationState>(EMPTY);
  /** What is under way belongs to the conversation that was open when it began. */
  let current = new AbortController();
  /** Counts what replaces the state, so that an answer that is overtaken isn't shown. */
  let latest = 0;
  const running = () => {
    const { turn } = state.get();
    return turn !== undefined && isRunning(turn);
  };

  /** Never rejects. */
  let loaded: Promise<void> = Promise.resolve();
  const load = (signal: AbortSignal): Promise<void> => {
    loaded = loadStored(signal);
    return loaded;
  };

  async function loadStored(signal: AbortSignal): Promise<void> {
    const { conversationId } = state.get();
    if (conversationId === undefined) return;
    latest += 1;
    const own = latest;
    const overtaken = () => signal.aborted || own !== latest;
    try {
      const [got, stopped] = await Promise.all([
        server.conversations.get(conversationId, { limit: PAGE }, { signal }),
        stoppedOf(conversationId, signal),
      ]);
      const waiting = got.turn?.state === "waiting" ? await waitingOf(conversationId, signal) : [];
      if (overtaken()) return;
      const { turn } = state.get();
      state.set({
        status: "ready",
        title: got.title ?? undefined,
        version: got.version,
        messages: got.messages,
        earlier: got.earlier,
        waiting,
        stopped,
        said: undefined,
        // What failed or was cut off is in no stored message.
        turn: turn?.turnId === got.turn?.turnId && turn?.status === "error" ? turn : undefined,
      });
      if (got.turn?.state === "running") void follow(got.turn.turnId, signal);
    } catch (thrown) {
      if (overtaken()) return;
      const missing = isJafClientError(thrown) && thrown.status === 404;
      if (missing) {
        state.set({ ...EMPTY, conversationId, status: "missing" });
        onMissing(conversationId);
      } else {
        const status = state.get().status === "ready" ? "ready" : "failed";
        state.set({ status, ...failureOf(thrown) });
      }
    }
  }

  /** What it doesn't tell isn't marked: the messages are there all the same. */
  async function stoppedOf(conversationId: string, signal: AbortSignal): Promise<readonly StoppedTurn[]> {
    try {
      const { turns } = await server.conversations.turns(conversationId, { limit: TURNS }, { signal });
      return stoppedIn(turns);
    } catch {
      return [];
    }
  }

  async function waitingOf(conversationId: string, signal: AbortSignal): Promise<readonly WaitingCall[]> {
    const { approvals } = await server.approvals.pending({ signal });
    return approvals.flatMap((entry) =>
      entry.conversationId === conversationId ? [entry.interruption] : [],
    );
  }

  const follow = (turnId: string, signal: AbortSignal): Promise<void> => {
    const { conversationId = "" } = state.get();
    return show(server.conversations.follow(conversationId, { turnId }, following(signal)), signal);
  };

  const following = (signal: AbortSignal) => ({
    signal,
    reconnect: RECONNECT,
    onConnection: (connected: boolean) => {
      if (!signal.aborted) state.set({ connected });
    },
  });

  /** Shows a turn as it goes on, and then what is stored of it. */
  async function show(
    events: AsyncIterable<FollowedEvent>,
    signal: AbortSignal,
    { before, unsent, unsentText }: Sending = {},
  ): Promise<void> {
    latest += 1;
    state.set({ turn: emptyTurn, failure: undefined, waiting: [], connected: true });
    try {
      for await (const event of events) {
        if (signal.aborted) return;
        const turn = foldTurn(state.get().turn ?? emptyTurn, event);
        state.set({ turn });
        if (event.event.type === "turn_start") began(event.event.conversationId);
      }
      state.set({ connected: true });
    } catch (thrown) {
      if (signal.aborted) return;
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
      if (nothingCame && unsent !== undefined) onUnsent(state.get().conversationId, unsent);
    }
    const { conversationId } = state.get();
    if (conversationId === undefined) return;
    onChanged(conversationId);
    const { failure, failurePasses } = state.get();
    await load(signal);
    if (failure !== undefined && !signal.aborted && state.get().status !== "missing")
      state.set({ failure, failurePasses });
  }

  function began(conversationId: string): void {
    if (state.get().conversationId === undefined) {
      state.set({ conversationId, status: "ready" });
      onCreated(conversationId);
    }
    onChanged(conversationId);
  }

  const shownNow = (): Before => {
    const { turn, messages, waiting } = state.get();
    return { turn, messages, waiting };
  };

  const target = () => {
    const { conversationId } = state.get();
    return conversationId === undefined ? {} : { conversationId };
  };

  return {
    state,
    open: async (conversationId) => {
      const before = state.get();
      if (
        conversationId !== undefined &&
        conversationId === before.conversationId &&
        before.status !== "failed"
      )
        return;
      current.abort();
      current = new AbortController();
      state.set({ ...EMPTY, conversationId, status: conversationId === undefined ? "new" : "loading" });
      await load(current.signal);
    },
    heardOf: (version, runningTurnId) => {
      const { status, version: known } = state.get();
      if (status !== "ready" || running()) return;
      if (version !== known || runningTurnId !== undefined) void load(current.signal);
    },
    reached: () => {
      const { status, failurePasses } = state.get();
      if (failurePasses) state.set({ failure: undefined, failurePasses: false });
      if (status === "failed") void load(current.signal);
    },
    check: () => {
      if (!running()) void load(current.signal);
    },
    send: async (text) => {
      const { signal } = current;
      const { conversationId } = state.get();
      // What a turn has stored is shown before the next one, also if it is asked for at once.
      await loaded;
      if (signal.aborted) return onUnsent(conversationId, text);
      const before = shownNow();
      state.set({ said: text });
      await show(server.chat({ ...target(), message: text }, following(signal)), signal, {
        before,
        unsent: text,
      });
    },
    edit: async (position, text) => {
      const { signal } = current;
      const before = shownNow();
      const { conversationId = "", version, messages } = state.get();
      state.set({ messages: messages.filter((one) => one.position < position), said: text });
      const request = { position, version, message: text };
      const events = server.conversations.edit(conversationId, request, following(signal));
      await show(events, signal, { before, unsent: text });
    },
    regenerate: async (position) => {
      const { signal } = current;
      const before = shownNow();
      const { conversationId = "", version, messages } = state.get();
      const from = position ?? messages.findLast(({ message }) => message.role === "user")?.position ?? 0;
      state.set({ messages: messages.filter((one) => one.position <= from) });
      const request = { position: from, version };
      await show(server.conversations.regenerate(conversationId, request, following(signal)), signal, {
        before,
      });
    },
    resume: async () => {
      const { signal } = current;
      await show(server.chat(target(), following(signal)), signal);
    },
    decide: async (call, approved) => {
      if (call.type !== "approval") return;
      const { signal } = current;
      const { toolCallId, approvalId } = call;
      const before = shownNow();
      const decision = { toolCallId, approvalId, approved };
      await show(server.chat({ ...target(), approvals: [decision] }, following(signal)), signal, {
        before,
        unsentText: "Your decision wasn't sent: the server couldn't be reached. Decide again.",
      });
    },
    stop: async () => {
      const { conversationId, turn } = state.get();
      if (conversationId === undefined) return;
      try {
        await server.conversations.stop(
          conversationId,
          turn?.turnId === undefined ? {} : { turnId: turn.turnId },
        );
      } catch (thrown) {
        state.set(failureOf(thrown));
      }
    },
    loadEarlier: async () => {
      const { signal } = current;
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
    dismiss: () => state.set({ failure: undefined }),
  };
}
