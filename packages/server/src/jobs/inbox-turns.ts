import { parseEntry } from "@jaf/core/internal";
import type { Inbox } from "@jaf/memory";
import { MOST_INBOX_ENTRIES } from "@jaf/memory/adapter";
import { invalid, storeRefusal, TurnStoreError } from "../turns/turn-errors.ts";
import type { MessageRequest, SentResult, StartedTurn, TurnRequest } from "../turns/turn-service.ts";
import { turnOf } from "./inbox-entries.ts";
import { entryOf } from "./inbox-message.ts";
import { type Begun, inTime, searchInboxes } from "./inbox-search.ts";
import type { TurnSettings } from "./turn-options.ts";

/** The highest limit for which a user's turns are counted. */
const MOST_COUNTED = 1_000;
/** How many conversations of a user are looked at when one of the user's turns has ended. */
const LOOKED_AT = 100;
const MAX_KNOWN = 1_000;
/** In a queue, turns that the user doesn't wait for begin after the others. */
const UNATTENDED_PRIORITY = -1;

/** The work of beginning a user's next turns. */
interface GoingOn {
  /** Whether a turn has ended since the inboxes were looked at. */
  isDue: boolean;
  /** The conversations whose turns have failed meanwhile. */
  readonly failed: Set<string>;
}

interface InboxTurnsOptions<Ctx> {
  readonly inbox: Inbox;
  readonly settings: TurnSettings<Ctx>;
  /** Starts a turn. */
  readonly start: (request: TurnRequest) => Promise<StartedTurn>;
  readonly signal: AbortSignal;
}

/** The turns that messages in an inbox begin. */
export interface InboxTurns {
  /** Puts a message into its conversation's inbox, and begins a turn if none is running or waiting. */
  readonly send: (message: MessageRequest) => Promise<SentResult>;
  /**
   * Begins turns with what is left in the inboxes of a user, the oldest first. Call it when a turn of the user has ended.
   * After a failed turn (`hasFailed`), the search begins the next turn of its conversation, which might fail, too. Never
   * rejects.
   */
  readonly goOn: (
    turn: { readonly userId: string; readonly conversationId: string },
    how: { readonly hasFailed: boolean },
  ) => Promise<void>;
  /** Resolves once nothing of the above is under way. Call it after `signal` was aborted. */
  readonly settled: () => Promise<void>;
}

/**
 * Begins turns for what waits in inboxes: at once when a message is sent or a turn has ended, and by a search for what a
 * process left behind.
 */
