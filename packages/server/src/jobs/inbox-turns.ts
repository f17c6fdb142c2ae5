import type { Inbox } from "@jaf/memory";
import * as z from "zod";
import { pause } from "../pause.ts";
import { storeRefusal, TurnStoreError } from "../turns/turn-errors.ts";
import type {
  Identity,
  SentMessage,
  SentResult,
  StartedTurn,
  TurnIds,
  TurnRequest,
} from "../turns/turn-service.ts";
import type { TurnSettings } from "./turn-options.ts";

/** How many conversations a search looks at. Those whose calls wait for the user stay in the list, so it isn't small. */
const SEARCHED = 1_000;
const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 600_000;
const MAX_KNOWN = 1_000;

/** What the server stores beside the message, so that any process can begin a turn with it. The engine ignores it. */
const begunBySchema = z.object({
  identity: z.looseObject({ userId: z.string() }),
  agentName: z.string(),
});

/** The attempts of the search to begin a turn for the same oldest entry. */
interface Attempts {
  readonly since: number;
  readonly count: number;
  readonly notBefore: number;
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
  readonly send: (message: SentMessage) => Promise<SentResult>;
  /** Begins a turn with what is left in the conversation's inbox. Call it when a turn has ended. Never rejects. */
  readonly goOn: (turn: Pick<TurnIds, "conversationId">) => Promise<void>;
}

/**
 * Begins turns for what waits in inboxes: at once when a message is sent or a turn has ended, and by a search for what a
 * process left behind.
 */
export function openInboxTurns<Ctx>({ inbox, settings, start, signal }: InboxTurnsOptions<Ctx>): InboxTurns {
  const { log, recoverMs, onError } = settings;
  const attempts = new Map<string, Attempts>();
  /** The cursor of the oldest entry for which this process last began a turn, by conversation. */
  const begunFor = new Map<string, string>();

  /** Returns whether a turn could begin: none is running, and no call waits for the user. */
  async function isFree(conversationId: string): Promise<boolean> {
    const latest = await log.read({ conversationId, limit: 1 });
    if (!latest.success) throw new TurnStoreError(latest.error);
    return latest.data === null || latest.data.turn.state === "ended";
  }

  /**
   * Begins a turn with the inbox's entries, unless it is empty or no turn can begin now. `isRetry`: also if an earlier
   * turn has left the oldest entry, e.g. because only a newer release can read it.
   */
  async function begin(conversationId: string, isRetry = false): Promise<StartedTurn | undefined> {
    const found = await inbox.read({ conversationId, limit: 1 });
    if (!found.success) throw new TurnStoreError(found.error);
    const [oldest] = found.data;
    if (oldest === undefined || !(await isFree(conversationId))) return undefined;
    // Turn after turn would begin and end for the same entry.
    if (!isRetry && begunFor.get(conversationId) === oldest.cursor) return undefined;
    if (begunFor.size >= MAX_KNOWN) begunFor.clear();
    begunFor.set(conversationId, oldest.cursor);
    const { success, data } = begunBySchema.safeParse(parsed(oldest.content));
    const identity: Identity = success ? data.identity : { userId: oldest.userId };
    const [first = ""] = settings.agents.keys();
    const agentName = success && settings.agents.has(data.agentName) ? data.agentName : first;
    return start({ identity, target: { conversationId }, agentName, input: [] });
  }

  /** Returns whether the conversation was deleted or has expired, e.g. just after its owner was checked. */
  async function isGone(conversationId: string): Promise<boolean> {
    const read = await settings.provider.readConversation(conversationId, { messages: "none" });
    return read.success && read.data.conversation === null;
  }

  /** `patienceMs`: how long the process that got an entry has to begin its turn. */
  async function search(patienceMs: number): Promise<void> {
    const waiting = await inbox.waiting({ limit: SEARCHED });
    if (!waiting.success) throw new TurnStoreError(waiting.error);
    for (const { conversationId, since } of waiting.data) {
      const now = performance.now();
      const known = attempts.get(conversationId);
      const earlier = known?.since === since.getTime() ? known : undefined;
      if (signal.aborted || (earlier?.notBefore ?? 0) > now) continue;
      if (earlier === undefined && Date.now() - since.getTime() < patienceMs) continue;
      const count = (earlier?.count ?? 0) + 1;
      const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - 1));
      if (attempts.size >= MAX_KNOWN) attempts.clear();
      attempts.set(conversationId, { since: since.getTime(), count, notBefore: now + delayMs });
      await beginOrErase(conversationId).catch(onError);
    }
  }

  async function beginOrErase(conversationId: string): Promise<void> {
    const begun = await begin(conversationId, true);
    if (begun?.started === true || !(await isGone(conversationId))) return;
    const erased = await inbox.deleteConversation(conversationId);
    if (!erased.success) throw new TurnStoreError(erased.error);
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
    send: async ({ identity, conversationId, agentName, message, key }) => {
      const content = JSON.stringify({ format: 1, content: message, identity, agentName });
      const put = await inbox.put({ conversationId, userId: identity.userId, key, content });
      if (!put.success) return { sent: false, refusal: storeRefusal(put.error) };
      const begun = await begin(conversationId).catch((thrown: unknown) => {
        // The message is stored: the search begins its turn.
        onError(thrown);
        return undefined;
      });
      return { sent: true, ...(begun?.started === true ? { turnId: begun.turnId } : {}) };
    },
    goOn: async ({ conversationId }) => {
      if (!signal.aborted) await begin(conversationId).catch(onError);
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
