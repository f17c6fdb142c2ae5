import { toEntryContent } from "@jaf/core/internal";
import type { Inbox, RichMessage } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import * as z from "zod";
import { pause } from "../pause.ts";
import { storeRefusal, TurnStoreError } from "../turns/turn-errors.ts";
import type { MessageRequest, SentResult, StartedTurn, TurnIds, TurnRequest } from "../turns/turn-service.ts";
import type { TurnSettings } from "./turn-options.ts";

/** How many conversations a search looks at. Those whose calls wait for the user stay in the list, so it isn't small. */
const SEARCHED = 1_000;
/** How many it looks at if all of these belong to users who have as many turns as they may. */
const MOST_SEARCHED = 16_000;
/** The highest limit for which a user's turns are counted. */
const MOST_COUNTED = 1_000;
/** How many conversations of a user are looked at when one of the user's turns has ended. */
const LOOKED_AT = 100;
const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 600_000;
const MAX_KNOWN = 1_000;
/** How many turns the search begins for the same oldest entry. */
const MOST_TURNS = 5;

/** What the server stores beside the message, so that any process can begin a turn with it. The engine ignores it. */
const begunBySchema = z.object({
  identity: z.looseObject({ userId: z.string() }),
  agentName: z.string(),
});

/**
 * Why no turn began:
 *
 * - `"not now"`: a turn is running, or calls wait for the user.
 * - `"full"`: the user has as many running turns as may run at once.
 * - `"none sent"`: no server has sent any of the entries.
 */
type NotBegun = "not now" | "full" | "none sent";

/** What the search has done about the same oldest entry. */
interface Attempts {
  readonly since: number;
  readonly begunTurns: number;
  readonly looks: number;
  readonly notBefore: number;
}

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
}

/**
 * Begins turns for what waits in inboxes: at once when a message is sent or a turn has ended, and by a search for what a
 * process left behind.
 */