export function openInboxTurns<Ctx>({ inbox, settings, start, signal }: InboxTurnsOptions<Ctx>): InboxTurns {
  const { log, turnsPerUser, onError } = settings;
  /** The cursor of the oldest entry for which this process last began a turn, by conversation. */
  const begunFor = new Map<string, string>();
  /** The users whose next turns are being begun. */
  const goingOn = new Map<string, GoingOn>();
  const underWay = new Set<Promise<unknown>>();

  /** Remembers a call while it is under way. */
  function tracked<T>(call: Promise<T>): Promise<T> {
    const done = call.finally(() => underWay.delete(done));
    underWay.add(done);
    return done;
  }

  /** Returns whether a turn could begin: none is running, and no call waits for the user. */
  async function isFree(conversationId: string): Promise<boolean> {
    const latest = await log.read({ conversationId, limit: 1 });
    if (!latest.success) throw new TurnStoreError(latest.error);
    return latest.data === null || latest.data.turn.state === "ended";
  }

  /**
   * Returns the conversations of the user's running turns: at most as many as may run at once. Returns none of them if there
   * is no limit.
   */
  async function runningOf(userId: string): Promise<ReadonlySet<string>> {
    if (turnsPerUser > MOST_COUNTED) return new Set();
    const running = await log.find({ userId, state: "running" }, Math.ceil(turnsPerUser));
    if (!running.success) throw new TurnStoreError(running.error);
    return new Set(running.data.map(({ conversationId }) => conversationId));
  }

  /**
   * Begins a turn with the inbox's entries, unless no turn can begin now or no server has sent any of the entries: those
   * of an agent client are taken by its own runs. `isRetry`: also if an earlier turn has left the oldest entry, e.g.
   * because only a newer release can read it.
   */
  async function begin(conversationId: string, { isRetry }: { readonly isRetry: boolean }): Promise<Begun> {
    // Before the entries, so a turn that ends meanwhile hasn't taken what is read.
    const isFreeNow = await isFree(conversationId);
    const found = await inbox.read({ conversationId, limit: MOST_INBOX_ENTRIES });
    if (!found.success) throw new TurnStoreError(found.error);
    const [oldest] = found.data;
    const turn = turnOf(found.data);
    if (oldest === undefined || turn === undefined) return "none sent";
    // Turn after turn would begin and end for the same entry.
    if (!isFreeNow || (!isRetry && begunFor.get(conversationId) === oldest.cursor)) return "not now";
    const { identity, isUnattended } = turn;
    if ((await runningOf(identity.userId)).size >= turnsPerUser) return "full";
    if (begunFor.size >= MAX_KNOWN) begunFor.clear();
    begunFor.set(conversationId, oldest.cursor);
    const [first = ""] = settings.agents.keys();
    const agentName = settings.agents.has(turn.agentName) ? turn.agentName : first;
    const started = await start({
      ...{ identity, target: { conversationId }, agentName, input: [] },
      ...(isUnattended ? { priority: UNATTENDED_PRIORITY } : {}),
    });
    if (started.started) return { conversationId, turnId: started.turnId };
    begunFor.delete(conversationId);
    return "not now";
  }

  async function beginNext(userId: string, failed: ReadonlySet<string>): Promise<void> {
    const running = await runningOf(userId);
    if (running.size >= turnsPerUser) return;
    const waiting = await inbox.waiting({ userId, limit: LOOKED_AT });
    if (!waiting.success) throw new TurnStoreError(waiting.error);
    for (const { conversationId } of waiting.data) {
      if (failed.has(conversationId) || running.has(conversationId)) continue;
      if (signal.aborted) return;
      if ((await inTime(settings, begin(conversationId, { isRetry: false }))) === "full") return;
    }
  }

  const goOn: InboxTurns["goOn"] = async ({ userId, conversationId }, { hasFailed }) => {
    const earlier = goingOn.get(userId);
    const state = earlier ?? { isDue: true, failed: new Set<string>() };
    state.isDue = true;
    if (hasFailed) state.failed.add(conversationId);
    // Turns that end together would all try to begin the same ones.
    if (earlier !== undefined) return;
    goingOn.set(userId, state);
    while (state.isDue && !signal.aborted) {
      state.isDue = false;
      await beginNext(userId, state.failed).catch(onError);
    }
    goingOn.delete(userId);
  };

  async function send(request: MessageRequest): Promise<SentResult> {
    const entry = entryOf(request);
    // A run would drop it.
    if (parseEntry(entry).kind !== "message") return { sent: false, refusal: UNREADABLE };
    const put = await inbox.put(entry);
    if (!put.success) return { sent: false, refusal: storeRefusal(put.error) };
    const begun = await begin(request.conversationId, { isRetry: true }).catch((thrown: unknown) => {
      // The message is stored: the search begins its turn.
      onError(thrown);
      return "not now" as const;
    });
    return { sent: true, ...(typeof begun === "string" ? {} : { turnId: begun.turnId }) };
  }

  const searching = searchInboxes({
    ...{ inbox, settings, signal },
    begin: (conversationId) => begin(conversationId, { isRetry: true }),
  });

  return {
    send: (request) => tracked(send(request)),
    goOn: (turn, how) => tracked(goOn(turn, how)),
    settled: async () => {
      await Promise.allSettled([searching, ...underWay]);
    },
  };
}

const UNREADABLE = invalid("The message must be a text. A user's message can also be a list of parts.");
