import type { Message } from "../message.ts";
import type { MemoryProvider } from "../provider.ts";
import { createSuccess, type Result } from "../result.ts";
import { type DeadLetterEvent, type DeadLetterReason, storeDeadLetter } from "./dead-letters.ts";
import {
  emptyJournal,
  type Journal,
  type JournaledWrite,
  readJournal,
  recordReplayed,
  userIdOf,
} from "./fallback-journal.ts";
import type { FallbackWrite } from "./journal-entry.ts";
import { type CallPrimary, messagesAfter, replayWrite } from "./replay-write.ts";
import { sendWrite } from "./write-request.ts";

export interface ReplayStores {
  readonly fallback: MemoryProvider;
  readonly callPrimary: CallPrimary;
  readonly onDeadLetter: (event: DeadLetterEvent) => void;
}

/** The outcome of replaying a conversation's fallback writes. */
export interface ConversationReplay {
  /** How many the primary has now. */
  readonly writes: number;
  readonly deadLetters: number;
}

/** After how many writes the progress of a replay is recorded: fewer than a store keeps idempotency keys for. */
const RECORDED_EVERY = 100;

/** The owner of what the fallback holds; `undefined` if it holds nothing, or nobody owns it. */
async function ownerInFallback(
  fallback: MemoryProvider,
  conversationId: string,
): Promise<Result<string | undefined>> {
  const found = await fallback.findConversations({ conversationId, includeMessages: false });
  return found.success ? createSuccess(found.data[0]?.userId) : found;
}

/** Repeats a write on the fallback whose process died in between: the fallback does it once, or refuses it. */
async function isTaken(fallback: MemoryProvider, write: JournaledWrite): Promise<Result<boolean>> {
  if (write.isDone) return createSuccess(true);
  const sent = await sendWrite(fallback, write.request);
  if (sent.success) return createSuccess(true);
  const { _tag, retryable } = sent.error;
  return _tag === "MemoryConnectionError" || retryable ? sent : createSuccess(false);
}

interface Replay {
  readonly stores: ReplayStores;
  readonly conversationId: string;
  readonly journal: Journal;
  /** By user id. */
  readonly deadLetters: Map<string | undefined, DeadLetterEvent>;
}

async function moveToDeadLetters(
  { stores, conversationId, deadLetters }: Replay,
  write: FallbackWrite,
  { userId, reason }: { readonly userId: string | undefined; readonly reason: DeadLetterReason },
): Promise<Result<void>> {
  const messages = messagesAfter([], write);
  const kept = await storeDeadLetter(
    stores.fallback,
    { conversationId, userId, reason },
    { key: write.key, messages },
  );
  if (!kept.success) return kept;
  const earlier = deadLetters.get(userId);
  deadLetters.set(userId, {
    id: kept.data,
    conversationId,
    ...(userId === undefined ? {} : { userId }),
    reason,
    writes: (earlier?.writes ?? 0) + 1,
    messages: (earlier?.messages ?? 0) + messages.length,
  });
  return createSuccess(undefined);
}

/** Whose a write is: it says so, or it is the owner's of what it was added to. */
async function ownerOf({ stores, conversationId, journal }: Replay) {
  const there = await ownerInFallback(stores.fallback, conversationId);
  if (!there.success) return there;
  const named = journal.writes.map(({ request }) => userIdOf(request)).find((id) => id !== undefined);
  return createSuccess(({ request }: FallbackWrite) => userIdOf(request) ?? there.data ?? named);
}

/** How many writes the primary has now. Fails with the first error that may pass. */
async function replayJournal(replay: Replay): Promise<Result<number>> {
  const { stores, conversationId, journal, deadLetters } = replay;
  const owner = await ownerOf(replay);
  if (!owner.success) return owner;
  let messages: readonly Message[] = [];
  let done = 0;
  for (const [index, write] of journal.writes.entries()) {
    const isDealtWith = index < journal.from;
    const taken = isDealtWith ? createSuccess(true) : await isTaken(stores.fallback, write);
    if (!taken.success) return taken;
    if (!taken.data) continue;
    const before = messages;
    messages = messagesAfter(before, write);
    if (isDealtWith) continue;
    const userId = owner.data(write);
    // What builds on a dead letter becomes one as well.
    const reason = deadLetters.get(userId)?.reason;
    const result =
      reason === undefined
        ? await replayWrite(stores.callPrimary, write, { conversationId, userId, messages: before })
        : createSuccess({ status: "dead-letter", reason } as const);
    if (!result.success) return result;
    if (result.data.status === "dead-letter") {
      const kept = await moveToDeadLetters(replay, write, { userId, reason: result.data.reason });
      if (!kept.success) return kept;
      continue;
    }
    done += 1;
    // Not past a dead letter: the next replay has to know of it.
    if (done % RECORDED_EVERY > 0 || deadLetters.size > 0) continue;
    const recorded = await recordReplayed(stores.fallback, conversationId, write);
    if (!recorded.success) return recorded;
  }
  return createSuccess(done);
}

/**
 * Replays all fallback writes of one conversation on the primary, and deletes what the fallback holds of it.
 * May be interrupted anywhere, and done by several processes at once: each write is sent under its key, and the journal
 * is emptied only if nothing was added meanwhile.
 */
export async function replayConversation(
  stores: ReplayStores,
  conversationId: string,
): Promise<Result<ConversationReplay>> {
  const { fallback } = stores;
  let total: ConversationReplay = { writes: 0, deadLetters: 0 };
  for (;;) {
    const read = await readJournal(fallback, conversationId);
    if (!read.success) return read;
    const journal = read.data;
    if (journal === null) return createSuccess(total);
    const deadLetters: Replay["deadLetters"] = new Map();
    const replayed = await replayJournal({ stores, conversationId, journal, deadLetters });
    if (!replayed.success) return replayed;
    const aside = [...deadLetters.values()].reduce((sum, { writes }) => sum + writes, 0);
    for (const event of deadLetters.values()) stores.onDeadLetter(event);
    total = { writes: total.writes + replayed.data, deadLetters: total.deadLetters + aside };
    // Before the journal, which alone calls for a replay. Where all was refused, it holds what it always held.
    if (replayed.data + aside + journal.from > 0) {
      const deleted = await fallback.deleteConversation(conversationId);
      if (!deleted.success) return deleted;
    }
    const emptied = await emptyJournal(fallback, conversationId, journal);
    if (!emptied.success) return emptied;
    if (emptied.data) return createSuccess(total);
  }
}
