import type { Conversation } from "./conversation.ts";
import type { Entry, SnapshotEntry } from "./entry.ts";

/** Keeps each line below the maximum length of a string. */
const MESSAGES_PER_LINE = 500;

/** Returns the lines of a compacted log. */
export function summarize(held: Conversation): readonly Entry[] {
  const {
    messages,
    keys,
    traceIds,
    nextPosition,
    batches: _,
    ownIds: _ids,
    liveLines: _lines,
    ...rest
  } = held;
  const firstPosition = nextPosition - messages.length;
  const lines: Entry[] = [
    { kind: "snapshot", ...rest, firstPosition, keys: [...keys], traceIds: [...traceIds] },
  ];
  for (let start = 0; start < messages.length; start += MESSAGES_PER_LINE) {
    const chunk = messages.slice(start, start + MESSAGES_PER_LINE);
    lines.push({ kind: "messages", messages: chunk.map(({ batch: _batch, ...message }) => message) });
  }
  return lines;
}

export function restore({ kind: _, keys, traceIds, firstPosition, ...rest }: SnapshotEntry): Conversation {
  return {
    ...rest,
    childOf: rest.childOf,
    userId: rest.userId,
    ttlSeconds: rest.ttlSeconds,
    messages: [],
    keys: new Map(keys),
    ownIds: new Map(),
    traceIds: new Set(traceIds),
    nextPosition: firstPosition,
    batches: 0,
    liveLines: new Map(),
  };
}
