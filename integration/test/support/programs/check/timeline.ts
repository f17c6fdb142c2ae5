import type { Call, Ended, ErasureCall, History, Place, Reading, WriteCall } from "../history.ts";

export type Write = Ended<WriteCall>;
export type Erasure = Ended<ErasureCall>;

/** A reading and its call: the conversation was in this state at some moment between the call's begin and end. */
export interface Seen extends Reading {
  readonly place: Place;
  readonly begin: number;
  readonly end: number;
}

/** A broken rule, and where. */
export interface Problem {
  readonly rule: string;
  readonly conversationId: string;
  readonly detail: string;
}

/** Everything that may have happened to one conversation. */
export interface Timeline {
  readonly conversationId: string;
  /** The writes that took effect or may have, in the order in which they began. */
  readonly writes: readonly Write[];
  /** Likewise. A clearing of a user may or may not concern the conversation. */
  readonly erasures: readonly Erasure[];
  /** In the order in which the calls began. */
  readonly seen: readonly Seen[];
  /** The writes of a mark: a message's text or a title. */
  readonly writersOf: (mark: string) => readonly Write[];
  readonly seenWith: (mark: string) => readonly Seen[];
}

/** The moment at which a call was certainly over. */
export const endOf = ({ outcome, end }: Ended<Call>): number =>
  outcome === "done" && end !== undefined ? end : Number.POSITIVE_INFINITY;

export const isDone = ({ outcome }: Ended<Call>): boolean => outcome === "done";

const mayHaveHappened = ({ outcome }: Ended<Call>): boolean => outcome === "done" || outcome === "unknown";

/** The texts of the messages, and the title. */
export const marksOf = ({ texts, title }: Pick<Reading, "texts" | "title">): readonly string[] =>
  title === undefined ? texts : [...texts, title];

/** The messages that a write adds. A replacement that was decided on a reading keeps the rest of it. */
function marksBroughtBy(write: Write): readonly string[] {
  if (write.mode !== "replace" || write.basis === undefined) return marksOf(write);
  const kept = new Set(marksOf(write.basis));
  return marksOf(write).filter((mark) => !kept.has(mark));
}

/** Identifies a write and its repetitions. */
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

/** Returns a timeline for each conversation of the history. */
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

/** Whether an erasure concerns a conversation that is known to belong to this user, or to no user. */
export const concerns = ({ conversationId, userId }: Erasure, owner: string | undefined): boolean =>
  conversationId !== undefined || (userId !== undefined && userId === owner);

/** A short description of a call. */
export const nameOf = (call: { readonly place: Place; readonly kind?: string }): string => {
  const { worker, operation, attempt } = call.place;
  const who = worker < 0 ? "the survey" : `worker ${worker}, operation ${operation}, attempt ${attempt}`;
  return call.kind === undefined || worker < 0 ? who : `${call.kind} (${who})`;
};