export function openInboxTurns<Ctx>({ inbox, settings, start, signal }: InboxTurnsOptions<Ctx>): InboxTurns {
  const { log, recoverMs, turnsPerUser, onError } = settings;
  const attempts = new Map<string, Attempts>();
  /** The cursor of the oldest entry for which this process last began a turn, by conversation. */
  const begunFor = new Map<string, string>();
  /** The users whose next turns are being begun. */
  const goingOn = new Map<string, GoingOn>();
  let searched = SEARCHED;

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
  async function begin(
    conversationId: string,
    { isRetry }: { readonly isRetry: boolean },
  ): Promise<TurnIds | NotBegun> {
    // Before the entries, so a turn that ends meanwhile hasn't taken what is read.
    const isFreeNow = await isFree(conversationId);
    const found = await inbox.read({ conversationId });
    if (!found.success) throw new TurnStoreError(found.error);
    const [oldest] = found.data;
    const sent = found.data.map(({ content }) => begunBySchema.safeParse(parsed(content)).data).find(Boolean);
    if (oldest === undefined || sent === undefined) return "none sent";
    // Turn after turn would begin and end for the same entry.
    if (!isFreeNow || (!isRetry && begunFor.get(conversationId) === oldest.cursor)) return "not now";
    if ((await runningOf(sent.identity.userId)).size >= turnsPerUser) return "full";
    if (begunFor.size >= MAX_KNOWN) begunFor.clear();
    begunFor.set(conversationId, oldest.cursor);
    const [first = ""] = settings.agents.keys();
    const agentName = settings.agents.has(sent.agentName) ? sent.agentName : first;
    const { identity } = sent;
    const started = await start({ identity, target: { conversationId }, agentName, input: [] });
    if (started.started) return { conversationId, turnId: started.turnId };
    begunFor.delete(conversationId);
    return "not now";
  }

  /** Returns whether the conversation was deleted or has expired, e.g. just after its owner was checked. */
  async function isGone(conversationId: string): Promise<boolean> {
    const read = await settings.provider.readConversation(conversationId, { messages: "none" });
    return read.success && read.data.conversation === null;
  }

  /** `patienceMs`: how long the process that got an entry has to begin its turn. */
  async function search(patienceMs: number): Promise<void> {
    const waiting = await inbox.waiting({ limit: searched });
    if (!waiting.success) throw new TurnStoreError(waiting.error);
    const listed = new Set(waiting.data.map(({ conversationId }) => conversationId));
    for (const conversationId of attempts.keys())
      if (!listed.has(conversationId)) attempts.delete(conversationId);
    const fullUsers = new Set<string>();
    for (const { conversationId, userId, since } of waiting.data) {
      const now = performance.now();
      const known = attempts.get(conversationId);
      const earlier = known?.since === since.getTime() ? known : undefined;
      if (signal.aborted || (earlier?.notBefore ?? 0) > now || fullUsers.has(userId)) continue;
      if (earlier === undefined && Date.now() - since.getTime() < patienceMs) continue;
      // Each turn can call models and tools, and may fail before it has stored what it took.
      if ((earlier?.begunTurns ?? 0) >= MOST_TURNS) continue;
      const begun = await beginOrErase(conversationId).catch((thrown: unknown) => {
        onError(thrown);
        return "not now" as const;
      });
      if (begun === "full") {
        fullUsers.add(userId);
        continue;
      }
      const { looks = 0, begunTurns = 0 } = earlier ?? {};
      const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** looks);
      attempts.set(conversationId, {
        since: since.getTime(),
        looks: looks + 1,
        begunTurns: begunTurns + (typeof begun === "string" ? 0 : 1),
        notBefore: now + delayMs,
      });
    }
    // What a user with many conversations has left mustn't hide those of the others.
    const isHidden = listed.size === searched && waiting.data.every(({ userId }) => fullUsers.has(userId));
    searched = isHidden ? Math.min(MOST_SEARCHED, 4 * searched) : SEARCHED;
  }

  async function beginOrErase(conversationId: string): Promise<TurnIds | NotBegun> {
    const begun = await begin(conversationId, { isRetry: true });
    // A server sends only to conversations that exist. An agent client sends to those that its next run creates, too.
    if (begun !== "not now" || !(await isGone(conversationId))) return begun;
    const erased = await inbox.deleteConversation(conversationId);
    if (!erased.success) throw new TurnStoreError(erased.error);
    return begun;
  }

  async function beginNext(userId: string, failed: ReadonlySet<string>): Promise<void> {
    const running = await runningOf(userId);
    if (running.size >= turnsPerUser) return;
    const waiting = await inbox.waiting({ userId, limit: LOOKED_AT });
    if (!waiting.success) throw new TurnStoreError(waiting.error);
    for (const { conversationId } of waiting.data) {
      if (failed.has(conversationId) || running.has(conversationId)) continue;
      if (signal.aborted || (await begin(conversationId, { isRetry: false })) === "full") return;
    }
  }

  async function loop(everyMs: number): Promise<void> {
    while (!signal.aborted) {
      await search(everyMs).catch(onError);
      // Random intervals: processes that started together don't search at the same time.
      await pause(everyMs * (0.5 + Math.random()), signal);
    }
  }
  if (recoverMs !== false) void loop(recoverMs);

  return {
    send: async ({ identity, conversationId, agentName, message, key, from }) => {
      const said = { content: message as RichMessage["content"], ...present({ from }) };
      const content = toEntryContent(said, { identity, agentName });
      const put = await inbox.put({ conversationId, userId: identity.userId, key, content });
      if (!put.success) return { sent: false, refusal: storeRefusal(put.error) };
      const begun = await begin(conversationId, { isRetry: true }).catch((thrown: unknown) => {
        // The message is stored: the search begins its turn.
        onError(thrown);
        return "not now" as const;
      });
      return { sent: true, ...(typeof begun === "string" ? {} : { turnId: begun.turnId }) };
    },
    goOn: async ({ userId, conversationId }, { hasFailed }) => {
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
    },
  };
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return undefined;
  }
}
