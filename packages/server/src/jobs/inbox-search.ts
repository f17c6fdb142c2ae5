import type { Inbox } from "@jaf/memory";
import type { WaitingInbox } from "@jaf/memory/adapter";
import { withDeadline } from "@jaf/memory/internal";
import { pause } from "../pause.ts";
import { TurnStoreError } from "../turns/turn-errors.ts";
import type { TurnIds } from "../turns/turn-service.ts";
import { createRetryTimes } from "./retry-times.ts";
import type { TurnSettings } from "./turn-options.ts";

/** How many conversations a search looks at. Those whose calls wait for the user stay in the list, so it isn't small. */
const SEARCHED = 1_000;
/** How many it looks at if the searches before have begun no turn. */
const MOST_SEARCHED = 16_000;
const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 600_000;
/** How many turns the search begins for the same oldest entry. */
const MOST_TURNS = 5;
/** For how many users the search begins turns at the same time. */
const USERS_AT_ONCE = 8;

/**
 * The turn that an inbox began, or why none began:
 *
 * - `"not now"`: a turn is running, or calls wait for the user.
 * - `"full"`: the user has as many running turns as may run at once.
 * - `"none sent"`: no server has sent any of the entries.
 */
export type Begun = TurnIds | "not now" | "full" | "none sent";

interface InboxSearchOptions<Ctx> {
  readonly inbox: Inbox;
  readonly settings: TurnSettings<Ctx>;
  /** Begins a turn with what waits in an inbox. */
  readonly begin: (conversationId: string) => Promise<Begun>;
  readonly signal: AbortSignal;
}

/**
 * Searches every `recoverMs` for entries that a process left behind, and begins their turns. Resolves once `signal` is
 * aborted and nothing is under way.
 */
export async function searchInboxes<Ctx>(options: InboxSearchOptions<Ctx>): Promise<void> {
  const { inbox, settings, begin, signal } = options;
  const { recoverMs, onError } = settings;
  const looks = createRetryTimes({ firstMs: FIRST_DELAY_MS, maxMs: MAX_DELAY_MS, most: 2 * MOST_SEARCHED });
  /** How many turns this process has begun, by the oldest entry. */
  const turns = new Map<string, number>();
  const underWay = new Set<Promise<Begun>>();
  let searched = SEARCHED;

  /** Returns whether the conversation was deleted or has expired, e.g. just after its owner was checked. */
  async function isGone(conversationId: string): Promise<boolean> {
    const read = await settings.provider.readConversation(conversationId, { messages: "none" });
    return read.success && read.data.conversation === null;
  }

  async function beginOrErase(conversationId: string): Promise<Begun> {
    const begun = await begin(conversationId);
    // A server sends only to conversations that exist. An agent client sends to those that its next run creates, too.
    if (begun !== "not now" || signal.aborted || !(await isGone(conversationId))) return begun;
    const erased = await inbox.deleteConversation(conversationId);
    if (!erased.success) throw new TurnStoreError(erased.error);
    return begun;
  }

  /** Never rejects. */
  function tryToBegin(waiting: WaitingInbox): Promise<Begun> {
    const trying = beginOrErase(waiting.conversationId)
      .catch((thrown: unknown) => {
        onError(thrown);
        return "not now" as const;
      })
      .then((begun) => {
        const key = keyOf(waiting);
        if (typeof begun === "string") return begun;
        if (turns.size >= MOST_SEARCHED) turns.clear();
        turns.set(key, (turns.get(key) ?? 0) + 1);
        return begun;
      })
      .finally(() => underWay.delete(trying));
    underWay.add(trying);
    return trying;
  }

  /**
   * Begins turns in inboxes of one user, one after the other, as long as the user may have more. Returns whether it began
   * one.
   */
  async function beginEach(inboxes: readonly WaitingInbox[]): Promise<boolean> {
    let hasBegun = false;
    for (const waiting of inboxes) {
      if (signal.aborted) return hasBegun;
      const begun = await inTime(settings, tryToBegin(waiting)).catch((late: unknown) => {
        onError(late);
        return "late" as const;
      });
      if (begun === "full") return hasBegun;
      looks.postpone(keyOf(waiting));
      if (begun === "late") return hasBegun;
      hasBegun ||= typeof begun !== "string";
    }
    return hasBegun;
  }

  /** `patienceMs`: how long the process that got an entry has to begin its turn. */
  async function search(patienceMs: number): Promise<void> {
    const found = await inbox.waiting({ limit: searched });
    if (!found.success) throw new TurnStoreError(found.error);
    if (found.data.length < searched) keepOnly(new Set(found.data.map(keyOf)));
    const due = found.data.filter(
      (waiting) =>
        Date.now() - waiting.since.getTime() >= patienceMs &&
        looks.isDue(keyOf(waiting)) &&
        // Each turn can call models and tools, and may fail before it has stored what it took.
        (turns.get(keyOf(waiting)) ?? 0) < MOST_TURNS,
    );
    const hasBegun = await someAtOnce(byUser(due), beginEach);
    // Many that can't begin, e.g. because calls wait for the user, can hide one that can.
    const mayHide = found.data.length === searched && !hasBegun;
    searched = mayHide ? Math.min(MOST_SEARCHED, 4 * searched) : SEARCHED;
  }

  function keepOnly(keys: ReadonlySet<string>): void {
    looks.keepOnly(keys);
    for (const key of turns.keys()) if (!keys.has(key)) turns.delete(key);
  }

  if (recoverMs === false) return;
  while (!signal.aborted) {
    await search(recoverMs).catch(onError);
    // Random intervals: processes that started together don't search at the same time.
    await pause(recoverMs * (0.5 + Math.random()), signal);
  }
  await Promise.all(underWay);
}

/** Rejects if no turn has begun in time: the application's `context` may never end, and mustn't keep the others waiting. */
export const inTime = <Ctx>({ leaseSeconds }: TurnSettings<Ctx>, begin: Promise<Begun>): Promise<Begun> =>
  withDeadline(begin, {
    timeoutMs: leaseSeconds * 1_000,
    timeoutError: () => new Error(`A message's turn hasn't begun within ${leaseSeconds} s.`),
  });

/** Identifies the oldest entry of an inbox. */
const keyOf = ({ conversationId, since }: WaitingInbox): string =>
  JSON.stringify([conversationId, since.getTime()]);

function byUser(all: readonly WaitingInbox[]): readonly (readonly WaitingInbox[])[] {
  const groups = new Map<string, WaitingInbox[]>();
  for (const waiting of all) {
    const group = groups.get(waiting.userId);
    if (group === undefined) groups.set(waiting.userId, [waiting]);
    else group.push(waiting);
  }
  return [...groups.values()];
}

/** Calls `task` for each item, for some at once. Returns whether one of the calls resolved with `true`. */
async function someAtOnce<T>(items: readonly T[], task: (item: T) => Promise<boolean>): Promise<boolean> {
  const rest = items.values();
  let isTrue = false;
  const worker = async (): Promise<void> => {
    // The workers share the iterator, so each item is given to one of them.
    for (const item of rest) isTrue = (await task(item)) || isTrue;
  };
  await Promise.all(Array.from({ length: USERS_AT_ONCE }, worker));
  return isTrue;
}
