import type { Call, Ended, ErasureCall, History, Place, Reading, WriteCall } from "../history.ts";

export type Write = Ended<WriteCall>;
export type Erasure = Ended<ErasureCall>;

/** A reading, and the call that gave it: the conversation was so at some moment between its begin and its end. */
export interface Seen extends Reading {
  readonly place: Place;
  readonly begin: number;
  readonly end: number;
}

/** What was broken, and where. */
export interface Problem {
  readonly rule: string;
  readonly conversationId: string;
  readonly detail: string;
}

/** What happened to one conversation, as far as it may have happened. */
export interface Timeline {
  readonly conversationId: string;
  /** Those that were done or may have been, in the order in which they began. */
  readonly writes: readonly Write[];
  /** The same; of users they may concern the conversation or not. */
  readonly erasures: readonly Erasure[];
  /** In the order in which the calls began. */
  readonly seen: readonly Seen[];
  /** What brought a mark, a message's text or a title, into the conversation. */
  readonly writersOf: (mark: string) => readonly Write[];
  readonly seenWith: (mark: string) => readonly Seen[];
}

/** When a call was surely over. */
export const endOf = ({ outcome, end }: Ended<Call>): number =>
  outcome === "done" && end !== undefined ? end : Number.POSITIVE_INFINITY;

export const isDone = ({ outcome }: Ended<Call>): boolean => outcome === "done";

const mayHaveHappened = ({ outcome }: Ended<Call>): boolean => outcome === "done" || outcome === "unknown";

/** The texts of the messages, and the title. */
export const marksOf = ({ texts, title }: Pick<Reading, "texts" | "title">): readonly string[] =>
  title === undefined ? texts : [...texts, title];

/** What a write brings; a replacement that was decided on what was there keeps the rest of it. */
function marksBroughtBy(write: Write): readonly string[] {
  if (write.mode !== "replace" || write.basis === undefined) return marksOf(write);
  const kept = new Set(marksOf(write.basis));
  return marksOf(write).filter((mark) => !kept.has(mark));
}

/** What a repetition of the write has in common with it, and no other write. */
export function identityOf({ idempotencyKey, hasIds, texts, place, begin }: Write): string {
  if (idempotencyKey !== undefined) return `key ${idempotencyKey}`;
  return hasIds ? `ids ${texts.join()}` : `call ${place.worker} ${begin}`;
}

function indexBy<T>(items: readonly T[], keysOf: (item: T) => readonly string[]) {
  const index = new Map<string, T[]>();
  for (const item of items) {
    for (const key of new Set(keysOf(item))) {
      const found = index.get(key);
      if (found === undefined) index.set(key, [item]);
      else found.push(item);
    }
  }
  return (key: string): readonly T[] => index.get(key) ?? [];
}

const seenBy = (call: Ended<Call>): readonly Seen[] => {
  const { readings = [], place, begin, end } = call;
  return end === undefined ? [] : readings.map((reading) => ({ ...reading, place, begin, end }));
};

/** One for each conversation that anything was done to. */
export function timelinesOf({ calls }: History): readonly Timeline[] {
  const possible = calls.filter(mayHaveHappened);
  const seen = indexBy(calls.flatMap(seenBy), ({ conversationId }) => [conversationId]);
  const allWrites = possible.filter((call) => call.type === "write");
  const writes = indexBy(allWrites, ({ conversationId }) => [conversationId]);
  const ids = new Set([
    ...allWrites.map(({ conversationId }) => conversationId),
    ...calls.flatMap(({ readings = [] }) => readings.map(({ conversationId }) => conversationId)),
  ]);
  return [...ids].map((conversationId): Timeline => {
    const own = writes(conversationId);
    const ownSeen = seen(conversationId);
    return {
      conversationId,
      writes: own,
      erasures: possible.filter(
        (call) => call.type === "erasure" && [undefined, conversationId].includes(call.conversationId),
      ) as readonly Erasure[],
      seen: ownSeen,
      writersOf: indexBy(own, marksBroughtBy),
      seenWith: indexBy(ownSeen, marksOf),
    };
  });
}

/** Whether an erasure concerns what was known to belong to this user, or to nobody. */
export const concerns = ({ conversationId, userId }: Erasure, owner: string | undefined): boolean =>
  conversationId !== undefined || (userId !== undefined && userId === owner);

/** A call in a few words. */
export const nameOf = (call: { readonly place: Place; readonly kind?: string }): string => {
  const { worker, operation, attempt } = call.place;
  const who = worker < 0 ? "the survey" : `worker ${worker}, operation ${operation}, attempt ${attempt}`;
  return call.kind === undefined || worker < 0 ? who : `${call.kind} (${who})`;
};
